"""Group tasks into goals, and goals into work units (BD-02)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from topkick.plan_format.units.headings import work_heading
from topkick.planning.breakdown.artifacts import paths_in
from topkick.planning.breakdown.model import Acceptance, BreakdownTask, HeadingPlace, Requirement
from topkick.planning.breakdown.passages import (
    HeadingRole,
    is_generic,
    plain_title,
    role_of,
    shown_title,
)
from topkick.sprint.dispatch.names import CODE

FEWEST = 3
MOST_UNITS = 40
_FOUNDATION = re.compile(
    r"\b(?:types?|interfaces?|protocols?|schemas?|data models?|models?|foundations?|scaffold\w*"
    r"|set-?up|setup|bootstrap|skeleton|core|configuration|infrastructure|storage|database)\b"
    r"|基础|数据|模型|架构",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"\b(?:tests?|testing|documentation|docs|release|deploy\w*|migration|ci|ci/cd|performance"
    r"|accessibility|security|polish|acceptance|success|verification|quality)\b|测试|文档|验收|部署",
    re.IGNORECASE,
)
_PACKAGE = re.compile(r"^((?:packages|apps|crates|services|modules|libs|plugins)/[\w.-]+)/")
_BASIC_TASK = re.compile(
    r"^(?:define|declare|introduce|scaffold|set up|create|add)\s.{0,60}\b(?:types?|protocols?"
    r"|interfaces?|schemas?|structs?|enums?|models?|migrations?|skeleton)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Goal:
    """Tasks that serve one purpose: a section of the document, with its acceptance criteria."""

    name: str
    line: int
    tasks: tuple[BreakdownTask, ...]
    accepted: tuple[str, ...] = ()
    phase: bool = False


@dataclass(frozen=True, slots=True)
class UnitGroup:
    name: str
    goals: tuple[Goal, ...]
    directory: str = "."
    needs: tuple[str, ...] = ()
    layer: int = 0

    @property
    def tasks(self) -> tuple[BreakdownTask, ...]:
        return tuple(task for goal in self.goals for task in goal.tasks)


Asked = tuple[Requirement, tuple[BreakdownTask, ...]]


def units_of(
    asked: Sequence[Asked], acceptance: Sequence[Acceptance], name: str
) -> tuple[UnitGroup, ...]:
    """Group by sections; else by directories; else by names in the tasks; else into one."""
    sectioned = _by_sections(asked, acceptance, name)
    if len(sectioned) == 1:
        sectioned = _by_packages(sectioned[0]) or sectioned
    return _layered(_with_needs(sectioned, name))


# --- sections --------------------------------------------------------------------------------


def _by_sections(
    asked: Sequence[Asked], acceptance: Sequence[Acceptance], name: str
) -> tuple[UnitGroup, ...]:
    shares: dict[str, list[Asked]] = {}
    for one in asked:
        shares.setdefault(_home(one[0].trail), []).append(one)
    counts = {home: sum(len(tasks) for _, tasks in share) for home, share in shares.items()}
    whole = [home for home in shares if home and counts[home] >= FEWEST]
    if len(whole) + bool(set(shares) - set(whole)) < 2 or len(whole) > MOST_UNITS:
        return (UnitGroup(name, _goals(asked, acceptance, name)),)
    rest = [one for one in asked if _home(one[0].trail) not in whole]
    units = [UnitGroup(home, _goals(shares[home], acceptance, home)) for home in whole]
    if rest:
        units.append(UnitGroup(name, _goals(rest, acceptance, name)))
    first = {unit.name: min(task.lines for task in unit.tasks) for unit in units}
    return tuple(sorted(units, key=lambda unit: (first[unit.name], unit.name)))


def _home(trail: Sequence[HeadingPlace]) -> str:
    """Return the level-2 section that may be a unit: it names a part, and is no phase."""
    section = next((place for place in trail if place.level == 2), None)
    if section is None or is_generic(section.title) or _LAST.search(section.title):
        return ""
    if role_of(section.title) in (HeadingRole.CONTEXT, HeadingRole.ASIDE):
        return ""
    return plain_title(section.title)


# --- goals -----------------------------------------------------------------------------------


def _goals(asked: Sequence[Asked], acceptance: Sequence[Acceptance], unit: str) -> tuple[Goal, ...]:
    groups: dict[int, list[BreakdownTask]] = {}
    names: dict[int, HeadingPlace | None] = {}
    accepted = _by_heading(acceptance)
    for requirement, tasks in asked:
        place = _goal_of(requirement.trail)
        key = place.line if place else 0
        groups.setdefault(key, []).extend(tasks)
        names[key] = place
    found = [
        Goal(
            _called(names[key], unit),
            min(task.lines.first for task in tasks),
            _basics_first(tasks),
            tuple(accepted.get(key, ()) if key else ()),
            _is_phase(names[key]),
        )
        for key, tasks in groups.items()
    ]
    return _ordered(found)


def _goal_of(trail: Sequence[HeadingPlace]) -> HeadingPlace | None:
    """Return the nearest telling heading; `Acceptance Criteria` belongs to the one above it."""
    for place in reversed(trail):
        if place.level == 1:
            break
        telling = role_of(place.title) is not HeadingRole.ACCEPTANCE and not _hollow(place.title)
        if telling:
            return place
    return next((place for place in reversed(trail) if place.level > 1), None)


_HOLLOW = re.compile(r"P\d|what|how|items|must|[A-Z]\.?", re.IGNORECASE)


def _hollow(title: str) -> bool:
    generic = is_generic(title) and work_heading(title) is None
    return generic or _HOLLOW.fullmatch(plain_title(title)) is not None


def _called(place: HeadingPlace | None, unit: str) -> str:
    if place is None:
        return unit
    heading = work_heading(place.title.replace("`", ""))
    return heading.name if heading else shown_title(place.title)


def _is_phase(place: HeadingPlace | None) -> bool:
    return place is not None and work_heading(place.title) is not None


def _by_heading(acceptance: Sequence[Acceptance]) -> dict[int, list[str]]:
    """Return the criteria under the line of every heading above them."""
    found: dict[int, list[str]] = {}
    for one in acceptance:
        for place in one.trail:
            found.setdefault(place.line, []).append(one.text)
    return found


def _basics_first(tasks: Sequence[BreakdownTask]) -> tuple[BreakdownTask, ...]:
    """Order types and schemas before their users; otherwise keep the document's order."""
    return tuple(sorted(tasks, key=lambda task: not _BASIC_TASK.match(task.text)))


def _ordered(goals: Sequence[Goal]) -> tuple[Goal, ...]:
    """Order foundations first, tests and documents last; numbered phases keep their order."""
    if any(goal.phase for goal in goals):
        return tuple(sorted(goals, key=lambda goal: goal.line))
    return tuple(sorted(goals, key=lambda goal: (_weight(goal), goal.line)))


def _weight(goal: Goal) -> int:
    basic = any(_BASIC_TASK.match(task.text) for task in goal.tasks)
    return 0 if basic else _rank(goal.name)


def _rank(name: str) -> int:
    if _LAST.search(name):
        return 2
    return 0 if _FOUNDATION.search(name) else 1


# --- directories -----------------------------------------------------------------------------


def _by_packages(unit: UnitGroup) -> tuple[UnitGroup, ...]:
    """Split by `packages/a` and `packages/b`, if every task names one of them."""
    shares: dict[str, list[Goal]] = {}
    for goal in unit.goals:
        for task in goal.tasks:
            homes = {m[1] for path in paths_in(task.text) if (m := _PACKAGE.match(path))}
            if len(homes) != 1:
                return ()
            home = homes.pop()
            own = shares.setdefault(home, [])
            if own and own[-1].name == goal.name:
                own[-1] = replace(own[-1], tasks=(*own[-1].tasks, task))
            else:
                own.append(replace(goal, tasks=(task,), accepted=()))
    if len(shares) < 2 or any(
        sum(len(g.tasks) for g in goals) < FEWEST for goals in shares.values()
    ):
        return ()
    return tuple(UnitGroup(home, tuple(goals), home) for home, goals in shares.items())


# --- dependencies ----------------------------------------------------------------------------


def _with_needs(units: Sequence[UnitGroup], rest: str) -> tuple[UnitGroup, ...]:
    """Make a unit wait for the first unit that mentions the same file or name.

    `rest` holds what belongs to no part: its needs are unknown, so it waits for all earlier units.
    """
    if len(units) < 2:
        return tuple(units)
    first: dict[str, str] = {}
    told = {unit.name: _names(unit) for unit in units}
    for unit in units:
        for name in told[unit.name]:
            first.setdefault(name, unit.name)
    order = {unit.name: n for n, unit in enumerate(units)}
    basic = [unit.name for unit in units if _rank(unit.name) == 0][:1]
    found: list[UnitGroup] = []
    for unit in units:
        earlier = {first[name] for name in told[unit.name]} - {unit.name}
        wanted = [n for n in order if n in earlier and order[n] < order[unit.name]]
        if unit.name == rest:
            wanted = [n for n in order if order[n] < order[rest]]
        if basic and order[basic[0]] < order[unit.name]:
            wanted = [*dict.fromkeys([*wanted, *basic])]
        found.append(replace(unit, needs=tuple(sorted(wanted, key=order.__getitem__))))
    return tuple(found)


def _names(unit: UnitGroup) -> frozenset[str]:
    texts = [task.text for task in unit.tasks]
    code = {name for text in texts for name in CODE.findall(text) if len(name) > 3}
    return frozenset(code | {path for text in texts for path in paths_in(text)})


def _layered(units: Sequence[UnitGroup]) -> tuple[UnitGroup, ...]:
    layers: dict[str, int] = {}
    found: list[UnitGroup] = []
    for unit in units:
        layers[unit.name] = max((layers[name] + 1 for name in unit.needs), default=0)
        found.append(replace(unit, layer=layers[unit.name], directory=_directory(unit)))
    return tuple(found)


def _directory(unit: UnitGroup) -> str:
    """Return the directory that all named files share; the root if there is none."""
    if unit.directory != ".":
        return unit.directory
    homes = {m[1] for task in unit.tasks for p in paths_in(task.text) if (m := _PACKAGE.match(p))}
    return homes.pop() if len(homes) == 1 else "."
