"""One schedule from its start to its end: supervisors, faults and people's commands."""

import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import fields, replace
from pathlib import Path
from random import Random

from proof.simulation import assembling, faults, gate_world, liveness, oracle_state, people
from proof.simulation.building import Builder
from proof.simulation.cast import Cast
from proof.simulation.gate_world import GateWorld
from proof.simulation.looks import Echo, LookBench
from proof.simulation.oracle import Oracle
from proof.simulation.oracle_journal import Violation
from proof.simulation.processes import Table
from proof.simulation.reasons import Reasons
from proof.simulation.schedule import Schedule
from proof.simulation.storage import Disk, on_disk, without_tail
from proof.simulation.telling import line_of
from proof.simulation.timeline import SECOND_US, Horizon, Timeline
from proof.simulation.work import Project, plan_of, settings_of
from proof.simulation.world import Bell
from proof.simulation.yard import Files, Yard
from topkick.engine import messages as h
from topkick.engine.codec.chain import Head
from topkick.engine.errors import (
    AnotherSupervisor,
    InvariantBroken,
    JournalDamaged,
    JournalUnavailable,
    TopkickError,
)
from topkick.engine.fold import apply
from topkick.engine.journal import post
from topkick.engine.journal.writer import Journal
from topkick.engine.kernel import Overlooked
from topkick.engine.loop import News, Supervisor, replay
from topkick.engine.messages import CODEC, COMMANDS
from topkick.git.isolation import Isolation, Repository
from topkick.plan_format.model import Plan
from topkick.sprint import invariants
from topkick.sprint.blockers.unit import needs
from topkick.sprint.model import Mission
from topkick.sprint.timers import wake_at_us

ROOM = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())
LONG_S = 900.0
CLONES = Isolation("topkick/sim", "/trees/sim", "project", (Repository("project", "base"),))


class Crash(BaseException):
    """The supervisor's process is gone, at this very line."""


class Story:
    def __init__(self, schedule: Schedule, room: Path, tell: Callable[[str], None]) -> None:
        self.schedule = schedule
        self.path = room / "journal.db"
        self.room = room
        self.timeline = Timeline()
        self.table = Table(self.timeline, self._complain)
        self.oracle = Oracle(self.table, self.timeline.monotonic_s)
        self.world = GateWorld()
        if gate_world.is_gated(schedule.seed):
            self.world, parts = gate_world.make(schedule.seed, schedule.parts)
            schedule = self.schedule = replace(schedule, parts=parts)
        self.figures: Counter[str] = Counter()
        self.project = Project(schedule, self.timeline, self.world)
        self.project.struck = self.struck
        self.builder = Builder(self.project, self.world)
        self.disk = Disk(self.seam, self.timeline.monotonic_s, self.struck)
        self.files: dict[str, Files] = {}
        self.cast = Cast(self)
        self.yard = Yard(
            self.timeline,
            self.table,
            self.files,
            self.disk.is_full,
            self.cast.behaviour,
            self.oracle.agent_started,
            self.cast.work,
            self.note,
            self.struck,
        )
        self.anchor: Head | None = None
        self.mission = Mission()  # as it was last written down
        self._told = 0  # so many records lead to it
        self.edition = 0
        self.plan: Plan = plan_of(schedule.parts)
        self.settings = settings_of(schedule, self.world)
        self.bells: list[Bell] = []
        self.echoes: list[Echo] = []
        self.looking: LookBench | None = None  # of the latest supervisor
        self.supervisors: list[Supervisor] = []
        self.letters: list[tuple[h.Command, bool]] = []  # commands given while no supervisor runs
        self.driver_at_us: int | None = 0
        self.lose_tail = False
        self.calm_since_s = 0.0
        self.fair = False
        self._tell = tell
        self._dice = Random(f"seams {schedule.seed}")
        self._crash_in: int | None = None
        self._crash_at, self._crash_by = "", ""
        self._then_said: h.Command | None = None
        self._second_in: int | None = None
        self._second_for_s = 0.0
        self._overtaken = False  # the acting supervisor was frozen while another took over
        self._freeze_in, self._freeze_for_s = 0, 0.0
        self._in_event = 0

    # --- the whole story -------------------------------------------------------------------

    def run(self) -> None:
        with on_disk(self.disk):
            Journal.create(self.path, self.timeline.wall_us()).close()
            isolation = CLONES if self.world.isolated else None
            start = h.Start("m", self.plan, self.settings, isolation)
            self.post_letter(start)
            for fault in self.schedule.faults:
                self.timeline.after(fault.at_s, faults.striking(self, fault))
            for command in (*self.schedule.commands, *self.world.commands):
                self.timeline.after(command.at_s, people.speaking(self, command))
            self.timeline.limit_us = self.timeline.now_us + round(
                self.schedule.hours * 3600 * SECOND_US
            )
            try:
                self._safety()
            except Horizon:
                self.note("--- the day is over; from here on all goes well")
            liveness.bring_to_an_end(self)
            self._last_look()

    def _safety(self) -> None:
        """Run supervisors until the day is over or everything is done."""
        while not self._all_done():
            if self.letters:
                command, driven = self.letters.pop(0)
                people.deliver(self, command)
                self.serve(driven=driven)
            elif self.driver_at_us is not None and self.timeline.now_us >= self.driver_at_us:
                self.serve(driven=True)
            else:
                self._nobody_is_there()

    def _nobody_is_there(self) -> None:
        next_us = self.timeline.next_us()
        if self.driver_at_us is not None and (next_us is None or next_us > self.driver_at_us):
            self.timeline.pass_s((self.driver_at_us - self.timeline.now_us) / SECOND_US)
        elif next_us is None:
            raise Horizon
        else:
            self.timeline.happen()

    def _all_done(self) -> bool:
        units = self.oracle.books.units.values()
        return bool(units) and all(u.state == "COMPLETED" for u in units) and not self.letters

    def _last_look(self) -> None:
        left = [p for p in self.table.ours() if p.role != "foreign"]
        self.oracle.require(not left, "Y2", f"at the end {[(p.role, p.run_id) for p in left]} live")
        with Journal.open(self.path, anchor=self.anchor) as journal:
            records = list(journal.records())
        self.oracle.require(
            records == self.oracle.records, "J3", "the journal is not what was written"
        )
        self.replayed(replay(records))
        self.oracle.compare(self.mission)

    def replayed(self, mission: Mission) -> None:
        """Check that replaying the records gives the state that was seen, plus unreported steps."""
        lived = self.mission
        for record in self.oracle.records[self._told :]:
            happening = CODEC.decode(record.kind, record.body)
            lived = apply(lived, happening, record.at_us)  # type: ignore[arg-type]
        parts = [
            f.name for f in fields(lived) if getattr(lived, f.name) != getattr(mission, f.name)
        ]
        self.oracle.require(not parts, "J6", f"replayed, {', '.join(parts)} differ")
        self.mission, self._told = mission, len(self.oracle.records)

    def post_letter(self, command: h.Command) -> None:
        """Post a command durably to the queue, as a terminal does."""
        post(self.path, "a person", *COMMANDS.encode(command), self.timeline.wall_us())

    # --- one supervisor --------------------------------------------------------------------

    def serve(self, *, driven: bool) -> str:
        """Run the supervisor until it ends; return how it ended."""
        self.driver_at_us = None
        self._overtaken = False
        depth = len(self.supervisors)
        event_depth, self._in_event = self._in_event, 0
        self.calm_since_s = self.timeline.monotonic_s()
        self.figures["supervisors"] += 1
        reasons = Reasons(self.path, self.disk, self.oracle)
        with ExitStack() as held:
            try:
                how = self._supervise(held, driven)
            except Crash:
                how = "crashed"
            except AnotherSupervisor:
                how = "taken over"
                reasons.taken_over(self.supervisors[depth:])
            except JournalUnavailable:
                how = "no journal"
                reasons.no_journal(self.supervisors[depth:])
            except JournalDamaged as error:
                raise Violation("J1", f"the journal is called damaged: {error}") from error
            except (Violation, Horizon):
                raise
            except Overlooked as error:
                raise Violation("Y1", f"(the net under the worklist) {error}") from error
            except InvariantBroken as error:
                raise Violation(error.rule, f"(its own guard) {error}") from error
            except (
                TopkickError,
                AssertionError,
                LookupError,
                ValueError,
                OSError,
                TypeError,
            ) as error:
                raise Violation("traceback", f"{type(error).__name__}: {error}") from error
            finally:
                del self.supervisors[depth:], self.bells[depth:], self.echoes[depth:]
                self._in_event = event_depth
        self.figures[how] += 1
        self.note(f"supervisor {how}" + ("" if driven else " (attending only)"))
        self._what_then(how, driven)
        return how

    def _what_then(self, how: str, driven: bool) -> None:
        if how == "rest" and driven:
            wait_s = self.schedule.away_s * min(2 ** self.figures["looked in"], 64)
            self.timeline.after(wait_s, people.coming_back(self))
        elif how != "rest" or not driven:
            delay_s = self._dice.choice((0.2, 3.0, 60.0, 900.0))
            self.driver_at_us = self.timeline.now_us + round(delay_s * SECOND_US)

    def _supervise(self, held: ExitStack, driven: bool) -> str:
        if self.lose_tail and self.anchor is not None:
            self.lose_tail = False
            self._refused_without_tail()
        supervisor = assembling.assemble(self, held)
        mission = supervisor.run(driven=driven, holder=f"sim {self.figures['supervisors']}")
        return self._ended(supervisor, mission, driven)

    def _ended(self, supervisor: Supervisor, mission: Mission, driven: bool) -> str:
        if supervisor._leaving:
            return "left"
        if driven:
            oracle_state.at_rest(self.oracle)
            self._asked_for(self.oracle.books.down, mission)
        return "rest"

    def _asked_for(self, agents: set[str], mission: Mission) -> None:
        """Check that every need of a person is shown."""
        unseen = agents - {need.handle for need in needs(mission)}
        self.oracle.require(not unseen, "DP-09", f"nobody is asked about {sorted(unseen)}")

    def _refused_without_tail(self) -> None:
        """Check that the anchor reveals a lost acknowledged tail, and nothing is dispatched
        (J8).
        """
        assert self.anchor is not None
        with without_tail(self.path, self.anchor) as lost:
            if not lost:
                return
            self.struck("fault lost tail")
            try:
                Journal.open(self.path, anchor=self.anchor).close()
            except JournalDamaged:
                return
            self._complain("J8", "a lost tail was not noticed")

    def heard(self, before: list[Mission], news: News) -> None:
        """Check each step with the program's own invariants and against the books."""
        broken = [
            *invariants.of_state(news.mission),
            *invariants.of_moves(before[0], news.events, news.mission),
        ]
        if broken:
            rule, _, what = broken[0].partition(":")
            raise Violation(rule, f"(its own) {what}")
        before[0] = self.mission = news.mission
        self._told = len(self.oracle.records)
        self.oracle.compare(news.mission)
        for happening in (news.fact, *news.events):
            if line := line_of(happening):
                self.note(line)
        self.seam("told")

    # --- seams: where time passes, crashes strike and others step in ------------------------

    def seam(self, name: str) -> None:
        if self._in_event or not self.supervisors:
            return
        self.figures["seams"] += 1
        if self.schedule.slow_us and not self.fair and not name.startswith("journal"):
            self._in_event += 1
            try:
                self.timeline.pass_s(self._dice.randint(0, self.schedule.slow_us) / SECOND_US)
            finally:
                self._in_event -= 1
        if name == self._crash_at:
            self._crash_at, self._crash_in, self._crash_by = "", 0, "crash at launch"
            if self._then_said is not None:
                self.letters.append((self._then_said, False))
        if self._crash_in is not None:
            self._crash_in -= 1
            if self._crash_in < 0:
                self._crash_in = None
                self.struck(f"fault {self._crash_by}")
                self.note(f"CRASH at '{name}'")
                raise Crash
        if self._second_in is not None and not name.startswith("journal"):
            self._second_in -= 1
            if self._second_in < 0:
                self._second_in = None
                self._another(name)

    def freeze_in(self, turns: int, for_s: float) -> None:
        self._freeze_in, self._freeze_for_s = turns, for_s

    def turning(self) -> None:
        """Begin a turn: the supervisor may be frozen here until something is due.

        An overtaken supervisor learns of it at once; a supervisor that continues is still the
        holder.
        """
        self._overtaken = False
        if not self._freeze_for_s or self._in_event:
            return
        self._freeze_in -= 1
        if self._freeze_in >= 0:
            return
        due_us = wake_at_us(self.mission, self.timeline.wall_us())
        until_due_s = (due_us - self.timeline.wall_us()) / SECOND_US if due_us else LONG_S
        for_s = until_due_s + 0.2 if until_due_s < LONG_S else self._freeze_for_s
        self._freeze_for_s = 0.0
        self.struck("fault supervisor stopped")
        self.note(f"the supervisor is stopped for {for_s:.1f} s")
        self._in_event += 1
        try:
            self.timeline.pass_s(for_s)
        finally:
            self._in_event -= 1
        self.calm_since_s = max(self.calm_since_s, self.timeline.monotonic_s())

    def crash_in(self, seams: int) -> None:
        if self.supervisors:
            self._crash_in, self._crash_by = seams, "crash"

    def crash_at(self, name: str, said: h.Command | None) -> None:
        if len(self.supervisors) == 1:
            self._crash_at, self._then_said = name, said

    def crash_now(self) -> None:
        """Crash with the machine: no further line of the supervisor runs."""
        if self.supervisors:
            raise Crash

    def crash_in_never(self) -> None:
        self._crash_in = self._second_in = None
        self._crash_at = ""
        self._freeze_for_s = 0.0

    def second_in(self, seams: int, for_s: float) -> None:
        if len(self.supervisors) == 1:
            self._second_in, self._second_for_s = seams, for_s

    def _another(self, name: str) -> None:
        """Freeze the holder; another supervisor takes over, works and leaves; then the old one
        continues.
        """
        self.note(f"the holder freezes at '{name}', another takes over")
        self.struck("fault second supervisor")

        def leave() -> None:
            if len(self.supervisors) > 1:
                self.supervisors[-1].leave()
                self.bells[-1].rung = True

        self.timeline.after(self._second_for_s, leave)
        reboots = self.table.boot
        self.serve(driven=True)
        self.driver_at_us = None
        self.calm_since_s = self.timeline.monotonic_s()
        if self.table.boot > reboots:
            raise Crash  # a frozen supervisor does not survive that
        self._overtaken = True
        self.note("the old holder wakes up")

    def waiting(self) -> None:
        if len(self.supervisors) == 1 and not self.disk.is_full():
            self.oracle.waiting(self.calm_since_s)
            for run_id in self.looking.looked_at() if self.looking is not None else ():
                self.oracle.unwanted(run_id)
            if self.looking is not None:
                self.oracle.gates.being_built(self.looking.built())
            for run_id, files in self.files.items():
                self.oracle.overlooked(run_id, files, self.calm_since_s)

    # --- services for the parts ------------------------------------------------------------

    def note(self, line: str) -> None:
        at_s = self.timeline.since_s
        self._tell(f"{int(at_s // 3600):02}:{int(at_s // 60 % 60):02}:{at_s % 60:06.3f} {line}")

    def struck(self, what: str) -> None:
        """Count what happened, not what was tried."""
        self.figures[what] += 1

    def _complain(self, rule: str, what: str) -> None:
        self.oracle.complain(rule, what)

    def keep_anchor(self, head: Head) -> None:
        ours = self.oracle.records
        self.oracle.require(head.seq <= len(ours), "J2", "the board is ahead of the journal")
        self.anchor = head

    def launching(self, run_id: str) -> str:
        if len(self.supervisors) == 1 and not self._in_event and not self._overtaken:
            self.oracle.launch_asked(run_id)
        return self.cast.launching(run_id)

    def part_of(self, run_id: str) -> str:
        return self.oracle.books.runs[run_id].unit

    def looked(self, order: object, found: object) -> None:
        if isinstance(order, h.RunGate):
            steady = not self.builder.odd() and not self.builder.restless()
            self.oracle.gates.built(order, found, self.builder.guilty(), steady)  # type: ignore[arg-type]
            return
        if isinstance(order, h.IntegrateWork):
            self.oracle.gates.merges.append(found)  # type: ignore[arg-type]
            return
        run_id = order.run_id  # type: ignore[attr-defined]
        self.oracle.looked(run_id, self.part_of(run_id), found)  # type: ignore[arg-type]
