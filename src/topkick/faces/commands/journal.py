"""`topkick journal`: is the record whole, and what is in it."""

import click

from topkick.boards import moments, safe, story
from topkick.core.errors import JournalDamaged, UsageError
from topkick.core.fold import apply
from topkick.core.model import Mission
from topkick.faces import terminal
from topkick.wiring.looking import journal_check, journal_happenings, journal_records
from topkick.wiring.project import Project, find_project
from topkick.wiring.repairing import accept_lost_tail


@click.group("journal")
def command() -> None:
    """The record of the run.

    \b
    Example: topkick journal check
    """


@command.command("check")
def check() -> int:
    """Read every record and compare the chain of hashes; changes nothing.

    \b
    Example: topkick journal check
    """
    problems = journal_check(_project())
    if problems:
        raise JournalDamaged("\n".join(problems))
    click.echo("The journal is whole.")
    return 0


@command.command("show")
@click.option("--all", "everything", is_flag=True, help="Every record, not only the notable ones.")
@click.option("--after", type=int, default=0, metavar="SEQ", help="Only records after this one.")
def show(everything: bool, after: int) -> int:
    """What happened, one line each.

    \b
    Example: topkick journal show --all --after 100
    """
    mission = Mission()
    records = {r.seq: r for r in journal_records(_project())} if everything else {}
    for item in journal_happenings(_project()):
        mission = apply(mission, item.happening, item.at_us)
        if item.seq <= after:
            continue
        line = story.line(mission, item.happening)
        if line is None and everything:
            line = f"{records[item.seq].kind} {safe.line(records[item.seq].body, 120)}"
        if line is not None:
            at = moments.day_and_clock(item.at_us, terminal.utc_offset_s())
            click.echo(f"{item.seq:>6} {at} {line}")
    return 0


@command.command("repair")
@click.option(
    "--accept-lost-tail",
    "accepted",
    is_flag=True,
    help="Go on from the records that are there, for a backup restored on purpose.",
)
def repair(accepted: bool) -> int:
    """Accept a journal that ends earlier than the state file says.

    \b
    Example: topkick journal repair --accept-lost-tail
    """
    if not accepted:
        raise UsageError(
            "The only repair there is forgets what the lost records said.\n"
            "If a backup was restored on purpose: topkick journal repair --accept-lost-tail"
        )
    head = accept_lost_tail(_project())
    click.echo(f"The journal ends at record {head.seq} from now on. Next: topkick resume")
    return 0


def _project() -> Project:
    project = find_project()
    if not project.journal_path.exists():
        raise UsageError("There is no run here yet, so there is no journal. Begin: topkick start")
    return project
