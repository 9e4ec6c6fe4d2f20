"""Three other supervisors on the same kernel, each one small decide(): the seams hold.

They are for this test only, so they carry no rules of their own chapters; the stories show that
facts, runs, orders and replay serve them too.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from rig import SETTINGS, Rig, plan, replayed
from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit, Ending, Tier
from topkick.engine.agents.runs import Dispatch, Run, Stage
from topkick.engine.codec.codec import Codec, Text
from topkick.engine.effects import Seen
from topkick.engine.kernel import Policy
from topkick.engine.messages import questions as q
from topkick.engine.refusals import CommandName, CommandUnfit
from topkick.sprint.model import Mission, Stance
from transcript import play

STORIES = Path(__file__).parent / "other_stories"
Events = Sequence[h.Event]


# --- what the three share ------------------------------------------------------------------


def begin(policy: str, command: h.Command) -> Events:
    match command:
        case h.Start(mission_id, plan, settings):
            stance = h.StanceTaken(Stance.WORKING, "started by a person")
            return (h.MissionBegan(mission_id, policy, plan, settings), stance)
        case h.Stop():
            return (h.StanceTaken(Stance.STOPPING, "stopped by a person"),)
        case _:
            return (h.CommandRefused(CommandUnfit(policy, CommandName.RETRY, "topkick resume")),)


def ask(mission: Mission, subject: str, brief: dict[str, object]) -> Events:
    """An order outside any plan: no unit, and its subject in the place of the sprint."""
    settings = mission.settings
    assert settings is not None
    prompt = Text.of(json.dumps(brief, sort_keys=True))
    order = Dispatch(settings.agent.name, "mid", Tier.SONNET, 1, prompt)
    return give(mission, subject, order)


def give(mission: Mission, subject: str, order: Dispatch) -> Events:
    run_id = f"{mission.id}-{mission.runs_opened + 1}"
    opened = h.RunOpened(run_id, "", subject, Stage.SURVEYING)
    return (opened, h.RunDispatched(run_id, order))


def read(text: Text | None) -> dict[str, object] | None:
    try:
        found = json.loads((text and text.body) or "")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def may_ask(mission: Mission) -> bool:
    return mission.stance is Stance.WORKING and mission.driven and not mission.runs


# --- kanban: spawn, check the form, tell the Manager, repeat -------------------------------

MAX_RETRIES = 3


def kanban(mission: Mission, question: q.Question) -> Events:
    match question:
        case q.WhatOfCommand(command):
            return begin("kanban", command)
        case q.WhatOfFiles((seen,)):
            return (h.NoteTaken("board", seen.text),)
        case q.WhatOfWork(run_id, evidence):
            run = mission.runs[run_id]
            answer = read(evidence.answer) if run.exit and not run.exit.code else None
            if not has_form(answer, manager=run.sprint.startswith("Manager")):
                return ask_again(mission, run)
            return heard(run, answer or {})
        case q.WhatNext() if may_ask(mission) and mission.notebook.get("board"):
            return next_on_the_board(mission)
        case _:
            return ()


def has_form(answer: dict[str, object] | None, *, manager: bool) -> bool:
    if answer is None or answer.get("status") not in {"ok", "blocked", "error", "escalate"}:
        return False
    return "message" in answer and (not manager or {"next_task", "tasks"} <= answer.keys())


def ask_again(mission: Mission, run: Run) -> Events:
    """The same agent with the same bytes: the prompt is known by its hash, replayed or not."""
    tries = int(mission.notebook.get("retries", "0")) + 1
    assert run.dispatch is not None
    if tries > MAX_RETRIES:
        ended = h.NoteTaken("end", f"{run.sprint} gave no valid answer")
        return (h.RunClosed(run.id, "invalid"), ended, h.StanceTaken(Stance.IDLE, "stopped"))
    return (
        h.RunClosed(run.id, "invalid form"),
        h.NoteTaken("retries", str(tries)),
        h.Decided("", run.sprint, f"Retry {tries}/{MAX_RETRIES}", "exact same parameters"),
        *give(mission, run.sprint, replace(run.dispatch, attempt=tries + 1)),
    )


def heard(run: Run, answer: dict[str, object]) -> Events:
    role, _, task = run.sprint.partition(" ")
    settled = (h.RunClosed(run.id, str(answer["status"])), h.NoteTaken("retries", "0"))
    if role != "Manager":
        return (*settled, h.NoteTaken("done_task", task))
    read_again = (h.NoteTaken("done_task", ""), h.NoteTaken("board", ""))
    if answer["next_task"] is not None:
        return (*settled, *read_again)
    end = h.NoteTaken("end", str(answer["status"]))
    return (*settled, *read_again, end, h.StanceTaken(Stance.IDLE, "the Manager sees no task"))


def next_on_the_board(mission: Mission) -> Events:
    board, done = json.loads(mission.notebook["board"]), mission.notebook.get("done_task")
    if done:
        brief = {"kanban_file": "board.md", "done_task": done, "tasks": board["tasks"]}
        return ask(mission, f"Manager {done}", brief)
    if board["current"] is None or board["phase"] == "complete":
        return (h.StanceTaken(Stance.IDLE, "the board is complete"),)
    role = board.get("role", "Implementor")
    return ask(mission, f"{role} {board['current']}", {"task_file": board["current"]})


# --- epic: one tick, one decision, no memory but the body ----------------------------------

VERDICTS = {"PASS": "verify_pass", "FAIL": "verify_fail", "REVISE": "verify_revise"}
ACTIONS = {"dispatch": "dispatch_ok", "file_fix_task": "react_filed_fix", "halt": "react_halt"}


def epic(mission: Mission, question: q.Question) -> Events:
    match question:
        case q.WhatOfCommand(command):
            return begin("epic", command)
        case q.WhatOfFiles((seen,)) if may_ask(mission):
            return tick(mission, json.loads(seen.text or "{}"))
        case q.WhatOfWork(run_id, evidence):
            subagent = mission.runs[run_id].sprint
            answer = read(evidence.answer) or {}
            words, key = (VERDICTS, "verdict") if "verifier" in subagent else (ACTIONS, "action")
            found = words.get(str(answer.get(key)), "verdict_fail")
            why = str(answer.get("reason", "")) if found != "verdict_fail" else "malformed"
            return (h.RunClosed(run_id, found), row(found, f"{subagent}: {why}".rstrip(": ")))
        case _:
            return ()


def tick(mission: Mission, body: dict[str, list]) -> Events:
    since = body["rows"][::-1]
    since = since[: since.index("reset")] if "reset" in since else since
    for found in sorted(set(since[:8])):
        if found.endswith(("_fail", "_halt")) and since[:8].count(found) >= 3:
            return (row("brake_fired", f"recurring: {found}"), h.NoteTaken("status", "review"))
    for item in body["items"]:
        if item["state"] != "exited":
            continue
        if item["deliverable"] == "none" or since[:1] == ["verify_fail"]:
            brief = {"role": "react", "context": f"{item['id']} {since[:1]}"}
            return ask(mission, f"planner {item['id']}", brief)
        return ask(mission, f"verifier {item['id']}", item)
    return (row("noop", "nothing to decide"),)


def row(found: str, note: str) -> h.NoteTaken:
    return h.NoteTaken("row", f"{found} | {note}")


# --- checkpoint: asleep, woken by a request, judges, sleeps --------------------------------

REQUEST = re.compile(r"## Checkpoint Request task_id: (CHECKPOINT-\d+) scope: \[([^\]]*)\]")
WORTH = {"pass": 1.0, "warn": 0.5, "fail": 0.0}


def checkpoint(mission: Mission, question: q.Question) -> Events:
    match question:
        case q.WhatOfCommand(command):
            return begin("checkpoint", command)
        case q.WhatOfFiles((seen,)):
            return requested(mission, seen.text)
        case q.WhatOfWork(run_id, evidence):
            return judged(mission, mission.runs[run_id], read(evidence.answer))
        case q.WhatNext() if may_ask(mission) and mission.notebook.get("queue"):
            task_id, _, scope = mission.notebook["queue"].split("\n")[0].partition(" ")
            return ask(mission, task_id, {"checks": "role spec", "scope": scope})
        case _:
            return ()


def requested(mission: Mission, text: str) -> Events:
    found = REQUEST.match(text)
    if found is None:
        errors = int(mission.notebook.get("errors", "0")) + 1
        said = "alert: three errors" if errors == 3 else "error: not a checkpoint request"
        return (h.NoteTaken("errors", str(errors)), h.Decided("", "", "[supervisor]", said))
    line = f"{found[1]} {found[2]}"
    queue = mission.notebook.get("queue", "")
    return (h.NoteTaken("queue", f"{queue}\n{line}".strip()),)


def judged(mission: Mission, run: Run, answer: dict[str, object] | None) -> Events:
    """An answer that cannot be read is a warning, not a guess."""
    checks = (answer or {}).get("checks") or {"answer": "warn"}
    assert isinstance(checks, dict)
    score = sum(WORTH[c] for c in checks.values()) / len(checks)
    critical = (answer or {}).get("critical")
    verdict = "block" if critical or score < 0.5 else "warn" if score < 0.8 else "pass"
    _, _, waiting = mission.notebook["queue"].partition("\n")
    return (
        h.RunClosed(run.id, verdict),
        h.NoteTaken(run.sprint, f"{verdict} {score:.2f}"),
        h.NoteTaken("queue", waiting),
        h.Decided("", run.sprint, f"[supervisor] {verdict}", f"score {score:.2f}"),
    )


# --- what must survive a crash -------------------------------------------------------------


@pytest.mark.spec("J2")
def test_a_retry_is_byte_identical_even_after_a_crash():
    """After replay, texts are known by their hash only; that is enough."""
    rig, codec = Rig(kanban), Codec(h.Fact, h.Event)
    rig.tell(h.SupervisorWoke(1, driven=True))
    rig.command(h.Start("m", plan(), SETTINGS))
    board = '{"phase": "execute", "current": "tasks/1.md", "tasks": []}'
    rig.tell(h.FilesObserved((Seen("board.md", Text.of(board)),)))
    first = only_run(rig)
    assert first.dispatch is not None
    for n in range(1, MAX_RETRIES + 1):
        rig.tell(h.AgentExited(only_run(rig).id, AgentExit(Ending.EXITED, 0)))
        written = [(codec.encode(x), at_us) for x, at_us in rig.records]
        rig.mission = replayed((codec.decode(*x), at_us) for x, at_us in written)
        rig.tell(h.SupervisorWoke(1 + n, driven=True))
        rig.tell(h.WorkChecked(only_run(rig).id, Evidence(answer=Text.of("no form"))))
        again = only_run(rig).dispatch
        assert again is not None
        assert (again.prompt, again.model) == (first.dispatch.prompt, first.dispatch.model)
    rig.tell(h.AgentExited(only_run(rig).id, AgentExit(Ending.EXITED, 0)))
    rig.tell(h.WorkChecked(only_run(rig).id, Evidence(answer=Text.of("no form"))))
    assert not rig.mission.runs
    assert "no valid answer" in rig.mission.notebook["end"]


def only_run(rig: Rig) -> Run:
    (run,) = rig.mission.runs.values()
    return run


# --- the stories ---------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [kanban, epic, checkpoint])
def test_story(policy: Policy, golden: Callable[[str, str], None]):
    path = STORIES / f"{policy.__name__}.story"
    golden(f"../engine/other_stories/{path.name}", play(path.read_text(), policy))
