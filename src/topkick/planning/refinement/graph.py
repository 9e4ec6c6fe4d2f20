"""The dependencies of sprints: the order that a plan states, and the order it implies.

Inside a unit a sprint comes after those that it names, and after those that write a file which it
names. A sprint that says nothing about what it waits for stays right after the one before it, so
the two form one `chain` and move together.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from graphlib import TopologicalSorter

from topkick.plan_format.criteria.criteria import needs_nothing
from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import SprintPlan, UnitPlan
from topkick.plan_format.order.references import names_sprint
from topkick.plan_format.order.waits import Pair
from topkick.plan_format.units.sprints import SprintReading
from topkick.planning.refinement.source import EditedText, cell_at
from topkick.sprint.dispatch.names import PATH, names_in, said_by

SHARED_BY_MOST = 12  # a file that more sprints name (README.md) orders none of them


@dataclass(frozen=True, slots=True)
class SprintGraph:
    """`needs` are direct edges between sprints, by number; `units` are those between units.

    `order` lists the sprints unit by unit, each unit in its present order; those in `kept_first`
    are the first of their unit and don't say what they wait for.
    """

    order: tuple[Pair, ...]
    needs: tuple[tuple[int, ...], ...]
    units: Mapping[str, tuple[str, ...]]
    chains: Mapping[str, tuple[tuple[int, ...], ...]]
    holds_up: tuple[int, ...]  # sets as bits
    kept_first: frozenset[int] = frozenset()

    def dependents(self, at: int) -> int:
        """Return how many sprints wait for this one, directly or not."""
        return self.holds_up[at].bit_count()

    def held_up(self, at: int) -> Iterator[int]:
        bits = self.holds_up[at]
        while bits:
            lowest = bits & -bits
            yield lowest.bit_length() - 1
            bits ^= lowest


def graph_of(reading: PlanReading) -> SprintGraph:
    units = reading.plan.units
    order = tuple((unit.name, sprint.id) for unit in units for sprint in unit.sprints)
    at = {pair: n for n, pair in enumerate(order)}
    needs: list[list[int]] = [[] for _ in order]
    chains: dict[str, tuple[tuple[int, ...], ...]] = {}
    for before, after in reading.after:
        if before[0] == after[0] and before in at and after in at:
            needs[at[after]].append(at[before])
    for unit in units:
        first = at[unit.name, unit.sprints[0].id]
        for later, earlier in _by_files(unit.sprints):
            needs[first + later].append(first + earlier)
        chains[unit.name] = tuple(_chains(unit, first, needs, reading))
        for sprint in unit.sprints:
            refs = ((ref.unit, ref.sprint) for ref in sprint.waits_for)
            needs[at[unit.name, sprint.id]].extend(at[pair] for pair in refs if pair in at)
    settled = tuple(tuple(dict.fromkeys(found)) for found in needs)
    waits = {unit.name: unit.waits_for for unit in units}
    kept_first = frozenset(
        at[unit.name, unit.sprints[0].id]
        for unit in units
        if _keeps_its_place(unit.sprints[0], reading.sprints[unit.name, unit.sprints[0].id])
    )
    return SprintGraph(order, settled, waits, chains, _holds_up(units, settled), kept_first)


def _by_files(sprints: Sequence[SprintPlan]) -> Iterator[tuple[int, int]]:
    """Yield (later, earlier) if one of the two writes a file that both name."""
    named = [said_by(sprint) for sprint in sprints]
    writers: dict[str, list[int]] = {}
    readers: dict[str, list[int]] = {}
    for n, said in enumerate(named):
        written = said.order.files | said.exit.files
        for path in sorted(written | said.entry.files):
            earlier = [*writers.get(path, ()), *(readers.get(path, ()) if path in written else ())]
            if len(earlier) < SHARED_BY_MOST:
                yield from ((n, one) for one in earlier)
            (writers if path in written else readers).setdefault(path, []).append(n)


def _chains(
    unit: UnitPlan, first: int, needs: list[list[int]], reading: PlanReading
) -> Iterator[tuple[int, ...]]:
    chain: list[int] = []
    for n, sprint in enumerate(unit.sprints, start=first):
        if chain and _keeps_its_place(sprint, reading.sprints[unit.name, sprint.id]):
            needs[n].append(n - 1)
            chain.append(n)
            continue
        if chain:
            yield tuple(chain)
        chain = [n]
    yield tuple(chain)


def _keeps_its_place(sprint: SprintPlan, said: SprintReading) -> bool:
    """Return whether the sprint doesn't say what comes before it, or only in prose."""
    if sprint.waits_for or (said.free and not said.depends):
        return False
    told = [
        names_sprint(r.text) or PATH.search(r.text) or needs_nothing(r.text) for r in said.depends
    ]
    return not (told and all(told))


def _holds_up(units: Sequence[UnitPlan], needs: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return for each sprint the set of those that wait for it, directly or not.

    A unit that waits for another does so with all its sprints, through two nodes of its own, so
    that there are few edges.
    """
    count = len(needs)
    begins = {unit.name: count + 2 * n for n, unit in enumerate(units)}
    edges: list[list[int]] = [[*found] for found in needs] + [[] for _ in range(2 * len(units))]
    at = 0
    for unit in units:
        begin = begins[unit.name]
        for n in range(at, at + len(unit.sprints)):
            edges[n].append(begin)
            edges[begin + 1].append(n)
        edges[begin].extend(begins[name] + 1 for name in unit.waits_for if name in begins)
        at += len(unit.sprints)
    return tuple(_reached(edges, count))


def _reached(needs: Sequence[Sequence[int]], count: int) -> list[int]:
    waiting = [0] * len(needs)
    for before in needs:
        for one in before:
            waiting[one] += 1
    ready = [n for n, left in enumerate(waiting) if left == 0]
    holds_up = [0] * len(needs)
    while ready:
        last = ready.pop()
        bits = holds_up[last] | (1 << last if last < count else 0)
        for one in needs[last]:
            holds_up[one] |= bits
            waiting[one] -= 1
            if waiting[one] == 0:
                ready.append(one)
    return holds_up[:count]


# --- units in a later layer than necessary -----------------------------------------------------
# Find those whose stated dependencies require only an earlier layer (PR-02).

_HEADERS = ("layer", "tier")
_PLAIN = re.compile(r"^\d{1,6}$")


@dataclass(frozen=True, slots=True)
class LayerMove:
    unit: str
    was: int
    now: int
    line: int


def better_layers(reading: PlanReading) -> tuple[LayerMove, ...]:
    """Return the moves; only stated dependencies decide, and a silent unit is held by its layer.

    No unit moves below a silent one, which would then wait for it too.
    """
    units = {unit.name: unit for unit in reading.plan.units}
    lowest = min((u.layer for u in units.values() if u.layer is not None), default=0)
    needs = {name: _needed(unit) & units.keys() for name, unit in units.items()}
    silent = [
        u.layer for u in units.values() if u.layer is not None and u.name not in reading.stated
    ]
    now: dict[str, int] = {}
    moves: list[LayerMove] = []
    for name in TopologicalSorter(needs).static_order():
        unit = units[name]
        if unit.layer is None:
            continue
        below = [now[other] for other in needs[name] if other in now]
        held = [layer for layer in silent if layer <= unit.layer]
        wanted = max([max(below) + 1 if below else lowest, *held])
        known = name in reading.stated and len(below) == len(needs[name])
        now[name] = min(unit.layer, wanted) if known else unit.layer
        if now[name] != unit.layer:
            moves.append(LayerMove(name, unit.layer, now[name], unit.line))
    return tuple(sorted(moves, key=lambda move: move.line))


def _needed(unit: UnitPlan) -> set[str]:
    refs = {ref.unit for sprint in unit.sprints for ref in sprint.waits_for}
    return {*unit.waits_for, *refs} - {unit.name}


def apply_layers(draft: EditedText, moves: Sequence[LayerMove]) -> tuple[LayerMove, ...]:
    """Return the moves that could be written: the cell must contain only the number."""
    return tuple(move for move in moves if _apply(draft, move))


def _apply(draft: EditedText, move: LayerMove) -> bool:
    cell = cell_at(draft, move.line, _HEADERS)
    if cell is None:
        return False
    row = draft[move.line]
    said = row[cell[0] : cell[1]]
    if not _PLAIN.match(said.strip()):
        return False
    new = said.replace(said.strip(), str(move.now))
    draft[move.line] = row[: cell[0]] + new.ljust(len(said)) + row[cell[1] :]
    return True


# --- paths in a sentence -----------------------------------------------------------------------
# Decide whether a sentence creates its paths, needs them, or only names them.

LONGEST = 4_000
_MAKES = """
create creates created write writes implement implements generate generates build define introduce
scaffold produce produces emit emits new establish author draft
"""
_NEEDS = """
modify modifies update edit extend refactor delete remove read review audit rename move patch
rewrite migrate from open inspect replace amend adjust fix
"""
# after these words a path is only named: adding to a file may create or change it
_ONLY_NAMES = """
add adds put to into use using via see per run not never without instead don't no like matching
following if when whether unless with
"""
_ROLE_WORD = re.compile(
    rf"(?<![\w./-])(?:{'|'.join(f'{_MAKES} {_NEEDS} {_ONLY_NAMES}'.split())})(?![\w/-])",
    re.IGNORECASE,
)
_MAKING = frozenset(_MAKES.split())
_NEEDING = frozenset(_NEEDS.split())
_EXISTS = re.compile(
    r"\btest -[ef]\b|\[ -[ef] |\bls -|\b(?:exists?|present|created|written|generated|produced"
    r"|in place|checked in|committed)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|never|no longer|no|without|absent|removed?|deleted?|missing|doesn't|don't|gone"
    r"|untouched|unchanged)\b|! test|test ! |\[ ! ",
    re.IGNORECASE,
)
_AROUND = "<>{}*$"
_OUTSIDE = ("/", "~", "..", "@", "-", "+")
_STAND_INS = re.compile(
    r"(?:^|[/._-])(?:foo|bar|baz|xxx+|yyyy|nn+|your|example)(?=[/._-]|$)", re.IGNORECASE
)


class UseRole(Enum):
    MAKES = auto()
    NEEDS = auto()
    NAMES = auto()


@dataclass(frozen=True, slots=True)
class Use:
    path: str
    role: UseRole


def uses_in_task(text: str) -> Iterator[Use]:
    """Decide by the last telling word before the path."""
    text = text[:LONGEST]
    said = [(found.start(), found[0].lower()) for found in _ROLE_WORD.finditer(text)]
    for path, start in _paths(text):
        before = [word for at, word in said if at < start]
        yield Use(path, _role(before[-1] if before else ""))


def _role(word: str) -> UseRole:
    if word in _MAKING:
        return UseRole.MAKES
    return UseRole.NEEDS if word in _NEEDING else UseRole.NAMES


def uses_in_entry(text: str) -> Iterator[Use]:
    """Yield what an entry criterion requires to exist, unless it says the opposite."""
    text = text[:LONGEST]
    role = UseRole.NAMES if _DENIES.search(text) else UseRole.NEEDS
    yield from (Use(path, role) for path, _ in _paths(text))


def uses_in_exit(text: str) -> Iterator[Use]:
    text = text[:LONGEST]
    makes = _EXISTS.search(text) and not _DENIES.search(text)
    yield from (Use(path, UseRole.MAKES if makes else UseRole.NAMES) for path, _ in _paths(text))


def _paths(text: str) -> Iterator[tuple[str, int]]:
    """Yield literal paths inside the project, without placeholders."""
    known = names_in(text).files
    for found in PATH.finditer(text):
        path = found[0].removeprefix("./")
        around = text[found.start() - 1 : found.start()] + text[found.end() : found.end() + 1]
        if path not in known or path.startswith(_OUTSIDE) or "../" in path:
            continue
        if not any(mark in _AROUND for mark in around) and not _STAND_INS.search(path):
            yield path, found.start()
