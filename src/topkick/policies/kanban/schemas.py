"""The required form of an answer, independent of its content."""

from topkick.core.json_schema import Schema

STATUSES = ("ok", "blocked", "error", "escalate")
_STATUS = {"type": "string", "enum": list(STATUSES)}
_MESSAGE = {"type": "string", "minLength": 1, "description": "A summary for people."}

WORKER = Schema(
    "kanban-worker",
    "What an Architect or an Implementor answers",
    {
        "type": "object",
        "required": ["status", "message"],
        "properties": {"status": _STATUS, "message": _MESSAGE},
    },
    '{"status": "ok", "message": "The lexer emits INDENT and DEDENT; 14 tests added."}',
)

MANAGER = Schema(
    "kanban-manager",
    "What a Manager answers",
    {
        "type": "object",
        "required": ["status", "message", "next_task", "tasks"],
        "properties": {
            "status": _STATUS,
            "message": _MESSAGE,
            "next_task": {
                "type": ["string", "null"],
                "description": "The path of the next task; null when nothing is left to do.",
            },
            "tasks": {
                "type": "array",
                "description": "The board's tasks as they are now.",
                "items": {"type": ["string", "object"]},
            },
        },
    },
    '{"status": "ok", "message": "Design approved.", "next_task": "tasks/2-build-the-lexer.md", '
    '"tasks": ["tasks/1-design-the-lexer.md", "tasks/2-build-the-lexer.md"]}',
)

SCHEMAS = (WORKER, MANAGER)
