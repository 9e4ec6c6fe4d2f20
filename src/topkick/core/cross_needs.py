"""What a unit needs of another: noted by agents in progress files, told on, reconciled at the end.

The files are the truth here: what they list is open, and what they list no more is resolved.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

SHORTEST_NAME = 4
_LOCAL = re.compile(r"\blocal(?:ly)?\b|\bstand-?in\b|\bplaceholder\b|\bstub\b", re.IGNORECASE)


class Resolution(StrEnum):
    """What is to become of it: the plan lets the unit import it, or units have to be reconciled."""

    IMPORT = "import"
    LOCAL_PROTOCOL = "local_protocol"
    RECONCILIATION = "reconciliation"


@dataclass(frozen=True, slots=True)
class Noted:
    """What a unit's progress file says that it needs of others, and which names it defines."""

    unit: str
    needs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CrossNeed:
    """`target` is who has it, as far as its words tell; `subject` a name that both define."""

    number: int
    unit: str
    text: str
    target: str = ""
    subject: str = ""
    resolution: Resolution = Resolution.RECONCILIATION
    resolved: bool = False


def same(text: str) -> str:
    """Two wordings of one need differ in blanks, capitals and marks only."""
    return " ".join(re.findall(r"\w+", text.lower()))


def on_a_line(text: str) -> str:
    return " ".join(text.split())


def named_in(text: str, names: Iterable[str]) -> Iterator[str]:
    """The units that a text names, longest name first, however their words are joined."""
    words, run_together = f" {same(text)} ", _letters(text)
    for name in sorted(names, key=lambda n: (-len(n), n)):
        whole = f" {same(name)} " in words
        if whole or (len(_letters(name)) >= SHORTEST_NAME and _letters(name) in run_together):
            yield name


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


def resolution_of(text: str, target: str, imports: str, waits_for: Iterable[str]) -> Resolution:
    """By the plan's table of allowed imports; without one, a unit may use what it waits for."""
    allowed = (
        list(named_in(imports, [target])) if imports else [n for n in waits_for if n == target]
    )
    if target and allowed:
        return Resolution.IMPORT
    return Resolution.LOCAL_PROTOCOL if _LOCAL.search(text) else Resolution.RECONCILIATION
