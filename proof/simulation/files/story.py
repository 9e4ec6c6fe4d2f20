"""One board or epic from its start to its end: commands, faults and edits."""

from __future__ import annotations

import tempfile
import traceback
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random

from proof.simulation.files import faults
from proof.simulation.files.assembling import assemble
from proof.simulation.files.benches import in_files
from proof.simulation.files.hosts import Host
from proof.simulation.files.oracle import FileOracle
from proof.simulation.files.schedule import FileSchedule
from proof.simulation.files.seams import Crash, Seams
from proof.simulation.looks import Echo
from proof.simulation.oracle_journal import Violation
from proof.simulation.processes import Table
from proof.simulation.reasons import Reasons
from proof.simulation.schedule import Agent, Timed
from proof.simulation.storage import Disk, on_disk, without_tail
from proof.simulation.telling import line_of
from proof.simulation.timeline import SECOND_US, Horizon, Timeline
from proof.simulation.world import Bell
from proof.simulation.yard import Yard
from topkick.app.state_dir.lock import ProjectLock
from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.errors import (
    AnotherSupervisor,
    JournalDamaged,
    JournalUnavailable,
    TopkickError,
)
from topkick.engine.journal import post
from topkick.engine.journal.writer import Journal
from topkick.engine.loop import News, Supervisor, replay
from topkick.engine.messages import COMMANDS
from topkick.engine.settings import Settings
from topkick.plan_format.model import Plan
from topkick.sprint.model import Mission, Stance

FAIR = Agent(takes_s=120.0, says="yes")
ONCE = ("slow", "before claim", "launcher dies", "refused")
PATIENCE_H = 96.0
ROUNDS = 80
MOST_PATIENT = 16.0


class FileStory(ABC):
    kind: str  # the program's word for it

    def __init__(self, schedule: FileSchedule, room: Path, tell: Callable[[str], None]) -> None:
        self.schedule = schedule
        self.room = room
        self.root = room / "project"
        self.timeline = Timeline()
        self.seams = Seams(self.timeline, schedule.seed, schedule.slow_us)
        self.disk = Disk(self.seam, self.timeline.monotonic_s)
        self.dice = Random(f"story {schedule.seed}")
        self.figures: Counter[str] = Counter()
        self.branches: dict[str, str] = {}
        self.said: dict[str, Evidence] = {}
        self.fair = False
        self.supervisors: list[Supervisor] = []
        self.bells: list[Bell] = []
        self.echoes: list[Echo] = []
        self.missions = 0
        self.mission = Mission()
        self.lose_tail = False
        self._tell = tell
        self._given: dict[str, Agent] = {}
        self._launches: Counter[str] = Counter()
        self.oracle = self.judge()
        self.hosts: list[Host] = []
        self.move()

    # --- differences of boards and epics ---------------------------------------------------

    @abstractmethod
    def judge(self) -> FileOracle: ...
    @abstractmethod
    def lay_out(self) -> None: ...
    @abstractmethod
    def command(self) -> None:
        """Run the command once more, as a person or a timer would, until it ends or dies."""

    @abstractmethod
    def is_done(self) -> bool: ...
    @abstractmethod
    def person(self, act: Timed) -> None: ...
    @abstractmethod
    def see_to(self) -> None:
        """Do what a patient person does between two commands, once nothing goes wrong any more."""

    @abstractmethod
    def play(self, run_id: str, agent: Agent) -> Evidence:
        """Apply what an agent does to the files; return its answer."""

    @abstractmethod
    def settings(self) -> Settings: ...
    @abstractmethod
    def plan(self) -> Plan: ...

    # --- the whole story -------------------------------------------------------------------

    def run(self) -> None:
        with on_disk(self.disk), in_files(self):
            self.lay_out()
            for fault in self.schedule.faults:
                self.timeline.after(fault.at_s, faults.striking(self, fault))
            for act in self.schedule.people:
                self.timeline.after(act.at_s, self._acting(act))
            self.timeline.limit_us = self.timeline.now_us + round(
                self.schedule.hours * 3600 * SECOND_US
            )
            try:
                while not self._done_or_down():
                    self.timeline.pass_s(self._pause_s() * self.dice.uniform(0.5, 1.5))
            except Horizon:
                self.note("--- the day is over; from here on all goes well")
            self._to_an_end()
            self._last_look()

    def _pause_s(self) -> float:
        """Return the pause; it grows while the run is found finished or waiting again and again."""
        return self.schedule.spans_s * min(2.0 ** (self.figures["rest"] / 8), MOST_PATIENT)

    def _done_or_down(self) -> bool:
        """Return whether it has ended after one more command; a command that cannot begin reports
        that.
        """
        try:
            if not self.is_done():
                self.command()
            return self.is_done()
        except JournalUnavailable:
            self.figures["no journal"] += 1
            return False

    def _acting(self, act: Timed) -> Callable[[], None]:
        def do() -> None:
            self.figures[f"person {act.what}"] += 1
            self.note(f"PERSON {act.what} n={act.n}")
            self.person(act)

        return do

    def _to_an_end(self) -> None:
        """Let everything work and people answer: the run must end (Y2)."""
        self.fair = True
        self.disk.heal()
        self.seams.calm()
        since_us = self.timeline.now_us
        self.timeline.limit_us = since_us + round(PATIENCE_H * 3600 * SECOND_US)
        try:
            for _ in range(ROUNDS):
                if self.is_done():
                    return
                self.see_to()
                self.command()
                self.timeline.pass_s(self.schedule.spans_s)
        except Horizon:
            self.oracle.complain("Y2", f"not at its end {PATIENCE_H:.0f} h after the last fault")
        self.oracle.require(self.is_done(), "Y2", f"not at its end after {ROUNDS} rounds")

    def _last_look(self) -> None:
        self.oracle.whole()
        if not self.host.journal.exists():
            return
        with Journal.open(self.host.journal, anchor=self.host.anchor) as journal:
            records = list(journal.records())
        same = records == self.oracle.records
        self.oracle.require(same, "J3", "the journal is not what was written")
        self.oracle.require(replay(records) == replay(records), "J6", "two replays differ")

    # --- one supervisor --------------------------------------------------------------------

    @property
    def host(self) -> Host:
        return self.hosts[-1]

    def move(self) -> None:
        """Move to a machine that has only the files."""
        name = f"host{len(self.hosts) + 1}"
        table = Table(self.timeline, self.oracle.complain)
        yard = Yard(
            self.timeline, table, {}, self.disk.is_full,
            self._behaviour, self.oracle.agent_started, self._work, self.note,
        )  # fmt: skip
        self.hosts.append(Host(name, self.room / name, table, yard))
        self.host.state.mkdir()
        self.root.mkdir(exist_ok=True)
        self.oracle.moved(self.host)

    def begin(self) -> None:
        """Begin a run as the command line does: the journal, with the start in its queue."""
        for path in self.host.state.glob("journal.db*"):
            path.unlink()
        self.host.anchor = None
        self.oracle.begins()
        self.missions += 1
        Journal.create(self.host.journal, self.timeline.wall_us()).close()
        self.post(h.Start(f"m{self.missions}", self.plan(), self.settings()))

    def post(self, command: h.Command) -> None:
        encoded = COMMANDS.encode(command)
        post(self.host.journal, "a person", *encoded, self.timeline.wall_us())

    def stands(self) -> Mission:
        """Return the run as a terminal sees it."""
        if not self.host.journal.exists():
            return Mission()
        with Journal.open(self.host.journal, anchor=self.host.anchor) as journal:
            self.mission = replay(journal.records())
        return self.mission

    def serve(self, at_rest: h.Command | None = None, *, locked: bool = True) -> str:
        """Run the supervisor until it ends; return how it ended."""
        self.figures["supervisors"] += 1
        depth, self.seams.depth = self.seams.depth, self.seams.depth + 1
        reasons = Reasons(self.host.journal, self.disk, self.oracle)
        with ExitStack() as held:
            try:
                how = self._supervise(held, at_rest, locked=locked)
            except Crash:
                how = "crashed"
            except AnotherSupervisor:
                how = "taken over" if not locked or len(self.supervisors) > depth else "refused"
                self.oracle.require(
                    how != "refused" or depth, "EP-03", "refused, and nobody is there"
                )
                if how == "taken over":
                    reasons.taken_over(self.supervisors[depth:])
            except JournalUnavailable:
                how = "no journal"
                reasons.no_journal(self.supervisors[depth:])
            except JournalDamaged as error:
                raise Violation("J1", f"the journal is called damaged: {error}") from error
            except (Violation, Horizon):
                raise
            except (
                TopkickError,
                AssertionError,
                LookupError,
                ValueError,
                OSError,
                TypeError,
            ) as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                what = f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
                raise Violation("traceback", what) from error
            finally:
                self.seams.depth = depth
                del self.supervisors[depth:], self.bells[depth:], self.echoes[2 * depth :]
        self.figures[how] += 1
        self.note(f"supervisor {how}")
        self.oracle.whole()
        return how

    def _supervise(self, held: ExitStack, at_rest: h.Command | None, *, locked: bool) -> str:
        if self.lose_tail and self.host.anchor is not None:
            self.lose_tail = False
            self._refused_without_tail()
        if locked:
            lock = ProjectLock(self.host.state)
            held.callback(lock.drop)
            lock.acquire(self.timeline.wall_us())
        supervisor = assemble(self, held)
        begun = supervisor.mission.plan is not None
        if at_rest is not None and begun and supervisor.mission.stance is not Stance.WORKING:
            supervisor.say(at_rest)
        supervisor.run(driven=True, holder=f"sim {self.figures['supervisors']}")
        return "left" if supervisor._leaving else "rest"

    def _refused_without_tail(self) -> None:
        assert self.host.anchor is not None
        with without_tail(self.host.journal, self.host.anchor) as lost:
            if not lost:
                return
            self.figures["fault lost tail"] += 1
            try:
                Journal.open(self.host.journal, anchor=self.host.anchor).close()
            except JournalDamaged:
                return
            self.oracle.complain("J8", "a lost tail was not noticed")

    def heard(self, news: News) -> None:
        self.mission = news.mission
        for happening in (news.fact, *news.events):
            if line := line_of(happening) or _file_line(happening):
                self.note(line)
        self.seam("told")

    # --- services for the parts ------------------------------------------------------------

    def seam(self, name: str) -> None:
        self.seams.pass_by(name, self.note)

    def keep_anchor(self, head: object) -> None:
        self.host.anchor = head  # type: ignore[assignment]

    def note(self, line: str) -> None:
        at_s = self.timeline.since_s
        self._tell(f"{int(at_s // 3600):02}:{int(at_s // 60 % 60):02}:{at_s % 60:06.3f} {line}")

    def _behaviour(self, run_id: str) -> Agent:
        if run_id not in self._given:
            place, agents = len(self._given), self.schedule.agents
            odd = place < len(agents) and not self.fair
            self._given[run_id] = agents[place] if odd else FAIR
        return self._given[run_id]

    def launching(self, run_id: str) -> str:
        self._launches[run_id] += 1
        fate = self._behaviour(run_id).launch
        return "ok" if self._launches[run_id] > 1 and fate in ONCE else fate

    def _work(self, run_id: str, agent: Agent) -> None:
        self.said[run_id] = self.play(run_id, agent)

    def hear(self, run_id: str) -> Evidence:
        return self.said.get(run_id, Evidence())

    # --- files -----------------------------------------------------------------------------

    def text(self, name: str) -> str:
        path = self.root / name
        return path.read_text() if path.exists() else ""

    def put(self, name: str, text: str) -> None:
        """Write a file as a person or an agent."""
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        self.oracle.put(name, text)

    def take_away(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)
        self.oracle.put(name, "")


def _file_line(happening: h.Happening) -> str:
    match happening:
        case h.LookAsked(glance):
            return f"  look at {' '.join(glance.paths)}"
        case h.EditsAsked(edits):
            return f"  write {' '.join(edit.path for edit in edits)}"
        case h.FilesEdited(_, changed, trouble):
            return f"  written {changed and f'not: {changed} changed'}{trouble}"
        case h.MissionEnded(done, why):
            return f"ended {'done' if done else 'for a person'}: {why[:120]}"
        case h.Decided(_, about, decision, why):
            return f"  {about}: {decision} ({why[:80]})"
        case _:
            return ""


ROOM = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())
