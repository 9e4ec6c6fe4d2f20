"""`topkick explain`: why a sprint stands as it does, from the records of the run."""

import json
import time
from collections.abc import Iterator

import click

from topkick.boards import evidence
from topkick.boards.safe import line
from topkick.core import happenings as h
from topkick.core import standing
from topkick.core.errors import UsageError
from topkick.core.model import Mission
from topkick.faces import handles, terminal
from topkick.wiring.looking import journal_happenings, take_a_look
from topkick.wiring.project import Project, find_project


@click.command("explain")
@click.argument("x", required=False)
@click.option("--evidence", "whole", is_flag=True, help="Also what each command printed.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(x: str | None, whole: bool, as_json: bool) -> int:
    """Why sprint X stands as it does: its verdict, what was checked, what was found.

    Without X: what waits for a person, and what would move it.

    \b
    Example: topkick explain U2/3 --evidence
    """
    project = find_project()
    view = take_a_look(project)
    if view is None or view.mission.plan is None:
        raise UsageError("There is no run here yet. Begin one: topkick start")
    if x is None:
        return _what_waits(view.mission, as_json=as_json)
    target = handles.find(view.mission, x)
    unit, sprint = target.unit, target.named_or_current
    told = evidence.told_of(_numbered(project), unit.name, sprint.id)
    if as_json:
        click.echo(json.dumps(evidence.as_json(unit, sprint, told), indent=2))
        return 0
    offset_s = time.localtime().tm_gmtoff
    for text in evidence.render(view.mission, unit, sprint, told, offset_s, whole=whole):
        terminal.say(text)
    return 0


def _numbered(project: Project) -> Iterator[tuple[int, int, h.Happening]]:
    return ((item.seq, item.at_us, item.happening) for item in journal_happenings(project))


def _what_waits(mission: Mission, *, as_json: bool) -> int:
    needs = standing.needs(mission)
    if as_json:
        rows = [{"handle": n.handle, "why": n.what, "command": n.command} for n in needs]
        click.echo(json.dumps(rows, indent=2))
        return 0
    for need in needs:
        terminal.say(f"{need.handle}: {line(need.what, 300)}")
        terminal.say(f"  {need.command}    Why: topkick explain {need.handle}")
    if not needs:
        terminal.say("Nothing waits for a person. How it stands: topkick status")
    return 0
