"""Read edges between units that a plan draws: mermaid, arrows in text, and sentences."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from topkick.plan_format.findings import PlanFinding
from topkick.plan_format.order.references import SprintNames, UnitNames, wanted
from topkick.plan_format.text.structure import Fence, Section

_DRAWN = re.compile(r"[─│└┌┐┘├┤▼▶→]|-->|==>")
_TITLE = re.compile(r"\b(?:depend\w*|graph|order|structure|parallel\w*|layers?)\b", re.IGNORECASE)
_ARROW = re.compile(r"\s*(?:-+(?:\|[^|]{0,60}\|)?>|=+>|→|⟶|──+[>▶►]|─+→)\s*(?:\|[^|]{0,60}\|\s*)?")
_NODE = re.compile(r"^(?P<id>[\w.-]+)\s*(?:\[+|\(+|\{+)[\"/\\]?(?P<label>[^\]\)\}\"]{1,120})")
_DEPENDS = re.compile(
    r"^(?P<unit>.{1,120}?)\s+\(.{0,60}?depends on:?\s+(?P<list>[^)]{1,400})\)$", re.IGNORECASE
)


def drawn_edges(
    sections: Sequence[Section], units: UnitNames, sprints: SprintNames, findings: list[PlanFinding]
) -> dict[str, tuple[str, ...]]:
    """Return what each unit waits for by the drawings; only lines whose every node is a unit
    count.
    """
    found: dict[str, dict[str, None]] = {}
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Fence) and (
                block.language == "mermaid" or _TITLE.search(section.title)
            ):
                edges = list(_edges(block, units, sprints))
                for unit, needed in edges:
                    found.setdefault(unit, {})[needed] = None
                if not edges and len(units.all) > 1 and _DRAWN.search(block.content):
                    told = "This drawing was not understood; no order is taken from it."
                    findings.append(PlanFinding(block.line, told))
    return {unit: tuple(needed) for unit, needed in found.items()}


def _edges(fence: Fence, units: UnitNames, sprints: SprintNames) -> Iterator[tuple[str, str]]:
    labels: dict[str, str] = {}
    for line in fence.content.split("\n"):
        text = line.strip().rstrip(";")
        if not text or len(text) > 400:
            continue
        if said := _DEPENDS.match(text):
            yield from _said(said["unit"], said["list"], units, sprints)
            continue
        sides = [side.strip() for side in _ARROW.split(text)]
        nodes = [_units(side, units, labels) for side in sides]
        if len(nodes) > 1 and all(nodes):
            for before, after in pairwise(nodes):
                yield from ((later, first) for later in after for first in before if later != first)


def _said(
    called: str, text: str, units: UnitNames, sprints: SprintNames
) -> Iterator[tuple[str, str]]:
    if unit := units.find(called):
        for needed in wanted(text, unit, units, (), sprints).units:
            yield unit, needed


def _units(side: str, units: UnitNames, labels: dict[str, str]) -> list[str]:
    """Return the units on one side of an arrow; `A[Label]` defines the label of A."""
    found: list[str] = []
    for piece in re.split(r"\s*[&,+]\s*", side.strip("{}[]() ")):
        node = _NODE.match(piece)
        if node:
            labels[node["id"]] = node["label"]
        called = labels.get(piece.strip(), node["label"] if node else piece)
        name = units.find(called.strip())
        if name is None:
            return []
        found.append(name)
    return found
