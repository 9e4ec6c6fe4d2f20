"""`topkick resume`: continue after a stop, a kill, a crash or a block."""

from dataclasses import dataclass, replace

import click

from topkick.app.clock import now_us
from topkick.app.config.file import load_config
from topkick.app.config.settings import make_settings
from topkick.app.project import Project
from topkick.app.run import drive
from topkick.app.run_search import is_plan_there, run_here
from topkick.app.run_view import View, take_a_look
from topkick.app.send_command import tell
from topkick.app.state_dir import ownership
from topkick.cli import acceptance, completion, handles, launch, terminal
from topkick.engine import messages as h
from topkick.engine.acting_settings import changed
from topkick.engine.errors import AnotherSupervisor, UsageError
from topkick.engine.settings import Settings
from topkick.plan_format.model import Plan
from topkick.planning.import_state.project import left_behind
from topkick.sprint import status as sprint_status
from topkick.sprint.blockers import unit
from topkick.sprint.model import SPRINT, Mission, Overall
from topkick.sprint.run.isolation import SHARED, outgrows_one_tree
from topkick.sprint.run.load_plan import read_plan
from topkick.sprint.run.missing_plan import keep_copy
from topkick.sprint.run.switched_branch import require_same_branch
from topkick.sprint.start import plan_page
from topkick.sprint.transitions import UnitState
from topkick.sprint.views import blocker_lines, status


@dataclass(frozen=True, slots=True)
class ResumeOptions:
    """The options of the command line."""

    units: tuple[str, ...] = ()
    retry_blocked: bool = False
    accept_unchecked: bool = False
    max_agents: int | None = None
    agent: str | None = None
    foreground: bool = False
    yes: bool = False
    adopt_copy: bool = False


@click.command("resume")
@click.argument("units", nargs=-1, metavar="[U]...", shell_complete=completion.units)
@click.option("--retry-blocked", is_flag=True, help="Give BLOCKED work units new tries.")
@click.option("--accept-unchecked", is_flag=True, help="Also run sprints that nothing can check.")
@click.option(
    "--max-agents", type=click.IntRange(1), metavar="N", help="Most agents at the same time."
)
@click.option("--agent", metavar="NAME", help="Use another agent of topkick.toml.")
@click.option("--foreground", is_flag=True, help="Stay in this process (CI, systemd).")
@click.option("--yes", is_flag=True, help="Do not ask; accept new commands and changed settings.")
@click.option(
    "--adopt-copy", is_flag=True, help="In a copied project: repeat here what the original runs."
)
def command(
    units: tuple[str, ...],
    retry_blocked: bool,
    accept_unchecked: bool,
    max_agents: int | None,
    agent: str | None,
    foreground: bool,
    yes: bool,
    adopt_copy: bool,
) -> int:
    """Continue the run: agents that are still alive are found again, not started twice.

    A BLOCKED work unit gets new tries only when it is named.

    \b
    Example: topkick resume U2
    """
    wishes = ResumeOptions(
        units, retry_blocked, accept_unchecked, max_agents, agent, foreground, yes, adopt_copy
    )
    return resume(run_here(), wishes)


def resume(project: Project, wishes: ResumeOptions) -> int:
    if wishes.adopt_copy:
        ownership.adopt_copy(project, now_us())
    ownership.require_own(project)
    view = take_a_look(project)
    if view is None or view.mission.plan is None:
        raise _nothing_to_resume(project)
    mission = view.mission
    if mission.policy != SPRINT:
        raise UsageError(
            f"This is a {mission.policy} run. Continue: {sprint_status.goes_on(mission)}"
        )
    if sprint_status.overall(mission) is Overall.COMPLETED:
        terminal.say("Everything is done already. topkick start begins the next run.")
        return 0
    if view.holder is None and sprint_status.overall(mission) is Overall.STOPPING:
        terminal.say(_seen_out_first(mission))
        drive(project, say=terminal.say)
        return resume(project, wishes)
    wishes = replace(wishes, units=tuple(handles.find_unit(mission, u).name for u in wishes.units))
    if view.holder is None and not view.live_agents:
        require_same_branch(project, mission)
    order = _order(project, view, wishes)
    told = tell(project, order)
    if not told.accepted:
        raise UsageError(told.answer)
    after = take_a_look(project)
    if after is not None and after.is_driven:
        return _join(project, foreground=wishes.foreground)
    if after is not None and sprint_status.overall(after.mission) is Overall.BLOCKED:
        terminal.say("Nothing can continue without a person:")
        for need in unit.needs(after.mission):
            terminal.say(f"  {need.handle}  {blocker_lines.words(need)}")
            for text in blocker_lines.offer_lines(need):
                terminal.say(f"      {text}")
        return 3
    return launch.launch(project, foreground=wishes.foreground)


def _seen_out_first(mission: Mission) -> str:
    whom = ", ".join(u.handle for u in mission.units.values() if mission.run_of(u.name))
    return (
        f"The supervisor died while it was stopping; a new one waits for its agents ({whom}).\n"
        "Do not wait for them: topkick stop, in another terminal"
    )


def _nothing_to_resume(project: Project) -> UsageError:
    left = left_behind(project)
    if left is None:
        return UsageError("There is no run here yet. Begin one: topkick start")
    return UsageError(
        f"There is no run of topkick here, but {left.name} of another supervisor.\n"
        "Compare what it claims with git: topkick import --dry-run\n"
        "Continue from it: topkick import      Begin anew: topkick start"
    )


def _join(project: Project, *, foreground: bool) -> int:
    """Watch the supervisor that is at work already and has got the command.

    With `--foreground` and no terminal, raise: exit code 0 would mean that the run is done.
    """
    told = "A supervisor is at work already; it got the command."
    if foreground and not terminal.is_there():
        raise AnotherSupervisor(f"{told}\nFollow it to its end: topkick watch")
    terminal.say(told)
    if not terminal.is_there():
        return 0
    from topkick.cli.viewer import viewer

    return viewer.watch(project)


def _order(project: Project, view: View, wishes: ResumeOptions) -> h.Resume:
    mission = view.mission
    plan = _plan(project, mission)
    settings = _one_tree(project, mission, plan, _settings(project, mission, wishes))
    _require_accepted(mission, plan, settings, yes=wishes.yes)
    blocked = wishes.retry_blocked or _wants_blocked(mission, wishes)
    return h.Resume(
        units=wishes.units,
        retry_blocked=blocked,
        plan=plan if plan != mission.plan else None,
        settings=settings if settings != mission.settings else None,
    )


def _plan(project: Project, mission: Mission) -> Plan:
    """Return the plan as it is in the file now; without the file, as it was accepted."""
    assert mission.plan is not None
    if not is_plan_there(project):
        terminal.say("The run continues with the plan as it was accepted.")
        return mission.plan
    plan = _named(mission, read_plan(project).plan)
    keep_copy(project, plan)
    return plan


def _named(mission: Mission, plan: Plan) -> Plan:
    """Keep the run's operation name if the plan file has none, for example because it is read-only
    (NM-01).
    """
    known = mission.plan.feature_name if mission.plan is not None else ""
    return plan if plan.feature_name else replace(plan, feature_name=known)


def _settings(project: Project, mission: Mission, wishes: ResumeOptions) -> Settings:
    """Return the settings of topkick.toml as it is now; options that `start` got on its command
    line stay.
    """
    before = mission.settings
    assert before is not None
    config = load_config(project)
    known = before.agent.name if before.agent.name in config.agents else None
    return make_settings(
        config,
        accept_unchecked=wishes.accept_unchecked or before.accept_unchecked,
        only=_only(mission, before, wishes),
        max_agents=wishes.max_agents or before.max_agents,
        agent=wishes.agent or known,
    )


def _only(mission: Mission, before: Settings, wishes: ResumeOptions) -> tuple[str, ...]:
    """Return the units of --only, extended by the units that are named now.

    A unit of --only that has not begun and is not named now waits, too.
    """
    if not before.only or (not wishes.units and sprint_status.asked_for_is_done(mission)):
        return ()
    if not wishes.units:
        return before.only
    states = {u.name: u.state for u in mission.units.values()}
    begun = (n for n in before.only if states.get(n) not in {None, UnitState.NOT_STARTED})
    return tuple(dict.fromkeys((*begun, *wishes.units)))


def _one_tree(project: Project, mission: Mission, plan: Plan, settings: Settings) -> Settings:
    """Limit the run to one agent if its units share one checkout and could collide."""
    shared = load_config(project).isolation == SHARED
    if shared or not outgrows_one_tree(mission, plan, settings):
        return settings
    terminal.say(
        "This run works in the checkout itself, so its units run one after another "
        "(max_agents 1).\n"
        'To run them side by side in this one tree: isolation = "shared" in topkick.toml'
    )
    return replace(settings, max_agents=1)


def _require_accepted(mission: Mission, plan: Plan, settings: Settings, *, yes: bool) -> None:
    """Require that a person accepts new commands of the plan and settings that run something
    (ST-05).
    """
    assert mission.plan is not None
    assert mission.settings is not None
    known = set(plan_page.commands_of(mission.plan, settings))
    fresh = [c for c in plan_page.commands_of(plan, settings) if c not in known]
    differing = changed(mission.settings, settings)
    if yes:
        acceptance.show(fresh, differing)
    else:
        acceptance.require(fresh, differing, "topkick resume --yes")


def _wants_blocked(mission: Mission, wishes: ResumeOptions) -> bool:
    """List BLOCKED units, and ask on a terminal whether to retry them (SD-04)."""
    blocked = [u for u in mission.units.values() if u.state is UnitState.BLOCKED]
    blocked = [u for u in blocked if u.name not in wishes.units]
    if not blocked or wishes.units:
        return False
    for line in status.blocked_notices(mission):
        terminal.say(line)
    if wishes.yes or not terminal.is_there():
        return False
    names = ", ".join(u.handle for u in blocked)
    return click.confirm(f"Give {names} new tries?", default=False)
