"""An answer: its form is checked, never what it says; a bad one is asked for again, unchanged."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from topkick.core import happenings as h
from topkick.core import lone_runs
from topkick.core.agents import Ending
from topkick.core.answers import json_in
from topkick.core.evidence import Evidence
from topkick.core.json_schema import problems
from topkick.core.kanban import MANAGER
from topkick.core.model import Mission, Run
from topkick.core.retry_log import RETRIES_ALLOWED, RetryEvent, log_retry
from topkick.policies.kanban import memory, prompts
from topkick.policies.kanban.memory import Done

Events = Sequence[h.Event]
RECEIVED_CHARS = 2_000
MESSAGE_CHARS = 500


def heard(mission: Mission, run: Run, evidence: Evidence) -> Events:
    fault = lone_runs.nobodys_fault(mission, run, evidence)
    if fault:
        return fault
    said = evidence.answer.body or "" if evidence.answer is not None else ""
    answer = json_in(said)
    issue = _issue(run, answer)
    if issue:
        return _again(mission, run, said, issue)
    assert isinstance(answer, dict)
    return _accepted(mission, run, answer)


def _role(run: Run) -> str:
    return run.sprint.partition(" ")[0]


def _task(run: Run) -> str:
    return run.sprint.partition(" ")[2]


def _issue(run: Run, answer: object) -> str:
    """A crash counts as a bad form, whatever was said before it."""
    if run.cancel is not None:
        return f"its agent was ended: {run.cancel.why}"
    if run.exit is not None and (run.exit.how is not Ending.EXITED or run.exit.code):
        code = f" with {run.exit.code}" if run.exit.code is not None else ""
        return f"its agent {run.exit.how}{code}"
    if answer is None:
        return "the answer holds no JSON"
    return "; ".join(problems(answer, prompts.schema_for(_role(run)).body))


# --- a bad one -------------------------------------------------------------------------------


def _again(mission: Mission, run: Run, said: str, issue: str) -> Events:
    """The dispatch is taken as it is: the same agent, model and bytes, known by their hash."""
    assert run.dispatch is not None
    tries = memory.retries(mission) + 1
    closed = h.RunClosed(run.id, f"invalid output format: {issue}")
    if tries > RETRIES_ALLOWED:
        why = (
            f"{_role(run)} gave no valid answer for {_task(run)} in {tries} tries. {issue}. "
            f"Its last answer: {_excerpt(said) or '(nothing)'}"
        )
        return (closed, h.NoteTaken(memory.RETRIES, "0"), h.MissionEnded(False, why))
    event = RetryEvent(
        at_us=mission.at_us,
        agent=_role(run),
        task=_task(run),
        attempt=tries,
        expected=prompts.schema_for(_role(run)).name,
        received=_excerpt(said),
        issue=issue,
        input_sha256=run.dispatch.prompt.sha256,
    )
    told = f"{issue}; rescheduled with the exact same parameters"
    return (
        closed,
        h.NoteTaken(memory.RETRIES, str(tries)),
        *log_retry(mission, event),
        h.Decided("", run.sprint, f"Retry {tries}/{RETRIES_ALLOWED}", told),
        *lone_runs.give_again(mission, run.sprint, replace(run.dispatch, at_us=0)),
    )


def _excerpt(said: str) -> str:
    text = said.strip()
    return text if len(text) <= RECEIVED_CHARS else "…" + text[-RECEIVED_CHARS:]


# --- a good one ------------------------------------------------------------------------------


def _accepted(mission: Mission, run: Run, answer: Mapping[str, object]) -> Events:
    status, message = str(answer["status"]), str(answer["message"])[:MESSAGE_CHARS]
    closed = (
        h.RunClosed(run.id, status),
        h.NoteTaken(memory.RETRIES, "0"),
        h.NoteTaken(lone_runs.TROUBLES, "0"),
        h.Decided("", run.sprint, f"answered {status}", message),
    )
    turn = memory.rounds(mission)
    if not (mission.plan and mission.plan.file):
        return (*closed, memory.count(replace(turn, said=status)))
    if _role(run) != MANAGER:
        hand = memory.in_hand(mission)
        before = hand.log_chars if hand is not None else 0
        return (*closed, *memory.finish(Done(_task(run), status, before)))
    following = answer["next_task"]
    said = replace(
        turn,
        still=turn.still + 1,
        said=status,
        next_task=str(following)[:MESSAGE_CHARS] if following is not None else "",
        ended=following is None,
    )
    return (*closed, memory.told(), memory.count(said))
