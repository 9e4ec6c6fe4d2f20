"""The work units that a table declares, and what each of them waits for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from topkick.core.errors import PlanError
from topkick.plans.findings import Finding
from topkick.plans.structure import Row, Section, Table

MAX_UNITS = 1_000
NAMES_SHOWN = 20

_UNIT_HEADERS = ("work unit", "work units", "unit", "package", "component", "module", "phase")
_COLUMNS = {
    "directory": "directory",
    "dir": "directory",
    "path": "directory",
    "sprints": "sprints",
    "sorties": "sprints",
    "layer": "layer",
    "tier": "layer",
    "dependencies": "dependencies",
    "dependency": "dependencies",
    "depends on": "dependencies",
    "deps": "dependencies",
}
_UNITS_TITLE = re.compile(r"\b(?:work units?|units|packages|components|modules|phases)\b")
_EMPHASIS = re.compile(r"[*`]|(?<!\w)_|_(?!\w)")
_PREFIX = re.compile(
    r"^(?:(?:work unit|unit|package|component|module)\s*#?\w{0,6}\s*[:—–-]\s*"
    r"|\d+(?:\.\d+)*[.)]?\s+)"
)
_SEPARATOR = re.compile(r"\s*[:—–(]\s*|\s-+\s")
_NO_DEPENDENCY = re.compile(r"^(?:none|nothing|n/?a|no|[-—–]*)(?:\s*\(.*\))?\.?$")
_ALL_BEFORE = re.compile(r"^all (?:previous|above|of the above|earlier|prior)(?: units)?$")
_LIST = re.compile(r"\s*[,;+&]\s*|\s+and\s+")
_NUMBER = re.compile(r"\d{1,6}")
_TOTALS = frozenset({"total", "totals", "sum", "all"})
_ROOT_WORDS = frozenset({"", ".", "/", "-", "—", "–", "root", "repo root", "project root"})


@dataclass(frozen=True, slots=True)
class DeclaredUnit:
    """A row of the table, or a section that holds sprints."""

    name: str
    line: int
    directory: str = ""
    sprints: int | None = None
    layer: int | None = None
    dependencies: str = ""


class UnitNames:
    """Finds a unit by what people call it: its name, without its prefix, before a separator."""

    def __init__(self, names: Sequence[str]) -> None:
        self._exact = {plain(name): name for name in names}
        aliases: dict[str, str | None] = {}
        for name in names:
            for alias in _callings(plain(name)):
                aliases[alias] = None if aliases.get(alias, name) != name else name
        self._aliases = aliases

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(self._exact.values())

    def find(self, text: str) -> str | None:
        words = plain(text)
        if words in self._exact:
            return self._exact[words]
        return next((found for w in (words, *_callings(words)) if (found := self._called(w))), None)

    def _called(self, words: str) -> str | None:
        return self._exact.get(words) or self._aliases.get(words)


def plain(text: str) -> str:
    return " ".join(_EMPHASIS.sub("", text).lower().split())


def _callings(words: str) -> Iterator[str]:
    bare = _PREFIX.sub("", words)
    parts = _SEPARATOR.split(bare, maxsplit=1) + _SEPARATOR.split(words, maxsplit=1)
    yield from dict.fromkeys(part.rstrip(")") for part in (bare, *parts) if part)


def name_of_section(title: str) -> str:
    """`Work Unit: Parser` and `Unit 2: Parser` are Parser; other titles stay as they are."""
    text = _EMPHASIS.sub("", title).strip()
    found = _PREFIX.match(text.lower())
    return text[found.end() :] if found and found.end() < len(text) else text


def declared_units(sections: Sequence[Section]) -> tuple[DeclaredUnit, ...]:
    """The rows of the first table that lists work units."""
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Table) and (columns := _columns(block, section.title)):
                rows = (_row(row, columns) for row in block.rows)
                return distinct([unit for unit in rows if unit is not None])
    return ()


def _columns(table: Table, title: str) -> dict[str, int] | None:
    headers = [plain(cell) for cell in table.header]
    if "sprint" in headers or "sortie" in headers:
        return None
    columns = {_COLUMNS[text]: n for n, text in reversed([*enumerate(headers)]) if text in _COLUMNS}
    name = next((n for n, text in enumerate(headers) if text in _UNIT_HEADERS), None)
    if name is None and columns:
        name = next((n for n, text in enumerate(headers) if text == "name"), None)
    if name is None or not (columns or _UNITS_TITLE.search(plain(title))):
        return None
    return {**columns, "name": name}


def _row(row: Row, columns: Mapping[str, int]) -> DeclaredUnit | None:
    cells = {key: row.cells[n] if n < len(row.cells) else "" for key, n in columns.items()}
    name = _EMPHASIS.sub("", cells["name"]).strip()
    if not name or name.lower() in _TOTALS:
        return None
    return DeclaredUnit(
        name,
        row.line,
        cells.get("directory", ""),
        _number(cells.get("sprints", "")),
        _number(cells.get("layer", "")),
        cells.get("dependencies", ""),
    )


def _number(cell: str) -> int | None:
    found = _NUMBER.search(cell)
    return int(found[0]) if found else None


def distinct(units: Sequence[DeclaredUnit]) -> tuple[DeclaredUnit, ...]:
    seen: dict[str, DeclaredUnit] = {}
    for unit in units:
        other = seen.setdefault(plain(unit.name), unit)
        if other is not unit:
            told = f"the work unit '{unit.name}' stands in line {other.line} already; rename one."
            raise PlanError(unit.line, told)
    if len(units) > MAX_UNITS:
        raise PlanError(units[0].line, f"more than {MAX_UNITS} work units; split the plan.")
    return tuple(units)


def directory_of(cell: str, line: int) -> tuple[str, list[Finding]]:
    """A directory inside the project; everything else is its root, and said."""
    path = _EMPHASIS.sub("", cell).strip().removeprefix("./").rstrip("/").strip()
    if path.lower() in _ROOT_WORDS:
        return ".", []
    parts = path.split("/")
    if path.startswith(("/", "~")) or ".." in parts or re.search(r"[,+{}*?<>\\\x00]", path):
        told = f"The directory '{path[:80]}' is not one inside the project; its root is used."
        return ".", [Finding(line, told)]
    return path, []


def waits(units: Sequence[DeclaredUnit]) -> tuple[dict[str, tuple[str, ...]], list[Finding]]:
    """What each unit waits for: stated edges decide, layers gate only units that state none."""
    stated = _stated(units)
    _refuse_circle(units, stated)
    gated = _layer_edges(units, stated)
    whole = {unit.name: (*stated[unit.name], *gated[unit.name]) for unit in units}
    findings: list[Finding] = []
    knot = _knot(whole)
    for unit in units:
        kept = tuple(n for n in gated[unit.name] if unit.name not in knot or n not in knot)
        if kept != gated[unit.name]:
            told = f"The layer of '{unit.name}' contradicts stated dependencies, which win."
            findings.append(Finding(unit.line, told))
            whole[unit.name] = (*stated[unit.name], *kept)
    return whole, findings


def _stated(units: Sequence[DeclaredUnit]) -> dict[str, tuple[str, ...]]:
    names = UnitNames([unit.name for unit in units])
    before: list[str] = []
    found: dict[str, tuple[str, ...]] = {}
    for unit in units:
        found[unit.name] = tuple(dict.fromkeys(_needs(unit, names, before)))
        before.append(unit.name)
    return found


def _needs(unit: DeclaredUnit, names: UnitNames, before: Sequence[str]) -> Iterator[str]:
    cell = plain(unit.dependencies)
    if _NO_DEPENDENCY.match(cell):
        return
    if _ALL_BEFORE.match(cell):
        yield from before
        return
    whole = names.find(cell)
    for word in [cell] if whole else _LIST.split(cell):
        if not word:
            continue
        name = whole or names.find(word)
        if name is None:
            told = f"'{unit.name}' depends on '{word[:80]}', which is no work unit."
            raise PlanError(unit.line, f"{told} {known(names.all)}")
        yield name


def known(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return f"Known: {', '.join(names[:NAMES_SHOWN])}{more}."


def _refuse_circle(units: Sequence[DeclaredUnit], stated: Mapping[str, Sequence[str]]) -> None:
    try:
        TopologicalSorter(stated).prepare()
    except CycleError as error:
        circle = error.args[1]
        first = next(unit for unit in units if unit.name in circle)
        told = f"work units wait for each other: {' → '.join(reversed(circle))}."
        raise PlanError(first.line, f"{told} Take one of these dependencies out.") from None


def _layer_edges(
    units: Sequence[DeclaredUnit], stated: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    layered = [(unit.layer, unit.name) for unit in units if unit.layer is not None]
    return {
        unit.name: tuple(name for layer, name in layered if layer < unit.layer)
        if unit.layer is not None and not stated[unit.name]
        else ()
        for unit in units
    }


def _knot(edges: Mapping[str, Sequence[str]]) -> set[str]:
    """The units on or between circles: what is left when all that can be ordered is taken away."""
    backward: dict[str, list[str]] = {name: [] for name in edges}
    for name, needed in edges.items():
        for other in needed:
            backward[other].append(name)
    left = _not_orderable(edges, backward, set(edges))
    return _not_orderable(backward, edges, left)


def _not_orderable(
    needs: Mapping[str, Sequence[str]], needed_by: Mapping[str, Sequence[str]], among: set[str]
) -> set[str]:
    waiting = {name: sum(other in among for other in needs[name]) for name in among}
    ready = [name for name, count in waiting.items() if count == 0]
    while ready:
        name = ready.pop()
        for other in needed_by[name]:
            if other in waiting:
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
    return {name for name, count in waiting.items() if count > 0}
