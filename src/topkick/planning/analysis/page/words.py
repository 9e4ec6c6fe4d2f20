"""Lines and lists of the report; whatever a plan says in them cannot break out."""

from collections.abc import Iterable, Iterator, Sequence

from topkick.plan_format.order.waits import Pair
from topkick.planning.analysis.model import Analysis, PlanIssue
from topkick.text import escape
from topkick.text.markdown import table

LONGEST = 200
NAMED = 6
LISTED = 40
NONE = "none"


def said(text: str, limit: int = LONGEST) -> str:
    return escape.prose(escape.cut(escape.line(text), limit))


def short(text: str, limit: int = LONGEST) -> str:
    """Shorten a text for a cell of a table."""
    return escape.cut(escape.line(text), limit)


def rows(header: Sequence[str], found: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a table, or `None.` if it would have no rows."""
    if found:
        yield from table(header, found)
    else:
        yield "None."


def bullets(texts: Iterable[str], *, most: int = LISTED, nothing: str = NONE) -> Iterator[str]:
    """Yield each text once, as a bullet; texts beyond `most` are only counted."""
    found = list(dict.fromkeys(texts))
    yield from (f"- {text}" for text in found[:most])
    if len(found) > most:
        yield f"- and {len(found) - most} more"
    if not found:
        yield f"- {nothing}"


def titled(issues: Sequence[PlanIssue], nothing: str = NONE) -> Iterator[str]:
    yield from bullets((_title(issue) for issue in issues), nothing=nothing)


def _title(issue: PlanIssue) -> str:
    where = f" (line {issue.line})" if issue.line else ""
    return f"{said(issue.title)}{where}"


def labels(analysis: Analysis, pairs: Sequence[Pair], most: int = NAMED) -> str:
    names = ", ".join(escape.line(analysis.labels[pair], 60) for pair in pairs[:most])
    return names + (f" and {len(pairs) - most} more" if len(pairs) > most else "")


def mark(passes: bool) -> str:
    return "✓" if passes else "✗"
