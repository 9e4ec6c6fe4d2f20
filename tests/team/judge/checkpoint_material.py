"""A healthy session to break: its files under fixtures/, its bus in here."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from topkick.team.bus.model import Message
from topkick.team.judge.checks import BUILTIN, judge
from topkick.team.judge.checks.builtin import BuiltinOutcome
from topkick.team.judge.findings import JudgeFinding
from topkick.team.judge.material import Material, gather
from topkick.team.judge.role_spec import read_role_spec
from topkick.team.session import read_session, states_by_task
from topkick.text.format import moment_us

HERE = Path(__file__).parent
SESSION = HERE / "fixtures" / "session"
SHIPPED = HERE.parents[2] / "src" / "topkick" / "team" / "judge" / "specs" / "supervisor.md"
SPEC = read_role_spec(SHIPPED.read_text("utf-8"))
NOON_US = moment_us("2026-03-01T12:00:00+00:00") or 0
BRIEF = "spec/product-brief.md"
PRD = "spec/requirements/_index.md"
ARCHITECTURE = "spec/architecture.md"
EPICS = "spec/epics.md"
PLAN = "plan/plan.json"
WISDOM = "wisdom/decisions.md"


def message(sender: str, type_: str, number: int = 1, at: str = "11:50", **data: object) -> Message:
    ts = f"2026-03-01T{at}:00+00:00"
    return Message(
        sender, "coordinator", type_, f"[{sender}] {type_}", json.dumps(data), number, ts
    )


def state(sender: str, task_id: str, score: int = 85, **data: object) -> Message:
    said = {"task_id": task_id, "status": "task_complete", "quality_self_score": score, **data}
    return message(sender, "state_update", at="11:00", **said)


STATES: tuple[Message, ...] = (
    state("analyst", "RESEARCH-001", ref="spec/discovery.md", decisions=["Storage: PostgreSQL"]),
    state("writer", "DRAFT-001", ref=BRIEF, terminology_keys=["sign-in", "invoice"]),
    state("writer", "DRAFT-002", 82, decisions=["Storage: PostgreSQL (as found)"]),
    state("architect", "DRAFT-003", 84, ref=ARCHITECTURE, decisions={"Storage": "PostgreSQL 15"}),
    state("writer", "DRAFT-004", 80, ref=EPICS),
)
TALK = (
    message("writer", "progress", 20, task_id="DRAFT-004", phase="done"),
    message("coordinator", "fast_advance", 21, task_id="DRAFT-004"),
)


def files() -> dict[str, str]:
    found = {
        path.relative_to(SESSION).as_posix(): path.read_text("utf-8")
        for path in sorted(SESSION.rglob("*"))
        if path.is_file()
    }
    return {
        **found,
        "spec/discovery.md": "# Discovery\n\nClubs keep their invoices in shoe boxes.\n",
    }


def material(
    checkpoint: str = "CHECKPOINT-002",
    scope: tuple[str, ...] = ("DRAFT-003", "DRAFT-004"),
    states: tuple[Message, ...] = STATES,
    messages: tuple[Message, ...] = TALK,
    without: tuple[str, ...] = (),
    changed: Mapping[str, tuple[str, str]] | None = None,
    files_more: Mapping[str, str] | None = None,
) -> Material:
    """`changed`: in this file, one text for another, which has to be there."""
    seen = {path: text for path, text in files().items() if path not in without}
    for path, (was, now) in (changed or {}).items():
        assert was in seen[path], f"{was!r} is not in {path}"
        seen[path] = seen[path].replace(was, now)
    known = Material(
        session=read_session(seen["team-session.json"]),
        states_by_task=states_by_task(states),
        messages=messages,
        scope=scope,
        progress="5/10 tasks completed",
        at_us=NOON_US,
    )
    return gather(SPEC, checkpoint, known, {**seen, **(files_more or {})})


def run(name: str, given: Material) -> BuiltinOutcome:
    return BUILTIN[name].run(given)


def judged(checkpoint: str, given: Material) -> tuple[JudgeFinding, ...]:
    found = SPEC.checkpoint(checkpoint)
    assert found is not None
    return tuple(judge(check, given) for check in found.checks)


def at_plan(**more: object) -> Material:
    return material("CHECKPOINT-003", ("PLAN-001",), **more)  # type: ignore[arg-type]


def with_session(given: Material, **more: object) -> Material:
    return replace(given, session=replace(given.session, **more))
