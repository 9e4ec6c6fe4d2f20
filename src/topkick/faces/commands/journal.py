"""`topkick journal`: is the record whole, and what is in it."""

import json
from collections.abc import Iterator
from dataclasses import asdict

import click

from topkick.boards import moments, safe, story
from topkick.core.errors import JournalDamaged, UsageError
from topkick.core.fold import apply
from topkick.core.model import Mission
from topkick.faces import terminal
from topkick.wiring.looking import (
    has_journal,
    journal_check,
    journal_happenings,
    journal_records,
)
from topkick.wiring.project import Project, find_project
from topkick.wiring.repairing import Repaired, accept_lost_tail, salvage


@click.group("journal")
def command() -> None:
    """The record of the run.

    \b
    Example: topkick journal check
    """


@command.command("check")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def check(as_json: bool) -> int:
    """Read every record and compare the chain of hashes; changes nothing.

    \b
    Example: topkick journal check
    """
    problems = journal_check(_project())
    if as_json:
        click.echo(json.dumps({"whole": not problems, "findings": problems}, indent=2))
        return JournalDamaged.exit_code if problems else 0
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
@click.option(
    "--salvage",
    "salvaged",
    is_flag=True,
    help="Go on from the records before the damage; the damaged files are kept aside.",
)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def repair(accepted: bool, salvaged: bool, as_json: bool) -> int:
    """Make a damaged journal usable again; says what it would forget, and deletes nothing.

    \b
    Example: topkick journal repair --salvage
    """
    if accepted and salvaged:
        raise UsageError("Choose one: --accept-lost-tail or --salvage.")
    project = _project()
    if not (accepted or salvaged):
        return _advise(journal_check(project), as_json=as_json)
    done = accept_lost_tail(project) if accepted else salvage(project)
    if as_json:
        click.echo(json.dumps(_as_json(done), indent=2))
    else:
        click.echo("\n".join(_told(done)))
    return 0


def _advise(problems: list[str], *, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps({"whole": not problems, "findings": problems}, indent=2))
        return JournalDamaged.exit_code if problems else 0
    if not problems:
        click.echo("The journal is whole, so there is nothing to repair.")
        return 0
    raise JournalDamaged(
        "\n".join(problems) + "\n\nA repair forgets what the lost records said, so it is asked for "
        "by name:\n"
        "  topkick journal repair --accept-lost-tail   a backup was restored on purpose\n"
        "  topkick journal repair --salvage            keep what lies before the damage\n"
        "Work that was done and forgotten is found again by its checks; agents still alive have to "
        "be ended first (topkick killall)."
    )


def _told(done: Repaired) -> Iterator[str]:
    lost = "an unknown number" if done.lost_records is None else str(done.lost_records)
    yield f"The journal ends at record {done.head.seq} from now on; records lost: {lost}."
    if done.lost_letters or done.lost_texts:
        yield f"Also lost: {done.lost_letters} letters, {done.lost_texts} texts."
    for command in done.lost_commands:
        yield f"Obeyed once and forgotten, say it again if you mean it still: {safe.line(command)}"
    if done.kept_aside is not None:
        yield f"The damaged files are kept in {done.kept_aside}"
    yield "Next: topkick status, then topkick resume"


def _as_json(done: Repaired) -> dict[str, object]:
    aside = str(done.kept_aside) if done.kept_aside is not None else None
    return {**asdict(done), "kept_aside": aside}


def _project() -> Project:
    project = find_project()
    if not has_journal(project):
        raise UsageError("There is no run here yet, so there is no journal. Begin: topkick start")
    return project
