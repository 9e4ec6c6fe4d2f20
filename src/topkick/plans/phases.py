"""Find which units a plan builds together, by a column or a heading above them."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from topkick.plans.headings import bare, work_heading
from topkick.plans.references import UnitNames
from topkick.plans.structure import Heading, Section
from topkick.plans.units import LONGEST_PHASE, DeclaredUnit

_WORDS = frozenset({"phase", "stage", "wave", "batch", "milestone", "iteration"})
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
    return (named is not None and named.word in _WORDS) or bool(_GROUP.match(bare(heading.text)))
