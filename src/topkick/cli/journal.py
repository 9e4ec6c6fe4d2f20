"""`topkick journal`: check, show, replay and repair the records of a run."""

import json
from collections.abc import Iterator
from dataclasses import asdict

import click

from topkick.app.journal import replay as journal_replay
from topkick.app.journal.repair import Repaired, accept_lost_tail, salvage
from topkick.app.journal.replay import PastRun, Redecided, ReplayDifference
from topkick.app.project import Project
from topkick.app.run_search import run_here
from topkick.app.run_view import has_journal, journal_check, journal_records, read_record
from topkick.cli import terminal
from topkick.engine.codec.chain import Record
from topkick.engine.errors import JournalDamaged, UsageError
from topkick.engine.fold import apply
from topkick.engine.rules import RULES
from topkick.engine.views import run_status
from topkick.sprint.explain.stuck import stuck_pages_of
from topkick.sprint.model import SPRINT, Mission
from topkick.sprint.views import event_log, status, status_json
from topkick.sprint.views.status import Situation
from topkick.text import escape
from topkick.text import format as fmt
from topkick.text.format import counted

# --- pages of `journal replay` -----------------------------------------------------------------
# The run at an earlier record, as `status` would have shown it; and decisions made again.

SHOWN = 20
WIDTH = 400
UNKNOWN_PID = 0
"""Stands for the supervisor that wrote the record; its pid is not recorded."""


# --- the run at an earlier record --------------------------------------------------------------


def moment(past: PastRun, width: int, utc_offset_s: int) -> list[str]:
    at = f"As of record {past.at.seq} of {past.records}, {fmt.iso(past.now_us)}"
    if past.mission.plan is None:
        return [f"{at}: the run had not begun."]
    there = Situation(past.now_us, UNKNOWN_PID, utc_offset_s=utc_offset_s)
    if past.mission.policy != SPRINT:
        return [at, "", *run_status.lines(past.mission, there)]
    page = status.render_text(past.mission, there, width).rstrip("\n")
    stuck = stuck_pages_of(past.mission, [item.happening for item in past.happened])
    return [at, "", page, *stuck]


def moment_json(past: PastRun) -> str:
    there = Situation(past.now_us, UNKNOWN_PID)
    page = json.loads(status_json.as_json(past.mission, there))
    page["supervisor"]["pid"] = None
    at = {"record": past.at.seq, "of": past.records, "at": fmt.iso(past.now_us)}
    return json.dumps({"as_of": at, **page}, indent=2)


# --- decisions made again ----------------------------------------------------------------------


def told(found: Redecided) -> Iterator[str]:
    for one in found.differences[:SHOWN]:
        yield from _difference(one)
    if len(found.differences) > SHOWN:
        yield f"… and {len(found.differences) - SHOWN} more (--json has them all)"
    for part in found.left_out:
        yield (
            f"Records {part.first} to {part.last} were not compared: they were decided by rules "
            f"{part.rules}, and this topkick has rules {RULES}."
        )
    yield f"{counted(found.records, 'record')}, {counted(found.steps, 'step')}: {_verdict(found)}"


def _verdict(found: Redecided) -> str:
    if found.differences:
        return f"{counted(len(found.differences), 'decision')} would be different now."
    if not found.steps:
        return "none was decided by these rules, so nothing was compared."
    return "every decision agrees with the rules."


def _difference(one: ReplayDifference) -> Iterator[str]:
    yield f"Record {one.seq} (step {one.step}):"
    yield f"  recorded: {escape.line(one.recorded, WIDTH)}"
    yield f"  now:      {escape.line(one.decided, WIDTH)}"


def replay_as_json(found: Redecided) -> str:
    return json.dumps({"rules": RULES, "same": not found.differences, **asdict(found)}, indent=2)


@click.group("journal")
def command() -> None:
    """Check, show, replay or repair the records of the run.

    \b
    Example: topkick journal check
    """


@command.command("check")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def check(as_json: bool) -> int:
    """Read every record and verify the chain of hashes; change nothing.

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
@click.option(
    "--all", "everything", is_flag=True, help="Show every record, not only the notable ones."
)
@click.option(
    "--after", type=int, default=0, metavar="SEQ", help="Show only records after this one."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON object per line; texts by their hash."
)
def show(everything: bool, after: int, as_json: bool) -> int:
    """Show what happened, one line per record.

    \b
    Example: topkick journal show --all --after 100
             topkick journal show --all --json > run.jsonl
    """
    mission = Mission()
    for record in journal_records(_project()):
        item = read_record(record)
        mission = apply(mission, item.happening, item.at_us)
        line = event_log.line(mission, item.happening)
        if item.seq <= after or (line is None and not everything):
            continue
        click.echo(_record_json(record) if as_json else _record_line(record, line))
    return 0


def _record_line(record: Record, line: str | None) -> str:
    at = fmt.day_and_clock(record.at_us, terminal.utc_offset_s())
    return f"{record.seq:>6} {at} {line or f'{record.kind} {escape.line(record.body, 120)}'}"


def _record_json(record: Record) -> str:
    """Return the record as JSON, with the body as an object whose keys keep their order."""
    return json.dumps({**asdict(record), "body": json.loads(record.body)}, separators=(",", ":"))


@command.command("replay")
@click.option(
    "--to", "to_seq", type=int, metavar="SEQ", help="Replay up to this record, not the last."
)
@click.option("--check", "again", is_flag=True, help="Make every decision again and compare.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def replay(to_seq: int | None, again: bool, as_json: bool) -> int:
    """Show the run as `topkick status` would have shown it at a record.

    With --check, decide every recorded fact again by this version's rules and print each
    difference; exit 1 if there is one.

    \b
    Example: topkick journal replay --to 120
             topkick journal replay --check
    """
    project = _project()
    if again:
        found = journal_replay.redecide_journal(project, to_seq)
        click.echo(replay_as_json(found) if as_json else "\n".join(told(found)))
        return 1 if found.differences else 0
    past = journal_replay.look_back(project, to_seq)
    if as_json:
        click.echo(moment_json(past))
    else:
        page = moment(past, terminal.width(), terminal.utc_offset_s())
        click.echo("\n".join(page))
    return 0


@command.command("repair")
@click.option(
    "--accept-lost-tail",
    "accepted",
    is_flag=True,
    help="Continue from the records that are there: you restored a backup on purpose.",
)
@click.option(
    "--salvage",
    "salvaged",
    is_flag=True,
    help="Continue from the records before the damage; a copy of the damaged files is kept.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def repair(accepted: bool, salvaged: bool, as_json: bool) -> int:
    """Make a damaged journal usable again; nothing is deleted.

    Prints what is lost. Without an option, it only advises which one to take.

    \b
    Example: topkick journal repair --salvage
    """
    if accepted and salvaged:
        raise UsageError(
            "--accept-lost-tail and --salvage exclude each other; nothing was repaired. "
            "Which one fits: topkick journal repair"
        )
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
        "\n".join(problems) + "\n\nA repair forgets what the lost records said, so choose one:\n"
        "  topkick journal repair --accept-lost-tail   you restored a backup on purpose\n"
        "  topkick journal repair --salvage            keep the records before the damage\n"
        "Checks find finished work again that the journal forgot. Agents that are still alive have "
        "to be ended first: topkick killall"
    )


def _told(done: Repaired) -> Iterator[str]:
    lost = "an unknown number" if done.lost_records is None else str(done.lost_records)
    yield f"The journal now ends at record {done.head.seq}; records lost: {lost}."
    if done.lost_letters or done.lost_texts:
        yield f"Also lost: {done.lost_letters} queued commands, {done.lost_texts} texts."
    for command in done.lost_commands:
        again = escape.line(command)
        yield f"Carried out earlier, now forgotten; give it again if you still want it: {again}"
    if done.kept_aside is not None:
        yield f"A copy of the damaged files is in {done.kept_aside}"
    yield "Next: topkick status, then topkick resume"


def _as_json(done: Repaired) -> dict[str, object]:
    aside = str(done.kept_aside) if done.kept_aside is not None else None
    return {**asdict(done), "kept_aside": aside}


def _project() -> Project:
    project = run_here()
    if not has_journal(project):
        raise UsageError("There is no run here yet, so there is no journal. Begin: topkick start")
    return project
