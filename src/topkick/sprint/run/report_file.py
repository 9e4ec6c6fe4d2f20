"""The reports of a run: read from its journal on request, and written to disk while it runs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from topkick.app.project import Project
from topkick.app.run_view import has_journal, read_anchor, read_record
from topkick.engine import messages as h
from topkick.engine.codec.chain import Head, Record
from topkick.engine.codec.gc_pause import without_collecting
from topkick.engine.errors import UsageError
from topkick.engine.fold import apply
from topkick.engine.io.files import read_plain, replace_atomically
from topkick.engine.io.view_file import StateFile
from topkick.engine.journal import JournalReader
from topkick.sprint.model import SPRINT, Mission, Sprint
from topkick.sprint.report import as_json as report_json
from topkick.sprint.report import completion as page
from topkick.sprint.report import entries
from topkick.sprint.report.account import HEARD, PASSING, Account
from topkick.sprint.report.completion import MARKER, Entry, render_log
from topkick.sprint.report.reader import Kept, ReportReading, SprintReport, is_at_end, read
from topkick.sprint.report.records import GateLedger

FILES_TRIED = 100
NO_RUN = "There is no run here yet. Begin one: topkick start"
HEARD_KINDS = frozenset(kind.__name__ for kind in HEARD)
PASSING_KINDS = frozenset(kind.__name__ for kind in PASSING)


# --- paths ---------------------------------------------------------------------------------


def completion_path(project: Project) -> Path:
    """Return topkick's own completion log if there is one, else the first free name. A file that
    topkick did not write is left alone.
    """
    names = [project.root / name for name in _names(project)]
    ours = next((path for path in names if is_ours(path)), None)
    free = next((path for path in names if not path.exists() and not path.is_symlink()), None)
    found = ours or free
    if found is None:
        raise UsageError(f"{names[0]} and all names after it are taken. Move one of them away.")
    return found


def _names(project: Project) -> Iterator[str]:
    yield f"{project.completion_name}.md"
    yield from (f"{project.completion_name}-{number}.md" for number in range(2, FILES_TRIED))


def is_ours(path: Path) -> bool:
    try:
        first = read_plain(path, 1024).split(b"\n", 1)[0]
    except OSError:
        return False
    return first == MARKER.encode()


# --- on request ----------------------------------------------------------------------------


def report_of(project: Project, run: str = "") -> ReportReading:
    """Read the report of the current run, or of an archived one."""
    path = _archived(project, run) if run else _current(project)
    account, mission = Account(), Mission()
    with JournalReader(path) as reader, without_collecting():
        if not run:
            reader.require(read_anchor(project))
        for record in reader.records():
            happened = read_record(record)
            account.take(happened.seq, happened.at_us, happened.happening)
            mission = apply(mission, happened.happening, happened.at_us)
    if mission.plan is None:
        raise UsageError(NO_RUN)
    if mission.policy != SPRINT:
        raise UsageError(
            f"There are reports only of plans, and this is a {mission.policy} run. What was "
            "done is in its files; why: topkick explain"
        )
    return read(account, mission)


def _current(project: Project) -> Path:
    if not has_journal(project):
        raise UsageError(NO_RUN)
    return project.journal_path


def _archived(project: Project, run: str) -> Path:
    known = archived_runs(project)
    found = [name for name in known if run in name]
    if run in known or len(found) == 1:
        name = run if run in known else found[0]
        return project.archive / name / "journal.db"
    listed = "\n".join(f"  {name}" for name in known) or "  (none)"
    which = "Several archived runs" if found else "No archived run"
    raise UsageError(f"{which} of the name {run!r}. There are:\n{listed}")


def archived_runs(project: Project) -> list[str]:
    return sorted(path.parent.name for path in project.archive.glob("*/journal.db"))


def as_text(reading: ReportReading) -> str:
    return page.whole(reading)


def as_json(reading: ReportReading) -> str:
    return report_json.as_json(reading)


def write(project: Project, reading: ReportReading) -> Path:
    """Write the completion log as the supervisor would, and return its path."""
    if not reading.account.completed:
        raise UsageError("No sprint is completed yet, so there is nothing to write.")
    path = completion_path(project)
    text = _file(reading, entries.entry).encode("utf-8", "replace")
    replace_atomically(path, text, mode=0o644)
    return path


def _file(reading: ReportReading, entry: Entry) -> str:
    """Return the completion log; final verification and cadence are added only at the end of the
    run.
    """
    if is_at_end(reading.mission):
        return page.whole(reading, entry)
    return render_log(reading, entry)


# --- during the run ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Kept:
    """An entry of the log as it was last written, and what it was written from."""

    sprint: Sprint
    settled: GateLedger | None
    max_retries: int
    lines: tuple[str, ...]

    def is_for(self, one: SprintReport, max_retries: int) -> bool:
        same = self.sprint is one.sprint and self.settled is one.settled
        return same and self.max_retries == max_retries


class CompletionLog:
    """The completion log that a supervisor keeps. There is nothing to write before it has `begun`,
    and nothing new to write before `mark` has changed.
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._account = Account()
        self._entries: dict[str, _Kept] = {}
        self._kept: Kept = {}
        with without_collecting():
            for record in records:
                self._take(record)

    def _take(self, record: Record) -> None:
        """Add a record. Of about half of all records only number and time count, so these are not
        decoded.
        """
        kind = record.kind.partition("/")[0]
        if kind in HEARD_KINDS:
            self._account.take(record.seq, record.at_us, read_record(record).happening)
        else:
            passing = kind in PASSING_KINDS
            self._account.take_unread(record.seq, record.at_us, passing=passing)

    @property
    def begun(self) -> bool:
        return bool(self._account.completed)

    @property
    def mark(self) -> Head:
        """Return a value that stands for the text: while it is equal, `render` returns the same."""
        return Head(self._account.mark, "")

    def hear(self, at_us: int, fact: h.Fact, events: Iterable[h.Event]) -> None:
        """Add one step, after it was journaled."""
        for happening in (fact, *events):
            self._account.take(self._account.seq + 1, at_us, happening)

    def render(self, mission: Mission, _head: Head) -> str:
        return _file(read(self._account, mission, self._kept), self._entry)

    def _entry(self, one: SprintReport, max_retries: int) -> tuple[str, ...]:
        """Return a sprint's entry from the cache: after its completion only its gate
        can change it.
        """
        kept = self._entries.get(one.handle)
        if kept is None or not kept.is_for(one, max_retries):
            lines = tuple(entries.entry(one, max_retries))
            kept = self._entries[one.handle] = _Kept(one.sprint, one.settled, max_retries, lines)
        return kept.lines


class Boards:
    """The state file, and the completion log once it has an entry."""

    def __init__(self, board: StateFile, log: CompletionLog, completion: StateFile) -> None:
        self._board = board
        self._log = log
        self._completion = completion

    @property
    def trouble(self) -> str:
        return self._board.trouble or self._completion.trouble

    def show(self, mission: Mission, head: Head) -> None:
        self._board.show(mission, head)
        if self._log.begun:
            self._completion.show(mission, self._log.mark)

    def flush(self, mission: Mission, head: Head) -> None:
        self._board.flush(mission, head)
        if self._log.begun:
            self._completion.flush(mission, self._log.mark)

    def wake_in_s(self) -> float | None:
        wakes = (self._board.wake_in_s(), self._completion.wake_in_s())
        return min((wake for wake in wakes if wake is not None), default=None)
