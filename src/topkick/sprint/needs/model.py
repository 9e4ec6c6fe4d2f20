"""Needs between units: agents note them in progress files; they are passed on and reconciled.

The files hold the state: a need is open as long as they list it, and resolved afterwards.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

SHORTEST_NAME = 4
_LOCAL = re.compile(r"\blocal(?:ly)?\b|\bstand-?in\b|\bplaceholder\b|\bstub\b", re.IGNORECASE)


class Resolution(StrEnum):
    """The way to resolve a need: the plan allows an import, or units must be reconciled."""

    IMPORT = "import"
    LOCAL_PROTOCOL = "local_protocol"
    RECONCILIATION = "reconciliation"


@dataclass(frozen=True, slots=True)
class Noted:
    """The needs that a unit's progress file lists, and the names that it defines."""

    unit: str
    needs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CrossNeed:
    """A need; `target` is the unit that has it, as far as the text says; `subject` is a name that
    both define.
    """

    number: int
    unit: str
    text: str
    target: str = ""
    subject: str = ""
    resolution: Resolution = Resolution.RECONCILIATION
    resolved: bool = False


def same(text: str) -> str:
    """Normalise a text: two wordings of one need differ only in blanks, capitals and
    punctuation.
    """
    return " ".join(re.findall(r"\w+", text.lower()))


def on_a_line(text: str) -> str:
    return " ".join(text.split())


def named_in(text: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the units that a text names, longest name first, however their words are joined."""
    words, run_together = f" {same(text)} ", _letters(text)
    for name in sorted(names, key=lambda n: (-len(n), n)):
        whole = f" {same(name)} " in words
        if whole or (len(_letters(name)) >= SHORTEST_NAME and _letters(name) in run_together):
            yield name


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


def resolution_of(text: str, target: str, imports: str, waits_for: Iterable[str]) -> Resolution:
    """Decide by the plan's table of allowed imports; without one, a unit may use what it waits
    for.
    """
    allowed = (
        list(named_in(imports, [target])) if imports else [n for n in waits_for if n == target]
    )
    if target and allowed:
        return Resolution.IMPORT
    return Resolution.LOCAL_PROTOCOL if _LOCAL.search(text) else Resolution.RECONCILIATION
