"""Walk through a state file section by section and collect statements about units and sprints."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from topkick.plan_format.order.references import UnitNames, plain
from topkick.plan_format.structure import (
    Fence,
    ItemList,
    ListItem,
    Paragraph,
    Quote,
    Section,
    Table,
)
from topkick.plan_format.units.headings import bare, sprint_heading, words
from topkick.planning.import_state import names as import_state_names
from topkick.planning.import_state.model import exactly, refuse_a_flood
from topkick.planning.import_state.statements import (
    SprintSaid,
    UnitSaid,
    Unread,
    has_states,
    is_log,
    is_of_sprints,
    is_of_units,
    logged,
    sprints_of,
    units_of,
)

STATES = frozenset(("state", "status", "current state", "current status"))
UNIT_STATES = frozenset(
    f"{what} {word}"
    for what in ("work unit", "package", "unit", "component", "module", "phase", "workstream")
    for word in ("state", "status")
)
SPRINT_STATES = frozenset(
    f"{what} {word}" for what in ("sprint", "sortie") for word in ("state", "status", "states")
)
CURRENT = frozenset(f"current {what}" for what in ("sprint", "sprints", "sortie", "sorties"))
SPRINTS = frozenset(("sprints", "sorties"))
RETRIES = re.compile(r"^max(?:imum)? retries\b")
_GENERIC = re.compile(
    r"^\W*(?:(?:per[- ])?(?:work[- ]?units?|packages?|units?|sprints?|sorties?)?\s*"
    r"(?:state|status|states|details?|progress|summary|current state))\W*$",
    re.IGNORECASE,
)
_STATE_BEHIND = re.compile(
    r"\s*[—–:-]+\s*(?:work unit |package |unit )?(?:state|status)\s*$", re.IGNORECASE
)
_UNIT_BEFORE = re.compile(r"^(?:work unit|package|component)\s*[:—–-]\s*", re.IGNORECASE)
_UNIT_TITLE = re.compile(
    r"\b(?:work units?|packages?|components?|phases?|wu-?\d+)\b", re.IGNORECASE
)
_ABOUT_ALL = re.compile(
    r"\b(?:overall|mission|status|summary|overview|notes|state)\b", re.IGNORECASE
)
_OVERALL = re.compile(r"\boverall status\b", re.IGNORECASE)
_LOG = re.compile(r"\b(?:log|terminology|parallel mission|rationale)\b", re.IGNORECASE)
_BOX = re.compile(r"^\s*\[(?P<mark>[ xX✓✅])\]\s*")
_IN_BRACKETS = re.compile(r"\(([^()]{1,200})\)\s*$")


@dataclass(slots=True)
class Walked:
    """All statements, in the order of the file; `declared` are the units of tables."""

    declared: list[UnitSaid] = field(default_factory=list)
    units: list[UnitSaid] = field(default_factory=list)
    current: list[tuple[str, str, int]] = field(default_factory=list)
    sprints: list[SprintSaid] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    overall: list[str] = field(default_factory=list)
    max_retries: int | None = None
    decisions: int = 0
    needs: int = 0


@dataclass(frozen=True, slots=True)
class LabelledValue:
    """A field `Label: value` in a section."""

    label: str
    value: str
    line: int


def walk(parts: Sequence[Section]) -> Walked:
    found = Walked()
    for part in parts:
        for block in part.blocks:
            if isinstance(block, Table) and is_of_units(block):
                found.declared.extend(units_of(block))
    names = UnitNames([unit.name for unit in found.declared])
    homes = {part.heading.line: _unit_of(part, names) for part in parts if part.heading}
    for part in parts:
        _section(part, _home(part, homes), homes, found)
    return found


def fields_of(part: Section) -> Iterator[LabelledValue]:
    for block in part.blocks:
        match block:
            case Paragraph():
                lines = ((line, block.line + n) for n, line in enumerate(block.lines))
            case ItemList():
                lines = ((item.text, item.line) for item in block.items)
            case Table() if len(block.header) == 2:
                rows = [(block.header, block.line), *((r.cells, r.line) for r in block.rows)]
                lines = ((f"{cells[0]}: {cells[1]}", line) for cells, line in rows)
            case Table() | Fence() | Quote():
                continue
        for text, line in lines:
            if said := import_state_names.field(text):
                yield LabelledValue(*said, line)


# --- owners of sections --------------------------------------------------------------------


def _unit_of(part: Section, names: UnitNames) -> str:
    """Return the unit that a section is about; empty if none."""
    title = part.title
    if not title or sprint_heading(title) or _is_log(part):
        return ""
    labels = {said.label for said in fields_of(part)}
    called = names.find(unit_name(title))
    if labels & UNIT_STATES or (labels & CURRENT and labels & SPRINT_STATES):
        return unit_name(_telling_title(part))
    if labels & STATES:
        above = part.parents[-1].text if part.parents else ""
        if called or _UNIT_TITLE.search(f"{title} | {above}"):
            return "" if _GENERIC.match(title) else unit_name(title)
    exact = names.exact(unit_name(title))
    return exact or (unit_name(title) if _UNIT_BEFORE.match(bare(title)) else "")


def unit_name(title: str) -> str:
    """Return Parser for `Work Unit: Parser` and `Parser — Work Unit State`."""
    text = _STATE_BEHIND.sub("", bare(title))
    return _UNIT_BEFORE.sub("", text) or text


def _telling_title(part: Section) -> str:
    titles = [part.title, *(heading.text for heading in reversed(part.parents))]
    return next((title for title in titles if not _GENERIC.match(bare(title))), part.title)


def _home(part: Section, homes: dict[int, str]) -> str:
    """Return the unit that a section belongs to: its own, or that of the nearest heading above."""
    lines = [heading.line for heading in part.parents]
    lines += [part.heading.line] if part.heading else []
    return next((homes[line] for line in reversed(lines) if homes.get(line)), "")


def _is_log(part: Section) -> bool:
    return any(
        _LOG.search(h.text) for h in (*part.parents, *([part.heading] if part.heading else []))
    )


# --- content of sections -------------------------------------------------------------------


def _section(part: Section, home: str, homes: dict[int, str], found: Walked) -> None:
    refuse_a_flood(len(found.sprints))
    log = _is_log(part)
    said = list(fields_of(part))
    for one in said:
        if RETRIES.match(one.label) and (number := re.search(r"\d{1,3}", one.value)):
            found.max_retries = found.max_retries or int(number[0])
    heading = sprint_heading(part.title) if part.title else None
    if log:
        pass
    elif heading is not None:
        found.sprints.append(_sprint_section(part, heading.id, heading.name, home, said))
    elif part.heading is not None and homes[part.heading.line]:
        _unit_section(home, part.heading.line, said, found)
    elif home and any(one.label in UNIT_STATES for one in said):
        _unit_section(home, part.heading.line if part.heading else 0, said, found)
    else:
        _other_section(part, said, found)
    for block in part.blocks:
        if isinstance(block, Table):
            _table(block, part.title, home, log, found)
        elif isinstance(block, ItemList) and not log:
            found.sprints.extend(_items(block.items, home))


def _sprint_section(
    part: Section, id_: str, name: str, home: str, said: Sequence[LabelledValue]
) -> SprintSaid:
    assert part.heading is not None
    state = next((s.value for s in said if s.label in STATES | SPRINT_STATES), "")
    in_heading = exactly(name)
    own = [c for s in said if "commit" in s.label for c in import_state_names.commits(s.value)]
    return SprintSaid(
        home,
        id_,
        state or (name if in_heading else ""),
        part.heading.line,
        "" if in_heading else name,
        tuple(dict.fromkeys(own)),
        next((s.value for s in said if s.label in ("model", "agent model", "model used")), ""),
        next((s.value for s in said if s.label == "attempt"), ""),
    )


def _unit_section(home: str, line: int, said: Sequence[LabelledValue], found: Walked) -> None:
    state = next((s for s in said if s.label in UNIT_STATES), None) or next(
        (s for s in said if s.label in STATES), None
    )
    found.units.append(UnitSaid(home, state.value if state else "", state.line if state else line))
    at = next((s for s in said if s.label in CURRENT), None)
    if at is not None:
        found.current.append((home, at.value, at.line))
    for one in said:
        refuse_a_flood(len(found.sprints))
        if one.label in UNIT_STATES | CURRENT | SPRINT_STATES | SPRINTS:
            stated = list(import_state_names.stated(one.value))
            found.sprints.extend(SprintSaid(home, id_, word, one.line) for id_, word in stated)
            if one.label in SPRINTS and not stated:
                named = [id_ for id_ in import_state_names.listed(one.value) if not id_.isdigit()]
                found.sprints.extend(SprintSaid(home, id_, "", one.line) for id_ in named)
    _current_sprint(home, at, said, found)


def _current_sprint(
    home: str, at: LabelledValue | None, said: Sequence[LabelledValue], found: Walked
) -> None:
    state = next((s for s in said if s.label in SPRINT_STATES), None)
    if at is None or state is None or next(import_state_names.stated(state.value), None):
        return
    commits = [c for s in said if "commit" in s.label for c in import_state_names.commits(s.value)]
    ids, _ = import_state_names.current(at.value)
    for id_ in ids:
        found.sprints.append(
            SprintSaid(
                home,
                id_,
                state.value,
                at.line,
                commits=tuple(commits) if len(ids) == 1 else (),
                model=next((s.value for s in said if s.label == "model"), ""),
                attempt=next((s.value for s in said if s.label == "attempt"), ""),
            )
        )


def _other_section(part: Section, said: Sequence[LabelledValue], found: Walked) -> None:
    """Take a state that is neither a unit's nor a sprint's as that of the whole, or as not
    understood.
    """
    for one in said:
        if one.label not in STATES | {"mission state", "mission status", "overall status"}:
            continue
        if part.level <= 1 or _ABOUT_ALL.search(part.title) or one.label not in STATES:
            found.overall.append(one.value)
        else:
            found.unread.append(
                Unread(
                    one.line,
                    f"{part.title}: {one.value}",
                    "a state that belongs to no unit and no sprint",
                )
            )
    if not found.overall and _OVERALL.search(part.title):
        found.overall.extend(_first_line(part))


def _first_line(part: Section) -> Iterator[str]:
    for block in part.blocks:
        if isinstance(block, Paragraph):
            yield block.lines[0]
            return
        if isinstance(block, ItemList):
            yield block.items[0].text
            return


def _table(block: Table, title: str, home: str, log: bool, found: Walked) -> None:
    if "needs" in plain(title) or any("need" in words(cell).split() for cell in block.header):
        found.needs += len(block.rows)
    elif is_log(block):
        found.decisions += len(block.rows)
        found.sprints.extend(logged(block))
    elif log or is_of_units(block) or len(block.header) < 2:
        return
    elif is_of_sprints(block, title):
        for one in sprints_of(block, home, title):
            if isinstance(one, SprintSaid):
                found.sprints.append(one)
            else:
                found.unread.append(one)
    elif has_states(block) and len(block.header) > 2:
        why = "a table with states of something that is neither a unit nor a sprint"
        found.unread.append(Unread(block.line, " | ".join(block.header), why))


def _items(items: Sequence[ListItem], home: str) -> Iterator[SprintSaid]:
    for item in items:
        box = _BOX.match(item.text)
        heading = sprint_heading(item.text[box.end() :] if box else item.text)
        if heading is None:
            continue
        inside = [said for sub in item.items if (said := import_state_names.field(sub.text))]
        state = next((value for label, value in inside if label in STATES | SPRINT_STATES), "")
        bracket = _IN_BRACKETS.search(heading.name[-210:])
        if not state and exactly(heading.name):
            state = heading.name
        elif not state and bracket and exactly(bracket[1]):
            state = bracket[1]
        elif not state and box:
            state = "[X]" if box["mark"].strip() else "[ ]"
        own = [
            c
            for label, value in inside
            if "commit" in label
            for c in import_state_names.commits(value)
        ]
        yield SprintSaid(
            home,
            heading.id,
            state,
            item.line,
            "" if exactly(heading.name) else heading.name,
            tuple(dict.fromkeys((*own, *import_state_names.said_commits(item.text)))),
        )
