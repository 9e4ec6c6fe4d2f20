"""The steps that `start` and `import` share: a run as it would begin, its page, and one
question.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import click

from topkick.app.agents.configured import require_program
from topkick.app.config.file import load_config
from topkick.app.config.settings import make_settings
from topkick.app.project import Project
from topkick.app.run import begin
from topkick.app.run_view import take_a_look
from topkick.app.state_dir.identity import who_commits
from topkick.cli import acceptance, handles, launch, terminal
from topkick.engine.acting_settings import changed
from topkick.engine.errors import AnotherSupervisor, UsageError
from topkick.engine.settings import Settings
from topkick.git.isolation import Isolation
from topkick.plan_format.model import Plan
from topkick.planning.naming.operation_name import NamedPlan, give_name
from topkick.sprint import status
from topkick.sprint.model import Claimed, Mission, Overall
from topkick.sprint.run import uncommitted
from topkick.sprint.run.isolation import Wish, isolate
from topkick.sprint.run.load_plan import imagined, read_plan
from topkick.sprint.start import start_screen
from topkick.sprint.start.missing_tools import absent_tools, cannot_run, detected_now
from topkick.sprint.start.plan_page import unchecked
from topkick.text.format import counted

Command = TypeVar("Command", bound=Callable[..., Any])

OPTIONS = (
    click.option(
        "--only", multiple=True, metavar="U", help="Only this work unit; may be repeated."
    ),
    click.option("--foreground", is_flag=True, help="Stay in this process (CI, systemd)."),
    click.option("--yes", is_flag=True, help="Do not ask."),
    click.option(
        "--accept-unchecked", is_flag=True, help="Also run sprints that nothing can check."
    ),
    click.option(
        "--max-agents", type=click.IntRange(1), metavar="N", help="Agents at the same time."
    ),
    click.option("--agent", metavar="NAME", help="An agent of topkick.toml."),
    click.option(
        "--isolation",
        type=click.Choice(["auto", "clone", "shared"]),
        help="A clone for each unit, or this tree for all; auto: clones where units run side by "
        "side.",
    ),
    click.option("--include-dirty", is_flag=True, help="Clones begin with what is not committed."),
)


def run_options(command: Command) -> Command:
    """Add the options of every command that begins a run; they make up its `StartOptions`."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class StartOptions:
    """The options of the command line."""

    only: tuple[str, ...] = ()
    foreground: bool = False
    yes: bool = False
    accept_unchecked: bool = False
    max_agents: int | None = None
    agent: str | None = None
    isolation: str | None = None
    include_dirty: bool = False


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that has not begun. `mission` is its first state, `new_name` the operation name that
    its plan will get.
    """

    project: Project
    plan: Plan
    settings: Settings
    trees: Isolation | None
    mission: Mission
    new_name: str = ""


def require_free(project: Project) -> None:
    """Raise if a run exists here, before the user is asked anything."""
    view = take_a_look(project)
    if view is None or view.mission.plan is None:
        return
    how = status.overall(view.mission)
    if view.is_driven and how is not Overall.COMPLETED:
        raise AnotherSupervisor(
            f"A run is here already ({how}), and a supervisor is at work on it.\n"
            "Follow it: topkick watch      Look at it: topkick status\n"
            "Once that supervisor has ended: topkick resume"
        )
    if how is not Overall.COMPLETED:
        raise UsageError(
            f"A run is here already ({how}).\n"
            "Continue it: topkick resume      Look at it: topkick status"
        )


def is_done_already(prepared: Prepared) -> bool:
    """Return whether the last run completed this very plan, so that every order would be paid for
    twice.

    If that run left processes running, return False: `begin` refuses and says so.
    """
    view = take_a_look(prepared.project)
    last = view.mission.plan if view is not None else None
    if view is None or last is None or view.mission.backgrounds:
        return False
    done = status.overall(view.mission) is Overall.COMPLETED
    return done and last.sha256 == prepared.plan.sha256


def prepare(project: Project, wishes: StartOptions, *, ritual: bool = False) -> Prepared:
    """Prepare a run. With `ritual`, a plan without an operation name gets one (NM-01)."""
    plan = read_plan(project).plan
    config = load_config(project)
    new_name = ""
    if ritual and config.ritual and not plan.feature_name:
        from topkick.planning.naming.operation_name import operation_name

        new_name = operation_name(plan)
        plan = replace(plan, feature_name=new_name)
    settings = make_settings(
        config,
        accept_unchecked=wishes.accept_unchecked,
        max_agents=wishes.max_agents,
        agent=wishes.agent,
    )
    mission = imagined(plan, settings)
    only = tuple(handles.find_unit(mission, u).name for u in wishes.only)
    settings = replace(settings, only=only)
    wish = Wish(wishes.isolation or config.isolation, wishes.include_dirty, config.tree.place)
    trees = isolate(project, plan, settings, wish, who_commits(project.root))
    mission = imagined(plan, settings, trees)
    return Prepared(project, plan, settings, trees, mission, new_name)


def show(prepared: Prepared, *, but: str = "nothing") -> None:
    """Print the page, without the line that begins with `but`."""
    project = prepared.project
    ground = start_screen.TreeState(
        uncommitted.uncommitted(project.root),
        (project.board_path.name, f"{project.completion_name}.md", f"{project.state_dir}/"),
        detected_now(project, prepared.mission),
        names=project.plan_path.name if prepared.new_name else "",
        absent=tuple(cannot_run(one) for one in absent_tools(project, prepared.mission)),
    )
    for line in start_screen.page(prepared.mission, ground):
        if not line.startswith(but):
            terminal.say(line)
    _show_what_changed(prepared)


def _show_what_changed(prepared: Prepared) -> None:
    """Print the settings that take effect differently than in the last run here."""
    view = take_a_look(prepared.project)
    last = view.mission.settings if view is not None else None
    if last is not None:
        acceptance.show((), changed(last, prepared.settings))


def go(
    prepared: Prepared, wishes: StartOptions, question: str, claims: tuple[Claimed, ...] = ()
) -> int:
    """Ask the question, begin the run, and start the supervisor."""
    settings = prepared.settings
    require_program(settings.agent, prepared.project.root)
    if settings.other_agent is not None:
        require_program(settings.other_agent, prepared.project.root)
    settings = _agree(prepared.mission, settings, question, yes=wishes.yes)
    named = _named(prepared)
    begin(prepared.project, named.plan, settings, prepared.trees, claims)
    if prepared.new_name:
        from topkick.planning.commands.announcement import announce

        announce(prepared.mission, named)
    return launch.launch(prepared.project, foreground=wishes.foreground)


def _named(prepared: Prepared) -> NamedPlan:
    """Name the plan before the run begins: if the program dies in between, the next start finds the
    name.
    """
    if not prepared.new_name:
        return NamedPlan(prepared.plan)
    plan = replace(prepared.plan, feature_name="")
    return give_name(prepared.project, plan, prepared.new_name)


def _agree(mission: Mission, settings: Settings, question: str, *, yes: bool) -> Settings:
    """Return the settings after the question; a yes also accepts the unchecked sprints (DP-11)."""
    open_ones = 0 if settings.accept_unchecked else len(unchecked(mission))
    if yes:
        if open_ones:
            told = f"Without a check: {counted(open_ones, 'sprint')}, held until you accept that."
            terminal.say(f"{told} To accept: topkick resume --accept-unchecked")
        return settings
    if not terminal.is_there():
        verb = click.get_current_context().info_name
        raise UsageError(
            f"There is no terminal to ask in, so nothing was begun.\n"
            f"Add --yes: topkick {verb} --yes"
        )
    also = f", with {open_ones} unchecked sprints" if open_ones else ""
    if not click.confirm(f"{question}{also}?", default=False):
        raise click.Abort
    return replace(settings, accept_unchecked=True) if open_ones else settings
