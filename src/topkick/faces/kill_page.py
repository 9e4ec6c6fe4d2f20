"""The report after killall and after a forced stop, with what lies uncommitted in the tree."""

from topkick.boards import kill_report
from topkick.boards.kill_report import Toll
from topkick.core.mission import Mission
from topkick.core.transitions import UnitState
from topkick.faces import terminal
from topkick.wiring import tree
from topkick.wiring.project import Project


def kill_page(
    project: Project, mission: Mission, terminated: int, survivors: tuple[int, ...] = ()
) -> str:
    left = tree.uncommitted_by_unit(project, mission)
    units = [mission.units[name] for name in left]
    toll = Toll(
        terminated,
        survivors,
        left,
        {u.name: str(tree.directory_of(project, mission, u)) for u in units if mission.isolation},
        {u.name: tree.salvage(project, mission, u) for u in units},
    )
    return kill_report.render(mission, toll, terminal.width())


def interrupted(mission: Mission) -> int:
    """Agents that were ended before they were done, and whose sprints were not taken up since."""
    killed = [u for u in mission.units.values() if u.state is UnitState.KILLED]
    return sum(bool(s.interrupted_run) for u in killed for s in u.sprints)
