"""Says of a damaged project whether the program noticed, or had nothing to notice.

It asks the functions that the commands are made of, and compares with the project before.
"""

import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from topkick.core.chain import Head
from topkick.core.errors import TopkickError
from topkick.core.model import Mission
from topkick.outside.ground import claims
from topkick.outside.ground.run_dir import Description, describe, read_limits
from topkick.outside.journal import Journal, Letter, Reader, answer_of
from topkick.outside.lock import holder
from topkick.supervisor import replay
from topkick.wiring.config import Config, load_config
from topkick.wiring.looking import (
    journal_check,
    output_of,
    read_anchor,
    take_a_look,
    texts_named,
)
from topkick.wiring.planning import read_plan
from topkick.wiring.project import Project, find_project

JOURNAL = ".git/topkick/main/current/journal.db"
SAME, REFUSED, CHECKED, WEAKER = "same", "refused", "found by check", "less known"
NEVER_CLAIMED = "never claimed"
SILENT, CRASHED, WRITTEN, WORDLESS = "SILENT", "TRACEBACK", "WRITTEN", "NO NEXT STEP"
NEXT_STEPS = (
    "topkick ",
    "Make it ",
    "The plan, line ",
    "is not valid TOML",
    "cannot be read: ",
    "Save it as",
)
BAD = (SILENT, CRASHED, WRITTEN, WORDLESS)


@dataclass(frozen=True, slots=True)
class Known:
    """All that the journal and the runs say."""

    mission: Mission
    head: Head
    waiting: tuple[Letter, ...]
    answers: tuple[str | None, ...]
    texts: tuple[tuple[str, str | None], ...]
    runs: tuple[tuple[str, Description], ...]


@dataclass(slots=True)
class Tally:
    """What became of the cases, by file and outcome, and the first bad ones in words."""

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
    """Through the reading side, as `status` does, and everything besides."""
    project = find_project(root / "EXECUTION_PLAN.md")
    view = take_a_look(project)
    assert view is not None
    with Reader(project.journal_path) as reader:
        waiting = tuple(reader.unanswered())
        shas = sorted({s for r in reader.records() for s in texts_named(r)})
        texts = tuple((sha, reader.text(sha)) for sha in shas)
        letters = range(1, reader.posted() + 1)
    answers = tuple(answer_of(project.journal_path, n) for n in letters)
    return Known(view.mission, view.head, waiting, answers, texts, _runs(project))


def open_for_writing(root: Path) -> tuple[Mission, Head, tuple[Letter, ...]]:
    """As a supervisor does, up to the moment before its first write."""
    project = find_project(root / "EXECUTION_PLAN.md")
    with Journal.open(project.journal_path, anchor=read_anchor(project)) as journal:
        return replay(journal.records()), journal.head, tuple(journal.unanswered())


def _runs(project: Project) -> tuple[tuple[str, Description], ...]:
    found = [path for path in sorted(project.runs.iterdir()) if path.is_dir()]
    return tuple((path.name, describe(path)) for path in found)


class Judge:
    """Knows the project as it was."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.known = look_at(root)
        self.config: Config = load_config(find_project(root / "EXECUTION_PLAN.md"))

    def journal(self, *, with_check: bool) -> Outcome:
        """After a change to the journal, its log or the state file."""
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

    def run_file(self) -> Outcome:
        """After a change to a file of one order: what is not known may be, another end may not."""
        return self._guarded(self._run_file)

    def _run_file(self) -> Outcome:
        project = find_project(self._root / "EXECUTION_PLAN.md")
        found, known = dict(_runs(project)), dict(self.known.runs)
        for run_id in known:
            read_limits(project.runs / run_id)
            claims.read_claim(project.runs / run_id)
            output_of(project, run_id).read(0)
        if found == known:
            return Outcome(SAME)
        for run_id, one in found.items():
            was = known[run_id]
            fits = one.exit in (None, was.exit) or one.exit.how == "lost"
            if not fits or one.agent not in (None, was.agent):
                return Outcome(SILENT, story=f"{run_id} was {was} and is {one}")
            if one.state == "absent":  # somebody removed the file: nobody can know of it
                return Outcome(NEVER_CLAIMED)
        return Outcome(WEAKER)

    def small_file(self) -> Outcome:
        """After a change to a file of the user's, or to one that is for messages only."""
        return self._guarded(self._small_file)

    def _small_file(self) -> Outcome:
        project = find_project(self._root / "EXECUTION_PLAN.md")
        holder(project.state_dir)
        look_at(self._root)
        try:
            config = load_config(project)
            plan = read_plan(project).plan
        except TopkickError as error:
            return _refusal(error)
        same = config == self.config and plan == self.known.mission.plan
        return Outcome(SAME if same else WEAKER)

    def _guarded(self, ask: Callable[[], Outcome]) -> Outcome:
        """Whatever is not a TopkickError would have been a traceback."""
        try:
            return ask()
        except TopkickError as error:
            return _refusal(error)
        except AssertionError as error:
            return Outcome(SILENT, story=str(error)[:400])
        except Exception:  # noqa: BLE001
            return Outcome(CRASHED, story=traceback.format_exc()[-1200:])


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
