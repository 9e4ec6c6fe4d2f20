"""Parse the answers of subagents strictly: an answer that does not fit its schema is never
guessed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from topkick.engine.agents.answers import json_in
from topkick.engine.agents.json_schema import Schema, problems, trimmed
from topkick.epic import schemas

MOST_SUBTASKS = 12


@dataclass(frozen=True, slots=True)
class DispatchAnswer:
    task_id: str
    worker: str
    project: str
    command: str


@dataclass(frozen=True, slots=True)
class FileFix:
    parent: str
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Halt:
    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class Subtask:
    """A subtask; `after` are numbers of earlier subtasks, from 1."""

    title: str
    body: str
    criteria: tuple[str, ...]
    project: str = ""
    effort: str = ""
    hours: int = 0
    tags: tuple[str, ...] = ()
    assignee: str = ""
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Decomposition:
    subtasks: tuple[Subtask, ...]


@dataclass(frozen=True, slots=True)
class ReviewVerdict:
    """A verdict of the verifier or the critic."""

    word: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Malformed:
    why: str


Answer = DispatchAnswer | FileFix | Halt | Decomposition | ReviewVerdict | Malformed

SCHEMA_OF: Mapping[str, Schema] = {
    "preflight": schemas.PLANNER,
    "react": schemas.PLANNER,
    "decompose": schemas.DECOMPOSITION,
    "verify": schemas.VERIFIER,
    "criticize": schemas.CRITIC,
}


def read_answer(role: str, text: str) -> Answer:
    found = trimmed(json_in(text), SCHEMA_OF[role])
    wrong = problems(found, SCHEMA_OF[role].body)
    if found is None or wrong or not isinstance(found, dict):
        return Malformed("; ".join(wrong) or "there is no JSON in it")
    if "verdict" in found:
        return ReviewVerdict(found["verdict"], found.get("reason", ""))
    return _action(found)


def _action(found: Mapping[str, Any]) -> Answer:
    fields = {name: value for name, value in found.items() if name != "action"}
    match found["action"]:
        case "dispatch":
            return DispatchAnswer(**fields)
        case "file_fix_task":
            return FileFix(**fields)
        case "halt":
            return Halt(**fields)
        case _:
            return _decomposition(fields["subtasks"])


def _decomposition(found: Sequence[Mapping[str, Any]]) -> Answer:
    if len(found) > MOST_SUBTASKS:
        return Malformed(f"{len(found)} subtasks; at most {MOST_SUBTASKS}, grouped if need be")
    made = tuple(Subtask(**_with_tuples(each)) for each in found)
    for number, subtask in enumerate(made, start=1):
        if any(not 1 <= n < number for n in subtask.after):
            return Malformed(f"subtask {number} comes after one that is not before it")
    return Decomposition(made)


def _with_tuples(found: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in found.items()}


def texts_of(answer: Answer) -> tuple[str, ...]:
    """Return the texts of an answer, for the prose scan (EP-31)."""
    match answer:
        case DispatchAnswer():
            return (answer.command,)
        case FileFix():
            return (answer.title, answer.body)
        case Halt():
            return (answer.reason,)
        case ReviewVerdict():
            return (answer.reason,)
        case Decomposition(subtasks):
            return tuple(t for s in subtasks for t in (s.title, s.body, *s.criteria))
        case Malformed():
            return ()


@dataclass(frozen=True, slots=True)
class Handback:
    """A worker's result: its words are a hint, and the deliverable itself is checked."""

    deliverable: str = ""
    summary: str = ""
    next: str = ""


def read_handback(text: str) -> Handback:
    found = trimmed(json_in(text), schemas.WORKER)
    if not isinstance(found, dict) or problems(found, schemas.WORKER.body):
        return Handback()
    return Handback(**{**found, "deliverable": found["deliverable"].strip()})
