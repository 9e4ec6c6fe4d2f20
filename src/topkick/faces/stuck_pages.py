"""The pages of the blocked work units, with what each order changed, from the journal."""

from collections.abc import Sequence

from topkick.boards import stuck
from topkick.boards.counted import counted
from topkick.core import happenings as h
from topkick.core.agents import TIERS
from topkick.core.mission import Mission, Unit
from topkick.core.transitions import UnitState
from topkick.wiring.looking import journal_happenings
from topkick.wiring.project import Project

STUCK_SHOWN = 3


def stuck_pages(project: Project, mission: Mission) -> list[str]:
    """For each blocked unit: what fails, its last words, what was tried, what helps."""
    if not any(u.state is UnitState.BLOCKED for u in mission.units.values()):
        return []
    return stuck_pages_of(mission, [item.happening for item in journal_happenings(project)])


def stuck_pages_of(mission: Mission, happened: Sequence[h.Happening]) -> list[str]:
    blocked = [u for u in mission.units.values() if u.state is UnitState.BLOCKED]
    lines: list[str] = []
    for unit in blocked[:STUCK_SHOWN]:
        lines += ["", *_stuck(mission, happened, unit)]
    if len(blocked) > STUCK_SHOWN:
        lines += ["", f"… and {counted(len(blocked) - STUCK_SHOWN, 'more blocked work unit')}"]
    return lines


def _stuck(mission: Mission, happened: Sequence[h.Happening], unit: Unit) -> list[str]:
    assert unit.current is not None
    assert mission.settings is not None
    agent = mission.settings.agent
    strongest = "" if agent.has_one_model else agent.model_for(TIERS[-1])
    attempts = stuck.attempts_of(happened, unit.name, unit.current.id)
    return stuck.render(unit, unit.current, attempts, strongest)
