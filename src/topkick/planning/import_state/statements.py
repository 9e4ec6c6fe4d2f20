"""Single statements of a state file about its units and sprints, before they are merged."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from topkick.plan_format.structure import Table, TableRow
from topkick.plan_format.units.headings import words
from topkick.planning.import_state import names as import_state_names

_UNIT_COLUMNS = ("work unit", "package", "unit", "component", "module", "workstream")
_NAMES = (*_UNIT_COLUMNS, "name", "phase")
_OF_UNITS = {"directory", "dir", "path", "repository", "repo", "sprints", "sorties", "layer",
             "tier", "dependencies", "depends on", "deps"}  # fmt: skip
_SPRINT_COLUMNS = ("sprint", "sortie", "sprint id", "sortie id")
_STATE_COLUMNS = ("sprint state", "sortie state", "state", "status", "sprint status",
                  "sortie status", "result", "outcome")  # fmt: skip
_NAME_COLUMNS = ("name", "title", "objective", "description", "feature file", "subject", "task")
_EMPTY = "-—–_ ()."
_RANGE = re.compile(r"\d-\S*\d")


@dataclass(frozen=True, slots=True)
class UnitSaid:
    name: str
    text: str
    line: int
    sprints: str = ""


@dataclass(frozen=True, slots=True)
class SprintSaid:
    """A statement; `unit` is empty if it is not named; `weak` ones are from a log and count
    last.
    """

    unit: str
    id: str
    text: str
    line: int
    name: str = ""
    commits: tuple[str, ...] = ()
    model: str = ""
    attempt: str = ""
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Unread:
    line: int
    text: str
    why: str


def is_log(table: Table) -> bool:
    return any(words(cell) in ("decision", "decisions") for cell in table.header)


def is_of_units(table: Table) -> bool:
    heads = [words(cell) for cell in table.header]
    return _column(heads, _SPRINT_COLUMNS) is None and (
        heads[0] in _NAMES and bool(_OF_UNITS.intersection(heads))
    )


def is_of_sprints(table: Table, title: str) -> bool:
    """Return whether a table lists sprints: by a column, or by numbers below a heading about
    sprints.
    """
    heads = [words(cell) for cell in table.header]
    about = any(word in title.lower() for word in ("sprint", "sortie"))
    numbered = table.header[0].strip() in ("#", "ID", "Id", "id", "No.")
    return _column(heads, _SPRINT_COLUMNS) is not None or (
        about and numbered and _column(heads, _STATE_COLUMNS) is not None
    )


def has_states(table: Table) -> bool:
    return _column([words(cell) for cell in table.header], _STATE_COLUMNS) is not None


def units_of(table: Table) -> Iterator[UnitSaid]:
    heads = [words(cell) for cell in table.header]
    state, sprints = _column(heads, _STATE_COLUMNS), _column(heads, ("sprints", "sorties"))
    for row in table.rows:
        name = row.cells[0].strip().strip("*`")
        if name.strip(_EMPTY) and not name.startswith(("(", "_(")):
            yield UnitSaid(name, _cell(row, state), row.line, _cell(row, sprints))


def sprints_of(table: Table, unit: str, title: str) -> Iterator[SprintSaid | Unread]:
    heads = [words(cell) for cell in table.header]
    at = _column(heads, _SPRINT_COLUMNS) or 0
    state = _column(heads, _STATE_COLUMNS)
    usual = "COMPLETED" if state is None and "completed" in title.lower() else ""
    for row in table.rows:
        if not _cell(row, at).strip(_EMPTY) or _is_placeholder(row):
            continue
        found = import_state_names.sprint_cell(row.cells[at])
        if found is None:
            shown = " | ".join(row.cells[:4])
            yield Unread(row.line, shown, "the name of the sprint is not an id")
            continue
        home = _cell(row, _column(heads, _UNIT_COLUMNS)).strip("*`")
        yield SprintSaid(
            home if home.strip(_EMPTY) else unit,
            found[0],
            _cell(row, state) or usual,
            row.line,
            _cell(row, _column(heads, _NAME_COLUMNS)) or found[1],
            _commits(heads, row),
            _cell(row, _column(heads, ("model",))),
            _cell(row, _column(heads, ("attempt", "attempts"))),
        )


def logged(table: Table) -> Iterator[SprintSaid]:
    """Yield what a log of decisions says about sprints."""
    heads = [words(cell) for cell in table.header]
    decision = next(n for n, head in enumerate(heads) if head in ("decision", "decisions"))
    at, home = _column(heads, _SPRINT_COLUMNS), _column(heads, _UNIT_COLUMNS)
    for row in table.rows:
        said = _cell(row, decision)
        found = import_state_names.sprint_cell(_cell(row, at)) if at is not None else None
        named = next(import_state_names.mentioned(said[:80]), "")
        if (found is None and not named) or (found and _RANGE.search(found[0])):
            continue
        formal = [w for word in said.split() if (w := word.strip("*().,:;")) in _LOGGED]
        commits = import_state_names.said_commits(" ".join(row.cells[decision:]))
        if not formal and not commits:
            continue
        unit = _cell(row, home) if home is not None else _before_colon(row, decision)
        yield SprintSaid(
            unit if unit.strip(_EMPTY) else "",
            found[0] if found else named,
            formal[-1] if formal else "",
            row.line,
            commits=commits,
            weak=True,
        )


_LOGGED = frozenset(
    ("COMPLETED", "PARTIAL", "FATAL", "BACKOFF", "DISPATCHED", "PENDING", "SKIPPED", "BLOCKED")
)


def _before_colon(row: TableRow, decision: int) -> str:
    """Return `Core API` for `Core API: all tests green`."""
    behind = row.cells[decision + 1] if len(row.cells) > decision + 1 else ""
    head, colon, _ = behind[:80].partition(":")
    return head if colon else ""


def _column(heads: Sequence[str], names: Sequence[str]) -> int | None:
    return next((heads.index(name) for name in names if name in heads), None)


def _cell(row: TableRow, at: int | None) -> str:
    return row.cells[at].strip() if at is not None and at < len(row.cells) else ""


def _is_placeholder(row: TableRow) -> bool:
    """Return whether a row is a placeholder such as `_(none yet)_`."""
    first, *others = (cell.strip() for cell in row.cells)
    return first.startswith(("(", "_", "*(")) and not any(cell.strip(_EMPTY) for cell in others)


def _commits(heads: Sequence[str], row: TableRow) -> tuple[str, ...]:
    own = [n for n, head in enumerate(heads) if "commit" in head or head == "sha"]
    cells = [row.cells[n] for n in own if n < len(row.cells)]
    said = import_state_names.said_commits(" ".join(row.cells))
    return tuple(
        dict.fromkeys((*(c for cell in cells for c in import_state_names.commits(cell)), *said))
    )
