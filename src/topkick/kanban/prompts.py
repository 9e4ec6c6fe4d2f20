"""The prompts of each role: its purpose, its input, and the form of its answer."""

from collections.abc import Mapping

from topkick.engine.agents.answers import order_text
from topkick.engine.agents.json_schema import Schema
from topkick.kanban import model
from topkick.kanban.model import ARCHITECT, IMPLEMENTOR

# --- the required form of an answer ------------------------------------------------------------
# It is independent of the content.

STATUSES = ("ok", "blocked", "error", "escalate")
_STATUS = {"type": "string", "enum": list(STATUSES)}
_MESSAGE = {"type": "string", "minLength": 1, "description": "A summary for people."}

WORKER = Schema(
    "kanban-worker",
    "The answer of an Architect or an Implementor",
    {
        "type": "object",
        "required": ["status", "message"],
        "properties": {"status": _STATUS, "message": _MESSAGE},
    },
    '{"status": "ok", "message": "The lexer emits INDENT and DEDENT; 14 tests added."}',
)

MANAGER = Schema(
    "kanban-manager",
    "The answer of a Manager",
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


Inputs = Mapping[str, str | list[str]]

_LOG = """\
Before you answer, add an entry at the end of `## Work Log` in the task file:

### [date and time] What you did | ok, blocked or escalate
**F:** facts: what you read, ran and changed
**A:** analysis: what follows from them
**C:** conclusion: what is done, and what is left for other roles"""

_STATUSES = """\
status is one of:
- ok: the task is done and the work log says how
- blocked: you cannot continue without something that another role must make; the log says what
- escalate: the task as written is wrong or too large; the log says why
- error: you tried and failed"""

TEXTS: Mapping[str, str] = {
    ARCHITECT: f"""\
You are the Architect. You design and you review; you do not write production code.

Read the task file that you are given, and whatever it refers to.
- A design task: write down the design in the task file, and between
  `<!-- start workitems -->` and `<!-- end workitems -->` a YAML list `work_items`, each with
  description, files, related_domains, dependencies, priority (critical, high, medium, low) and
  estimated_effort. Each is small enough to be reviewed alone.
- A review task: compare what was built with what was asked, run its tests, and say what is missing.
- An exploration task: find out what the task asks, and write down what you found and where.
Set `state: review` in the header when a design or an exploration is finished; after a review that
found nothing set `state: done`, otherwise `state: escalated`.

{_LOG}

{_STATUSES}""",
    IMPLEMENTOR: f"""\
You are the Implementor. You carry out one task, and nothing else.

Read the task file that you are given, and whatever it refers to. Change only what the task needs.
A failing test is a bug to be fixed in the code, not in the test. Run the tests before you say that
you are done. Set `state: review` in the header when the work is finished; never `done`.

{_LOG}

{_STATUSES}""",
    model.MANAGER: """\
You are the Manager. You maintain the board; you do not design and you do not build.

You are given the board (kanban_file), the task that was just worked on (done_task) and the board's
tasks. Read the work log of the task that was worked on, then:
1. No new entry in its log: answer with status error and say so.
2. blocked: set its state to escalated, and add an exploration task for what is missing.
3. escalate: add a review task for the Architect.
4. An approved design: add one task for each of its work items, with their dependencies.
5. state review: the Architect is next; set assignee Architect, type review.
6. Otherwise: set its state to done.
The next task has only dependencies that are done. Of several, take the highest priority, then the
oldest.
Write current, tasks and phase into the header of the board, and what you changed under
`## Plan Adjustment Log`. When nothing is left: current null, phase complete.
status is ok, blocked, escalate or error; next_task is null when nothing is left to do.""",
}


def prompt(role: str, own_text: str, inputs: Inputs) -> str:
    told = own_text or TEXTS.get(role, TEXTS[IMPLEMENTOR])
    return order_text(told, inputs, schema_for(role))


def schema_for(role: str) -> Schema:
    return MANAGER if role == model.MANAGER else WORKER
