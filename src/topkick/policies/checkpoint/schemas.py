"""The answer of an agent that is asked at a checkpoint."""

from topkick.core.json_schema import Longest, Schema

CHECK = Schema(
    "checkpoint-check",
    "What an agent answers to a question of a checkpoint",
    {
        "type": "object",
        "required": ["result", "details", "evidence"],
        "properties": {
            "result": {"type": "string", "enum": ["pass", "warn", "fail"]},
            "details": {
                "type": "string",
                "minLength": 1,
                "maxLength": 2000,
                "description": "What was found, in a sentence or two.",
            },
            "evidence": {
                "type": "array",
                "description": "Where it can be seen: a path and what stands there. "
                "Without any, the answer counts as a warning.",
                "items": {"type": "string", "minLength": 1, "maxLength": 2000},
            },
        },
    },
    '{"result": "warn", "details": "The brief promises an export that no flow shows.", '
    '"evidence": ["spec/product-brief.md:31 Users can export their data"]}',
    {"details": Longest(2000), "evidence": Longest(2000)},
)

SCHEMAS = (CHECK,)
