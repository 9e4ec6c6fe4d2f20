"""`topkick epic`: one tick or many, a look, a beginning, and what a person or a hook says."""

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
    """Move an epic on, one decision at a time; all it knows stands in the epic's own file.

    \b
    Example: topkick epic new "Read old headers" && topkick epic loop 30m read-old-headers
    """


# --- ticks -----------------------------------------------------------------------------------


@command.command("tick")
@click.argument("epic")
@click.option("--yes", is_flag=True, help="Accept settings that were changed; do not ask.")
def tick(epic: str, yes: bool) -> int:
    """Read the epic, ask one subagent at most, write down what came of it, and end.

    Killed at any moment, the next tick goes on from the file. Exit code 0: something was done or
    there was nothing to do; 3: a person is needed.

    \b
    Example: topkick epic tick tasks/read-old-headers.md
    """
    return _tick(epics.find_epic(epic, Path.cwd()), yes=yes)


@command.command("loop")
@click.argument("every")
@click.argument("epic")
@click.option("--ticks", default=0, help="End after so many; 0 is never.")
def loop(every: str, epic: str, ticks: int) -> int:
    """A tick at once, and one each time the interval has passed, for ever.

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
        raise UsageError(f"{text!r} is no interval. Write 90s, 30m or 2h.")
    return int(number) * UNITS[unit]


def _say(line: str) -> None:
    terminal.say(escape.line(line, 600))


@command.command("drain")
@click.argument("directory", default="tasks", type=DIRECTORY)
def drain(directory: Path) -> int:
    """One tick for each epic below DIRECTORY that is queued or in progress. For cron.

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
    """How the epic stands: its work items, the last decisions, and what waits for a person.

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
        return f"Nothing moves by itself: {idle}" if epic.status != Status.DONE else "It is done."
    return f"Next: topkick epic tick {epic.id}"


@command.command("new")
@click.argument("title")
@click.option("--goal", default="", metavar="TEXT", help="What is to be true at the end.")
@click.option("--dir", "directory", default="tasks", type=DIRECTORY)
def new(title: str, goal: str, directory: Path) -> int:
    """Begin an epic: a task file that the planner divides into work items at its first tick.

    \b
    Example: topkick epic new "Read old headers" --goal "Files of 2019 can be opened."
    """
    if not title.strip():
        raise UsageError('An epic needs a title: topkick epic new "What it is about"')
    path = epics.make_epic(directory, " ".join(title.split()), goal)
    terminal.say(f"Wrote {path}. Say there what is to be true at the end.")
    terminal.say(f"Next: topkick epic tick {path}")
    return 0


# --- commands of a person ----------------------------------------------------------------------


@command.command("clear")
@click.argument("epic")
@click.argument("items", nargs=-1)
def clear(epic: str, items: tuple[str, ...]) -> int:
    """Say as a person that the epic may go on: a proposed plan is approved, a brake let go.

    With ITEMS, those are put back into the queue as well.

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
        raise UsageError(f"There is no work item {name!r}. There are: {known}")
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
    """Put items back into the queue whose worker was not heard of for that long. For cron.

    One whose worker is alive on this host is left alone.

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
            f"{escape.line(item.id)} is silent, but its worker lives here: topkick killall"
        )
    if after is not before:
        epics.save(project, before, after)
    terminal.say(f"{len(stuck) - len(alive)} stale items were queued again.")
    return 0


@command.command("merged")
@click.argument("epic")
@click.argument("what")
def merged(epic: str, what: str) -> int:
    """Mark items as done whose pull request was merged: by id, by branch or by its address.

    \b
    Example: topkick epic merged read-old-headers https://example.org/owner/repo/pull/12
    """
    project = epics.find_epic(epic, Path.cwd())
    before = epics.fresh(project)
    meant = tuple(item for item in before.items if _is_meant(item, what))
    if not meant:
        raise UsageError(f"No work item is called {what!r} or has it as its review surface.")
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
        raise UsageError(f"There is no directory {directory}. Name the one that has the epics.")
