"""The prompts of each role: its purpose, where to read and write, how to answer."""

from collections.abc import Iterator, Mapping

from topkick.engine.agents.answers import order_text
from topkick.engine.agents.json_schema import Longest, Schema
from topkick.team.pipeline.ledger import ArtifactLedger, Line

_TEXT = {"type": "string", "minLength": 1}
_TEXTS = {"type": "array", "items": {"type": ["string", "object"]}}
_PROPERTIES = {
    "status": {"type": "string", "enum": ["task_complete", "blocked"]},
    "task_id": {**_TEXT, "description": "The task that you were given."},
    "ref": {**_TEXT, "description": "The path of your artifact, from the session directory."},
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
    "The answer of a role of a team",
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


_COMMON = """\
Read what INPUT lists under `read`; paths are from the project's root. Write your artifact to the
path under `write`, create its directory if necessary, and change no artifact of another role.
Use one word for each thing, and list those words in terminology_keys. Write each decision as
`key: value (reason)`. Mark a question as CRITICAL if the work cannot continue without its
answer. If INPUT has a `revision`, your artifact did not pass: read the report that it
names, repair what the report says, and keep the rest.
`ref` in your answer is your artifact, from the session directory. key_findings are at most five,
each shorter than 100 characters. If you cannot do the task, answer with status blocked and the
reason as a key finding."""

TEXTS: Mapping[str, str] = {
    "analyst": """\
You are the analyst. You find out what exists before the team writes what should exist.
Look at the project and at the requirement. Write down: the problem and whom it affects, what
exists already and where, what limits the solution, which terms are in use, and what is unknown.""",
    "writer": """\
You are the writer. You turn findings into documents that others can build from.
- DRAFT-001, the brief: `## Goals` with one bullet each, `## Out of Scope`, the users, how
  success is measured, `## Glossary`.
- DRAFT-002, the requirements: one bullet each, with an id (FR-001, NFR-001), a priority (Must,
  Should, Could), the goal it serves, and how it is checked. Nothing that the brief leaves out.
- DRAFT-004, the epics: stories with acceptance criteria; every component of the architecture is
  named in one, and every story cites its requirements.""",
    "architect": """\
You are the architect. You decide how it is built, and say why.
Write `## Components` with one heading or bullet each and what it is responsible for, how they
communicate, the data, the decisions with their alternatives, and the risks. Cite the requirements
that each component serves.""",
    "planner": """\
You are the planner. You cut the work into tasks that can be done and checked one by one.
`write` is a JSON object: `complexity` (low, medium, high), `recommended_execution` (agent for low,
CLI for more, or auto), `modules` (each with `name`, `files` and `depends_on`: 1-2 for low, 3-4 for
medium, 5 and more for high), and `tasks` (each with `id` TASK-001, `module`, `depends_on`, the
requirements that it covers and how it is checked). Every Must requirement is covered. Cite the
architecture where there is one. Also write each task next to it, as TASK-001.json and so on.""",
    "implementer": """\
You are the implementer. You carry out the plan, or the one module of it that INPUT names.
Change only what it needs. A failing test is a bug to be fixed in the code, not in the test. Run the
tests before you say that you are done. Your artifact says what was changed, why, and what ran.""",
    "tester": """\
You are the tester. You find out whether what was built does what was asked for.
Run the tests that exist, add those that are missing for the requirements, and run all of them. You
do not repair what you test. Your artifact lists each requirement, how it was tested, and what came
out, with the commands.""",
    "reviewer": """\
You are the reviewer. You read what was built as its future maintainer.
Compare it with the plan and the architecture: what is missing, wrong, unsafe or not needed. You do
not repair it. Your artifact lists findings by weight, each with a file and a line.""",
    "quality": """\
You are the judge of the specification's quality, before the team builds from it.
Give four marks from 0 to 100, for completeness, consistency, traceability and depth, each with
evidence; your artifact holds them. quality_self_score is their mean: 80 and more passes, 60 to 79
needs a review, less fails.""",
}


def prompt(ledger: ArtifactLedger, line: Line, directory: str, own_text: str) -> str:
    role = own_text.strip() or TEXTS.get(line.role.casefold(), TEXTS["implementer"])
    inputs = dict(_inputs(ledger, line, directory))
    return order_text(f"{role}\n\n{_COMMON}", inputs, WORKER)


def _inputs(ledger: ArtifactLedger, line: Line, directory: str) -> Iterator[tuple[str, object]]:
    yield "session", directory or "."
    yield "task_id", line.id
    yield "requirement", ledger.requirement
    yield "read", [below(directory, ref) for ref in _upstream(ledger, line)]
    yield "write", below(directory, line.artifact or f"artifacts/{line.id}-report.md")
    if line.module:
        yield "module", line.module
    if line.revision > 1:
        report = below(directory, line.report) if line.report else ""
        yield "revision", {"number": line.revision, "why": line.why, "report": report}


def below(directory: str, path: str) -> str:
    """Return a path from the project's root; an absolute one stays as it is."""
    return path if path.startswith("/") or not directory else f"{directory}/{path}"


def _upstream(ledger: ArtifactLedger, line: Line) -> Iterator[str]:
    """Yield the artifacts of all earlier tasks, including reports of checkpoints."""
    seen: set[str] = set()
    for other in ancestors(ledger, line):
        if other.is_done and other.ref and other.ref not in seen:
            seen.add(other.ref)
            yield other.ref


def ancestors(ledger: ArtifactLedger, line: Line) -> tuple[Line, ...]:
    """Return all tasks that this one depends on, directly or not, in the order of the file."""
    wanted: set[str] = set()
    open_ones = [line]
    while open_ones:
        for need in open_ones.pop().needs:
            found = ledger.latest(need)
            if found is not None and found.id not in wanted:
                wanted.add(found.id)
                open_ones.append(found)
    return tuple(other for other in ledger.lines if other.id in wanted)
