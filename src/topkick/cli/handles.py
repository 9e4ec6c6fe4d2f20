"""Find the unit and sprint that a user typed: U2, U2/7, parser, parser/3, a unique prefix."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from topkick.engine.errors import UsageError
from topkick.sprint.model import Mission, Sprint, Unit
from topkick.text import escape
from topkick.text.escape import slug

T = TypeVar("T")
CANDIDATES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Target:
    """`sprint` is None where only a unit was named."""

    unit: Unit
    sprint: Sprint | None = None

    @property
    def named_or_current(self) -> Sprint:
        """The sprint that was named, else the unit's current one, else its last."""
        found = self.sprint or self.unit.current or next(reversed(self.unit.sprints), None)
        if found is None:
            raise UsageError(
                f"{self.unit.handle} has no sprints, so this command has nothing to do. "
                "Look: topkick plan show"
            )
        return found


def find_unit(mission: Mission, text: str) -> Unit:
    found = _units(mission, text)
    if len(found) == 1:
        return found[0]
    raise _no_such(text, found or list(mission.units.values()), _name_unit, known=bool(found))


def find(mission: Mission, text: str) -> Target:
    """Return the unit or sprint of this text. Try the whole text first: names may hold a slash."""
    units = _units(mission, text)
    if len(units) == 1:
        return Target(units[0])
    name, slash, wanted = text.rpartition("/")
    if units or not slash:
        raise _no_such(text, units or list(mission.units.values()), _name_unit, known=bool(units))
    unit = find_unit(mission, name)
    sprints = _matches(unit.sprints, wanted, lambda s: [s.id])
    if len(sprints) == 1:
        return Target(unit, sprints[0])
    shown = sprints or list(unit.sprints)
    raise _no_such(text, shown, lambda s: _name_sprint(unit, s), known=bool(sprints))


def _units(mission: Mission, text: str) -> list[Unit]:
    return _matches(mission.units.values(), text, lambda u: [u.handle, u.name, slug(u.name)])


def _matches(things: Iterable[T], text: str, names: Callable[[T], list[str]]) -> list[T]:
    """Return the things with exactly this name, or else those whose name begins with the text."""
    things, wanted = list(things), text.lower()
    exact = [t for t in things if wanted in [n.lower() for n in names(t)]]
    if exact or not wanted:
        return exact
    return [t for t in things if any(n.lower().startswith(wanted) for n in names(t))]


def _name_unit(unit: Unit) -> str:
    return f"{unit.handle}  {escape.line(unit.name, 60)}"


def _name_sprint(unit: Unit, sprint: Sprint) -> str:
    return f"{unit.handle}/{escape.line(sprint.id)}  {escape.line(sprint.plan.name, 60)}"


def _no_such(
    text: str, candidates: list[T], name: Callable[[T], str], *, known: bool
) -> UsageError:
    if not candidates:
        return UsageError("This run has no work units. Look: topkick status")
    shown = [f"  {name(c)}" for c in candidates[:CANDIDATES_SHOWN]]
    if len(candidates) > CANDIDATES_SHOWN:
        shown.append(f"  … and {len(candidates) - CANDIDATES_SHOWN} more (topkick status)")
    asked = escape.line(text, 60)
    first = f"'{asked}' fits several:" if known else f"This run has no '{asked}'. It has:"
    return UsageError("\n".join([first, *shown]))
