"""Handle an answer: only its form is checked; after a bad one the same order is sent again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from topkick.core import happenings as h
from topkick.core import lone_runs, strict_answers
from topkick.core.answers import json_in
from topkick.core.evidence import Evidence
from topkick.core.kanban import MANAGER
from topkick.core.mission import Mission
from topkick.core.runs import Run
from topkick.core.strict_answers import Asked
from topkick.policies.kanban import memory, prompts
from topkick.policies.kanban.memory import Done

Events = Sequence[h.Event]
MESSAGE_CHARS = 500


def heard(mission: Mission, run: Run, evidence: Evidence) -> Events:
    fault = lone_runs.nobodys_fault(mission, run, evidence)
    if fault:
        return fault
    said = evidence.answer.body or "" if evidence.answer is not None else ""
    answer = json_in(said)
    issue = strict_answers.issue_with(run, answer, prompts.schema_for(_role(run)))
    if issue:
        return _again(mission, run, said, issue)
    assert isinstance(answer, dict)
    return _accepted(mission, run, answer)


def _role(run: Run) -> str:
    return run.sprint.partition(" ")[0]


def _task(run: Run) -> str:
    return run.sprint.partition(" ")[2]


# --- invalid answers -------------------------------------------------------------------------


def _again(mission: Mission, run: Run, said: str, issue: str) -> Events:
    """Repeat the dispatch as it is: the same agent, model and bytes, identified by their hash."""
    assert run.dispatch is not None
    schema = prompts.schema_for(_role(run)).name
    asked = Asked(_role(run), _task(run), schema, memory.RETRIES, run.dispatch.prompt.sha256)
    closed = h.RunClosed(run.id, f"invalid output format: {issue}")
    once_more = strict_answers.one_more_try(mission, asked, said, issue, run)
    if once_more is None:
        why = strict_answers.no_answer(mission, asked, said, issue, run)
        return (closed, h.NoteTaken(memory.RETRIES, "0"), h.MissionEnded(False, why))
    turns = strict_answers.turns_after(mission, asked.counter, run)
    order = replace(run.dispatch, at_us=0, max_turns=turns)
    return (closed, *once_more, *lone_runs.give_again(mission, run.sprint, order))


# --- valid answers ---------------------------------------------------------------------------


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
