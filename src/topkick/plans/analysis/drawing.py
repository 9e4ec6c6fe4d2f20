"""Draw the dependency graph in Mermaid, with labels that cannot break out of it."""

import re
from collections.abc import Iterator, Mapping, Sequence

from topkick.plans.analysis.rounds import Rounds
from topkick.plans.document import Reading
from topkick.plans.waiting import Pair

SPRINTS_DRAWN = 120
UNITS_DRAWN = 200
EDGES_DRAWN = 400
LONGEST_LABEL = 60
# everything except letters, digits and marks that mean nothing to Mermaid, Markdown or HTML
_UNSAFE = re.compile(r"[^\w .,/+-]|_")


def drawing_of(reading: Reading, rounds: Rounds, labels: Mapping[Pair, str]) -> str:
    """Draw sprints in the boxes of their units; only units if there are too many sprints."""
    if sum(len(unit.sprints) for unit in reading.plan.units) > SPRINTS_DRAWN:
        return "\n".join(("graph TD", *_units(reading)))
    return "\n".join(("graph TD", *_sprints(reading, rounds.direct(), labels)))


def label(text: str) -> str:
    said = " ".join(_UNSAFE.sub(" ", text[: 4 * LONGEST_LABEL]).split())
    return said[:LONGEST_LABEL].rstrip() or "unnamed"


def _sprints(
    reading: Reading, needs: Sequence[Sequence[int]], labels: Mapping[Pair, str]
) -> Iterator[str]:
    at = 0
    boxes = len(reading.plan.units) > 1
    for number, unit in enumerate(reading.plan.units):
        if boxes:
            yield f'  subgraph u{number}["{label(unit.name)}"]'
        for sprint in unit.sprints:
            name = f"{labels[unit.name, sprint.id]} - {sprint.name}"
            yield f'  {"  " if boxes else ""}s{at}["{label(name)}"]'
            at += 1
        if boxes:
            yield "  end"
    edges = [(one, n) for n, found in enumerate(needs) for one in sorted(found)]
    yield from (f"  s{one} --> s{n}" for one, n in _drawn(edges))


def _units(reading: Reading) -> Iterator[str]:
    units = reading.plan.units[:UNITS_DRAWN]
    at = {unit.name: n for n, unit in enumerate(units)}
    for n, unit in enumerate(units):
        count = len(unit.sprints)
        yield f'  u{n}["{label(unit.name)}, {count} {"sprint" if count == 1 else "sprints"}"]'
    edges = [(at[name], n) for n, unit in enumerate(units) for name in unit.waits_for if name in at]
    yield from (f"  u{one} --> u{n}" for one, n in _drawn(edges))


def _drawn(edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Drop edges that other edges imply with one step between."""
    before: dict[int, set[int]] = {}
    for one, n in edges:
        before.setdefault(n, set()).add(one)
    kept = [
        (one, n)
        for one, n in edges
        if not any(one in before.get(other, ()) for other in before[n] if other != one)
    ]
    return kept[:EDGES_DRAWN]
