"""Pass 1 of the report: where the plan begins and ends, what it covers, what it leaves open."""

from collections.abc import Iterator

from topkick.planning.analysis.model import Analysis, Completeness, Point
from topkick.planning.analysis.page.words import bullets, labels, rows, said, short
from topkick.text.format import counted

SHOWN = 12
ROWS = 300


def lines(analysis: Analysis) -> Iterator[str]:
    found = analysis.completeness
    yield "## Pass 1: Completeness Analysis"
    yield ""
    yield from _point("Point A (Current State)", found.start, "nothing about the start")
    yield from _point("Point B (Target State)", found.end, "nothing about the end")
    yield from _coverage(analysis, found)
    yield from _questions(analysis, found)


def _point(title: str, point: Point, nothing: str) -> Iterator[str]:
    yield f"### {title}"
    yield f"Status: {'CLEAR' if point.clear else 'UNCLEAR'}"
    yield ""
    places = list(dict.fromkeys(said(s.under, 80) for s in point.documented))
    count = counted(len(point.documented), "statement")
    yield f"{count}, under: {', '.join(places[:6])}." if places else f"The plan states {nothing}."
    yield ""
    yield "**Findings**:"
    documented = [f"Documented (line {s.line}): {said(s.text)}" for s in point.documented]
    yield from bullets(documented, most=SHOWN, nothing="Documented: nothing")
    if point.mentioned and not point.documented:
        yield from bullets(
            f"Mentioned in passing (line {s.line}): {said(s.text)}" for s in point.mentioned
        )
    if point.doubts or point.unclear:
        yield from bullets(f"Unclear: {said(text)}" for text in (*point.unclear, *point.doubts))
    yield ""


def _coverage(analysis: Analysis, found: Completeness) -> Iterator[str]:
    yield "### Coverage Analysis"
    compared = "" if found.document else " (as far as the plan itself tells)"
    yield f"Status: {f'COMPLETE{compared}' if found.complete else 'INCOMPLETE'}"
    yield ""
    if found.coverage:
        source = found.document or "the goals in the plan, for there is no requirements document"
        yield (
            f"Compared with {said(source)}. A sprint that mentions a requirement may still not "
            "meet it: whether the work is enough, only a reader can say."
        )
    else:
        yield "There is no requirements document, and no goals are listed, to compare with."
    yield ""
    mentions = [
        (
            short(one.text, 120),
            labels(analysis, one.mentioned_by) or "—",
            "✓ Mentioned" if one.mentioned_by else "✗ Not found",
        )
        for one in found.coverage[:ROWS]
    ]
    yield from rows(("Requirement", "Addressed By", "Coverage"), mentions)
    yield ""
    yield "**Gaps**:"
    yield from bullets(_gaps(analysis, found))
    yield ""


def _gaps(analysis: Analysis, found: Completeness) -> Iterator[str]:
    for one in found.coverage:
        if not one.mentioned_by:
            yield f"Not mentioned by any sprint: {said(one.text, 120)}"
    for bridge in found.bridges:
        who = said(analysis.labels[bridge.sprint], 60)
        if bridge.produced_by is None:
            yield f"Missing bridge: {who} needs {said(bridge.path)}, which nothing before it makes"
        else:
            maker = said(analysis.labels[bridge.produced_by], 60)
            yield f"Not in order: {who} needs {said(bridge.path)}, which {maker} makes"
    for end in found.dead_ends:
        who = said(analysis.labels[end.sprint], 60)
        yield f"Dead end: {who} makes {said(', '.join(end.paths))}, which nothing else names"


def _questions(analysis: Analysis, found: Completeness) -> Iterator[str]:
    yield "### Open Questions"
    yield f"Count: {len(found.questions)}"
    yield ""
    found_rows = []
    for one in found.questions[:ROWS]:
        place = analysis.labels[one.sprint] if one.sprint else "The plan"
        impact = f"Blocks {labels(analysis, one.blocks)}" if one.blocks else "No sprint is named"
        if one.blocking:
            impact = f"BLOCKING. {impact}"
        found_rows.append(
            (short(one.text, 120), f"{place}, line {one.line}", one.type.value, impact)
        )
    yield from rows(("Question", "Location", "Type", "Blocking Impact"), found_rows)
    yield ""
    yield "**Recommendations**:"
    yield from bullets(f"Line {one.line}: {one.advice}" for one in found.questions)
    yield ""
