"""Match the units and sprints of a state file to those of the plan."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from topkick.plan_format.model import Plan, UnitPlan
from topkick.plan_format.order.references import UnitNames
from topkick.planning.import_state import names as import_state_names
from topkick.planning.import_state.model import BelievedSprint, BelievedUnit, Handover
from topkick.sprint.transitions import SprintState, UnitState
from topkick.text.similarity import joined

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Belief:
    """The state file's claim about a sprint of the plan; `said` is in its words, and may be
    empty.
    """

    unit: str
    sprint: str
    state: SprintState | None = None
    said: str = ""
    commits: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Stranger:
    """Something that the file names and the plan lacks; without `sprint` it is a whole unit."""

    unit: str
    sprint: str
    word: str
    line: int


@dataclass(frozen=True, slots=True)
class Matched:
    """A belief for every sprint of the plan; `units` by their names in the plan."""

    beliefs: Mapping[Pair, Belief]
    units: Mapping[str, BelievedUnit]
    strangers: tuple[Stranger, ...]


def match(handover: Handover, plan: Plan) -> Matched:
    homes = _units(handover.units, plan.units)
    by_name = {home: unit for unit, home in zip(handover.units, homes, strict=True) if home}
    found: dict[Pair, BelievedSprint] = {}
    strangers: list[Stranger] = []
    everywhere = _everywhere(plan.units)
    for unit, home in zip(handover.units, homes, strict=True):
        own = next((u for u in plan.units if u.name == home), None)
        if own is None and not unit.sprints:
            strangers.append(Stranger(unit.name, "", unit.word, unit.line))
        places = _places(unit.sprints, own, everywhere)
        strangers.extend(_taken(unit.name, unit.sprints, places, found))
    loose = _places(handover.loose, None, everywhere)
    strangers.extend(_taken("", handover.loose, loose, found))
    beliefs = {
        (unit.name, id_): belief
        for unit in plan.units
        for id_, belief in _beliefs(unit, by_name.get(unit.name), found)
    }
    return Matched(beliefs, by_name, tuple(strangers))


# --- units ---------------------------------------------------------------------------------


def _units(believed: Sequence[BelievedUnit], planned: Sequence[UnitPlan]) -> list[str | None]:
    """Match by name; then by a unique common beginning; then, if the counts agree, by position."""
    names = UnitNames([unit.name for unit in planned])
    slugs = {joined(unit.name): unit.name for unit in planned}
    homes: list[str | None] = []
    for unit in believed:
        home = names.find(unit.name) or slugs.get(joined(unit.name)) or _alike(unit.name, slugs)
        homes.append(home if home not in homes else None)
    if len(believed) == len(planned):
        for at, plan in enumerate(planned):
            if homes[at] is None and plan.name not in homes:
                homes[at] = plan.name
    return homes


def _alike(name: str, slugs: Mapping[str, str]) -> str | None:
    own = joined(name)
    if len(own) < 3:
        return None
    found = [full for slug, full in slugs.items() if slug.startswith(own) or own.startswith(slug)]
    return found[0] if len(found) == 1 else None


# --- sprints -------------------------------------------------------------------------------


def _everywhere(units: Iterable[UnitPlan]) -> dict[str, list[Pair]]:
    found: dict[str, list[Pair]] = {}
    for unit in units:
        for sprint in unit.sprints:
            found.setdefault(import_state_names.key(sprint.id), []).append((unit.name, sprint.id))
    return found


def _places(
    sprints: Sequence[BelievedSprint],
    unit: UnitPlan | None,
    everywhere: Mapping[str, Sequence[Pair]],
) -> list[Pair | None]:
    """Match each sprint by its id, its position, or its name."""
    if unit is not None and _in_order(sprints, unit):
        by_number = sorted(
            range(len(sprints)), key=lambda n: int(import_state_names.key(sprints[n].id))
        )
        ranks = {n: rank for rank, n in enumerate(by_number)}
        return [(unit.name, unit.sprints[ranks[n]].id) for n in range(len(sprints))]
    return [_place(sprint, unit, everywhere) for sprint in sprints]


def _in_order(sprints: Sequence[BelievedSprint], unit: UnitPlan) -> bool:
    """Return whether the file numbers sprints through all units and the plan in each, or vice
    versa.
    """
    keys = {import_state_names.key(sprint.id) for sprint in sprints}
    planned = {import_state_names.key(sprint.id) for sprint in unit.sprints}
    same_count = len(sprints) == len(unit.sprints) > 0
    return same_count and keys != planned and all(key.isdecimal() for key in keys)


def _place(
    sprint: BelievedSprint, unit: UnitPlan | None, everywhere: Mapping[str, Sequence[Pair]]
) -> Pair | None:
    key = import_state_names.key(sprint.id)
    last = import_state_names.key(re.split(r"[./]", sprint.id)[-1])
    if unit is not None:
        own = {import_state_names.key(s.id): s.id for s in unit.sprints}
        names = {joined(s.name): s.id for s in unit.sprints}
        found = own.get(key) or own.get(last) or names.get(joined(sprint.name))
        if found is not None:
            return unit.name, found
    others = everywhere.get(key, ())
    return others[0] if len(others) == 1 else None


def _taken(
    unit: str,
    sprints: Sequence[BelievedSprint],
    places: Sequence[Pair | None],
    found: dict[Pair, BelievedSprint],
) -> Iterator[Stranger]:
    for sprint, place in zip(sprints, places, strict=True):
        if place is None or place in found:
            yield Stranger(unit, sprint.id, sprint.word, sprint.line)
        else:
            found[place] = sprint


# --- beliefs -------------------------------------------------------------------------------


def _beliefs(
    unit: UnitPlan, believed: BelievedUnit | None, found: Mapping[Pair, BelievedSprint]
) -> Iterator[tuple[str, Belief]]:
    now = _at(unit, believed, found)
    for at, sprint in enumerate(unit.sprints):
        said = found.get((unit.name, sprint.id))
        if said is not None and said.state is not None:
            yield (
                sprint.id,
                Belief(
                    unit.name,
                    sprint.id,
                    said.state,
                    said.word,
                    said.commits,
                    said.others,
                    said.line,
                ),
            )
            continue
        state, why = _implied(at, now, believed)
        commits = said.commits if said is not None else ()
        line = said.line if said is not None else believed.line if believed and state else 0
        yield sprint.id, Belief(unit.name, sprint.id, state, why, commits, line=line)


def _at(
    unit: UnitPlan, believed: BelievedUnit | None, found: Mapping[Pair, BelievedSprint]
) -> int | None:
    """Return the index in the plan of the unit's first current sprint."""
    if believed is None or not believed.current:
        return None
    wanted = import_state_names.key(believed.current[0])
    for at, sprint in enumerate(unit.sprints):
        said = found.get((unit.name, sprint.id))
        if wanted in (
            import_state_names.key(sprint.id),
            import_state_names.key(said.id) if said else "",
        ):
            return at
    fits = believed.total in (None, len(unit.sprints))
    if fits and wanted.isdecimal() and 0 < int(wanted) <= len(unit.sprints):
        return int(wanted) - 1
    return None


def _implied(
    at: int, now: int | None, believed: BelievedUnit | None
) -> tuple[SprintState | None, str]:
    if believed is None or believed.state is None:
        return None, ""
    if believed.state is UnitState.COMPLETED:
        return SprintState.COMPLETED, f"its unit: {believed.word}"
    if believed.state is UnitState.NOT_STARTED:
        return SprintState.PENDING, f"its unit: {believed.word}"
    if now is not None and at < now:
        return SprintState.COMPLETED, f"the unit is at sprint {believed.current[0]}"
    return None, ""
