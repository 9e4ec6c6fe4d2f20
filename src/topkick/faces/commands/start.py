"""`topkick start`: one page, one question, then the run."""

from dataclasses import replace
from pathlib import Path

import click

from topkick.core import happenings as h
from topkick.core import standing
from topkick.core.errors import UsageError
from topkick.core.fold import apply
from topkick.core.model import Isolation, Mission, Overall, Plan, Settings
from topkick.faces import handles, launching, start_screen, terminal
from topkick.wiring import tree
from topkick.wiring.agents import require_program
from topkick.wiring.config import load_config, make_settings
from topkick.wiring.identity import who_commits
from topkick.wiring.isolating import Wish, isolate
from topkick.wiring.looking import take_a_look
from topkick.wiring.planning import read_plan
from topkick.wiring.project import Project, find_project
from topkick.wiring.running import begin


@click.command("start")
@click.argument("plan", required=False, type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Show the page and end there.")
@click.option("--only", multiple=True, metavar="U", help="Only this work unit; may be repeated.")
@click.option("--foreground", is_flag=True, help="Stay in this process (CI, systemd).")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--accept-unchecked", is_flag=True, help="Also run sprints that nothing can check.")
@click.option("--max-agents", type=click.IntRange(1), metavar="N", help="Agents at the same time.")
@click.option("--agent", metavar="NAME", help="An agent of topkick.toml.")
@click.option(
    "--isolation",
    type=click.Choice(["auto", "clone", "shared"]),
    help="A clone for each unit, or this tree for all; auto: clones where units run side by side.",
)
@click.option("--include-dirty", is_flag=True, help="Clones begin with what is not committed.")
def command(
    plan: Path | None,
    dry_run: bool,
    only: tuple[str, ...],
    foreground: bool,
    yes: bool,
    accept_unchecked: bool,
    max_agents: int | None,
    agent: str | None,
    isolation: str | None,
    include_dirty: bool,
) -> int:
    """Begin a run of the plan, after one page and one question.

    The run goes on in the background; closing the terminal harms nothing.

    \b
    Example: topkick start --only U2 --max-agents 2
    """
    project = find_project(plan)
    _require_free(project)
    reading = read_plan(project)
    config = load_config(project)
    settings = make_settings(
        config,
        accept_unchecked=accept_unchecked,
        max_agents=max_agents,
        agent=agent,
    )
    mission = imagined(reading.plan, settings)
    settings = replace(settings, only=tuple(handles.find_unit(mission, u).name for u in only))
    wish = Wish(isolation or config.isolation, include_dirty, config.tree.place)
    trees = isolate(project, reading.plan, settings, wish, who_commits(project.root))
    mission = imagined(reading.plan, settings, trees)
    show(project, mission)
    if dry_run:
        return 0
    require_program(settings.agent, project.root)
    if settings.other_agent is not None:
        require_program(settings.other_agent, project.root)
    settings = agree(mission, settings, yes=yes)
    begin(project, reading.plan, settings, trees)
    return launching.launch(project, foreground=foreground)


def _require_free(project: Project) -> None:
    """Said before the question, not after it."""
    view = take_a_look(project)
    if view is None or view.mission.plan is None:
        return
    how = standing.overall(view.mission)
    if how is not Overall.COMPLETED:
        raise UsageError(
            f"A run is here already ({how}).\n"
            "Go on with it: topkick resume      Look at it: topkick status"
        )


def imagined(plan: Plan, settings: Settings, isolation: Isolation | None = None) -> Mission:
    """The mission as it would begin, for handles and the page."""
    return apply(Mission(), h.MissionBegan("", "sprint", plan, settings, isolation), 0)


def show(project: Project, mission: Mission) -> None:
    ground = start_screen.Ground(
        tree.uncommitted(project.root), (project.board_path.name, f"{project.state_dir}/")
    )
    for line in start_screen.page(mission, ground):
        terminal.say(line)
    terminal.say("")


def agree(mission: Mission, settings: Settings, *, yes: bool) -> Settings:
    """The settings as agreed: an answered question accepts the unchecked sprints too (DP-11)."""
    open_ones = 0 if settings.accept_unchecked else len(start_screen.unchecked(mission))
    if yes:
        if open_ones:
            terminal.say(f"{open_ones} unchecked sprints wait; --accept-unchecked runs them.")
        return settings
    if not terminal.is_there():
        raise UsageError("Nobody is here to answer. Without a terminal: topkick start --yes")
    also = f", with {open_ones} unchecked sprints" if open_ones else ""
    if not click.confirm(f"Start{also}?", default=False):
        raise click.Abort
    return replace(settings, accept_unchecked=True) if open_ones else settings
