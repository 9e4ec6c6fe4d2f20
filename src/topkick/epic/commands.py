"""`topkick epic`: run ticks, show or create an epic, and commands of people and hooks."""

import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from topkick.app.project import Project
from topkick.cli import terminal
from topkick.engine.errors import TopkickError, UsageError
from topkick.epic import project as epics
from topkick.epic.body import DECISIONS, Epic
from topkick.epic.items import BRANCH, EpicItem, Status
from topkick.epic.tick import choice
from topkick.epic.tick.choice import is_stale
from topkick.text import escape
from topkick.text.columns import Column, lay_out
from topkick.text.format import counted
from topkick.text.task_file import TaskFile

# --- pages -------------------------------------------------------------------------------------
# The status of an epic, its work items, the last decisions, and the questions to a person.

ROWS_TOLD = 5
COLUMNS = (
    Column("Item", least=12),
    Column("Status"),
    Column("Worker", leaves=2),
    Column("Title", least=16),
    Column("Review surface", least=16, leaves=3),
    Column("Notes", least=16, leaves=1),
)


@dataclass(frozen=True, slots=True)
class EpicItemLine:
    id: str
    status: str
    worker: str
    title: str
    surface: str
    said: str


@dataclass(frozen=True, slots=True)
class RowLine:
    tick: str
    decision: str
    found: str
    notes: str


@dataclass(frozen=True, slots=True)
class EpicPage:
    """The values of the page; all texts are untrusted, since agents or people wrote them."""

    id: str
    title: str
    status: str
    phase: str
    items: tuple[EpicItemLine, ...]
    rows: tuple[RowLine, ...]
    asked: tuple[str, ...]
    next: str


def lines(page: EpicPage, width: int) -> Iterator[str]:
    head = f"{escape.line(page.id)}  {escape.line(page.title, 100)}"
    yield head if page.title != page.id else escape.line(page.id)
    phase = f" ({escape.line(page.phase)})" if page.phase else ""
    yield f"Status: {escape.line(page.status)}{phase}"
    if page.items:
        yield ""
        yield from _table(page.items, width)
    if page.rows:
        yield from ("", "Last decisions")
    for row in page.rows[-ROWS_TOLD:]:
        found, notes = escape.line(row.found, 20), escape.line(row.notes)
        said = f"{escape.line(row.decision, 80)} [{found}] {notes}"
        yield escape.cut(f"  {escape.line(row.tick, 20)} {said}", width)
    if page.asked:
        yield from ("", "For a person to decide")
    for question in page.asked:
        yield escape.cut(f"  {escape.line(question, 300)}", max(width, 60))
    yield from ("", escape.line(page.next, 200))


def _table(items: Sequence[EpicItemLine], width: int) -> Iterator[str]:
    cells = [(i.id, i.status, i.worker, i.title, i.surface, i.said) for i in items]
    rows = [tuple(escape.line(cell, 80) for cell in row) for row in cells]
    yield from lay_out(COLUMNS, rows, width)


DIRECTORY = click.Path(path_type=Path)
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


@click.group("epic")
def command() -> None:
    """Advance an epic by one decision at a time; the epic's own file has all of its state.

    \b
    Example: topkick epic new "Read old headers" && topkick epic loop 30m read-old-headers
    """


# --- ticks -----------------------------------------------------------------------------------


@command.command("tick")
@click.argument("epic")
@click.option("--yes", is_flag=True, help="Accept changed settings without a question.")
def tick(epic: str, yes: bool) -> int:
    """Ask at most one subagent, record the result, and end.

    If a tick is killed, the next one continues from the file. Exit code 0: the tick has acted or
    there was nothing to do; 3: a person is needed.

    \b
    Example: topkick epic tick tasks/read-old-headers.md
    """
    return _tick(epics.find_epic(epic, Path.cwd()), yes=yes)


@command.command("loop")
@click.argument("every")
@click.argument("epic")
@click.option("--ticks", default=0, help="End after this many ticks; 0: never end.")
def loop(every: str, epic: str, ticks: int) -> int:
    """Run one tick now, and another after each interval, without end.

    \b
    Example: topkick epic loop 30m read-old-headers
    """
    every_s, done, code = seconds(every), 0, 0
    while True:
        project = epics.find_epic(epic, Path.cwd())
        code = _tick(project)
        done += 1
        if done == ticks:
            return code
        time.sleep(every_s)


def _tick(project: Project, *, yes: bool = False) -> int:
    from topkick.cli import acceptance
    from topkick.epic.run import tick as one_tick

    command = shlex.join(["topkick", "epic", "tick", str(project.plan_path)])
    return one_tick(project, _say, acceptance.of_file_runs(command, yes=yes))


def seconds(text: str) -> float:
    number, unit = text[:-1], text[-1:]
    if not (number.isascii() and number.isdigit() and unit in UNITS and 0 < int(number) < 10**6):
        raise UsageError(
            f"{text!r} is not an interval, so no tick was run.\n"
            "Write it as 90s, 30m or 2h: topkick epic loop 30m EPIC"
        )
    return int(number) * UNITS[unit]


def _say(line: str) -> None:
    terminal.say(escape.line(line, 600))


@command.command("drain")
@click.argument("directory", default="tasks", type=DIRECTORY)
def drain(directory: Path) -> int:
    """Run one tick for each active epic in DIRECTORY.

    An epic is active if it is queued or in progress. For cron.

    \b
    Example: topkick epic drain tasks
    """
    _require_directory(directory)
    codes = []
    for path in epics.epics_in(directory):
        if epics.read(path).status in choice.ACTIVE:
            try:
                codes.append(_tick(epics.find_epic(str(path), Path.cwd())))
            except TopkickError as trouble:  # the other epics still get their tick
                _say(f"{path}: {trouble}")
                codes.append(trouble.exit_code)
    if not codes:
        terminal.say("No epic here is queued or in progress.")
    return max(codes, default=0)


# --- show and new ------------------------------------------------------------------------------


@command.command("show")
@click.argument("epic")
def show(epic: str) -> int:
    """Show an epic, its work items and open questions.

    \b
    Example: topkick epic show read-old-headers
    """
    project = epics.find_epic(epic, Path.cwd())
    found = epics.read(project.plan_path)
    for line in lines(_page(found), terminal.width()):
        terminal.say(line)
    return 0


def _page(epic: Epic) -> EpicPage:
    return EpicPage(
        id=epic.id,
        title=epic.title,
        status=epic.status,
        phase=epic.phase,
        items=tuple(
            EpicItemLine(i.id, i.status, i.worker, i.title, i.surface, i.outcome or i.notes)
            for i in epic.items
        ),
        rows=tuple(RowLine(r.tick, r.decision, r.found, r.notes) for r in epic.rows),
        asked=tuple(_open_questions(epic.file)),
        next=_next(epic),
    )


def _open_questions(file: TaskFile) -> Iterator[str]:
    for line in (file.section(DECISIONS) or "").split("\n"):
        if line.startswith("- [ ] "):
            yield line.removeprefix("- [ ] ").strip()


def _next(epic: Epic) -> str:
    if idle := choice.may_tick(epic):
        return f"No tick will act: {idle}" if epic.status != Status.DONE else "The epic is done."
    return f"Next: topkick epic tick {epic.id}"


@command.command("new")
@click.argument("title")
@click.option("--goal", default="", metavar="TEXT", help="What must be true at the end.")
@click.option("--dir", "directory", default="tasks", type=DIRECTORY)
def new(title: str, goal: str, directory: Path) -> int:
    """Create an epic, a task file with a goal.

    The planner divides it into work items at the first tick.

    \b
    Example: topkick epic new "Read old headers" --goal "Files of 2019 can be opened."
    """
    if not title.strip():
        raise UsageError(
            "The title is empty, so no epic was written.\n"
            'Give the epic a title: topkick epic new "What it is about"'
        )
    path = epics.make_epic(directory, " ".join(title.split()), goal)
    terminal.say(f"Wrote {path}. Describe in it what must be true at the end.")
    terminal.say(f"Next: topkick epic tick {path}")
    return 0


# --- commands of a person ----------------------------------------------------------------------


@command.command("clear")
@click.argument("epic")
@click.argument("items", nargs=-1)
def clear(epic: str, items: tuple[str, ...]) -> int:
    """Approve a proposed plan, or release the brake.

    The epic is queued, and so are the ITEMS that you name.

    \b
    Example: topkick epic clear read-old-headers read-old-headers-2
    """
    project = epics.find_epic(epic, Path.cwd())
    before = epics.fresh(project)
    after = before
    for name in items:
        after = after.with_item(_queued(_known(before, name)))
    epics.save(project, before, replace(after, status=Status.QUEUED).with_log("Cleared."))
    terminal.say(f"{escape.line(before.id)} is queued. Next: topkick epic tick {escape.line(epic)}")
    return 0


def _known(epic: Epic, name: str) -> EpicItem:
    item = epic.item(name)
    if item is None:
        known = ", ".join(i.id for i in epic.items) or "none yet"
        raise UsageError(
            f"The epic has no work item {name!r}, so nothing was changed. It has: {known}"
        )
    return item


def _queued(item: EpicItem) -> EpicItem:
    return replace(
        item,
        status=Status.QUEUED,
        notes="",
        outcome="",
        dispatch="",
        dispatches=0,
        critic="",
        refusals=0,
    )


@command.command("stale")
@click.argument("epic")
@click.option("--hours", default=4.0, show_default=True, type=click.FloatRange(min=0.01))
def stale(epic: str, hours: float) -> int:
    """Queue items again if their worker is not active.

    An item with a live worker on this host stays as it is. For cron.

    \b
    Example: topkick epic stale read-old-headers --hours 4
    """
    project = epics.find_epic(epic, Path.cwd())
    before = epics.fresh(project)
    now_us = round(time.time() * 1e6)
    stuck = [item for item in before.items if is_stale(item, now_us, hours * 3600)]
    alive = [item for item in stuck if epics.is_alive(project, item.dispatch)]
    after = before
    for item in stuck:
        if item not in alive:
            queued = replace(_queued(item), dispatches=item.dispatches, refusals=item.refusals)
            after = after.with_item(queued).with_log(f"{item.id} was stale and is queued again.")
    for item in alive:
        terminal.say(
            f"{escape.line(item.id)} shows no activity, but its worker is alive on this host. "
            "To end the worker: topkick killall"
        )
    if after is not before:
        epics.save(project, before, after)
    terminal.say(f"Queued again: {counted(len(stuck) - len(alive), 'stale item')}.")
    return 0


@command.command("merged")
@click.argument("epic")
@click.argument("what")
def merged(epic: str, what: str) -> int:
    """Mark items as done after their merge.

    WHAT is the id of an item, its branch or the address of its pull request.

    \b
    Example: topkick epic merged read-old-headers https://example.org/owner/repo/pull/12
    """
    project = epics.find_epic(epic, Path.cwd())
    before = epics.fresh(project)
    meant = tuple(item for item in before.items if _is_meant(item, what))
    if not meant:
        raise UsageError(
            f"No work item has {what!r} as its id or its review surface, so nothing was changed.\n"
            f"Look up the items: topkick epic show {shlex.quote(epic)}"
        )
    names, after = tuple(item.id for item in meant), before
    for item in meant:
        done = replace(item, status=Status.DONE)
        after = after.with_item(done).with_log(f"{item.id} was merged.")
    if all(i.is_settled and i.status != Status.AT_SURFACE for i in after.items):
        after = replace(after, status=Status.DONE)
    epics.save(project, before, after, done=names)
    terminal.say(f"{escape.line(', '.join(names))} {'is' if len(names) == 1 else 'are'} done.")
    return 0


def _is_meant(item: EpicItem, what: str) -> bool:
    surface = item.surface.replace("(", " ").replace(")", " ").split()
    names = {word.partition("@")[0] for word in surface} | {item.id, BRANCH + item.id}
    return what in names


def _require_directory(directory: Path) -> None:
    if not directory.is_dir():
        raise UsageError(
            f"There is no directory {directory}, so no tick was run.\n"
            "Name the directory of the epics: topkick epic drain DIRECTORY"
        )
