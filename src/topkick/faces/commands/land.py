"""`topkick land`: take the work of a run home, into the branch that you stand on."""

import json

import click

from topkick.boards import pull_request, safe
from topkick.boards.counted import counted
from topkick.core.errors import UsageError
from topkick.core.model import Mission, Overall
from topkick.core.standing import overall
from topkick.faces import terminal
from topkick.outside.trees.landing import Landing, land
from topkick.wiring import taking_home
from topkick.wiring.project import find_project


@click.command("land")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and end there.")
@click.option("--pr", is_flag=True, help="Print the text for a pull request instead.")
@click.option("--unfinished", is_flag=True, help="Also while the run is not at its end.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="What would be done, as JSON; does nothing.")
def command(dry_run: bool, pr: bool, unfinished: bool, yes: bool, as_json: bool) -> int:
    """Merge the mission's branch into the one you stand on. Nothing is ever pushed.

    What you have not committed stays as it is; if it is in the way, nothing is touched.

    \b
    Example: topkick land --dry-run
    """
    project = find_project()
    mission = taking_home.mission_of(project)
    isolation = taking_home.isolation_of(mission)
    if pr:
        terminal.say(pull_request.text(mission))
        terminal.say(f"\nNothing was pushed. To do so: git push -u origin {isolation.branch}")
        return 0
    found = taking_home.landings(project, isolation)
    if as_json:
        click.echo(json.dumps([_as_json(landing) for landing in found], indent=2))
        return 0
    _say(found, isolation.branch)
    open_ones = [landing for landing in found if not landing.is_done]
    if dry_run or not open_ones:
        return 0
    _require_end(mission, unfinished=unfinished)
    _agree(yes=yes)
    for landing in open_ones:
        commit = land(landing, taking_home.signed(project))
        into = landing.into or "HEAD"
        terminal.say(f"{into} in {safe.line(str(landing.top))} is at {commit[:12]} now.")
    terminal.say("Review: git log    Clear the trees away: topkick clean")
    return 0


def _say(found: list[Landing], branch: str) -> None:
    for landing in found:
        place, into = safe.line(str(landing.top)), safe.line(landing.into or "HEAD")
        if landing.is_done:
            terminal.say(f"{place}: all of {branch} is in {into} already.")
            continue
        how = "moves forward" if landing.forward else "gets a merge"
        brought = f"{counted(landing.commits, 'commit')}, {counted(len(landing.files), 'file')}"
        terminal.say(f"{place}: {into} {how}: {brought} of {branch}")
    if not found:
        terminal.say(f"Nothing is on {branch} yet.")


def _require_end(mission: Mission, *, unfinished: bool) -> None:
    if overall(mission) is not Overall.COMPLETED and not unfinished:
        raise UsageError(
            f"The run is not at its end ({overall(mission)}); only finished units are on the "
            "branch.\nLook: topkick status    Take what is there: topkick land --unfinished"
        )


def _agree(*, yes: bool) -> None:
    if yes:
        return
    if not terminal.is_there():
        raise UsageError("Nobody is here to answer. Without a terminal: topkick land --yes")
    if not click.confirm("Land?", default=True):
        raise click.Abort


def _as_json(landing: Landing) -> dict[str, object]:
    return {
        "repository": str(landing.top),
        "branch": landing.branch,
        "into": landing.into,
        "head": landing.head,
        "tip": landing.tip,
        "commits": landing.commits,
        "files": list(landing.files),
        "fast_forward": landing.forward,
    }
