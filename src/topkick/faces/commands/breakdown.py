"""`topkick breakdown`: a requirements document becomes the draft of a plan."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from topkick.boards import safe
from topkick.faces import agents_page, breakdown_page, terminal
from topkick.faces.known_agents import Here, agent_named
from topkick.plans.breakdown.drafting import Breakdown
from topkick.wiring.agents import require_program
from topkick.wiring.breaking_down import (
    Improved,
    Source,
    draft_of,
    find_requirements,
    improved_by,
    require_room,
    write_plan,
)
from topkick.wiring.config_file import load_config_at

OURSELVES = "topkick"


@click.command("breakdown")
@click.argument("requirements", required=False, type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Write over a plan that is there.")
@click.option("--diff", is_flag=True, help="Only show what would be different; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.option("--agent", metavar="NAME", help="Let this agent improve the draft (it may cost).")
def command(
    requirements: Path | None, force: bool, diff: bool, as_json: bool, agent: str | None
) -> int:
    """Draft EXECUTION_PLAN.md from a requirements document, offline and always the same.

    Without a path: REQUIREMENTS.md, PRD.md, SPEC.md or README.md in this directory. The plan is
    written beside the document; one that is there is not touched without --force.

    \b
    Example: topkick plan breakdown docs/PRD.md --diff
    """
    source = find_requirements(requirements)
    found = draft_of(source)
    if not diff:  # before an agent is paid for what will not be written
        require_room(source, force=force)
    improved = _improved(source, found, agent, quiet=as_json)
    text = improved.text or found.text
    by = agent if agent and improved.text else OURSELVES
    changes = _changes(source, text) if diff else []
    if not diff:
        write_plan(source, text, force=force)
    plan = source.project.plan_path
    if as_json:
        told = breakdown_page.as_json(
            found, source.path, plan, written=not diff, by=by, reasons=improved.reasons
        )
        click.echo(json.dumps(told | ({"diff": changes} if diff else {}), indent=2))
    elif diff:
        click.echo("\n".join(changes) if changes else "Nothing would be different.")
    else:
        notes = _notes(agent, improved)
        click.echo("\n".join(breakdown_page.page(found, source.path, plan, notes)))
    return 0


def _improved(source: Source, found: Breakdown, agent: str | None, *, quiet: bool) -> Improved:
    if agent is None:
        return Improved()
    root = source.project.root
    here = Here(root, load_config_at(source.project.config_path))
    settings = agents_page.trial_settings(here.config, agent_named(here, agent))
    require_program(settings.agent, root)
    if not quiet:
        terminal.say(f"{safe.line(agent)} is asked to improve the draft; Ctrl-C ends it.")
    return improved_by(settings, source, found, lambda _event: None)


def _notes(agent: str | None, improved: Improved) -> Sequence[str]:
    if agent is None:
        return ()
    if improved.text:
        return (
            f"The draft was improved by {safe.line(agent)}; the counts are those of the draft.",
        )
    lines = [f"The draft stands, because the answer of {safe.line(agent)} was not taken:"]
    return [*lines, *(f"  {safe.line(reason, 160)}" for reason in improved.reasons)]


def _changes(source: Source, text: str) -> list[str]:
    before = source.plan() or ""
    return list(breakdown_page.difference(before, text, source.project.plan_path.name))
