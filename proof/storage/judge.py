"""Judge whether the program noticed the damage of a project, or had nothing to notice.

It calls the functions that the commands use, and compares with the project before.
"""

import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from topkick.app import run
from topkick.app.agents.tail import output_of
from topkick.app.config.file import load_config
from topkick.app.config.model import Config
from topkick.app.project import Project, _plans_that_run, find_project
from topkick.app.run_view import journal_check, read_anchor, take_a_look, texts_named
from topkick.app.state_dir import ownership
from topkick.app.state_dir.lock import holder
from topkick.checks.worker import agent_output
from topkick.engine.codec.chain import Head
from topkick.engine.errors import TopkickError
from topkick.engine.journal import (
    JournalReader,
    QueueAnswer,
    QueuedCommand,
    answer_of,
    command_queue,
)
from topkick.engine.journal.writer import Journal
from topkick.engine.loop import replay
from topkick.runner import run_dir
from topkick.runner.keeper import keeper
from topkick.runner.run_dir import RunClaim, RunDescription, RunLimits
from topkick.sprint.model import Mission
from topkick.sprint.run.load_plan import read_plan

JOURNAL = ".git/topkick/main/current/journal.db"
SAME, REFUSED, CHECKED, WEAKER = "same", "refused", "found by check", "less known"
NEVER_CLAIMED = "never claimed"
UNSEALED = "other, unsealed"
SILENT, CRASHED, WRITTEN, WORDLESS = "SILENT", "TRACEBACK", "WRITTEN", "NO NEXT STEP"
NEXT_STEPS = (
    "topkick ",
    "Make it ",
    "The plan, line ",
    "is not valid TOML",
    "cannot be read: ",
    "Save it as",
)
ORDERED_GRACE_S = 7.0
"""The grace period of the order; a stop request has another."""
BAD = (SILENT, CRASHED, WRITTEN, WORDLESS)


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that the files of one order say; None is unknown."""

    found: RunDescription
    limits: RunLimits | None
    order: dict[str, Any] | None
    stop_grace_s: float


@dataclass(frozen=True, slots=True)
class Known:
    """Everything that the journal and the runs say."""

    mission: Mission
    head: Head
    waiting: tuple[QueuedCommand, ...]
    answers: tuple[QueueAnswer | None, ...]
    texts: tuple[tuple[str, str | None], ...]
    runs: tuple[tuple[str, Run], ...]


@dataclass(frozen=True, slots=True)
class Notes:
    """The content of the small files next to the journal."""

    posted: int
    plans: tuple[Path, ...]
    original: Path | None
    home: object
    holder: object
    starter: int | None


@dataclass(slots=True)
class Tally:
    """The results of the cases, by file and outcome, and the first bad ones in words."""

    seen: Counter[tuple[str, str]] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    stories: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        self.seen += other.seen
        self.codes += other.codes
        self.stories += other.stories

    def bad(self) -> int:
        return sum(n for (_, outcome), n in self.seen.items() if outcome in BAD)


@dataclass(frozen=True, slots=True)
class Outcome:
    name: str
    code: int = 0
    story: str = ""


def look_at(root: Path) -> Known:
    """Read as `status` does, and everything else."""
    project = find_project(root / "EXECUTION_PLAN.md")
    view = take_a_look(project)
    assert view is not None
    with JournalReader(project.journal_path) as reader:
        waiting = tuple(reader.unanswered())
        shas = sorted({s for r in reader.records() for s in texts_named(r)})
        texts = tuple((sha, reader.text(sha)) for sha in shas)
        numbers = range(1, reader.posted() + 1)
    answers = tuple(answer_of(project.journal_path, n) for n in numbers)
    return Known(view.mission, view.head, waiting, answers, texts, _runs(project))


def open_for_writing(root: Path) -> tuple[Mission, Head, tuple[QueuedCommand, ...]]:
    """Open as a supervisor does, up to the moment before its first write."""
    project = find_project(root / "EXECUTION_PLAN.md")
    with Journal.open(project.journal_path, anchor=read_anchor(project)) as journal:
        return replay(journal.records()), journal.head, tuple(journal.unanswered())


def _runs(project: Project) -> tuple[tuple[str, Run], ...]:
    found = [path for path in sorted(project.runs.iterdir()) if path.is_dir()]
    return tuple((path.name, _run(path)) for path in found)


def _run(path: Path) -> Run:
    return Run(
        run_dir.describe(path),
        run_dir.read_limits(path),
        _order_for_a_keeper(path),
        keeper._stop_grace_s(str(path), ORDERED_GRACE_S),
    )


def _order_for_a_keeper(path: Path) -> dict[str, Any] | None:
    """Return the order; None if the keeper refuses it as unreadable or damaged."""
    try:
        return keeper._read_order(str(path))
    except (FileNotFoundError, ValueError):
        return None


def _notes(project: Project) -> Notes:
    state = project.state_dir
    return Notes(
        posted=command_queue._noted(project.journal_path),
        plans=tuple(_plans_that_run(project.root)),
        original=ownership.original(state),
        home=ownership._read(state),
        holder=holder(state),
        starter=run.living(state),
    )


class Judge:
    """Knows the project as it was."""

    def __init__(self, root: Path) -> None:
        self._root = root
        project = find_project(root / "EXECUTION_PLAN.md")
        self.known = look_at(root)
        self.notes = _notes(project)
        self.config: Config = load_config(project)
        paths = {name: project.runs / name / "prompt" for name, _ in self.known.runs}
        self._prompts = {name: path.read_bytes() for name, path in paths.items()}

    def journal(self, *, with_check: bool) -> Outcome:
        """Judge a change to the journal, its log or the state file."""
        before = _bytes_of(self._root)
        outcome = self._guarded(lambda: self._journal(with_check=with_check))
        if outcome.name not in BAD and _bytes_of(self._root) != before:
            return Outcome(WRITTEN, story="the damaged journal was written to")
        return outcome

    def _journal(self, *, with_check: bool) -> Outcome:
        refusals = [self._refusal_of_looking(), self._refusal_of_opening()]
        refused = [r for r in refusals if isinstance(r, TopkickError)]
        lost_text = "text" in refusals
        if with_check or lost_text:
            findings = journal_check(find_project(self._root / "EXECUTION_PLAN.md"))
            if (refused or lost_text) and not findings:
                return Outcome(SILENT, story=f"refused, and check finds nothing: {refused}")
            if findings and not refused:
                return Outcome(CHECKED)
        if refused:
            return _refusal(refused[0])
        return Outcome(SAME)

    def _refusal_of_looking(self) -> TopkickError | str | None:
        try:
            found = look_at(self._root)
        except TopkickError as error:
            return error
        lost = [sha for sha, body in found.texts if body is None]
        if lost and dict(found.texts).keys() == dict(self.known.texts).keys():
            return "text"
        if found != self.known:
            raise AssertionError(f"another project was seen: {_difference(self.known, found)}")
        return None

    def _refusal_of_opening(self) -> TopkickError | str | None:
        try:
            found = open_for_writing(self._root)
        except TopkickError as error:
            return error
        if found != (self.known.mission, self.known.head, self.known.waiting):
            raise AssertionError("another project was opened for writing")
        return None

    def run_file(self, *, removed: bool) -> Outcome:
        """Judge a change to a file of one order: less may be known, but no other end."""
        return self._guarded(lambda: self._run_file(removed=removed))

    def _run_file(self, *, removed: bool) -> Outcome:
        project = find_project(self._root / "EXECUTION_PLAN.md")
        found, known = dict(_runs(project)), dict(self.known.runs)
        for run_id in known:
            agent_output.read_claim(project.runs / run_id)
            output_of(project, run_id).read(0)
        changed = {i: one for i, one in found.items() if one != known[i]}
        for run_id, one in changed.items():
            for story in _contradictions(known[run_id], one):
                return Outcome(SILENT, story=f"{run_id}: {story}")
            if one.found.state == "absent" and not removed:
                return Outcome(SILENT, story=f"{run_id}: claimed, and seen as never claimed")
            if one.found.state == "absent":  # it was removed: nothing can be known about it
                return Outcome(NEVER_CLAIMED)
        return self._prompts_in(project) or Outcome(WEAKER if changed else SAME)

    def _prompts_in(self, project: Project) -> Outcome | None:
        """Check that a changed prompt is noticed before the order is given again."""
        for run_id, was in self._prompts.items():
            path = project.runs / run_id / "prompt"
            if path.exists() and path.read_bytes() == was:
                continue
            if run_dir._prompt_is(path.parent, was.decode()):
                return Outcome(SILENT, story=f"{run_id} would be given another prompt")
            return Outcome(WEAKER)
        return None

    def small_file(self) -> Outcome:
        """Judge a change to one of the user's files, or to a note next to the journal."""
        return self._guarded(self._small_file)

    def _small_file(self) -> Outcome:
        project = find_project(self._root / "EXECUTION_PLAN.md")
        notes = _notes(project)
        if notes.posted not in (0, self.notes.posted):
            return Outcome(SILENT, story=f"{notes.posted} letters are noted as posted")
        if (seen := look_at(self._root)) != self.known:
            raise AssertionError(f"another project was seen: {_difference(self.known, seen)}")
        known_as = (None, self.notes.original)
        if (
            notes.starter
            or notes.original not in known_as
            or not set(notes.plans) <= set(self.notes.plans)
        ):
            return Outcome(SILENT, story=f"taken for another project: {notes}")
        try:
            config = load_config(project)
            plan = read_plan(project).plan
        except TopkickError as error:
            return _refusal(error)
        if notes.home not in (None, self.notes.home) or notes.holder not in (
            None,
            self.notes.holder,
        ):
            return Outcome(UNSEALED)
        same = config == self.config and plan == self.known.mission.plan and notes == self.notes
        return Outcome(SAME if same else WEAKER)

    def _guarded(self, ask: Callable[[], Outcome]) -> Outcome:
        """Run; anything but a TopkickError would have been a traceback."""
        try:
            return ask()
        except TopkickError as error:
            return _refusal(error)
        except AssertionError as error:
            return Outcome(SILENT, story=str(error)[:400])
        except Exception:  # noqa: BLE001
            return Outcome(CRASHED, story=traceback.format_exc()[-1200:])


def _contradictions(was: Run, now: Run) -> Iterator[str]:
    """Yield contradictions: less may be known, but a different value means that damage was
    believed.
    """
    ended = now.found.exit
    if ended is not None and ended != was.found.exit and ended.how != "lost":
        yield f"it ended as {was.found.exit}, and is seen as {ended}"
    if now.found.agent not in (None, was.found.agent):
        yield f"its agent was {was.found.agent} and is {now.found.agent}"
    if now.found.claim is not None and was.found.claim is not None:
        for one in fields(RunClaim):
            value = getattr(now.found.claim, one.name)
            if value and value != getattr(was.found.claim, one.name):
                yield f"its claim says {one.name} {value!r}, and said {was.found.claim}"
    if now.limits not in (None, was.limits):
        yield f"its limits were {was.limits} and are {now.limits}"
    if now.order not in (None, was.order):
        yield f"its order was {was.order} and is {now.order}"
    if now.stop_grace_s not in (ORDERED_GRACE_S, was.stop_grace_s):
        yield f"its grace for a stop was {was.stop_grace_s} s and is {now.stop_grace_s}"


def _refusal(error: TopkickError) -> Outcome:
    said = str(error)
    if not any(words in said for words in NEXT_STEPS):
        return Outcome(WORDLESS, error.exit_code, said)
    return Outcome(REFUSED, error.exit_code)


def _bytes_of(root: Path) -> tuple[bytes, bytes]:
    db, log = root / JOURNAL, root / f"{JOURNAL}-wal"
    return (
        db.read_bytes() if db.is_file() else b"",
        log.read_bytes() if log.is_file() else b"",
    )


def _difference(known: Known, found: Known) -> str:
    names = [n for n in Known.__dataclass_fields__ if getattr(known, n) != getattr(found, n)]
    return ", ".join(f"{n}: {getattr(found, n)!r:.300}" for n in names)
