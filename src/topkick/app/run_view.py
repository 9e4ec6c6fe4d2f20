"""Read a run from outside: read-only, fast, and without disturbing it."""

import os
import pwd
import shlex
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topkick.app.project import Project
from topkick.app.state_dir.lock import Holder, holder, is_held
from topkick.app.state_dir.ownership import whose_copy
from topkick.app.state_dir.restart_notice import RestartNotice, expected
from topkick.engine import messages as h
from topkick.engine.codec.chain import EMPTY, Head, Record, find_anchor
from topkick.engine.codec.shapes import CodecError, shape_of
from topkick.engine.errors import JournalDamaged, JournalUnavailable
from topkick.engine.fold import apply
from topkick.engine.io.files import read_plain
from topkick.engine.journal import JournalReader, JournalTooNew, JournalTooOld, has_log
from topkick.engine.messages import CODEC
from topkick.git.read.directory import find_git
from topkick.sprint.model import JUDGE, PIPELINE, SPRINT, Mission
from topkick.sprint.status import VERBS

HEADER_BYTES = 4096

NAMELESS = Holder(0, 0)


@dataclass(frozen=True, slots=True)
class View:
    """A view of a run; `holder` is set while a supervisor lives; `live_agents` are counted then or
    not.
    """

    mission: Mission
    head: Head
    holder: Holder | None
    live_agents: int
    now_us: int
    copied_from: Path | None = None
    restart: RestartNotice | None = None

    @property
    def is_driven(self) -> bool:
        """True if a supervisor works on the plan; another terminal may hold the project for a
        moment.
        """
        return self.holder is not None and self.mission.driven


@dataclass(frozen=True, slots=True)
class Happened:
    seq: int
    at_us: int
    happening: h.Happening


class Follow:
    """Read a run's journal from where the last reading stopped, for viewers and `logs`.

    `news` is the only place that reads and folds records, so every record reaches the caller
    exactly once; `view` describes the run as it was folded and reads no record.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        seen = read_anchor(project)  # before the journal, which is never behind it
        self._reader = JournalReader(project.journal_path)
        self._head = EMPTY
        self._holder: Holder | None = None
        self.mission = Mission()
        try:
            self._reader.require(seen)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._reader.close()

    def news(self) -> Iterator[Happened]:
        """Fold the new records one by one; `mission` is the run right after the one in hand.

        The lock is looked at first: a supervisor writes its last record before it lets go.
        """
        self._holder = _living_holder(self._project)
        for record in self._reader.records(self._head.seq):
            happened = read_record(record)
            self.mission = apply(self.mission, happened.happening, record.at_us)
            self._head = Head(record.seq, "")
            yield happened

    def catch_up(self) -> Mission:
        """Fold the new records; for callers that want only the state of the run."""
        for _ in self.news():
            pass
        return self.mission

    def view(self) -> View:
        """Describe the run as of the last record that `news` gave."""
        copied_from = whose_copy(self._project)
        return View(
            mission=self.mission,
            head=self._reader.head(),
            holder=self._holder,
            live_agents=0 if copied_from else _live_agents(self._project, self.mission),
            now_us=time.time_ns() // 1000,
            copied_from=copied_from,
            restart=expected(self._project.state_dir) if self._holder is None else None,
        )


def _living_holder(project: Project) -> Holder | None:
    """Return the holder of the lock; the pid is 0 if its note cannot be read."""
    return (holder(project.state_dir) or NAMELESS) if is_held(project.state_dir) else None


def read_record(record: Record) -> Happened:
    try:
        happening = CODEC.decode(record.kind, record.body)
    except CodecError as error:  # intact by its hash, but unknown to this version
        raise JournalTooNew(
            f"Record {record.seq} was written by another version of topkick ({error}), so the run "
            "cannot be read.\nUpgrade topkick, or finish the run with the version that began it."
        ) from error
    return Happened(record.seq, record.at_us, happening)  # type: ignore[arg-type]


def _live_agents(project: Project, mission: Mission) -> int:
    alive = {"claimed", "running", "orphaned"}
    paths = [project.runs / run.id for run in mission.runs.values() if run.dispatch is not None]
    if not paths:
        return 0
    from topkick.runner.run_dir import describe

    return sum(describe(path).state in alive for path in paths)


def take_a_look(project: Project) -> View | None:
    """Return a view; None if no run was ever started here."""
    if not has_journal(project):
        return None
    follow = Follow(project)
    try:
        follow.catch_up()
        return follow.view()
    finally:
        follow.close()


def has_journal(project: Project) -> bool:
    """Return False if no run was ever started here; raise if the journal of a run is gone."""
    if project.current.is_symlink():
        raise JournalDamaged(
            f"{project.current} is a link, and topkick reads the state of a run only from a real "
            "directory.\nPut the directory back in its place, then: topkick status"
        )
    try:
        project.journal_path.lstat()
    except FileNotFoundError:
        left = _left_without_it(project)
        if left:
            raise JournalDamaged(
                f"The journal {project.journal_path} is gone, but {left} there.\n"
                "Nothing is dispatched. Restore it from a backup, then: "
                "topkick journal repair --accept-lost-tail\n"
                f"Or begin anew: {begin_anew(project)}"
            ) from None
        if project.kind == SPRINT and read_anchor(project) is not None:
            raise _journal_gone(project) from None
        return False
    except OSError:  # opening the journal will report the error
        return True
    _require_readable_version(project)
    return True


def _require_readable_version(project: Project) -> None:
    """Raise for the journal of a version from before the first release, with the way out."""
    try:
        with suppress(JournalDamaged, JournalUnavailable, OSError):
            JournalReader(project.journal_path).close()
    except JournalTooOld as error:
        raise JournalTooOld(f"{error}\nThen begin anew: {begin_anew(project)}") from None


def begin_anew(project: Project) -> str:
    """Return the command that moves the rest of a run away and starts another one."""
    board = project.board_path
    aside = {project.current: project.current.with_name("current.lost")}
    aside[board] = board.with_suffix(".lost.md")
    moves = [shlex.join(["mv", str(a), str(b)]) for a, b in aside.items() if os.path.lexists(a)]
    return " && ".join([*moves, _start_command(project)])


def _start_command(project: Project) -> str:
    if project.kind == SPRINT:
        return "topkick start"
    path = project.plan_path
    is_session = project.kind in (PIPELINE, JUDGE)
    file = os.path.relpath(path.parent if is_session else path, project.root)
    return f"topkick {VERBS[project.kind]} {shlex.quote(file)}"


def _journal_gone(project: Project) -> JournalDamaged:
    """Return the error: the state file names a record of a journal that is not here (law 2)."""
    no_git = find_git(project.root) is None
    git = "There is no .git here either: if it was deleted, put it back first.\n" if no_git else ""
    return JournalDamaged(
        f"The journal of the run in {project.board_path.name} is gone: there is no "
        f"{project.journal_path}.\n"
        f"The state directory was deleted, or the project was copied without it.\n{git}"
        "Nothing is dispatched. If agents of that run are still at work, end them: "
        "topkick killall\n"
        "With a backup of the state directory: restore it, then: "
        "topkick journal repair --accept-lost-tail\n"
        "Without one: look at what the agents left (git status, git log), then begin anew:\n"
        f"  {begin_anew(project)}"
    )


def _left_without_it(project: Project) -> str:
    """Return what a missing journal left behind; empty if there never was one."""
    with suppress(OSError):
        if any(project.runs.iterdir()):
            return "directories of its agents are still"
    return "its write-ahead log is still" if has_log(project.journal_path) else ""


def read_anchor(project: Project) -> Head | None:
    """Return the journal's head from the state file, outside the database (law 2)."""
    try:
        text = read_plain(project.board_path, HEADER_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    return find_anchor(text)


def journal_check(project: Project) -> list[str]:
    from topkick.engine.journal.checkup import check

    seen = read_anchor(project)
    return check(project.journal_path, seen, texts_named)


def texts_named(record: Record) -> list[str]:
    """Return the hashes of the texts that a record names."""
    happening = read_record(record).happening
    kind: Any = type(happening)
    find = shape_of(kind).texts
    return [text.sha256 for text in find(happening)] if find is not None else []


def journal_records(project: Project, after: int = 0) -> Iterator[Record]:
    with JournalReader(project.journal_path) as reader:
        yield from reader.records(after)


def journal_happenings(project: Project, after: int = 0) -> Iterator[Happened]:
    for record in journal_records(project, after):
        yield read_record(record)


def who_am_i() -> str:
    name = os.environ.get("USER") or os.environ.get("LOGNAME") or _name_on_file()
    return name.encode("utf-8", "replace").decode()


def _name_on_file() -> str:
    """Return the user's name; cron and containers may set no variable for it."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
