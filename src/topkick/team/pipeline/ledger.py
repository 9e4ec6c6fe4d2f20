"""The session file as the coordinator keeps it: content of others stays as it is."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from topkick.team.requests import SUPERVISOR, checkpoint_of, round_of
from topkick.team.session import number, parsed, read_session

PENDING, IN_PROGRESS, COMPLETED = "pending", "in_progress", "completed"
BLOCKED, AWAITING, REVISED = "blocked", "awaiting_approval", "revised"
ACTIVE, ABORTED = "active", "aborted"
OPEN = (PENDING, IN_PROGRESS)
DONE = (COMPLETED, "done")
_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,79}")


@dataclass(frozen=True, slots=True)
class Line:
    """A task. `revision` counts how often it was requested, `why` is what a person wants of it now,
    `report` is what was found; `module` is its subject if the plan names several.
    """

    id: str
    role: str = ""
    status: str = PENDING
    needs: tuple[str, ...] = ()
    artifact: str = ""
    scope: tuple[str, ...] = ()
    ref: str = ""
    verdict: str = ""
    score: float | None = None
    revision: int = 1
    why: str = ""
    report: str = ""
    module: str = ""
    started_at: str = ""
    updated_at: str = ""
    passed_by: str = ""
    passed_why: str = ""

    @property
    def is_done(self) -> bool:
        return self.status in DONE

    @property
    def is_checkpoint(self) -> bool:
        return self.role.casefold() == SUPERVISOR


_OWN = tuple(name for name in Line.__dataclass_fields__ if name != "id")
_LISTS = ("needs", "scope")


@dataclass(frozen=True, slots=True)
class ArtifactLedger:
    """The session; `text` is the file as it was read; `readable` unless it was not a JSON
    object.
    """

    text: str
    lines: tuple[Line, ...] = ()
    id: str = ""
    mode: str = ""
    requirement: str = ""
    supervision: bool = True
    status: str = ""
    topology: str = ""
    aborted: str = ""
    resident: bool = False
    readable: bool = True

    def line(self, task_id: str) -> Line | None:
        return next((line for line in self.lines if line.id == task_id), None)

    def latest(self, task_id: str) -> Line | None:
        """Return the last round of a checkpoint that was judged again."""
        wanted = checkpoint_of(task_id)
        rounds = [line for line in self.lines if checkpoint_of(line.id) == wanted]
        return max(rounds, key=lambda line: round_of(line.id), default=None)

    def with_lines(self, *changed: Line) -> "ArtifactLedger":
        by_id = {line.id: line for line in self.lines} | {line.id: line for line in changed}
        return replace(self, lines=tuple(by_id.values()))


def read(text: str) -> ArtifactLedger:
    found = parsed(text)
    if not isinstance(found, Mapping):
        return ArtifactLedger(text, readable=False)
    session = read_session(text)
    raw = _tasks(found)
    named = (task for task in session.tasks if _ID.fullmatch(task.id))
    lines = (_line(task.id, raw.get(task.id, {})) for task in named)
    known = {task.id: task for task in session.tasks}
    workers = found.get("active_workers")
    return ArtifactLedger(
        text=text,
        lines=tuple(_as_others_say(line, known[line.id].needs) for line in lines),
        id=session.id,
        mode=session.mode,
        requirement=session.requirement,
        supervision=session.supervision,
        status=_text(found.get("status")),
        topology=session.topology,
        aborted=_text(found.get("aborted")),
        resident=isinstance(workers, Mapping) and SUPERVISOR in workers,
    )


def _as_others_say(line: Line, needs: tuple[str, ...]) -> Line:
    """Use the needs that other tools call `blocked_by`."""
    return replace(line, needs=line.needs or needs)


def write(ledger: ArtifactLedger, now: str) -> str:
    """Return the file with topkick's keys changed and all others kept."""
    found = parsed(ledger.text)
    whole = dict(found) if isinstance(found, Mapping) else {}
    tasks = _tasks(whole)
    for line in ledger.lines:
        others = {key: v for key, v in tasks.get(line.id, {}).items() if key not in _OWN}
        tasks[line.id] = {**others, **_fields(line)}
    whole["tasks"] = tasks
    whole["status"] = ledger.status or ACTIVE
    whole["updated_at"] = now
    for key, value in (("impl_topology", ledger.topology), ("aborted", ledger.aborted)):
        if value:
            whole[key] = value
    whole["pipeline"] = _pipeline(whole.get("pipeline"), ledger)
    whole["active_workers"] = _workers(whole.get("active_workers"), ledger)
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _pipeline(found: object, ledger: ArtifactLedger) -> dict[str, object]:
    kept = dict(found) if isinstance(found, Mapping) else {}
    done, total = progress(ledger)
    return {**kept, "mode": ledger.mode, "tasks_total": total, "tasks_completed": done}


def _workers(found: object, ledger: ArtifactLedger) -> dict[str, object]:
    kept = found if isinstance(found, Mapping) else {}
    workers: dict[str, object] = {SUPERVISOR: {"resident": True}} if ledger.resident else {}
    if ledger.resident and isinstance(kept.get(SUPERVISOR), Mapping):
        workers[SUPERVISOR] = kept[SUPERVISOR]
    for line in ledger.lines:
        if line.status == IN_PROGRESS and not line.is_checkpoint:
            workers[f"{line.role} {line.id}"] = {"role": line.role, "task_id": line.id}
    return workers


def progress(ledger: ArtifactLedger) -> tuple[int, int]:
    """Return the done and the total number of tasks; a revised round is not counted."""
    counted = [line for line in ledger.lines if line.status != REVISED]
    return sum(line.is_done for line in counted), len(counted)


# --- reading and writing a task --------------------------------------------------------------


def _tasks(whole: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Return the tasks by id, whether the file has them by id or as a list."""
    found = whole.get("tasks")
    pairs: Iterable[tuple[object, object]] = ()
    if isinstance(found, Mapping):
        pairs = found.items()
    elif isinstance(found, list):
        pairs = (
            (each.get("id", each.get("task_id")), each)
            for each in found
            if isinstance(each, Mapping)
        )
    return {
        name: dict(each)
        for name, each in pairs
        if isinstance(name, str) and isinstance(each, Mapping)
    }


def _line(task_id: str, found: Mapping[str, object]) -> Line:
    revision = number(found.get("revision"))
    return Line(
        id=task_id,
        role=_text(found.get("role", found.get("owner"))),
        status=_text(found.get("status")).casefold() or PENDING,
        needs=_texts(found.get("needs")),
        artifact=_text(found.get("artifact")),
        scope=_texts(found.get("scope")),
        ref=_text(found.get("ref")),
        verdict=_text(found.get("verdict")),
        score=number(found.get("score")),
        revision=int(revision) if revision is not None and revision > 0 else 1,
        **{name: _text(found.get(name)) for name in _WORDS},
    )


_WORDS = ("why", "report", "module", "started_at", "updated_at", "passed_by", "passed_why")


def _fields(line: Line) -> dict[str, object]:
    """Return the fields without empty values, except those that every task has."""
    found = {name: getattr(line, name) for name in _OWN}
    always = ("role", "status", "needs")
    return {
        name: list(value) if name in _LISTS else value
        for name, value in found.items()
        if name in always or value not in ("", None, (), 1)
    }


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    entries = value if isinstance(value, list) else []
    return tuple(text for each in entries if (text := _text(each)))
