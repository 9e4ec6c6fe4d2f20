"""The answers of subagents: their JSON Schemas, published and enforced, and a strict parser.

An answer that does not fit its schema is never guessed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from topkick.engine.agents.answers import json_in
from topkick.engine.agents.json_schema import Longest, Schema, problems, trimmed

_LINE = {"type": "string", "minLength": 1, "maxLength": 300}
_TEXT = {"type": "string", "minLength": 1, "maxLength": 20_000}
_REASON = {"type": "string", "minLength": 1, "maxLength": 4000}
_WORDS = {"type": "array", "items": _LINE}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **(optional or {})},
        "additionalProperties": False,
    }


_COSMETIC = {"reason": Longest(4000), "summary": Longest(4000), "next": Longest(300)}


def _schema(name: str, title: str, body: dict[str, Any], example: str) -> Schema:
    return Schema(name, title, body, example, _COSMETIC)


_HALT = _object(
    {
        "action": {"const": "halt"},
        "status": {"enum": ["blocked", "review"]},
        "reason": _REASON,
    }
)
_DISPATCH = _object(
    {
        "action": {"const": "dispatch"},
        "task_id": _LINE,
        "worker": _LINE,
        "project": {"type": "string", "maxLength": 300},
        "command": {"type": "string", "maxLength": 4000},
    }
)
_FIX = _object(
    {"action": {"const": "file_fix_task"}, "parent": _LINE, "title": _LINE, "body": _TEXT}
)
_SUBTASK = _object(
    {"title": _LINE, "body": _TEXT, "criteria": {**_WORDS, "minItems": 1}},
    {
        "project": {"type": "string", "maxLength": 300},
        "effort": {"enum": ["XS", "S", "M", "L"]},
        "hours": {"type": "integer"},
        "tags": _WORDS,
        "assignee": _LINE,
        "after": {"type": "array", "items": {"type": "integer"}},
    },
)
_SUBTASKS = {"type": "array", "minItems": 1, "items": _SUBTASK}

PLANNER = _schema(
    "epic-planner",
    "The answer of the planner as preflight and react",
    {"oneOf": [_DISPATCH, _FIX, _HALT]},
    '{"action": "dispatch", "task_id": "epic-7-2", "worker": "claude", "project": "api", '
    '"command": "Do what the task says, on its own branch."}',
)
DECOMPOSITION = _schema(
    "epic-decompose",
    "The answer of the planner as decompose",
    {"oneOf": [_object({"action": {"const": "decompose"}, "subtasks": _SUBTASKS}), _HALT]},
    '{"action": "decompose", "subtasks": [{"title": "Read the header", "body": "Parse it.", '
    '"criteria": ["make test passes"], "effort": "S"}, {"title": "Write it back", '
    '"body": "Render it.", "criteria": ["make test passes"], "after": [1]}]}',
)
VERIFIER = _schema(
    "epic-verifier",
    "The answer of the verifier",
    {
        "oneOf": [
            _object({"verdict": {"const": "PASS"}}),
            _object({"verdict": {"const": "FAIL"}, "reason": _REASON}),
            _object({"verdict": {"const": "REVISE"}, "reason": _REASON}),
        ]
    },
    '{"verdict": "FAIL", "reason": "make test: 2 of 14 fail in test_header.py"}',
)
CRITIC = _schema(
    "epic-critic",
    "The answer of the critic before a task of high blast radius is dispatched",
    _object(
        {
            "verdict": {"enum": ["SAFE_TO_DISPATCH", "NEEDS_REFINEMENT", "DO_NOT_DISPATCH"]},
            "reason": _REASON,
        }
    ),
    '{"verdict": "NEEDS_REFINEMENT", "reason": "The rollback plan leaves the DNS record changed."}',
)
WORKER = _schema(
    "epic-worker",
    "The result of a worker",
    _object(
        {"deliverable": {"type": "string", "maxLength": 500}, "summary": _REASON, "next": _LINE}
    ),
    '{"deliverable": "https://example.org/owner/repo/pull/12", "summary": "Header is parsed.", '
    '"next": "nothing follows"}',
)
SCHEMAS = (PLANNER, DECOMPOSITION, VERIFIER, CRITIC, WORKER)


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
    "preflight": PLANNER,
    "react": PLANNER,
    "decompose": DECOMPOSITION,
    "verify": VERIFIER,
    "criticize": CRITIC,
}


def read_answer(role: str, text: str) -> Answer:
    found = trimmed(json_in(text), SCHEMA_OF[role])
    wrong = problems(found, SCHEMA_OF[role].body)
    if found is None or wrong or not isinstance(found, dict):
        return Malformed("; ".join(wrong) or "the answer has no JSON")
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
        return Malformed(
            f"{len(found)} subtasks; at most {MOST_SUBTASKS} are allowed, so group them"
        )
    made = tuple(Subtask(**_with_tuples(each)) for each in found)
    for number, subtask in enumerate(made, start=1):
        if any(not 1 <= n < number for n in subtask.after):
            return Malformed(f"`after` of subtask {number} names a subtask that is not before it")
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
    found = trimmed(json_in(text), WORKER)
    if not isinstance(found, dict) or problems(found, WORKER.body):
        return Handback()
    return Handback(**{**found, "deliverable": found["deliverable"].strip()})
