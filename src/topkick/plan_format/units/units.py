"""The work units that a table or headings declare, and the phases that they are built in."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from topkick.engine.errors import PlanError
from topkick.plan_format.model import PlanFinding, shortened
from topkick.plan_format.order.references import UnitNames, code_of_section, plain, says_nothing
from topkick.plan_format.structure import (
    Heading,
    ItemList,
    Paragraph,
    Quote,
    Section,
    Table,
    TableRow,
)
from topkick.plan_format.units.headings import Label, bare, label_line, work_heading

MAX_UNITS = 1_000
NAMES_SHOWN = 20
LONGEST_PHASE = 80

_UNIT_HEADERS = (
    "work unit", "work units", "unit", "package", "packages", "component", "module", "workstream",
    "phase", "name",
)  # fmt: skip
_COLUMNS = {
    word: column
    for column, words in (
        ("directory", "directory, dir, path, repo, repository, location"),
        ("sprints", "sprints, sorties, sprint count, sortie count, # sprints, # sorties"),
        ("layer", "layer, tier"),
        ("dependencies", "dependencies, dependency, depends on, deps, blocked by"),
    )
    for word in words.split(", ")
}
_VERIFY_HEADERS = frozenset(
    (
        "verify", "verification", "verify command", "verification command",
        "verification commands", "verify with", "verified by", "build", "build command", "test",
        "tests", "test command", "build and test", "build & test", "gate", "gate command",
        "build gate",
    )
)  # fmt: skip
_PHASE_HEADERS = ("phase", "wave", "stage", "group", "parallel group", "batch", "milestone")
_SHORT_PHASE = re.compile(r"^(?:\d{1,3}[a-z]?|[A-Za-z]|[IVX]{1,4})$")
_WORTH = {"sprints": 3, "layer": 2, "dependencies": 3, "directory": 2}
_UNITS_TITLE = re.compile(r"\b(?:work units?|units|packages|components|modules|phases)\b")
_UNIT_HEADING = re.compile(
    r"^\W*(?:\d+(?:\.\d+)*[.)]?\s+)?(?:(?:work unit|package|component|module|workstream)"
    r"\s*#?\w{0,6}\s*[:—–-]\s*\S|(?:wu|work unit|unit)[\s-]?#?\d+[a-z]?\s*[:—–-]\s*\S)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,6}")
_TOTALS = re.compile(r"^(?:(?:grand )?totals?|sum|all|overall)\b|^\+|^…$|^\.\.\.$", re.IGNORECASE)
_ROOT_WORDS = re.compile(
    r"^(?:|\.|/|[-—–]+|n/?a|(?:the )?(?:repo(?:sitory)?|project)? ?root(?: directory)?|root"
    r"|all|none)$"
)
_SECTION_NUMBER = re.compile(
    r"^\W*(?:section )?(\d+(?:\.\d+)*|[A-Z](?=\.\s))[.):]?\s", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class DeclaredUnit:
    """A row of the table, or a section that contains sprints; `code` is the number of its
    heading.
    """

    name: str
    line: int
    directory: str = ""
    sprints: int | None = None
    layer: int | None = None
    dependencies: str = ""
    section: str = ""
    code: str = ""
    phase: str = ""
    verify: tuple[str, ...] = ()


def names_of(units: Sequence[DeclaredUnit]) -> UnitNames:
    return UnitNames([unit.name for unit in units], {unit.name: unit.code for unit in units})


def is_unit_heading(text: str) -> bool:
    return _UNIT_HEADING.match(bare(text)) is not None


def section_number(text: str) -> str:
    found = _SECTION_NUMBER.match(bare(text))
    return found[1] if found else ""


def declared_units(sections: Sequence[Section]) -> tuple[DeclaredUnit, ...]:
    """Return the rows of the table that says the most about work units; the first of equals."""
    best: tuple[int, Table, Mapping[str, int]] | None = None
    for section in sections:
        for block in section.blocks:
            columns = _columns(block, section.title) if isinstance(block, Table) else None
            if columns is None:
                continue
            assert isinstance(block, Table)
            worth = sum(_WORTH.get(column, 0) for column in columns)
            if best is None or worth > best[0]:
                best = (worth, block, columns)
    if best is None:
        return ()
    rows = (_row(row, best[2], best[1].header) for row in best[1].rows)
    return distinct([unit for unit in rows if unit is not None])


def _columns(table: Table, title: str) -> Mapping[str, int] | None:
    headers = [plain(cell) for cell in table.header]
    if {"sprint", "sortie"} & set(headers):
        return None
    columns = {_COLUMNS[text]: n for n, text in reversed([*enumerate(headers)]) if text in _COLUMNS}
    name = next((headers.index(word) for word in _UNIT_HEADERS if word in headers), None)
    telling = (
        set(columns) - {"directory"} if name is not None and headers[name] == "name" else columns
    )
    if name is None or not (telling or _UNITS_TITLE.search(plain(title))):
        return None
    if headers[name] in ("phase", "name") and not telling:
        return None
    return {**columns, "name": name}


def _row(row: TableRow, columns: Mapping[str, int], header: Sequence[str]) -> DeclaredUnit | None:
    cells = {key: row.cells[n] if n < len(row.cells) else "" for key, n in columns.items()}
    others = [
        (plain(title), cell)
        for n, (title, cell) in enumerate(zip(header, row.cells, strict=False))
        if n not in columns.values()
    ]
    name = bare(cells["name"])
    if not name or _TOTALS.match(name):
        return None
    return DeclaredUnit(
        name,
        row.line,
        cells.get("directory", ""),
        count_in(cells.get("sprints", "")),
        number_in(cells.get("layer", "")),
        cells.get("dependencies", ""),
        phase=next((_phase(c, t) for t, c in others if t in _PHASE_HEADERS), ""),
        verify=tuple(cell for title, cell in others if title in _VERIFY_HEADERS and "`" in cell),
    )


def _phase(cell: str, header: str) -> str:
    """Return the phase: `2` in a column Wave is Wave 2."""
    text = bare(cell)[:LONGEST_PHASE]
    if not text or says_nothing(text):
        return ""
    return f"{header.capitalize()} {text}" if _SHORT_PHASE.match(text) else text


def number_in(cell: str) -> int | None:
    found = _NUMBER.search(cell)
    return int(found[0]) if found else None


def count_in(cell: str) -> int | None:
    """Return a count such as `3`; `1.1, 1.2` and `S1–S4` are ids."""
    found = re.match(r"^\W*(\d{1,6})\b(?!\s*[.,–-]\s*\d)", bare(cell))
    return int(found[1]) if found else None


def distinct(units: Sequence[DeclaredUnit]) -> tuple[DeclaredUnit, ...]:
    seen: dict[str, DeclaredUnit] = {}
    for unit in units:
        other = seen.setdefault(plain(unit.name), unit)
        if other is not unit:
            told = (
                f"the work unit '{unit.name}' is in line {other.line} already; rename one of them."
            )
            raise PlanError(unit.line, told)
    if len(units) > MAX_UNITS:
        raise PlanError(units[0].line, f"it has more than {MAX_UNITS} work units; split it.")
    return tuple(units)


def known(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return f"Known: {', '.join(names[:NAMES_SHOWN])}{more}."


def with_sections(
    units: Sequence[DeclaredUnit], sections: Sequence[Section]
) -> tuple[DeclaredUnit, ...]:
    """Add layer, directory and dependencies from the units' sections."""
    names = names_of(units)
    found = {unit.name: unit for unit in units}
    for section in sections:
        name = names.find(section.title) if section.heading and section.level >= 2 else None
        if name is not None:
            found[name] = _told_by(found[name], section)
    return tuple(found.values())


def _told_by(unit: DeclaredUnit, section: Section) -> DeclaredUnit:
    title = section.title
    unit = replace(
        unit,
        section=unit.section or section_number(title),
        code=unit.code or code_of_section(title),
    )
    for line in _lines(section):
        label, rest = label_line(line) or (None, "")
        match label:
            case Label.LAYER:
                depends = re.search(r"depends on:? ([^)]+)", rest, re.IGNORECASE)
                stated = depends[1] if depends else "none" if "no depend" in rest.lower() else ""
                layer = number_in(rest) if unit.layer is None else unit.layer
                unit = replace(unit, layer=layer, dependencies=unit.dependencies or stated)
            case Label.DEPENDS:
                unit = replace(unit, dependencies=unit.dependencies or rest)
            case Label.DIRECTORY:
                unit = replace(unit, directory=unit.directory or rest)
            case _:
                pass
    own = f"`{unit.name}/"
    if not unit.directory and any(own in line for line in _lines(section)):
        unit = replace(unit, directory=unit.name)
    return unit


def _lines(section: Section) -> list[str]:
    found: list[str] = []
    for block in section.blocks:
        match block:
            case Paragraph() | Quote():
                found.extend(block.lines)
            case ItemList():
                found.extend(item.text for item in block.items)
            case _:
                pass
    return found


def directory_of(
    cell: str, line: int, at: "Whereabouts | None" = None
) -> tuple[str, list[PlanFinding]]:
    """Return a directory inside the project or next to it; anything else becomes the root, with a
    finding.
    """
    path = bare(cell)
    path = (at.here(path) if at else path).removeprefix("./").rstrip("/").strip()
    if _ROOT_WORDS.match(path.lower()):
        return ".", []
    if _is_sibling(path):
        return path, []
    if path.startswith(("/", "~")) or ".." in path.split("/") or _unusual(path):
        told = f"The directory '{shortened(path)}' is not inside the project"
        return ".", [PlanFinding(line, f"{told}; topkick uses the project's root.")]
    if "/" not in path and re.search(r"\.(?:md|py|ts|js|swift|toml|json|ya?ml|sh)$", path):
        told = f"The directory '{shortened(path)}' is a file; topkick uses the project's root."
        return ".", [PlanFinding(line, told)]
    return path, []


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """The project's path here, and on the machine where the plan was written."""

    root: str = ""
    was: str = ""

    def here(self, path: str) -> str:
        """Return the path as it would be here, relative to the project's root."""
        for place in (self.root, self.was):
            whole = path.rstrip("/") + "/"
            if place and whole.startswith(f"{place}/"):
                return whole.removeprefix(f"{place}/") or "."
            above, _, _ = place.rpartition("/")
            if above and whole.startswith(f"{above}/"):
                return f"../{whole.removeprefix(f'{above}/')}"
        return path


def whereabouts_of(units: Sequence[DeclaredUnit], root: str, name: str) -> Whereabouts:
    """Derive where the project was: `/somebody/Projects/THIS` in a plan for the project THIS."""
    root = root.rstrip("/")
    paths = [bare(unit.directory).rstrip("/") for unit in units]
    for path in paths:
        parts = path.split("/")
        if path.startswith("/") and name in parts and not path.startswith(f"{root}/"):
            return Whereabouts(root, "/".join(parts[: parts.index(name) + 1]))
    return Whereabouts(root)


def _is_sibling(path: str) -> bool:
    """Return whether the path is a repository next to this one: `../other`."""
    parts = path.split("/")
    return len(parts) >= 2 and parts[0] == ".." and ".." not in parts[1:] and not _unusual(path)


def _unusual(path: str) -> bool:
    many_words = len(path.split()) > 2 and "/" not in path
    return many_words or re.search(r"[,+{}*?<>\\\x00()]|…|\s/|/\s", path) is not None


# --- phases ------------------------------------------------------------------------------------
# Find which units a plan builds together, by a column or a heading above them.

_PHASE_WORDS = frozenset({"phase", "stage", "wave", "batch", "milestone", "iteration"})
_GROUP = re.compile(r"^\W*(?:parallel )?group\s+(?:\d{1,3}|[A-Z])\b", re.IGNORECASE)


def phases_of(units: Sequence[DeclaredUnit], sections: Sequence[Section]) -> Mapping[str, str]:
    """Return the phases; empty if layers are numbered, which say the same."""
    if any(unit.layer is not None for unit in units):
        return {}
    stated = {unit.name: unit.phase for unit in units if unit.phase}
    return stated or _by_headings(units, sections)


def _by_headings(units: Sequence[DeclaredUnit], sections: Sequence[Section]) -> Mapping[str, str]:
    """Use only headings above several units: one above each unit adds nothing."""
    names = UnitNames([unit.name for unit in units])
    lines = {unit.line: unit.name for unit in units}
    found: dict[str, Heading] = {}
    for part in sections:
        if part.heading is None:
            continue
        name = lines.get(part.heading.line) or names.find(part.title)
        above = next((h for h in reversed(part.parents) if _is_phase(h)), None)
        if name is not None and above is not None:
            found.setdefault(name, above)
    held = Counter(heading.line for heading in found.values())
    if not any(count > 1 for count in held.values()):
        return {}
    return {name: bare(heading.text)[:LONGEST_PHASE] for name, heading in found.items()}


def _is_phase(heading: Heading) -> bool:
    named = work_heading(heading.text)
    return (named is not None and named.word in _PHASE_WORDS) or bool(
        _GROUP.match(bare(heading.text))
    )
