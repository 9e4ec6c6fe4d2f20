"""`topkick plan`: how the plan is read, what to look at, and the order that an agent gets."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from topkick.app.config.file import load_config
from topkick.app.project import Project, find_project
from topkick.engine.agents.program import AgentProgram
from topkick.engine.errors import PlanError, UsageError
from topkick.engine.settings import Settings
from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import PlanFinding
from topkick.sprint.gates.model import GateMode
from topkick.sprint.model import Mission
from topkick.sprint.run.load_plan import imagined, read_plan
from topkick.text import escape
from topkick.text.format import counted

if TYPE_CHECKING:
    from topkick.sprint.start.plan_difference import PlanDifference

REFINING = {
    "breakdown": ("planning.commands.breakdown", "command"),
    "analyze": ("planning.commands.analyze", "analyze"),
    "prioritize": ("planning.commands.refine", "prioritize"),
    "evaluate": ("planning.commands.refine", "evaluate"),
    "refine": ("planning.commands.analyze", "refine"),
    "name": ("planning.commands.name", "command"),
}
SIGNS = {"added": "+", "removed": "-", "changed": "~", "kept": "="}


class Parts(click.Group):
    """A group that loads the commands which refine a plan only when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *REFINING]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in REFINING:
            return super().get_command(ctx, cmd_name)
        module, function = REFINING[cmd_name]
        found: click.Command = getattr(import_module(f"topkick.{module}"), function)
        return found


@click.group("plan", cls=Parts)
def command() -> None:
    """Show how topkick reads the plan, and improve the plan.

    \b
    Example: topkick plan show
    """


@command.command("show")
@click.argument("plan", required=False, type=click.Path(path_type=Path))
@click.option("--full", is_flag=True, help="Show the whole page, however long.")
@click.option(
    "--explain", is_flag=True, help="Show line by line what was read there, by which rule."
)
@click.option("--commands", is_flag=True, help="List every command that topkick itself would run.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(plan: Path | None, full: bool, explain: bool, commands: bool, as_json: bool) -> int:
    """Show units by layer, sprints, how many checks a machine can run, and what was noticed.

    \b
    Example: topkick plan show --explain
    """
    project = find_project(plan)
    reading = read_plan(project)
    mission = imagined(reading.plan, _settings_here(project))
    if as_json:
        from topkick.sprint.start import plan_json

        click.echo(json.dumps(plan_json.as_json(mission, reading), indent=2))
        return 0
    from topkick.sprint.start import plan_page

    if commands:
        lines = plan_page.commands(mission)
    elif explain:
        lines = plan_page.explained(mission, reading)
    else:
        from topkick.sprint.start.missing_tools import detected_now

        lines = plan_page.page(mission, reading, detected_now(project, mission))
        lines = lines if full else plan_page.shortened(lines)
    click.echo("\n".join(lines))
    return 0


@command.command("lint")
@click.argument("plan", required=False, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "github", "json"]),
    default="text",
    help="Print text, annotations of GitHub Actions, or JSON.",
)
def lint(plan: Path | None, form: str) -> int:
    """List what to look at before a token is spent; exit with 1 if there is anything.

    \b
    Example: topkick plan lint --format github
    """
    from topkick.plan_format.document import lint as look_at

    project = find_project(plan)
    try:
        reading = read_plan(project)
        found = _by_line((*look_at(reading), *_absent(project, reading)))
    except PlanError as error:
        found = (PlanFinding(error.line, str(error).partition(": ")[2]),)
        click.echo("\n".join(_told(found, project, form, "error")))
        return 1
    lines = list(_told(found, project, form, "warning"))
    if lines:
        click.echo("\n".join(lines))
    return 1 if found else 0


def _by_line(found: Sequence[PlanFinding]) -> tuple[PlanFinding, ...]:
    return tuple(sorted(found, key=lambda finding: finding.line))


def _absent(project: Project, reading: PlanReading) -> Iterator[PlanFinding]:
    """Yield commands that cannot run here; those of the gate are in no line of the plan."""
    from topkick.sprint.start.missing_tools import absent_tools, cannot_run

    mission = imagined(reading.plan, _settings_here(project))
    for one in absent_tools(project, mission):
        yield PlanFinding(one.line or 1, cannot_run(one))


def _told(found: Sequence[PlanFinding], project: Project, form: str, level: str) -> Iterator[str]:
    name = project.plan_path.name
    if form == "json":
        rows = [{"file": name, "line": f.line, "level": level, "message": f.message} for f in found]
        yield json.dumps(rows, indent=2)
        return
    for finding in found:
        message = escape.line(finding.message, 300)
        if form == "github":
            escaped = message.replace("%", "%25")
            yield f"::{level} file={name},line={finding.line}::{escaped}"
        else:
            yield f"{name}:{finding.line}: {message}"
    if form == "text":
        yield f"{counted(len(found), 'finding')}." if found else f"{name}: nothing to look at."


@command.command("prompt")
@click.argument("x")
@click.option(
    "--plan", type=click.Path(path_type=Path), help="Read this plan instead of the one here."
)
def prompt(x: str, plan: Path | None) -> int:
    """Print the order that the agent of sprint X would get now, word for word.

    \b
    Example: topkick plan prompt U2/1
    """
    from topkick.checks.model import Ground
    from topkick.cli import handles
    from topkick.sprint.dispatch.prompt import write_prompt

    project = find_project(plan)
    mission = _mission(project)
    target = handles.find(mission, x)
    sprint = target.named_or_current
    click.echo(write_prompt(mission, target.unit, sprint, sprint.ground or Ground()), nl=False)
    return 0


@command.command("diff")
@click.argument("plan", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def diff(plan: Path | None, as_json: bool) -> int:
    """Show what the plan as it is now would change for the run; exit with 1 if anything.

    \b
    Example: topkick plan diff
    """
    from topkick.app.run_view import take_a_look
    from topkick.sprint.start.plan_difference import difference

    project = find_project(plan)
    view = take_a_look(project)
    if view is None or view.mission.plan is None:
        raise UsageError("There is no run to compare with. Next: topkick start")
    found = difference(view.mission, read_plan(project).plan)
    if as_json:
        click.echo(json.dumps([_difference_json(one) for one in found], indent=2))
    elif found:
        click.echo("\n".join(line for one in found for line in _difference_lines(one)))
        click.echo("\nThe next topkick resume applies this.")
    else:
        click.echo("Nothing changed: the run uses the plan as it is.")
    return 1 if found else 0


def _difference_lines(one: "PlanDifference") -> Iterator[str]:
    where = f", line {one.line}" if one.line else ""
    what = f"{escape.line(one.handle, 60)} {escape.line(one.what, 80)}"
    yield f"{SIGNS[one.change.value]} {what}{where}"
    yield from (f"    {escape.line(detail, 160)}" for detail in one.details)


def _difference_json(one: "PlanDifference") -> dict[str, object]:
    return {
        "change": one.change.value,
        "handle": one.handle,
        "what": one.what,
        "line": one.line,
        "details": list(one.details),
    }


def _mission(project: Project) -> Mission:
    """Return the current run; without one, the plan as it would begin."""
    from topkick.app.run_view import take_a_look

    view = take_a_look(project)
    if view is not None and view.mission.plan is not None:
        return view.mission
    return imagined(read_plan(project).plan, _some_settings())


def _settings_here(project: Project) -> Settings:
    """Return settings with the project's gate; if the configuration cannot be read, defaults, since
    the plan can be shown anyway.
    """
    try:
        gate = load_config(project).gate
    except UsageError:
        return _some_settings()
    return replace(_some_settings(), gate=GateMode(gate.mode), gate_commands=gate.command)


def _some_settings() -> Settings:
    """Return default settings: looking at a plan needs no configured agent."""
    return Settings(AgentProgram("none", ("true",)), gate=GateMode.AUTO)
