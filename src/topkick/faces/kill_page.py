"""The report after killall and after a forced stop, with what lies uncommitted in the tree."""

from collections.abc import Sequence

from topkick.boards import kill_report
from topkick.boards.kill_report import AgentFate, Toll
from topkick.core.mission import Mission
from topkick.core.transitions import UnitState
from topkick.faces import terminal
from topkick.wiring import tree
from topkick.wiring.project import Project
from topkick.wiring.talking import Fate


def kill_page(
    project: Project, mission: Mission, known: Sequence[Fate] = (), terminated: int | None = None
) -> str:
    """`terminated` is the number of agents where what became of each is not known any more."""
    left = tree.uncommitted_by_unit(project, mission, mission.units)
    units = [mission.units[name] for name in left]
    toll = Toll(
        sum(fate.is_dead for fate in known) if terminated is None else terminated,
        tuple(shown(fate) for fate in known),
        left,
        {u.name: str(tree.directory_of(project, mission, u)) for u in units if mission.isolation},
        {u.name: tree.salvage(project, mission, u) for u in units},
    )
    return kill_report.render(mission, toll, terminal.width())


def shown(fate: Fate) -> AgentFate:
    return AgentFate(fate.agent, fate.run_id, fate.is_dead, fate.alive, fate.note)


def interrupted(mission: Mission) -> int:
    """Agents that were ended before they were done, and whose sprints were not taken up since."""
    killed = [u for u in mission.units.values() if u.state is UnitState.KILLED]
    return sum(bool(s.interrupted_run) for u in killed for s in u.sprints)
