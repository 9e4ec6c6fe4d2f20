"""`topkick status`: the state of the run, at once and without side effects."""

from collections.abc import Mapping
from dataclasses import replace

import click

from topkick.app.config.changed_settings import changed_settings
from topkick.app.project import Project, stop_mark
from topkick.app.run_search import run_here
from topkick.app.run_view import View, take_a_look
from topkick.cli import terminal
from topkick.sprint.model import SPRINT, Mission, Stance
from topkick.sprint.transitions import UnitState
from topkick.sprint.views import status
from topkick.sprint.views.activity import has_adapter
from topkick.text import escape


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print JSON of a stable shape.")
@click.option(
    "--watch", is_flag=True, help="Show it again and again; Ctrl-C ends only this command."
)
def command(as_json: bool, watch: bool) -> int:
    """Show the state of the run: units, agents, what is stuck and the command that helps.

    \b
    Example: topkick status --json | jq .overall
    """
    project = run_here()
    if watch and not as_json:
        from topkick.cli.viewer import viewer

        return viewer.watch(project)
    show(project, as_json=as_json)
    return 0


def show(project: Project, *, as_json: bool = False) -> None:
    view = take_a_look(project)
    if view is not None:
        view = replace(view, mission=_with_plan_as_it_is(project, view.mission))
        view = replace(view, mission=_as_marked(project, view))
    if as_json:
        from topkick.sprint.views import status_json

        where = _situation(project, view) if view is not None else status.Situation(0)
        mission = view.mission if view is not None else None
        click.echo(status_json.as_json(mission, where), nl=False)
        return
    if view is None or view.mission.plan is None:
        click.echo("No run here yet. Look at the plan: topkick plan show    Begin: topkick start")
        return
    for line in _page(project, view):
        click.echo(line)
    for line in (*_where(view), *_left(project, view)):
        click.echo(f"\n{line}")
    for line in _stuck(project, view.mission):
        click.echo(line)
    for line in (*branch_lines(project, view.mission), *settings_lines(project, view.mission)):
        click.echo(f"\n{line}")


def _stuck(project: Project, mission: Mission) -> list[str]:
    if not any(u.state is UnitState.BLOCKED for u in mission.units.values()):
        return []
    from topkick.sprint.explain.stuck import stuck_pages

    return stuck_pages(project, mission)


def _with_plan_as_it_is(project: Project, mission: Mission) -> Mission:
    if not mission.plan_edited:
        return mission
    from topkick.sprint.run.missing_plan import with_plan_as_it_is  # it loads plan_format

    return with_plan_as_it_is(project, mission)


def _as_marked(project: Project, view: View) -> Mission:
    """Show a kill that could not be recorded in the state that the next supervisor will record
    first.
    """
    mission = view.mission
    if mission.plan is None or not stop_mark(project).is_set():
        return mission
    from topkick.app.slices import policy_of
    from topkick.engine import messages as h
    from topkick.engine.agents.program import AgentExit, Ending
    from topkick.engine.kernel import step

    facts: list[h.Fact] = [h.CommandGiven(h.KillAll(), by="killall")]
    if not view.live_agents:
        out = (run.id for run in mission.runs.values() if run.dispatch is not None)
        facts += [h.AgentExited(run_id, AgentExit(Ending.LOST)) for run_id in out]
    for fact in facts:
        mission = step(policy_of(project.kind), mission, fact, mission.at_us).mission
    return mission


def settings_lines(project: Project, mission: Mission) -> list[str]:
    """Say that topkick.toml was changed and does not take effect yet."""
    return [escape.block(line) for line in changed_settings(project, mission)]


def branch_lines(project: Project, mission: Mission) -> list[str]:
    """Return a line for each repository in which the mission's branch was moved by another program
    or person.
    """
    if mission.isolation is None:
        return []
    from topkick.git.landing.moved_branch import summary
    from topkick.sprint.run import landing as taking_home

    moved = taking_home.moved_branches(project, mission.isolation)
    return [escape.line(summary(one), 300) for one in moved.values()]


def _left(project: Project, view: View) -> list[str]:
    """Return what ended agents left uncommitted, and a kill that is not recorded yet."""
    said = [
        f"{view.mission.units[name].handle} {escape.line(name)} was ended with uncommitted work: "
        f"{', '.join(escape.line(f, 60) for f in files[:5])}.\n"
        "Resuming keeps it. Copies: topkick salvage list"
        for name, files in _left_by_killed(project, view.mission).items()
    ]
    if stop_mark(project).is_set():
        said.append(
            "A killall could not be written to the journal. Nothing is dispatched until a "
            "supervisor has recorded it.\nContinue once there is room on the disk: topkick resume"
        )
    return said


def _left_by_killed(project: Project, mission: Mission) -> Mapping[str, tuple[str, ...]]:
    is_killed = mission.stance is Stance.KILLED
    if not is_killed and all(u.state is not UnitState.KILLED for u in mission.units.values()):
        return {}
    from topkick.sprint.run.uncommitted import left_by_killed

    return left_by_killed(project, mission)


def _page(project: Project, view: View) -> list[str]:
    now = _situation(project, view)
    if view.mission.policy != SPRINT:
        from topkick.engine.views import run_status

        return list(run_status.lines(view.mission, now))
    return status.render_text(view.mission, now, terminal.width()).rstrip("\n").split("\n")


def _situation(project: Project, view: View) -> status.Situation:
    """Return the situation with what agents do now; in a copy of a project they belong to the
    original.
    """
    runs = view.mission.runs.values()
    if view.copied_from is not None or not any(has_adapter(view.mission, run) for run in runs):
        return terminal.situation(view)
    from topkick.app.agents.tail import Ears

    return terminal.situation(view, Ears(project).doing(view.mission))


def _where(view: View) -> list[str]:
    """Return where the run is, if not here: in the original of a copy, or in another container."""
    if view.copied_from is not None:
        return [
            f"This project is a copy. Its agents belong to the original, with the state in "
            f"{view.copied_from}.\nRepeat their work here as well: topkick resume --adopt-copy"
        ]
    if view.holder is not None and view.holder.is_elsewhere:
        return [f"The supervisor runs in another container (there as process {view.holder.pid})."]
    return []
