"""Keep the account of a run for its reports: orders, verdicts, gates, commands of people, pauses.

The account is a fold over the journal's records, next to the mission's own fold. It decides
nothing.
"""

from collections.abc import Callable, Mapping
from typing import Any, get_args

from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit, Ending, Usage
from topkick.engine.agents.runs import Stage
from topkick.engine.evolve import evolve
from topkick.sprint.model import Stance
from topkick.sprint.report.records import (
    Added,
    Attempt,
    Fatal,
    GateLedger,
    Pause,
    PersonRemark,
    Ran,
    RecordedLook,
    RecordedMerge,
    SprintLedger,
    Waived,
)
from topkick.sprint.transitions import SprintState
from topkick.sprint.views import blocker_lines

SprintKey = tuple[str, str]

FACTS = frozenset(get_args(h.Fact))
PASSING = (h.AgentSpent, h.AgentActive, h.AgentQuiet, h.ConditionPolled)
"""Frequent records that change nothing in a report."""


class Account:
    """The account up to the last record taken, which is number `seq` at `at_us`. `mark` is the
    number of the last record that a report depends on.
    """

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self.seq = 0
        self.at_us = 0
        self.mark = 0
        self.marked_at_us = 0
        self.began_at_us = 0
        self.wakes = 0
        self.ledgers: dict[SprintKey, SprintLedger] = {}
        self.orders: list[Attempt] = []
        self.completed: list[SprintKey] = []
        self.gates: list[GateLedger] = []
        self.merges: list[RecordedMerge] = []
        self.added: list[Added] = []
        self.words: list[PersonRemark] = []
        self.pauses: list[Pause] = []
        self._by_run: dict[str, Attempt] = {}
        self._waiting: dict[str, SprintLedger] = {}
        self._open_runs: set[str] = set()
        self._open_gates: dict[str, GateLedger] = {}
        self._max_turns = 0
        self._driven = False
        self._stance = Stance.IDLE
        self._said: PersonRemark | None = None

    def take(self, seq: int, at_us: int, happening: h.Happening) -> None:
        """Add one record. The caller passes all records, in their order."""
        kind = type(happening)
        self._arrive(seq, at_us, woke=kind is h.SupervisorWoke)
        if kind in FACTS:  # a command is answered in its own step
            self._said = None
        take = _TAKES.get(kind)
        if take is not None:
            take(self, happening)
        if kind not in PASSING:
            self.mark, self.marked_at_us = self.seq, self.at_us

    def take_unread(self, seq: int, at_us: int, *, passing: bool = False) -> None:
        """Add a record of a kind that is not in HEARD, of which only the number and time count."""
        self._arrive(seq, at_us, woke=False)
        if not passing:
            self.mark, self.marked_at_us = self.seq, self.at_us

    def _arrive(self, seq: int, at_us: int, *, woke: bool) -> None:
        if self.began_at_us and at_us > self.at_us:
            self._pause_until(seq, at_us, woke=woke)
        self.seq, self.at_us = seq, max(at_us, self.at_us)

    def ledger(self, unit: str, sprint: str) -> SprintLedger:
        """Return the sprint's ledger; a new, empty one if nothing is recorded about it yet."""
        found = self.ledgers.get((unit, sprint))
        if found is None:
            found = self.ledgers[unit, sprint] = SprintLedger(unit, sprint)
        return found

    @property
    def is_driven(self) -> bool:
        return self._driven

    # --- time ------------------------------------------------------------------------------

    def _pause_until(self, seq: int, at_us: int, *, woke: bool) -> None:
        """Record a pause since the last record if the run was stopped or not driven, or if a
        supervisor has just woken. A supervisor that died wrote nothing, so its last record is the
        last time that it is known to have lived.
        """
        stopped = self._stance is not Stance.WORKING and not self._open_runs
        if not (woke or stopped or not self._driven):
            return
        last = self.pauses[-1] if self.pauses else None
        if last is not None and last.span[1] == self.at_us and last.stopped is stopped:
            span = (last.span[0], at_us)
            self.pauses[-1] = evolve(last, span=span, until_seq=seq)
        else:
            self.pauses.append(Pause((self.at_us, at_us), self.seq, seq, stopped))

    def _woke(self, f: h.SupervisorWoke) -> None:
        self._driven = f.driven
        self.wakes += 1

    def _stands(self, e: h.StanceTaken) -> None:
        self._stance = e.stance

    # --- the plan --------------------------------------------------------------------------

    def _began(self, e: h.MissionBegan) -> None:
        seq, at_us, driven, wakes, said = self.seq, self.at_us, self._driven, self.wakes, self._said
        self._forget()
        self.seq, self.at_us, self._driven, self.wakes = seq, at_us, driven, wakes
        self.words = [said] if said is not None else []
        self.began_at_us = at_us
        self._max_turns = e.settings.max_turns

    def _settings(self, e: h.SettingsChanged) -> None:
        self._max_turns = e.settings.max_turns

    def _sprint_added(self, e: h.SprintAdded) -> None:
        self.ledger(e.unit, e.plan.id).added_seq = self.seq
        self.added.append(Added(self.seq, self.at_us, e.unit, e.plan))

    # --- orders ----------------------------------------------------------------------------

    def _opened(self, e: h.RunOpened) -> None:
        self._open_runs.add(e.run_id)
        ledger = self.ledger(e.unit, e.sprint)
        if e.stage is Stage.WAITING:
            self._begins(ledger)
            ledger.waits_since_us = self.at_us
            self._waiting[e.run_id] = ledger
        elif e.stage is Stage.CHECKING and ledger.attempts:  # interrupted work is checked
            self._by_run[e.run_id] = ledger.attempts[-1]
            ledger.attempts[-1].looked_since_us = self.at_us
        elif e.stage is Stage.SURVEYING:
            self._waiting[e.run_id] = ledger

    def _begins(self, ledger: SprintLedger) -> None:
        if not ledger.began_seq:
            ledger.began_at_us, ledger.began_seq = self.at_us, self.seq

    def _dispatched(self, e: h.RunDispatched) -> None:
        ledger, d = self._waiting.pop(e.run_id), e.dispatch
        self._begins(ledger)
        made = Attempt(
            run_id=e.run_id,
            unit=ledger.unit,
            sprint=ledger.sprint,
            number=len(ledger.attempts) + 1,
            attempt=d.attempt,
            agent=d.agent,
            model=d.model,
            tier=d.tier,
            score=d.score,
            max_turns=self._max_turns,
            passing=d.passing,
            held=d.held,
            at_us=self.at_us,
            seq=self.seq,
        )
        ledger.attempts.append(made)
        self.orders.append(made)
        self._by_run[e.run_id] = made

    def _spent(self, f: h.AgentSpent) -> None:
        self._used(self._by_run[f.run_id], f.usage)

    def _used(self, attempt: Attempt, usage: Usage) -> None:
        """Set the usage as the mission does: each report of a run states its total so far."""
        attempt.usage = attempt.usage.plus(usage.minus(attempt.usage))

    def _exited(self, f: h.AgentExited) -> None:
        attempt = self._by_run[f.run_id]
        attempt.exited_at_us, attempt.exited_seq = self.at_us, self.seq
        attempt.ending = f.exit.how
        attempt.busy_us = _busy_us(attempt, f.exit, self.at_us)
        attempt.looked_since_us = self.at_us

    def _cancelled(self, e: h.RunCancelled) -> None:
        if e.run_id in self._by_run:
            self._by_run[e.run_id].cancel = e.why

    def _closed(self, e: h.RunClosed) -> None:
        self._open_runs.discard(e.run_id)
        attempt = self._by_run.pop(e.run_id, None)
        if attempt is not None and attempt.looked_since_us:
            attempt.checks.append((attempt.looked_since_us, self.at_us))
            attempt.looked_since_us = 0
        ledger = self._waiting.pop(e.run_id, None)
        if ledger is not None and ledger.waits_since_us:
            ledger.waits.append((ledger.waits_since_us, self.at_us))
            ledger.waits_since_us = 0

    # --- verdicts --------------------------------------------------------------------------

    def _checked(self, f: h.WorkChecked) -> None:
        attempt = self._by_run.get(f.run_id)
        if attempt is None:
            return
        if f.evidence.report is not None:
            self._used(attempt, f.evidence.report.usage)
        attempt.look = self._look(f.evidence)
        attempt.commits = tuple(dict.fromkeys((*attempt.commits, *f.evidence.commits)))
        self.ledger(attempt.unit, attempt.sprint).look = attempt.look

    def _polled(self, f: h.ConditionPolled) -> None:
        if f.run_id in self._waiting:
            self._waiting[f.run_id].look = self._look(f.evidence)

    def _look(self, e: Evidence) -> RecordedLook:
        results, always = (tuple(map(Ran.of, found)) for found in (e.results, e.always))
        return RecordedLook(self.seq, results, always, e.where, e.head is not None)

    def _judged(self, e: h.SprintJudged) -> None:
        ledger = self.ledger(e.unit, e.sprint)
        attempt = self._by_run.get(e.outcome.run_id)
        ledger.findings = e.outcome.findings or ledger.findings
        if attempt is None or attempt.verdict is not None:
            return
        attempt.judged_at_us, attempt.judged_seq = self.at_us, self.seq
        attempt.verdict, attempt.charged = e.outcome.verdict, e.charged
        attempt.reasons, attempt.findings = e.outcome.reasons, e.outcome.findings
        attempt.held = (*attempt.held, *e.held)

    def _troubled(self, e: h.TroubleMet) -> None:
        ledger = self.ledger(e.unit, e.sprint)
        if ledger.attempts:
            ledger.attempts[-1].trouble = e.why

    def _moved(self, e: h.SprintMoved) -> None:
        ledger = self.ledger(e.unit, e.sprint)
        if e.now is SprintState.COMPLETED:
            ledger.completed_at_us, ledger.completed_seq = self.at_us, self.seq
            ledger.cause = e.cause
            self.completed.append((e.unit, e.sprint))
        elif e.now is SprintState.FATAL:
            ledger.fatals.append(Fatal(self.seq, self.at_us, blocker_lines.told(e.blocker)))

    # --- gates and merges ------------------------------------------------------------------

    def _gate_opened(self, e: h.GateOpened) -> None:
        made = GateLedger(e.gate, self.at_us, self.seq)
        self.gates.append(made)
        self._open_gates[e.gate.id] = made

    def _gate_ran(self, f: h.GateRan) -> None:
        gate = self._open_gates[f.gate_id]
        gate.runs += 1
        gate.built_ms += sum(r.duration_ms for r in f.run.results)
        gate.gate = evolve(gate.gate, runs=(*gate.gate.runs, f.run))

    def _gate_judged(self, e: h.GateJudged) -> None:
        gate = self._open_gates[e.gate_id]
        gate.verdict, gate.why, gate.groups = e.verdict, e.why, e.groups
        gate.judged_seq = self.seq
        gate.gate = evolve(gate.gate, verdict=e.verdict, why=e.why, groups=e.groups)

    def _gate_closed(self, e: h.GateClosed) -> None:
        gate = self._open_gates.pop(e.gate_id)
        gate.closed_at_us, gate.closed_seq = self.at_us, self.seq
        gate.passed, gate.accepted = e.passed, e.accepted
        gate.by = self._said.by if self._said is not None else ""
        gate.gate = evolve(gate.gate, passed=e.passed, accepted=e.accepted, closed_at_us=self.at_us)

    def _gate_dropped(self, e: h.GateDropped) -> None:
        self._open_gates.pop(e.gate_id).dropped = True

    def _revised(self, _e: h.PlanRevised) -> None:
        """Drop the open gates: the revised plan may no longer have their work."""
        for gate in self._open_gates.values():
            gate.dropped = True
        self._open_gates = {}

    def _integrated(self, e: h.UnitIntegrated) -> None:
        self.merges.append(RecordedMerge(self.seq, self.at_us, e.unit, e.sprints, e.tip))

    # --- people ----------------------------------------------------------------------------

    def _commanded(self, f: h.CommandGiven) -> None:
        self._said = _word(f, self.seq, self.at_us)
        if self._said is None:
            return
        self.words.append(self._said)
        if self._said.sprint:
            self.ledger(self._said.unit, self._said.sprint).words.append(self._said)

    def _refused(self, _e: h.CommandRefused) -> None:
        """Remove a command that was refused right after it was given: it had no effect."""
        said = self._said
        if said is None or self.seq != said.seq + 1:
            return
        self.words.remove(said)
        if said.sprint:
            self.ledger(said.unit, said.sprint).words.remove(said)

    def _waived(self, e: h.FindingWaived) -> None:
        ledger = self.ledger(e.unit, e.sprint)
        what = next((f.what for f in ledger.findings if f.id == e.waiver.finding), "")
        by = e.waiver.by or (self._said.by if self._said is not None else "")
        ledger.waived.append(Waived(self.seq, self.at_us, evolve(e.waiver, by=by), what))


def _busy_us(attempt: Attempt, ended: AgentExit, at_us: int) -> int:
    """Return how long the agent worked, from its exit record if that says so: the supervisor may
    have been away when the agent ended.
    """
    if ended.busy_ms is not None:
        return ended.busy_ms * 1000
    return 0 if ended.how is Ending.LOST else at_us - attempt.at_us


def _word(f: h.CommandGiven, seq: int, at_us: int) -> PersonRemark | None:
    """Return a person's command as a remark; None for commands that agents and programs give."""

    def word(verb: str, **about: str) -> PersonRemark:
        return PersonRemark(seq, at_us, f.by, verb, **about)

    match f.command:
        case h.Start():
            return word("start")
        case h.Resume(units):
            return word("resume", unit=", ".join(units))
        case h.Stop(units, force):
            return word("stop --now" if force else "stop", unit=", ".join(units))
        case h.KillAll(why):
            return word("killall", why=why)
        case h.Accept(unit, sprint, why):
            return word("accept", unit=unit, sprint=sprint, why=why)
        case h.Reject(unit, sprint, why):
            return word("reject", unit=unit, sprint=sprint, why=why)
        case h.Waive(unit, sprint, finding, why):
            return word("waive", unit=unit, sprint=sprint, why=f"{finding}: {why}")
        case h.Retry(unit, sprint, note, model):
            said = "; ".join(part for part in (note, model) if part)
            return word("retry", unit=unit, sprint=sprint, why=said)
        case h.PassGate(gate, why):
            return word("accept", gate=gate, why=why)
        case h.AcceptBranch(_, why):
            return word("accept", why=f"the branch as it was moved: {why}")
        case h.RefuseGate(gate, why, unit):
            return word("reject", gate=gate, unit=unit, why=why)
        case _:
            return None


_TAKES: Mapping[type, Callable[[Account, Any], None]] = {
    h.SupervisorWoke: Account._woke,
    h.StanceTaken: Account._stands,
    h.MissionBegan: Account._began,
    h.SettingsChanged: Account._settings,
    h.SprintAdded: Account._sprint_added,
    h.RunOpened: Account._opened,
    h.RunDispatched: Account._dispatched,
    h.AgentSpent: Account._spent,
    h.AgentExited: Account._exited,
    h.RunCancelled: Account._cancelled,
    h.RunClosed: Account._closed,
    h.WorkChecked: Account._checked,
    h.ConditionPolled: Account._polled,
    h.SprintJudged: Account._judged,
    h.TroubleMet: Account._troubled,
    h.SprintMoved: Account._moved,
    h.GateOpened: Account._gate_opened,
    h.GateRan: Account._gate_ran,
    h.GateJudged: Account._gate_judged,
    h.GateClosed: Account._gate_closed,
    h.GateDropped: Account._gate_dropped,
    h.PlanRevised: Account._revised,
    h.UnitIntegrated: Account._integrated,
    h.CommandGiven: Account._commanded,
    h.CommandRefused: Account._refused,
    h.FindingWaived: Account._waived,
}
HEARD = frozenset(_TAKES)
"""Kinds of records that the account reads. Of other records only number and time count."""
