"""`topkick plan name`: another operation name, once there was a start (NM-01, NM-02)."""

import json
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import click

from topkick.agents.vocabulary import AgentResult, Event, Said
from topkick.app.agents.configured import require_program
from topkick.app.agents.trial import Trial, Tried, try_out
from topkick.app.config.file import load_config
from topkick.app.project import Project, find_project
from topkick.app.run_view import take_a_look
from topkick.cli.setup.known_agents import Here, agent_named, trial_settings
from topkick.engine.agents.program import Tier
from topkick.engine.errors import TopkickError, UsageError
from topkick.engine.settings import Settings
from topkick.plan_format.front_matter import name_in
from topkick.plan_format.model import Plan
from topkick.planning.naming.operation_name import give_name, operation_name
from topkick.sprint import status
from topkick.sprint.model import Mission, Overall
from topkick.sprint.run.load_plan import read_plan
from topkick.text import escape

# --- the operation's name ----------------------------------------------------------------------
# Ask an agent's cheapest model for it, outside any run (NM-02).

TRIES = 2
MOST_TURNS = 4
LONGEST_S = 180.0
UNITS_TOLD = 20

_ORDER = """\
Give a software plan a humorous operation name. Change no file and run no command.

The plan is called: {title}
Its work units are: {units}

Rules:
- One line, and nothing else: OPERATION and two to four words, all in capital letters.
- An action word or an adjective, then a concrete noun: a metaphor for what the work does.
- No word of the plan's title. Kind and funny; no real people, brands, nations or weapons.
- Not this one: {present}
"""


@dataclass(frozen=True, slots=True)
class NamingAnswer:
    """The answer; `name` is empty if there was none, `stopped` if the user ended it."""

    name: str
    stopped: str = ""


def ask_for_name(settings: Settings, plan: Plan, present: str) -> NamingAnswer:
    """Ask an agent in an empty directory, where there is nothing to read or change."""
    limited = replace(
        settings,
        max_turns=min(settings.max_turns, MOST_TURNS),
        sprint_timeout_s=min(settings.sprint_timeout_s, LONGEST_S),
    )
    for _ in range(TRIES):
        answer = _once(limited, plan, present)
        if answer.name or answer.stopped:
            return answer
    return NamingAnswer("")


def _once(settings: Settings, plan: Plan, present: str) -> NamingAnswer:
    heard: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Said):
            heard.append(event.text)
        elif isinstance(event, AgentResult):
            heard.append(event.said)

    with tempfile.TemporaryDirectory(prefix="topkick-name-", ignore_cleanup_errors=True) as place:
        model = settings.agent.model_for(Tier.HAIKU)
        order = _order(plan, present)
        tried = try_out(Trial(settings, order, model, Tier.HAIKU, Path(place).resolve()), listen)
    return _answer(tried, heard, plan, present)


def _answer(tried: Tried, heard: list[str], plan: Plan, present: str) -> NamingAnswer:
    said = "\n".join([*heard, tried.report.said])
    name = name_in(said.replace(present, "") if present else said, plan.title)
    return NamingAnswer("" if name == present else name, tried.stopped)


def _order(plan: Plan, present: str) -> str:
    units = ", ".join(unit.name[:80] for unit in plan.units[:UNITS_TOLD])
    return _ORDER.format(title=plan.title[:200], units=units, present=present or "none")


OURSELVES = "topkick"
REPROACH = """\
Easy, soldier. An operation gets its name when it sets out, not before: naming is a ritual of
starting the plan, and superstitious people swear by it.
Nothing was changed. The name is given, with ceremony, by: topkick start"""


@dataclass(frozen=True, slots=True)
class _Chosen:
    name: str
    by: str = OURSELVES


@click.command("name")
@click.argument("plan", required=False, type=click.Path(path_type=Path))
@click.option("--agent", metavar="NAME", help="Ask the cheapest model of this agent for it.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(plan: Path | None, agent: str | None, as_json: bool) -> int:
    """Give the plan another operation name: a new one each time.

    `topkick start` gives the first name. This command changes only the line feature_name of the
    plan's front matter; a run takes the name over when you resume it.

    \b
    Example: topkick plan name
             topkick plan name --agent claude
    """
    project = find_project(plan)
    found = read_plan(project).plan
    mission = _mission(project)
    if not found.feature_name and not _was_started(project, mission):
        _tell(as_json, found.file, "", _Chosen(""), REPROACH)
        return 0
    known = mission.plan.feature_name if mission is not None and mission.plan is not None else ""
    old = found.feature_name or known
    chosen = _choose(project, found, old, agent)
    _write(project, found, chosen.name)
    _tell(as_json, found.file, old, chosen, _sentence(old, chosen, agent, mission))
    return 0


def _mission(project: Project) -> Mission | None:
    view = take_a_look(project)
    return view.mission if view is not None and view.mission.plan is not None else None


def _was_started(project: Project, mission: Mission | None) -> bool:
    return mission is not None or project.board_path.exists() or project.archive.is_dir()


def _choose(project: Project, plan: Plan, old: str, agent: str | None) -> _Chosen:
    if agent is None:
        return _Chosen(operation_name(plan, old))
    here = Here(project.root, load_config(project))
    settings = trial_settings(here.config, agent_named(here, agent))
    require_program(settings.agent, project.root)
    answer = ask_for_name(settings, plan, old)
    if answer.stopped:
        raise UsageError(f"Nothing was changed: {answer.stopped}.")
    return _Chosen(answer.name, agent) if answer.name else _Chosen(operation_name(plan, old))


def _write(project: Project, plan: Plan, name: str) -> None:
    named = give_name(project, plan, name, instead_of=plan.feature_name)
    why = named.why_not
    if named.plan.feature_name != name:
        why = "another program has just given it another name"
    if why:
        raise TopkickError(
            f"{project.plan_path} was not changed: {why}.\n"
            "Check that you may write the file, then: topkick plan name"
        )


def _sentence(old: str, chosen: _Chosen, agent: str | None, mission: Mission | None) -> str:
    new = escape.line(chosen.name)
    lines = [f"{escape.line(old, 60)} → {new}" if old else new]
    if agent is not None and chosen.by == OURSELVES:
        lines.append(
            f"{escape.line(agent)} gave no usable name in {TRIES} tries; topkick chose this one."
        )
    if mission is not None and status.overall(mission) is not Overall.COMPLETED:
        lines.append("The run uses it from the next topkick resume on.")
    return "\n".join(lines)


def _tell(as_json: bool, file: str, old: str, chosen: _Chosen, sentence: str) -> None:
    if not as_json:
        click.echo(sentence)
        return
    told = {
        "file": file,
        "changed": bool(chosen.name),
        "before": old or None,
        "name": chosen.name or None,
        "by": chosen.by if chosen.name else None,
    }
    click.echo(json.dumps(told, indent=2))
