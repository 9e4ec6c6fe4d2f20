"""A mission on a bench: tells it facts, keeps the record, and looks at every rule after each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from gate_rules import GateBooks, nobody_is_charged, of_gate_orders
from topkick.checks.model import CheckOutcome, CheckResult, Evidence, Ground, Integration
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit, AgentProgram, Ending, Tier
from topkick.engine.agents.runs import Run, Stage
from topkick.engine.fold import apply
from topkick.engine.kernel import Policy, Step, checked, step
from topkick.engine.rules import RULES
from topkick.engine.settings import Settings
from topkick.git.isolation import Isolation, Repository
from topkick.plan_format.model import (
    CheckpointPlan,
    Criterion,
    CriterionKind,
    DeclaredFailure,
    Plan,
    SprintPlan,
    SprintType,
    UnitPlan,
)
from topkick.sprint import invariants
from topkick.sprint.blockers.holds import FatalKind
from topkick.sprint.blockers.order import order_blockers
from topkick.sprint.blockers.waits import NextStep
from topkick.sprint.gates.model import GateRun
from topkick.sprint.model import Mission, Proof, Sprint, Stance
from topkick.sprint.orders import orders
from topkick.sprint.policy.decide import decide
from topkick.sprint.timers import due_at_us
from topkick.sprint.transitions import SprintCause, SprintState, UnitCause, UnitState

SECOND_US = 1_000_000
AGENT = AgentProgram("scripted", ("agent",), models={"sonnet": "mid", "opus": "big"})
SETTINGS = Settings(agent=AGENT, first_tier=Tier.SONNET)
CLONES = Isolation("topkick/op", "/trees/op", "project", (Repository("project", "base"),))


class Violation(AssertionError):
    """A rule that did not hold."""


# --- making plans --------------------------------------------------------------------------


def command(text: str, *, builds: bool = False) -> Criterion:
    return Criterion(f"`{text}` passes", CriterionKind.COMMAND, text, builds=builds)


def sprint(
    id_: str,
    type_: SprintType = SprintType.CODE,
    checks: Sequence[str] = ("test",),
    entry: Sequence[str] = (),
    fails_if: DeclaredFailure | None = None,
) -> SprintPlan:
    return SprintPlan(
        id=id_,
        name=f"Step {id_}",
        type=type_,
        text=f"Do step {id_}.",
        entry=tuple(command(c) for c in entry),
        exit=tuple(command(c) for c in checks),
        fails_if=fails_if,
    )


def unit(name: str, *sprints: SprintPlan, after: Sequence[str] = ()) -> UnitPlan:
    return UnitPlan(name, directory=name.lower(), waits_for=tuple(after), sprints=sprints)


def plan(
    *units: UnitPlan, sha256: str = "one", checkpoints: tuple[CheckpointPlan, ...] = ()
) -> Plan:
    return Plan(title="A plan", sha256=sha256, units=units, checkpoints=checkpoints)


# --- making facts --------------------------------------------------------------------------


def result(text: str, code: int = 0, excerpt: str = "") -> CheckResult:
    outcome = {0: CheckOutcome.PASSED, 127: CheckOutcome.CANNOT_RUN, 124: CheckOutcome.TIMED_OUT}
    return CheckResult(text, outcome.get(code, CheckOutcome.FAILED), code, excerpt=excerpt)


def said_by_judge(command: str, word: str) -> CheckResult:
    told = f"[supervisor] Verdict: {word} (score: 0.50)\n[supervisor] Findings: as seen"
    return result(command, int(word == "block"), told)


def exited(how: Ending = Ending.EXITED, code: int | None = None) -> AgentExit:
    return AgentExit(how, 0 if how is Ending.EXITED and code is None else code)


# --- the rig -------------------------------------------------------------------------------


@dataclass
class Rig:
    """`policy` is asked in CHECK mode: after each step a full scan must find nothing more."""

    policy: Policy = decide
    mission: Mission = field(default_factory=Mission)
    at_us: int = 0
    records: list[tuple[h.Happening, int]] = field(default_factory=list)
    books: GateBooks = field(default_factory=GateBooks)

    def tell(self, fact: h.Fact, after_s: float = 0) -> Step:
        """Take one fact, and check every rule that can be checked."""
        before = self.mission
        self.at_us += round(after_s * SECOND_US)
        done = step(checked(self.policy), before, fact, self.at_us)
        self.mission = done.mission
        if done.stale:
            expect(done.mission == before and not done.events, "C7: a stale fact led somewhere")
            return done
        self.records += [(x, self.at_us) for x in (fact, *done.events)]
        self._look(before, done)
        return done

    def _look(self, before: Mission, done: Step) -> None:
        found = [
            *invariants.of_state(done.mission),
            *invariants.of_moves(before, done.events, done.mission),
            *more_of_moves(before, done),
            *of_touched(before, done),
            *of_orders(done.mission),
            *of_blockers(done.mission),
            *nobody_is_charged(done),
            *self.books.take(before, done),
        ]
        expect(not found, "; ".join(found))
        again = replayed(((x, self.at_us) for x in (done.fact, *done.events)), before)
        expect(again == done.mission, "J6: the same happenings gave another mission")
        self._nothing_is_overdue()

    def _nothing_is_overdue(self) -> None:
        """Check that no timer stays due: the loop would handle it again without end."""
        due_us = due_at_us(self.mission)
        now_us = self.mission.at_us
        expect(due_us is None or due_us > now_us, f"Y2: due at {due_us}, and it is {now_us}")

    # --- shorthand ---

    def start(
        self,
        the_plan: Plan,
        settings: Settings = SETTINGS,
        driven: bool = True,
        isolation: Isolation | None = None,
    ) -> Step:
        self.tell(h.SupervisorWoke(1, driven, RULES))
        return self.command(h.Start("m", the_plan, settings, isolation))

    def command(self, given: h.Command) -> Step:
        return self.tell(h.CommandGiven(given))

    def run(self, name: str) -> Run:
        found = self.mission.run_of(name)
        assert found is not None, f"{name} has no run"
        return found

    def current(self, name: str) -> Sprint:
        found = self.mission.units[name].current
        assert found is not None, f"{name} has no sprint left"
        return found

    def checks(self, name: str) -> tuple[str, ...]:
        run = self.run(name)
        found = self.mission.sprint(run.unit, run.sprint).plan.checks
        return tuple(c.command for c in found if c.command)

    def survey(self, name: str, passing: Sequence[str] = (), entry_code: int = 0) -> Step:
        run = self.run(name)
        entry = self.mission.sprint(run.unit, run.sprint).plan.entry
        results = tuple(result(c.command, entry_code) for c in entry if c.command)
        return self.tell(h.GroundSurveyed(run.id, Ground("base", results, tuple(passing))))

    def exits(self, name: str, how: Ending = Ending.EXITED, code: int | None = None) -> Step:
        return self.tell(h.AgentExited(self.run(name).id, exited(how, code)))

    def checked(self, name: str, code: int = 0, substance: bool = True, **more: object) -> Step:
        results = tuple(result(c, code) for c in self.checks(name))
        seen = Evidence(results=results, head="head", substance=substance)
        if substance:
            seen = replace(seen, commits=("c1",))
        return self.tell(h.WorkChecked(self.run(name).id, replace(seen, **more)))

    def integrated(self, name: str, *conflicts: str, trouble: str = "") -> Step:
        found = Integration("tip", conflicts, trouble)
        return self.tell(h.WorkIntegrated(self.run(name).id, found))

    def gate_order(self) -> h.RunGate | None:
        wanted = orders(self.mission, self.at_us)
        return next((o for o in wanted if isinstance(o, h.RunGate)), None)

    def gate_ran(
        self, *failing: str, code: int = 1, trouble: str = "", suspects: Sequence[str] = ()
    ) -> Step:
        """The gate that is wanted now; green, unless something fails or cannot be built."""
        order = self.gate_order()
        assert order is not None, "no gate is wanted"
        named = (*order.commands, *(x.command for x in order.held))
        results = tuple(result(c, code if failing else 0, "as seen") for c in named)
        run = GateRun(order.units, results, failing, tuple(suspects), trouble=trouble)
        if trouble:
            run = GateRun(order.units, trouble=trouble)
        return self.tell(h.GateRan(order.gate_id, order.number, run))

    def polled(self, name: str, code: int = 0, excerpt: str = "") -> Step:
        run = self.run(name)
        results = tuple(result(c, code, excerpt) for c in self.checks(name))
        fact = h.ConditionPolled(run.id, run.polls + 1, Evidence(results=results))
        return self.tell(fact, after_s=60)

    def attempt(self, name: str, code: int = 0, substance: bool = True, **more: object) -> Step:
        """One whole order: survey where wanted, exit, check."""
        if self.run(name).stage is Stage.SURVEYING:
            self.survey(name)
        self.exits(name)
        return self.checked(name, code, substance, **more)

    def fail(self, name: str, times: int = 1) -> None:
        """Failures that are not all the same, so that only their number counts."""
        for n in range(times):
            self.attempt(name, 10 + n, substance=False)


def expect(holds: bool, what: str) -> None:
    if not holds:
        raise Violation(what)


def replayed(records: Iterator[tuple[h.Happening, int]], mission: Mission | None = None) -> Mission:
    mission = mission or Mission()
    for happening, at_us in records:
        mission = apply(mission, happening, at_us)
    return mission


# --- rules looked at from outside ----------------------------------------------------------


def more_of_moves(before: Mission, done: Step) -> Iterator[str]:
    """Yield violations of rules about moves, which the invariants module leaves to its users."""
    after = done.mission
    for event in done.events:
        match event:
            case h.RunOpened(stage=Stage.INTEGRATING) if after.stance is Stance.STOPPING:
                continue  # what was drained is still merged, by no agent
            case h.RunOpened() | h.RunDispatched() if after.stance is not Stance.WORKING:
                yield "D7: an order although the mission is not at work"
            case h.BackgroundOpened(id=id_) if after.stance is Stance.KILLED:
                yield f"D7: {id_} would be kept running after killall"
            case h.RunDispatched(run_id):
                yield from _of_dispatch(after, run_id)
            case h.UnitMoved(name, _, UnitCause.START):
                waits = after.units[name].plan.waits_for
                if any(after.units[n].state is not UnitState.COMPLETED for n in waits):
                    yield f"G1: {name} began before what it waits for was completed"
            case h.SprintMoved(name, id_, cause=cause, now=now):
                yield from _of_sprint_move(after, name, id_, cause, now)
            case h.SprintJudged(outcome=outcome, charged=True) if outcome.verdict != "FAILURE":
                yield f"C3: {outcome.verdict} was charged"
    yield from _forgotten(before, after)


def of_touched(before: Mission, done: Step) -> Iterator[str]:
    """Yield units that changed although the step does not name them as touched."""
    if done.touched is None:
        return
    was = {**before.units, **before.runs}
    for name, now in {**done.mission.units, **done.mission.runs}.items():
        unit_name = now.unit if isinstance(now, Run) else name
        if was.get(name) is not now and unit_name not in done.touched:
            yield f"Y1: {name} is different, and {unit_name} was not touched"


def _of_dispatch(after: Mission, run_id: str) -> Iterator[str]:
    run = after.runs.get(run_id)
    if run is None or run.unit not in after.units:
        return
    owner = after.units[run.unit]
    if owner.state is not UnitState.RUNNING:
        yield f"D5: {run.unit} is {owner.state} and was given an order"
    if owner.current is None or owner.current.id != run.sprint:
        yield f"SM-09: {run.unit}/{run.sprint} was given out of turn"


def _of_sprint_move(
    after: Mission, name: str, id_: str, cause: SprintCause, now: SprintState
) -> Iterator[str]:
    kind = after.sprint(name, id_).plan.effective_type
    by_person = cause is SprintCause.ACCEPTED or after.sprint(name, id_).proof is Proof.ACCEPTED
    if kind is SprintType.MANUAL and now is SprintState.COMPLETED and not by_person:
        yield f"V6: {name}/{id_} is for a person and was completed by '{cause}'"
    moved = after.sprint(name, id_)
    declared = moved.fatal is not None and moved.fatal.kind is FatalKind.DECLARED
    failed = declared or moved.failures or moved.dispatches
    if kind is SprintType.DEFERRED and now is SprintState.FATAL and not failed:
        yield f"V5: {name}/{id_} waits and became FATAL all the same"


def _forgotten(before: Mission, after: Mission) -> Iterator[str]:
    for name, then in before.units.items():
        now = {s.id: s for s in after.units[name].sprints} if name in after.units else {}
        for old in then.sprints:
            if old.id not in now and (old.dispatches or old.state is not SprintState.PENDING):
                yield f"LP-05: {name}/{old.id} had begun and is gone"
            if old.id in now and now[old.id].dispatches < old.dispatches:
                yield f"SM-10: the dispatches of {name}/{old.id} fell"


def of_orders(mission: Mission) -> Iterator[str]:
    """At most one order a run, each for a run that exists and that has come so far."""
    wanted = orders(mission, mission.at_us)
    ids = [o.id for o in wanted]
    if len(ids) != len(set(ids)):
        yield "D3: two orders have one id"
    yield from of_gate_orders(mission, tuple(o for o in wanted if isinstance(o, h.RunGate)))
    wanted = tuple(o for o in wanted if o.id not in mission.backgrounds)
    of_no_run = h.RunGate | h.ReadFiles | h.EditFiles | h.HearBus | h.PostMessages
    wanted = tuple(o for o in wanted if not isinstance(o, of_no_run))
    owners = [o.id if isinstance(o, h.RunAgent | h.EndAgent) else o.run_id for o in wanted]
    if len(owners) != len(set(owners)):
        yield "D4: a run has two orders"
    if sum(isinstance(o, h.IntegrateWork) for o in wanted) > 1:
        yield "GT-06: two merges at once"
    at_work = mission.stance is Stance.WORKING and mission.driven
    for order, run_id in zip(wanted, owners, strict=True):
        run = mission.runs.get(run_id)
        launch = isinstance(order, h.RunAgent) and order.launch
        if run is None:
            yield f"D1: an order for {run_id}, which is not there"
        elif isinstance(order, h.RunAgent) and run.dispatch is None:
            yield f"D1: {run_id} is wanted before its intent was written"
        elif launch and (not at_work or _is_draining(mission, run)):
            yield f"D7: {run_id} would be launched although nobody is at work"


def of_blockers(mission: Mission) -> Iterator[str]:
    """Yield a violation for each sprint that nothing blocks and that has no order."""
    for unit in mission.units.values():
        waits = unit.state is UnitState.RUNNING and mission.run_of(unit.name) is None
        if not waits or unit.current is None:
            continue
        found = next(order_blockers(mission, unit, unit.current))
        if isinstance(found, NextStep):
            yield f"LP-02: nothing blocks {unit.name}/{unit.current.id}, and it has no order"


def _is_draining(mission: Mission, run: Run) -> bool:
    return run.unit in mission.units and mission.units[run.unit].state is UnitState.STOPPING
