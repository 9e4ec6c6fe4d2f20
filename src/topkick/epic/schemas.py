"""The JSON Schemas for answers of planner, verifier, critic and worker: published and enforced."""

from typing import Any

from topkick.engine.agents.json_schema import Longest, Schema

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
    "What the planner answers as preflight and react",
    {"oneOf": [_DISPATCH, _FIX, _HALT]},
    '{"action": "dispatch", "task_id": "epic-7-2", "worker": "claude", "project": "api", '
    '"command": "Do what the task says, on its own branch."}',
)
DECOMPOSITION = _schema(
    "epic-decompose",
    "What the planner answers as decompose",
    {"oneOf": [_object({"action": {"const": "decompose"}, "subtasks": _SUBTASKS}), _HALT]},
    '{"action": "decompose", "subtasks": [{"title": "Read the header", "body": "Parse it.", '
    '"criteria": ["make test passes"], "effort": "S"}, {"title": "Write it back", '
    '"body": "Render it.", "criteria": ["make test passes"], "after": [1]}]}',
)
VERIFIER = _schema(
    "epic-verifier",
    "What the verifier answers",
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
    "What the critic answers before a task of high blast radius is given out",
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
    "What a worker hands back",
    _object(
        {"deliverable": {"type": "string", "maxLength": 500}, "summary": _REASON, "next": _LINE}
    ),
    '{"deliverable": "https://example.org/owner/repo/pull/12", "summary": "Header is parsed.", '
    '"next": "nothing follows"}',
)
SCHEMAS = (PLANNER, DECOMPOSITION, VERIFIER, CRITIC, WORKER)
