"""What `topkick breakdown` says of its work: the summary, and the same for programs."""

from collections.abc import Iterator, Sequence
from difflib import unified_diff
from pathlib import Path

from topkick.boards import safe
from topkick.boards.counted import counted
from topkick.plans.breakdown.drafting import Breakdown

QUESTIONS_SHOWN = 5
LONGEST_LINE = 200


def page(found: Breakdown, source: Path, output: Path, notes: Sequence[str] = ()) -> Iterator[str]:
    """The summary of seed 001 (15h)."""
    draft = found.draft
    yield "Breakdown complete"
    yield ""
    yield f"Source: {safe.line(str(source))}"
    yield f"Output: {safe.line(str(output))}"
    yield ""
    yield "| Metric                | Count |"
    yield "|-----------------------|-------|"
    for name, count in _counts(found):
        yield f"| {name:21} | {count:5} |"
    yield ""
    yield from notes
    if draft.questions:
        yield f"{counted(len(draft.questions), 'open question')} in the plan, to be decided first:"
        for question in draft.questions[:QUESTIONS_SHOWN]:
            yield f"  line {question.line}: {safe.line(question.text, 120)}"
        if len(draft.questions) > QUESTIONS_SHOWN:
            yield f"  and {len(draft.questions) - QUESTIONS_SHOWN} more"
    if found.skipped:
        yield f"Left out as done or out of scope: {counted(found.skipped, 'passage')}."
    yield "Read it before you run it: the draft knows only what the document says."
    yield "Next: topkick plan prioritize"


def _counts(found: Breakdown) -> tuple[tuple[str, int], ...]:
    return (
        ("Requirements detected", len(found.requirements)),
        ("Atomic tasks", found.draft.tasks),
        ("Work units", len(found.draft.units)),
        ("Sprints", found.draft.sprints),
    )


def difference(before: str, after: str, name: str) -> Iterator[str]:
    """A unified diff; nothing where both are the same."""
    old, new = before.split("\n"), after.split("\n")
    for line in unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm=""):
        yield safe.block(line)


def as_json(
    found: Breakdown, source: Path, output: Path, *, written: bool, by: str, reasons: Sequence[str]
) -> dict[str, object]:
    draft = found.draft
    return {
        "source": str(source),
        "output": str(output),
        "written": written,
        "by": by,
        "reasons": list(reasons),
        "counts": {name.lower().replace(" ", "_"): count for name, count in _counts(found)},
        "skipped": found.skipped,
        "requirements": [
            {
                "text": one.text,
                "heading": one.heading,
                "lines": [one.lines.first, one.lines.last],
                "confidence": one.confidence.value,
                "kind": one.kind.value,
            }
            for one in found.requirements
        ],
        "questions": [{"line": one.line, "text": one.text} for one in draft.questions],
    }
