"""`accept`, `reject`, `waive` and `retry`: decisions about a sprint that only a person can make."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches

import click

from topkick.app.project import Project
from topkick.app.run_search import run_here
from topkick.app.run_view import take_a_look, who_am_i
from topkick.app.send_command import tell
from topkick.cli import completion, handles, terminal
from topkick.cli.handles import Target
from topkick.engine import messages as h
from topkick.engine.agents.program import TIERS, AgentProgram
from topkick.engine.errors import UsageError
from topkick.git.isolation import BRANCHES, Tip
from topkick.sprint import status
from topkick.sprint.model import Overall, Sprint
from topkick.sprint.policy.judgement import SAME_FAILURE_LIMIT
from topkick.text import escape

# --- warnings before a retry ---------------------------------------------------------------

_A_FULL_NAME = re.compile(r"[\d/:.@_-]")
NEAR = 0.75


def warn_of_model(model: str, agents: Sequence[AgentProgram]) -> str:
    """Return a warning about an unknown model; empty if it is known or looks like a full name.
    Raise for a likely misspelling.
    """
    known = [*map(str, TIERS), *(name for agent in agents for name in agent.models.values())]
    if not model or model in known or _A_FULL_NAME.search(model):
        return ""
    said = escape.line(model, 60)
    if near := get_close_matches(model.lower(), known, n=1, cutoff=NEAR):
        raise UsageError(
            f"'{said}' is no model that is known here. Did you mean: --model {near[0]}?\n"
            f"Known: {', '.join(dict.fromkeys(known))}, or a model's full name."
        )
    return f"'{said}' is neither a tier nor a model of topkick.toml; it is passed on as it is."


def warn_of_same_failure(sprint: Sprint) -> str:
    """Return a warning if the next failure of the same kind would be FATAL: SM-10 counts over the
    sprint's whole life, and a retry does not reset it.
    """
    times = max(Counter(sprint.fingerprints).values(), default=0)
    if times < SAME_FAILURE_LIMIT - 1:
        return ""
    return (
        f"It has failed {times} times in the same way; the next failure of that kind is FATAL."
        '\nChange something first: --note "...", --model, the plan or the check.'
    )


@click.command("accept")
@click.argument("x", shell_complete=completion.units_and_sprints)
@click.option("--why", help="The reason; it goes into the record.")
def accept(x: str, why: str | None) -> int:
    """Take sprint X as done, or let gate X pass, on your word. (`confirm` is the same.)

    X may be the branch of the run, if another person or program moved it: the run keeps it as it
    is now.

    \b
    Example: topkick accept U4/1 --why "listened to it, sounds right"
             topkick accept G2 --why "that test fails on this machine only"
             topkick accept topkick/night-shift --why "the last commit is mine"
    """
    if x.startswith(BRANCHES):
        return _accept_branch(x, _why(why, "accept", x))
    if _is_gate(x):
        why = _why(why, "accept", x)
        return _decide_on_gate(x, h.PassGate(x.upper(), why), "lets the work pass")
    project, target = _find(x)
    sprint = target.named_or_current
    why = _why(why, "accept", _handle(target))
    return _decide(project, target, h.Accept(target.unit.name, sprint.id, why), "accepted")


@click.command("reject")
@click.argument("x", shell_complete=completion.units_and_sprints)
@click.option("--why", help="The reason; the next order carries it.")
@click.option("--unit", default="", help="For a gate: the unit that repairs it.")
def reject(x: str, why: str | None, unit: str) -> int:
    """Send sprint X back: one attempt is charged and the reason goes into the next order.

    X may be a gate that waits for a person: no attempt is charged, and the unit to blame gets a
    repair sprint.

    \b
    Example: topkick reject U4/1 --why "the second song is cut off"
             topkick reject G2 --unit U1 --why "the page is blank"
    """
    if _is_gate(x):
        why = _why(why, "reject", x)
        name = _find(unit)[1].unit.name if unit else ""
        return _decide_on_gate(x, h.RefuseGate(x.upper(), why, name), "is refused")
    if unit:
        raise UsageError("--unit is for gates; a sprint is sent back to its own unit.")
    project, target = _find(x)
    sprint = target.named_or_current
    why = _why(why, "reject", _handle(target))
    return _decide(project, target, h.Reject(target.unit.name, sprint.id, why), "rejected")


@click.command("waive")
@click.argument("x", shell_complete=completion.units_and_sprints)
@click.argument("finding")
@click.option("--why", help="The reason; it goes into the record, with your name and the time.")
def waive(x: str, finding: str, why: str | None) -> int:
    """Let FINDING of sprint X pass, after you have looked at it.

    The waiver covers only this finding; after another change, it is a new finding.

    \b
    Example: topkick waive U2/3 f3a1b2 --why "the old test was wrong, see ticket 12"
    """
    project, target = _find(x)
    sprint = target.named_or_current
    why = _why(why, "waive", f"{_handle(target)} {finding}")
    order = h.Waive(target.unit.name, sprint.id, finding, why, who_am_i())
    return _decide(project, target, order, f"continues without {finding}")


@click.command("retry")
@click.argument("x", shell_complete=completion.units_and_sprints)
@click.option("--note", default="", help="A note to the agent, in the next order.")
@click.option("--model", default="", help="haiku, sonnet, opus or a model's own name.")
def retry(x: str, note: str, model: str) -> int:
    """Try sprint X again, after a FATAL with all its attempts.

    Earlier failures stay on record: the third failure of the same kind is FATAL at once.

    \b
    Example: topkick retry U2/3 --note "the API is in docs/api.md" --model opus
    """
    project, target = _find(x)
    sprint = target.named_or_current
    for warning in (warn_of_model(model, _agents(project)), warn_of_same_failure(sprint)):
        if warning:
            terminal.say(warning)
    order = h.Retry(target.unit.name, sprint.id, note, model)
    return _decide(project, target, order, "will be tried again")


def _agents(project: Project) -> tuple[AgentProgram, ...]:
    view = take_a_look(project)
    settings = view.mission.settings if view is not None else None
    if settings is None:
        return ()
    return tuple(filter(None, (settings.agent, settings.other_agent)))


def _accept_branch(name: str, why: str) -> int:
    """Accept the branch at exactly the commits that are shown."""
    from topkick.git.landing.moved_branch import details
    from topkick.sprint.run import landing as taking_home

    project = run_here()
    isolation = taking_home.mission_of(project).isolation
    if isolation is None:
        raise UsageError("This run works in the checkout itself and has no branch of its own.")
    moved = taking_home.moved_branches(project, isolation)
    if name != isolation.branch or not moved:
        raise UsageError(
            f"There is nothing to accept: {isolation.branch}, the branch of this run, is where "
            "topkick left it.\nLook: topkick land --dry-run"
            if name == isolation.branch
            else f"The branch of this run is {isolation.branch}, not {name}."
        )
    for one in moved.values():
        terminal.say(escape.block(details(one)))
    tips = tuple(Tip(path, one.stands_at) for path, one in moved.items())
    return _tell(project, h.AcceptBranch(tips, why, who_am_i()), f"{name} is kept as it is.")


def _is_gate(x: str) -> bool:
    return re.fullmatch(r"[Gg]\d+", x) is not None


def _decide_on_gate(x: str, command: h.Command, done: str) -> int:
    project = run_here()
    view = take_a_look(project)
    if view is None or view.mission.plan is None:
        raise UsageError("There is no run here yet. Begin one: topkick start")
    return _tell(project, command, f"{x.upper()} {done}.")


def _find(x: str) -> tuple[Project, Target]:
    project = run_here()
    view = take_a_look(project)
    if view is None or view.mission.plan is None:
        raise UsageError("There is no run here yet. Begin one: topkick start")
    return project, handles.find(view.mission, x)


def _handle(target: Target) -> str:
    return status.handle(target.unit, target.named_or_current)


def _why(why: str | None, verb: str, x: str) -> str:
    if why is None and terminal.is_there():
        why = click.prompt("Why")
    if why is None or not why.strip():
        raise UsageError(f'Say why, for the record: topkick {verb} {x} --why "..."')
    return why.strip()


def _decide(project: Project, target: Target, command: h.Command, done: str) -> int:
    return _tell(project, command, f"{_handle(target)} {done}.")


def _tell(project: Project, command: h.Command, done: str) -> int:
    told = tell(project, command)
    if not told.accepted:
        raise UsageError(told.answer)
    terminal.say(done)
    view = take_a_look(project)
    if view is not None and view.holder is None:
        over = status.overall(view.mission) is Overall.COMPLETED
        rest = "No supervisor is running. Next: topkick resume"
        terminal.say("Everything is done." if over else rest)
    return 0
