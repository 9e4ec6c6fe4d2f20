"""`topkick plan name`: another operation name, once there was a start (NM-01, NM-02)."""

import json
from dataclasses import dataclass
from pathlib import Path

import click

from topkick.boards import safe
from topkick.core import standing
from topkick.core.errors import TopkickError, UsageError
from topkick.core.mission import Mission, Overall
from topkick.core.plan import Plan
from topkick.faces import agents_page
from topkick.faces.known_agents import Here, agent_named
from topkick.plans.naming.choice import operation_name
from topkick.wiring.agents import require_program
from topkick.wiring.config_file import load_config
from topkick.wiring.looking import take_a_look
from topkick.wiring.naming import give_name
from topkick.wiring.naming_by_agent import ask_for_name
from topkick.wiring.planning import read_plan
from topkick.wiring.project import Project, find_project

OURSELVES = "topkick"
REPROACH = """\
Easy, soldier. An operation gets its name when it sets out, not before: naming is a ritual of
starting the plan, and superstitious people swear by it.
Nothing was changed. The name comes, with ceremony, at: topkick start"""


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

    The first name is given by `topkick start`. Only the line feature_name of the plan's front
    matter is changed, and a run takes it over when it is resumed.

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
    settings = agents_page.trial_settings(here.config, agent_named(here, agent))
    require_program(settings.agent, project.root)
    answer = ask_for_name(settings, plan, old)
    if answer.stopped:
        raise UsageError(f"Nothing was changed: {answer.stopped}.")
    return _Chosen(answer.name, agent) if answer.name else _Chosen(operation_name(plan, old))


def _write(project: Project, plan: Plan, name: str) -> None:
    named = give_name(project, plan, name, instead_of=plan.feature_name)
    why = named.why_not
    if named.plan.feature_name != name:
        why = "another name has just been given to it"
    if why:
        raise TopkickError(
            f"{project.plan_path} keeps what it has: {why}.\n"
            "Make it a file that you may write, and say it again."
        )


def _sentence(old: str, chosen: _Chosen, agent: str | None, mission: Mission | None) -> str:
    new = safe.line(chosen.name)
    lines = [f"{safe.line(old, 60)} → {new}" if old else new]
    if agent is not None and chosen.by == OURSELVES:
        lines.append(f"{safe.line(agent)} did not answer with a name twice; this one is ours.")
    if mission is not None and standing.overall(mission) is not Overall.COMPLETED:
        lines.append("The run goes by it from the next topkick resume on.")
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
