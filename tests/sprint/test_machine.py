"""Any plan, any facts, any commands at any moment: the rules hold, and it can be ended well."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from fair_world import bring_to_an_end
from gate_rules import of_needs
from gate_truth import TRUTHS, Truth
from rig import CLONES, SETTINGS, Rig, command, expect, plan, replayed, result, sprint, unit
from told_reasons import of_chains, of_decisions, of_reasons
from topkick.checks.model import Claim, Evidence, Ground, Integration
from topkick.engine import messages as h
from topkick.engine.agents.budgets import Budget, Budgets
from topkick.engine.agents.program import (
    AgentExit,
    AgentProgram,
    AgentReport,
    Conclusion,
    Conversation,
    Ending,
    Tier,
    Usage,
)
from topkick.engine.agents.runs import Stage
from topkick.engine.codec.codec import Codec
from topkick.engine.settings import OnLimit
from topkick.plan_format.model import (
    CheckpointPlan,
    DeclaredFailure,
    Plan,
    SprintPlan,
    SprintType,
    UnitPlan,
)
from topkick.sprint.blockers.unit import needs
from topkick.sprint.gates.model import GateMode, GateRun
from topkick.sprint.model import Mission
from topkick.sprint.policy.decide import decide
from topkick.sprint.status import overall, tally

NAMES = ("A", "B", "C", "D")
SPRINT_IDS = ("1", "2", "2b", "3")
CODEC = Codec(h.Fact, h.Event)


# --- plans ---------------------------------------------------------------------------------

CHECKS = st.sampled_from([("test",), ("test",), ("test", "lint"), ("test", "lint", "docs"), ()])
ENTRY = st.sampled_from([(), (), ("ready",)])
FAILS_IF = st.sampled_from([None, DeclaredFailure(exit_code=3), DeclaredFailure(pattern="boom")])
TYPES = st.sampled_from([*[SprintType.CODE] * 4, *SprintType])


BUILDS = st.sampled_from([(), (), (command("build", builds=True),)])


@st.composite
def sprints(draw: st.DrawFn, id_: str) -> SprintPlan:
    made = sprint(id_, draw(TYPES), draw(CHECKS), draw(ENTRY), draw(FAILS_IF))
    deps = made.type is SprintType.CODE and draw(st.sampled_from([False, False, False, True]))
    return replace(made, exit=(*made.exit, *draw(BUILDS)), dependencies_only=deps)


@st.composite
def units(draw: st.DrawFn, name: str, earlier: tuple[str, ...]) -> UnitPlan:
    ids = SPRINT_IDS[: draw(st.integers(1, 4))]
    after = draw(st.lists(st.sampled_from(earlier), unique=True)) if earlier else []
    made = unit(name, *(draw(sprints(i)) for i in ids), after=after)
    verify = draw(st.sampled_from([(), (), ("verify",)]))
    return replace(made, verify=verify, layer=draw(st.sampled_from([None, None, 1, 2])))


@st.composite
def plans(draw: st.DrawFn, sha256: str = "one") -> Plan:
    names = NAMES[: draw(st.integers(1, 4))]
    made = plan(*(draw(units(n, names[:k])) for k, n in enumerate(names)), sha256=sha256)
    behind = draw(st.sampled_from([0, 0, *range(1, len(names))]))
    return replace(
        made,
        gate=draw(st.sampled_from([(), (), (), ("make all",)])),
        checkpoints=(checkpoint(names, behind),) if behind else (),
    )


def checkpoint(names: tuple[str, ...], behind: int) -> CheckpointPlan:
    """Units wait for earlier ones alone, so that it can stand behind any of them."""
    after, holds = names[:behind], names[behind:]
    return CheckpointPlan("CHECKPOINT-001", f"layer {behind}", after, holds, after)


OTHER = AgentProgram("spare", ("spare",))
TIGHT = (
    Budgets(sprint=Budget(usd=1.0)),
    Budgets(unit=Budget(tokens=1500)),
    Budgets(run=Budget(usd=2.0, minutes=60)),
    Budgets(day=Budget(tokens=3000)),
)
LIMITS = st.fixed_dictionaries(
    {
        "max_agents": st.integers(1, 3),
        "max_retries": st.integers(1, 3),
        "max_dispatches": st.integers(1, 6),
        "max_continuations": st.integers(1, 2),
        "accept_unchecked": st.booleans(),
        "only": st.sampled_from([(), (), (), ("A",), ("B",)]),
        "first_tier": st.sampled_from([None, *Tier]),
        "budgets": st.sampled_from([Budgets(), Budgets(), *TIGHT]),
        "on_limit": st.sampled_from(OnLimit),
        "limit_ends_at_minute": st.just(5),
        "other_agent": st.just(OTHER),
        "gate": st.sampled_from([GateMode.AUTO, GateMode.AUTO, GateMode.ASK, GateMode.OFF]),
        "gate_commands": st.sampled_from([(), ("make test",)]),
    }
).map(lambda given: replace(SETTINGS, **given))


# --- facts ---------------------------------------------------------------------------------

CODES = st.sampled_from([0, 0, 0, 1, 3, 124, 127])
EXCERPTS = st.sampled_from(["", "boom", "two tests failed"])
CLAIMS = st.none() | st.builds(
    Claim, st.sampled_from(["done", "partial", "failed", "blocked", "?"]), st.just("words")
)
EXITS = st.builds(
    AgentExit,
    st.sampled_from([*[Ending.EXITED] * 4, *Ending]),
    code=st.sampled_from([None, 0, 1]),
    survivors=st.sampled_from([(), (77,)]),
)
USAGES = st.builds(
    Usage,
    turns=st.integers(0, 80),
    output_tokens=st.sampled_from([0, 100, 1000]),
    cost_microusd=st.sampled_from([None, 0, 400_000, 1_200_000]),
)
REPORTS = st.none() | st.builds(
    AgentReport,
    st.sampled_from(Conclusion),
    st.just("words"),
    USAGES,
    st.none() | st.builds(Conversation, st.sampled_from(["c1", "c2"]), USAGES),
    st.sampled_from([None, 0, 700_000_000, 90_000_000_000]),
    proven=st.booleans(),
)
SITES = st.fixed_dictionaries(
    {
        "head": st.sampled_from(["h1", "h1", "h2", None]),
        "commits": st.sampled_from([(), ("c1",)]),
        "substance": st.booleans(),
        "uncommitted": st.sampled_from([(), ("left.py",)]),
        "claim": CLAIMS,
        "report": REPORTS,
        "gate": st.sampled_from([(), ("make test",)]),
    }
)
COMMANDS = ("test", "lint", "docs", "build", "make test", "make all")
INTEGRATIONS = st.builds(
    Integration,
    st.sampled_from(["t1", "t2"]),
    st.sampled_from([(), (), ("a.txt",)]),
    st.sampled_from(["", "", "", "the branch is in use"]),
)


@st.composite
def evidence(draw: st.DrawFn) -> Evidence:
    codes = {c: result(c, draw(CODES), draw(EXCERPTS)) for c in COMMANDS}
    return Evidence(results=tuple(codes.values()), **draw(SITES))


def for_plan(found: Evidence, mission: Mission, run_id: str) -> Evidence:
    """Of all results only those that the order asked for."""
    run = mission.runs[run_id]
    found_at = mission.sprint(run.unit, run.sprint)
    wanted = {c.command for c in found_at.plan.checks}.difference(found_at.held)
    return replace(found, results=tuple(r for r in found.results if r.command in wanted))


class AnyMission(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.rig = Rig()
        self.facts: list[h.Fact] = []
        self.truth = Truth()

    def tell(self, fact: h.Fact, after_s: float = 1) -> None:
        self.facts.append(fact)
        self.rig.tell(fact, after_s)
        overall(self.rig.mission), needs(self.rig.mission), tally(self.rig.mission)
        found = [*of_needs(decide, self.rig.mission, self.rig.at_us)]
        found += of_reasons(self.rig.mission)
        expect(not found, "; ".join(found))

    def runs(self, *stages: Stage) -> list[str]:
        return [r.id for r in self.rig.mission.runs.values() if r.stage in stages]

    @initialize(
        the_plan=plans(),
        limits=LIMITS,
        driven=st.sampled_from([True, True, True, False]),
        isolation=st.sampled_from([None, CLONES]),
        truth=TRUTHS,
    )
    def begin(self, the_plan, limits, driven, isolation, truth):
        self.truth = truth
        self.tell(h.SupervisorWoke(1, driven))
        self.tell(h.CommandGiven(h.Start("m", the_plan, limits, isolation)))

    # --- what the world does ---

    @precondition(lambda self: self.runs(Stage.SURVEYING))
    @rule(
        pick=st.integers(0, 3),
        met=st.sampled_from([True, True, False]),
        passing=st.booleans(),
        conflicts=st.sampled_from([(), (), (), ("a.txt",)]),
    )
    def ground_is_surveyed(self, pick, met, passing, conflicts):
        run = self._pick(pick, Stage.SURVEYING)
        entry = self.rig.mission.sprint(run.unit, run.sprint).plan.entry
        results = tuple(result(c.command, 0 if met else 1, "no\nway") for c in entry if c.command)
        ground = Ground("h0", results, ("test",) if passing else ())
        merges = self.rig.mission.sprint(run.unit, run.sprint).plan.merges
        if conflicts and self.rig.mission.isolation is not None and not merges:
            ground = Ground(conflicts=conflicts, tip="t")  # a merge has nothing to catch up with
        self.tell(h.GroundSurveyed(run.id, ground))

    @precondition(lambda self: self.runs(Stage.WORKING))
    @rule(pick=st.integers(0, 3), polls=st.sampled_from([0, 0, 1, 5, 10, 11]))
    def agent_is_active_or_quiet(self, pick, polls):
        run = self._pick(pick, Stage.WORKING)
        self.tell(h.AgentQuiet(run.id, polls) if polls else h.AgentActive(run.id))

    @precondition(lambda self: self.runs(Stage.WORKING))
    @rule(pick=st.integers(0, 3), usage=USAGES, counted=st.booleans())
    def agent_spends(self, pick, usage, counted):
        self.tell(h.AgentSpent(self._pick(pick, Stage.WORKING).id, usage, counted))

    @precondition(lambda self: self.runs(Stage.WORKING))
    @rule(pick=st.integers(0, 3), how=EXITS)
    def agent_exits(self, pick, how):
        self.tell(h.AgentExited(self._pick(pick, Stage.WORKING).id, how))

    @precondition(lambda self: self.runs(Stage.CHECKING))
    @rule(pick=st.integers(0, 3), found=evidence(), succeeds=st.booleans())
    def work_is_checked(self, pick, found, succeeds):
        run = self._pick(pick, Stage.CHECKING)
        if succeeds:
            checks = self.rig.checks(run.unit)
            gate = found.gate
            found = Evidence(tuple(map(result, checks)), head="h2", substance=True, gate=gate)
        self.tell(h.WorkChecked(run.id, for_plan(found, self.rig.mission, run.id)))

    @precondition(lambda self: self.runs(Stage.INTEGRATING))
    @rule(pick=st.integers(0, 3), found=INTEGRATIONS)
    def work_is_integrated(self, pick, found):
        self.tell(h.WorkIntegrated(self._pick(pick, Stage.INTEGRATING).id, found))

    @precondition(lambda self: self.rig.gate_order() is not None)
    @rule(steady=st.sampled_from([True, True, True, False]), passes=st.booleans())
    def a_gate_is_run(self, steady, passes):
        """Run a gate by the hidden truth, or now and then by a build with arbitrary results."""
        order = self.rig.gate_order()
        told = self.truth.run(self.rig.mission, order, liar=None if steady else passes)
        if not steady:
            self.truth = replace(self.truth, lied=(*self.truth.lied, order.gate_id))
        guilty = self.truth.guilty(self.rig.mission)
        before = {u.name: len(u.sprints) for u in self.rig.mission.units.values()}
        self.tell(h.GateRan(order.gate_id, order.number, told))
        if order.gate_id in self.truth.lied:
            return
        for owner in self.rig.mission.units.values():
            mended = len(owner.sprints) > before[owner.name]
            innocent = mended and owner.name not in guilty
            expect(not innocent, f"GT-03: {owner.name} is to mend what {guilty} broke")

    @rule(pass_=st.booleans(), some=st.sampled_from(["", *NAMES]), id_=st.integers(1, 3))
    def a_person_speaks_at_a_gate(self, pass_, some, id_):
        waiting = [g.id for g in self.rig.mission.gates.values() if g.verdict is not None]
        gate = waiting[0] if waiting else f"G{id_}"
        said = h.PassGate(gate, "seen") if pass_ else h.RefuseGate(gate, "no", some)
        self.tell(h.CommandGiven(said))

    @precondition(lambda self: self.rig.mission.settings is not None)
    @rule(mode=st.sampled_from(GateMode), several=st.integers(1, 3))
    def resume_with_other_gates(self, mode, several):
        others = replace(self.rig.mission.settings, gate=mode, max_agents=several)
        self.tell(h.CommandGiven(h.Resume(settings=others)))

    @precondition(lambda self: self.runs(Stage.WAITING))
    @rule(pick=st.integers(0, 3), found=evidence())
    def condition_is_polled(self, pick, found):
        run = self._pick(pick, Stage.WAITING)
        seen = for_plan(found, self.rig.mission, run.id)
        self.tell(h.ConditionPolled(run.id, run.polls + 1, seen), after_s=60)

    @precondition(lambda self: self.rig.mission.runs)
    @rule(pick=st.integers(0, 3))
    def an_agent_leaves_something_running(self, pick):
        ids = list(self.rig.mission.runs)
        begin = h.BeginBackground(ids[pick % len(ids)], "server", ("serve",), ".")
        self.tell(h.CommandGiven(begin))

    @precondition(lambda self: self.rig.mission.backgrounds)
    @rule(pick=st.integers(0, 3), ends=st.booleans(), how=EXITS)
    def what_was_left_running_shows_or_ends(self, pick, ends, how):
        ids = list(self.rig.mission.backgrounds)
        id_ = ids[pick % len(ids)]
        self.tell(h.BackgroundEnded(id_, how) if ends else h.BackgroundSeen(id_))

    @rule(seconds=st.sampled_from([1, 10, 600, 4000]))
    def time_passes(self, seconds):
        self.tell(h.TimePassed(), after_s=seconds)

    @rule(driven=st.sampled_from([True, True, False]))
    def supervisor_dies_and_another_wakes(self, driven):
        """Replace the mission by what the journal gives back."""
        self.rig.mission = replayed(iter(self._read_back()))
        self.tell(h.SupervisorWoke(2, driven))

    @rule(back=st.integers(0, 30))
    def a_fact_arrives_again(self, back):
        told = [f for f in self.facts if hasattr(f, "run_id")]
        if told:
            self.rig.tell(told[-1 - back % len(told)])

    @rule(number=st.integers(0, 20), found=evidence(), how=EXITS)
    def facts_out_of_order(self, number, found, how):
        """Send facts about a stage in which the run is not; each has to be stale."""
        run = self.rig.mission.runs.get(f"m-{number}")
        for stage, fact in (
            (Stage.WORKING, h.AgentActive(f"m-{number}")),
            (Stage.WORKING, h.AgentExited(f"m-{number}", how)),
            (Stage.CHECKING, h.WorkChecked(f"m-{number}", found)),
            (Stage.SURVEYING, h.GroundSurveyed(f"m-{number}", Ground("h1"))),
            (Stage.WAITING, h.ConditionPolled(f"m-{number}", 1, found)),
            (Stage.INTEGRATING, h.WorkIntegrated(f"m-{number}", Integration("t"))),
        ):
            if run is None or run.stage is not stage:
                expect(self.rig.tell(fact).stale, f"C7: {fact} was taken for {run}")

    @precondition(lambda self: bool(self.rig.mission.editing))
    @rule(trouble=st.sampled_from(["", "", "no such place"]))
    def a_word_is_written_down(self, trouble):
        self.tell(h.FilesEdited(self.rig.mission.edits_asked, trouble=trouble))

    @rule(number=st.integers(0, 6), far=st.integers(-2, 2))
    def a_build_that_nobody_asked_for(self, number, far):
        gate = self.rig.mission.gates.get(f"G{number}")
        next_one = len(gate.runs) + 1 if gate is not None else 1
        wanted = gate is not None and gate.verdict is None and far == 0
        if not wanted:
            fact = h.GateRan(f"G{number}", next_one + far, GateRun(()))
            expect(self.rig.tell(fact).stale, f"C7: {fact} was taken for {gate}")

    @rule(sha256=st.sampled_from(["one", "two"]))
    def plan_is_edited(self, sha256):
        self.tell(h.PlanEdited(sha256))

    # --- what people say ---

    @rule(
        some=st.sampled_from([(), (), ("A",), ("B", "C"), ("nobody",)]),
        blocked=st.booleans(),
        unchecked=st.booleans(),
    )
    def resume(self, some, blocked, unchecked):
        limits = None
        if unchecked and self.rig.mission.settings:
            limits = replace(
                self.rig.mission.settings, accept_unchecked=True, only=(), budgets=Budgets()
            )
        self.tell(h.CommandGiven(h.Resume(some, blocked, settings=limits)))

    @rule(new=plans(sha256="two"))
    def resume_with_another_plan(self, new):
        self.tell(h.CommandGiven(h.Resume(plan=new)))

    @rule(some=st.sampled_from([(), (), ("A",), ("D", "B")]), force=st.booleans())
    def stop(self, some, force):
        self.tell(h.CommandGiven(h.Stop(some, force)))

    @rule(names=st.sampled_from([(), ("server",)]))
    def end_what_was_left_running(self, names):
        self.tell(h.CommandGiven(h.EndBackground(names)))

    @rule()
    def killall(self):
        self.tell(h.CommandGiven(h.KillAll()))

    @rule(
        name=st.sampled_from(NAMES),
        verb=st.sampled_from([h.Accept, h.Reject, h.Retry]),
        current=st.sampled_from([True, True, True, False]),
        id_=st.sampled_from(SPRINT_IDS),
    )
    def a_person_says(self, name, verb, current, id_):
        owner = self.rig.mission.units.get(name)
        if current and owner is not None and owner.current is not None:
            id_ = owner.current.id
        self.tell(h.CommandGiven(verb(name, id_, "because")))

    # --- at the end ---

    def teardown(self):
        if not self.facts:
            return
        records = self._read_back()
        expect(replayed(iter(records)) == self.rig.mission, "J2: the journal tells another story")
        found = [*of_decisions(records), *of_chains(self.rig.mission, records)]
        expect(not found, "; ".join(found[:3]))
        bring_to_an_end(self.rig)

    def _read_back(self):
        written = [(CODEC.encode(x), at_us) for x, at_us in self.rig.records]
        return [(CODEC.decode(*x), at_us) for x, at_us in written]

    def _pick(self, number: int, stage: Stage):
        found = self.runs(stage)
        return self.rig.mission.runs[found[number % len(found)]]


AnyMission.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.mark.spec("SM-01", "SM-02", "SM-03", "SM-05", "SM-08", "SM-09", "SM-10", "ER-03")
@pytest.mark.spec(
    "LP-01", "LP-02", "LP-04", "LP-05", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8"
)
@pytest.mark.spec("C1", "C2", "C3", "C5", "C7", "C8", "G1", "G4", "J2", "J5", "J6", "N3", "K2")
@pytest.mark.spec("D1", "D2", "D3", "D4", "D5", "D7", "D8", "D10", "V5", "V6", "Y1", "Y2")
@pytest.mark.spec("GT-01", "GT-02", "GT-03", "GT-04", "GT-06", "GT-07", "MS-03")
class TestAnyMission(AnyMission.TestCase):
    pass
