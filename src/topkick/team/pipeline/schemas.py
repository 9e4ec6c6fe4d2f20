"""The answer of a team's role: the fields of its state update on the bus."""

from topkick.engine.agents.json_schema import Longest, Schema

_TEXT = {"type": "string", "minLength": 1}
_TEXTS = {"type": "array", "items": {"type": ["string", "object"]}}
_PROPERTIES = {
    "status": {"type": "string", "enum": ["task_complete", "blocked"]},
    "task_id": {**_TEXT, "description": "The task that you were given."},
    "ref": {**_TEXT, "description": "Where your artifact lies, from the session directory."},
    "key_findings": {
        "type": "array",
        "minItems": 1,
        "maxItems": 5,
        "items": {"type": "string", "minLength": 1, "maxLength": 99},
    },
    "decisions": {**_TEXTS, "description": "Each with its reason: `key: value (reason)`."},
    "files_modified": {"type": "array", "items": {"type": "string"}},
    "verification": {"type": "string", "enum": ["self-validated", "peer-reviewed", "tested"]},
    "open_questions": _TEXTS,
    "quality_self_score": {"type": "number", "minimum": 0, "maximum": 100},
    "terminology_keys": {"type": ["array", "object"]},
    "upstream_refs_consumed": {"type": "array", "items": {"type": "string"}},
}
FIELDS = tuple(_PROPERTIES)
WORKER = Schema(
    "team-worker",
    "What a role of a team answers",
    {
        "type": "object",
        "required": ["status", "task_id", "ref", "key_findings", "verification"],
        "properties": _PROPERTIES,
    },
    '{"status": "task_complete", "task_id": "DRAFT-001", "ref": "spec/product-brief.md", '
    '"key_findings": ["Three goals, each with a number"], '
    '"decisions": ["storage: one file a note (people edit them by hand)"], '
    '"files_modified": ["spec/product-brief.md"], "verification": "self-validated", '
    '"open_questions": [], "quality_self_score": 85, "terminology_keys": ["note"], '
    '"upstream_refs_consumed": ["spec/discovery.md"]}',
    {"key_findings": Longest(99, entries=5)},
)
SCHEMAS = (WORKER,)
