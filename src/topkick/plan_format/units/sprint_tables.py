"""Sprints that are rows of a table."""

import re
from collections.abc import Iterator, Mapping, Sequence

from topkick.plan_format.model import SprintPlan
from topkick.plan_format.structure import Section, Table, TableRow
from topkick.plan_format.units.headings import ID, WORK_WORDS, bare
from topkick.plan_format.units.sprints import SprintReading

_SPRINT_HEADERS = frozenset({"sprint", "sortie", "sprint #", "sortie #", "sprint id", "sortie id"})
_NAME_HEADERS = (
    "name", "title", "sprint name", "sortie name", "description", "focus", "objective", "goal",
    "theme", "scope", "task", "tasks", "deliverable", "deliverables", "what", "summary",
)  # fmt: skip
_NOT_DEFINITIONS = re.compile(
    r"\b(?:summary|budget|timeline|metadata|ranking|priorit\w*|estimate\w*|status|progress|issues"
    r"|results|resolved|refinement|parallelism|matrix|history|log)\b",
    re.IGNORECASE,
)
_CELL_ID = re.compile(
    rf"^(?:{WORK_WORDS})?\s*#?(?P<id>{ID})(?:\s*[:—–-]\s*(?P<name>\S.*))?$", re.IGNORECASE
)


def table_sprints(section: Section, lines: Sequence[str]) -> Iterator[SprintReading]:
    for block in section.blocks:
        if isinstance(block, Table) and (columns := _columns(block, section.title)):
            for row in block.rows:
                if reading := _row(block, row, columns, lines):
                    yield reading


def _columns(table: Table, title: str) -> Mapping[str, int] | None:
    headers = [bare(cell).lower() for cell in table.header]
    sprint = next((n for n, text in enumerate(headers) if text in _SPRINT_HEADERS), None)
    name = next((headers.index(word) for word in _NAME_HEADERS if word in headers), None)
    if sprint is None or name is None or _NOT_DEFINITIONS.search(title):
        return None
    return {"sprint": sprint, "name": name}


def _row(
    table: Table, row: TableRow, columns: Mapping[str, int], lines: Sequence[str]
) -> SprintReading | None:
    if len(row.cells) <= max(columns.values()):
        return None
    found = _CELL_ID.match(bare(row.cells[columns["sprint"]]))
    if found is None:
        return None
    name = bare(row.cells[columns["name"]]) or (found["name"] or "").strip()
    others = [
        f"{header}: {cell}"
        for n, (header, cell) in enumerate(zip(table.header, row.cells, strict=False))
        if n not in columns.values() and cell
    ]
    text = "\n".join([lines[table.line - 1], lines[table.line], lines[row.line - 1]])
    plan = SprintPlan(
        found["id"], name or f"Sprint {found['id']}", text=text, tasks=tuple(others), line=row.line
    )
    return SprintReading(plan)
