"""Judge the history from outside: records as they are written, processes as they come and go.

Written from the specification's tables and invariants; the program's own rules are not used.
"""

from collections import Counter
from collections.abc import Callable, Iterable

from proof.simulation import oracle_moves, oracle_reports, oracle_state
from proof.simulation.oracle_gates import Gates
from proof.simulation.oracle_journal import JournalOracle
from proof.simulation.processes import Proc, Table
from proof.simulation.timeline import SECOND_US
from proof.simulation.views import Books, RunView
from proof.simulation.yard import Files
from topkick.checks.model import Evidence, Ground
from topkick.engine import messages as h
from topkick.engine.agents.runs import CancelWhy
from topkick.sprint.model import Mission

KILL_SLACK_S = 25.0
NOTICED_S = 45.0
ENDURED_S = 14 * 60.0
POLLED_S = 60.0
LAUNCHES = 3  # by one supervisor, before it revokes a run


class Oracle(JournalOracle):
    def __init__(self, table: Table, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self.table = table
        self.books = Books()
        self.started: Counter[str] = Counter()
        self.given_up: list[Proc] = []
        self.reported: dict[str, tuple[str, ...]] = {}
        self.looks: dict[str, Ground | Evidence] = {}
        self.seen: dict[str, list[Ground | Evidence]] = {}  # an overtaken holder may look too
        self.background_of: dict[str, str] = {}
        self.gates = Gates(self)
        self._last: tuple[h.Fact, tuple[h.Event, ...]] | None = None
        self._last_at_s = 0.0
        self._exits: Counter[str] = Counter()
        self._letters: set[int] = set()
        self._launches: Counter[tuple[str, int]] = Counter()

    def _step(self, fact: h.Fact, events: tuple[h.Event, ...], at_us: int) -> None:
        self._watch_for_livelock()
        self._take_fact(fact)
        oracle_reports.heard(self, fact, at_us)
        self._twice(fact, events)
        for place, event in enumerate(events):
            oracle_moves.take(self, fact, event, events[:place], at_us)
        oracle_state.look(self)
        self._last, self._last_at_s = (fact, events), self.now_s()

    def _take_fact(self, fact: h.Fact) -> None:
        runs = self.books.runs
        match fact:
            case h.SupervisorWoke(driven=driven):
                self.books.driven = driven
            case h.CommandGiven(letter=letter) if letter:
                self.require(letter not in self._letters, "J3", f"letter {letter} was obeyed twice")
                self._letters.add(letter)
            case h.AgentExited(run_id, ended):
                self._exits[run_id] += 1
                self.require(self._exits[run_id] == 1, "C7", f"the exit of {run_id} counted twice")
                runs[run_id].exit_how = ended.how.value
                runs[run_id].stage = "checking"
                self.books.last_end_s = self.now_s()
                rows = self.table.rows
                self.given_up += [rows[p] for p in ended.survivors if p in rows]
                self._all_dead(run_id)
            case h.GateRan():
                self.gates.ran(fact)
            case h.WorkIntegrated():
                self.gates.integrated(fact)
            case h.AgentActive(run_id):
                runs[run_id].active = True
            case h.ConditionPolled(run_id):
                runs[run_id].looked_at_s = self.now_s()
            case h.BackgroundEnded(id_, ended):
                rows = self.table.rows
                self.given_up += [rows[p] for p in ended.survivors if p in rows]
                self._all_dead(id_)
                self.books.backgrounds.pop(id_, None)
            case h.WorkChecked(run_id, evidence):
                run = runs[run_id]
                if evidence.substance:
                    self.books.sprint(run.unit, run.sprint).committed = True
                if evidence.gate:
                    self.gates.commands_known = True
                seen = evidence in self.seen.get(run_id, ())
                self.require(seen, "V1", "evidence nobody saw")
            case _:
                return

    def _all_dead(self, run_id: str) -> None:
        left = [p.pid for p in self.table.of_run(run_id) if p not in self.given_up]
        self.require(not left, "K4", f"{run_id} is said to have ended, and {left} live")

    def _twice(self, fact: h.Fact, events: tuple[h.Event, ...]) -> None:
        """Check that a repeated resume or killall changes nothing, unless time passed in
        between.
        """
        if self._last is None or not isinstance(fact, h.CommandGiven):
            return
        before = self._last[0]
        if self.now_s() - self._last_at_s > 1.0:
            return
        if not isinstance(before, h.CommandGiven) or before.command != fact.command:
            return
        moving = (h.UnitMoved, h.SprintMoved, h.RunOpened, h.RunCancelled, h.SprintReopened)
        moved = [e for e in events if isinstance(e, moving) and not _by_time(e)]
        if isinstance(fact.command, h.Resume):
            self.require(not moved, "N3", f"a second resume did {moved[:1]}")
        if isinstance(fact.command, h.KillAll):
            self.require(not moved, "K6", f"a second killall did {moved[:1]}")

    # --- the program's own state -----------------------------------------------------------

    def compare(self, mission: Mission) -> None:
        """Compare the program's state with these books, kept from the same records."""
        for name, unit in mission.units.items():
            mine = self.books.units[name]
            theirs = [
                (s.id, s.state.value, s.failures, s.failures_ever, s.dispatches)
                for s in unit.sprints
            ]
            ours = [(s.id, s.state, s.failures, s.ever, s.dispatches) for s in mine.sprints]
            self.require(
                unit.state.value == mine.state, "J2", f"{name} is {unit.state}, not {mine.state}"
            )
            self.require(theirs == ours, "J2", f"{name} has {theirs}, not {ours}")
            where = (unit.gated, unit.integrated)
            kept = (mine.gated, mine.integrated)
            self.require(where == kept, "J2", f"{name} is gated and merged {where}, not {kept}")
        open_gates = set(self.gates.open)
        self.require(
            set(mission.gates) == open_gates, "J2", f"gates {set(mission.gates)}, not {open_gates}"
        )
        open_ids = {r.id for r in self.books.open_runs()}
        self.require(
            set(mission.runs) == open_ids, "J2", f"runs {set(mission.runs)}, not {open_ids}"
        )

    # --- checks and processes --------------------------------------------------------------

    def looked(self, run_id: str, part: str, found: Ground | Evidence) -> None:
        self.looks[run_id] = found
        self.seen.setdefault(run_id, []).append(found)
        if not isinstance(found, Evidence) or found.head is not None:
            self.reported[part] = found.uncommitted

    def launch_asked(self, run_id: str) -> None:
        books = self.books
        if run_id in books.backgrounds:
            self.require(
                run_id not in books.ending, "D7", f"{run_id} is launched while being ended"
            )
            return
        run = books.runs.get(run_id)
        self.require(run is not None and run.dispatched, "D1", f"{run_id} has no durable intent")
        assert run is not None
        at_work = books.stance == "working" and books.driven
        self.require(at_work, "D7", f"{run_id} is launched, and the stance is {books.stance}")
        unit = books.units[run.unit].state
        self.require(unit == "RUNNING", "D7", f"{run_id} is launched, and {run.unit} is {unit}")
        self.require(not run.cancel, "D7", f"{run_id} is launched after it was cancelled")
        self._launches[run_id, self.epoch] += 1
        tries = self._launches[run_id, self.epoch]
        self.require(tries <= LAUNCHES, "Y1", f"{run_id} is launched for the {tries}th time")

    def agent_started(self, run_id: str) -> None:
        books = self.books
        self.started[run_id] += 1
        self.require(self.started[run_id] == 1, "D3", f"{run_id} was started twice")
        if run_id in books.backgrounds:
            return
        run = books.runs.get(run_id)
        self.require(run is not None and run.dispatched, "D1", f"{run_id} has no durable intent")
        assert run is not None
        self.require(run.is_open, "D1", f"{run_id} began after it was closed")
        others = [p for p in self._agents() if p.run_id != run_id]
        same = [p.run_id for p in others if books.runs[p.run_id].unit == run.unit]
        self.require(not same, "D2", f"{run_id} began while {same} of {run.unit} lives")
        count = len({p.run_id for p in others}) + 1
        limit = max(run.limit, books.max_agents)  # a lowered limit ends no agent
        self.require(count <= limit, "D10", f"{count} agents, {limit} allowed")

    def _agents(self) -> Iterable[Proc]:
        return (
            p
            for p in self.table.ours()
            if p.role == "agent" and p.run_id in self.books.runs and p not in self.given_up
        )

    def of_unit(self, unit: str) -> list[Proc]:
        """Return a unit's living processes, except declared background processes and those given
        up.
        """
        runs = self.books.runs
        return [
            p
            for p in self.table.ours()
            if p.role != "keeper"
            and p.run_id in runs
            and runs[p.run_id].unit == unit
            and p not in self.given_up
        ]

    def _patience(self, run: RunView, calm_since_s: float) -> None:
        """Check that a draining agent is ended when nothing has completed for so long (SD-01)."""
        unit = self.books.units[run.unit]
        if unit.state != "STOPPING" or run.stage != "working" or run.cancel:
            return
        since_s = max(unit.stopping_since_s, self.books.last_end_s, calm_since_s)
        late_s = self.now_s() - since_s - self.books.stop_patience_s
        self.require(late_s < NOTICED_S, "K1", f"{run.id} drains without end, {late_s:.0f} s late")

    def overlooked(self, run_id: str, files: Files, calm_since_s: float) -> None:
        """Check that ends are noticed at once (LP-03), and silence is not tolerated forever
        (ER-01).
        """
        run = self.books.runs.get(run_id)
        if run is None or not run.is_open or run.stage != "working" or files.agent_proc is None:
            return
        proc = files.agent_proc
        ended_s = max(proc.ended_us or 0, files.released_us) / SECOND_US
        gone = not proc.alive and files.lock is None
        if gone and ended_s > 0:
            late_s = self.now_s() - max(ended_s, calm_since_s)
            self.require(late_s < NOTICED_S, "LP-03", f"{run_id} ended {late_s:.0f} s ago")
        if proc.alive and files.behaves.kind == "hangs" and not run.cancel:
            quiet_s = self.now_s() - max(proc.born_us / SECOND_US, calm_since_s)
            self.require(quiet_s < ENDURED_S, "ER-01", f"{run_id} is silent since {quiet_s:.0f} s")

    def unwanted(self, run_id: str) -> None:
        """Check that surveys and checks end with their run."""
        run = self.books.runs[run_id]
        self.require(run.is_open, "K2", f"{run_id} is closed and still looked at")

    def waiting(self, calm_since_s: float) -> None:
        """Check that ending an agent takes bounded time, as long as the supervisor could act."""
        for run in self.books.open_runs():
            self._patience(run, calm_since_s)
            if run.stage == "waiting":
                since_s = max(run.looked_at_s, calm_since_s)
                late_s = self.now_s() - since_s - self.books.deferred_poll_s
                self.require(late_s < POLLED_S, "ER-02", f"{run.id} is polled {late_s:.0f} s late")
            if run.cancel and run.stage == "working":
                since_s = max(run.cancelled_at_s, calm_since_s)
                late_s = self.now_s() - since_s - run.grace_s - KILL_SLACK_S
                self.require(
                    late_s <= 0, "K1", f"{run.id} had to end and has not, {late_s:.0f} s late"
                )


def _by_time(event: h.Event) -> bool:
    """Return whether time alone may cause this event, even at the moment of a command."""
    return isinstance(event, h.RunCancelled) and event.why is CancelWhy.STOP_FORCED
