"""Missions for the boards, made by driving the real kernel through short stories."""

from collections.abc import Iterator
from dataclasses import replace

from topkick.checks.model import CheckOutcome, CheckResult, Counts, Evidence, Ground, Integration
from topkick.engine import messages as h
from topkick.engine.agents.budgets import Budget, Budgets
from topkick.engine.agents.program import (
    AgentExit,
    AgentProgram,
    AgentReport,
    Conclusion,
    Ending,
    Tier,
    Usage,
)
from topkick.engine.agents.runs import Stage
from topkick.engine.fold import apply
from topkick.engine.kernel import step
from topkick.engine.settings import Settings
from topkick.git.isolation import Isolation, Repository, Tip
from topkick.plan_format.model import (
    Criterion,
    CriterionKind,
    Plan,
    SprintPlan,
    SprintType,
    UnitPlan,
)
from topkick.sprint.gates.model import GateMode, GateRun
from topkick.sprint.model import Mission
from topkick.sprint.orders import orders
from topkick.sprint.policy.decide import decide

T0_US = 1_760_000_000_000_000
MODELS = {"haiku": "claude-haiku-4-5", "sonnet": "claude-sonnet-4-5", "opus": "claude-opus-4-5"}


def check(command: str) -> Criterion:
    return Criterion(f"`{command}` passes", CriterionKind.COMMAND, command)


PLAN = Plan(
    title="Night Shift",
    sha256="0" * 64,
    units=(
        UnitPlan(
            "parser",
            "parser",
            layer=0,
            sprints=(
                SprintPlan("1", "Tokens", exit=(check("pytest -q parser"),)),
                SprintPlan("2", "Grammar", exit=(check("pytest -q grammar"),)),
            ),
        ),
        UnitPlan(
            "lexicon",
            "lexicon",
            layer=0,
            sprints=(SprintPlan("1", "Words", exit=(check("make words"),)),),
        ),
        UnitPlan(
            "reader",
            "reader",
            layer=1,
            waits_for=("parser", "lexicon"),
            sprints=(SprintPlan("1", "Read aloud", SprintType.MANUAL),),
        ),
    ),
)
SETTINGS = Settings(AgentProgram("claude", ("claude", "-p"), models=MODELS), first_tier=Tier.SONNET)


class Story:
    """Feeds facts to the kernel, a minute apart, and keeps everything that happened."""

    def __init__(
        self,
        plan: Plan = PLAN,
        settings: Settings = SETTINGS,
        isolation: Isolation | None = None,
    ) -> None:
        self.mission = Mission()
        self.now_us = T0_US
        self.happened: list[tuple[int, h.Happening]] = []
        self.doing: dict[str, str] = {}
        self.fact(h.SupervisorWoke(1, driven=True))
        self.fact(h.CommandGiven(h.Start("m1", plan, settings, isolation)))

    def fact(self, fact: h.Fact, after_s: int = 60) -> None:
        self.now_us += after_s * 1_000_000
        done = step(decide, self.mission, fact, self.now_us)
        self.happened += [(self.now_us, e) for e in (fact, *done.events)]
        self.mission = done.mission

    def told(self) -> Iterator[tuple[int, Mission, h.Happening]]:
        mission = Mission()
        for at_us, happening in self.happened:
            mission = apply(mission, happening, at_us)
            yield at_us, mission, happening

    def run(self, unit: str) -> str:
        run = self.mission.run_of(unit)
        assert run is not None, f"nothing of {unit} is out"
        return run.id

    def survey(self, unit: str) -> None:
        self.fact(h.GroundSurveyed(self.run(unit), Ground(head="a1" * 20)), after_s=1)

    def survey_all(self) -> None:
        for run in list(self.mission.runs.values()):
            if run.stage is Stage.SURVEYING:
                self.survey(run.unit)

    def active(self, unit: str) -> None:
        self.fact(h.AgentActive(self.run(unit)), after_s=1)

    def exits(self, unit: str, code: int = 0) -> None:
        self.fact(h.AgentExited(self.run(unit), AgentExit(Ending.EXITED, code)))

    def succeeds(self, unit: str, commit: str = "c0ffee" + "0" * 34) -> None:
        self.exits(unit)
        run = self.mission.runs[self.run(unit)]
        plan = self.mission.sprint(unit, run.sprint).plan
        results = tuple(CheckResult(c.command or "", CheckOutcome.PASSED, 0) for c in plan.checks)
        evidence = Evidence(results, head=commit, commits=(commit,), substance=True)
        self.fact(h.WorkChecked(run.id, evidence), after_s=2)

    def spends(self, unit: str, turns: int, tokens: int, usd: float | None) -> None:
        cost = None if usd is None else round(usd * 1_000_000)
        self.fact(h.AgentSpent(self.run(unit), Usage(turns, tokens, 0, tokens // 10, cost)))

    def ends(self, unit: str, report: AgentReport) -> None:
        """End the unit's agent without any work done."""
        self.exits(unit, 1)
        run = self.mission.runs[self.run(unit)]
        plan = self.mission.sprint(unit, run.sprint).plan
        results = tuple(CheckResult(c.command or "", CheckOutcome.FAILED, 1) for c in plan.checks)
        self.fact(h.WorkChecked(run.id, Evidence(results, head="a1" * 20, report=report)))

    def fails(self, unit: str, excerpt: str, code: int = 1) -> None:
        self.exits(unit, 0)
        run = self.mission.runs[self.run(unit)]
        plan = self.mission.sprint(unit, run.sprint).plan
        results = tuple(
            CheckResult(c.command or "", CheckOutcome.FAILED, code, 40, excerpt)
            for c in plan.checks
        )
        evidence = Evidence(results, head="a1" * 20, uncommitted=("parser/draft.py",))
        self.fact(h.WorkChecked(run.id, evidence), after_s=2)


def at_work() -> Story:
    story = Story()
    story.survey_all()
    story.active("parser")
    return story


def blocked() -> Story:
    """The second sprint of the parser fails three times with different words; lexicon is done."""
    story = at_work()
    story.succeeds("lexicon")
    story.succeeds("parser")
    story.survey_all()
    for n in range(3):
        if n:
            story.survey_all()
        output = "\n".join(f"line {i} of try {n}" for i in range(14))
        story.fails("parser", output, code=n + 1)
    return story


def killed() -> Story:
    story = at_work()
    story.succeeds("lexicon")
    story.fact(h.CommandGiven(h.KillAll()))
    story.fact(h.AgentExited(story.run("parser"), AgentExit(Ending.STOPPED, signal=15)), after_s=1)
    return story


def resting() -> Story:
    """All is done but the manual sprint, which waits for a person."""
    story = at_work()
    story.succeeds("lexicon")
    story.succeeds("parser")
    story.survey_all()
    story.succeeds("parser")
    story.survey_all()
    story.succeeds("reader")
    return story


def completed() -> Story:
    story = resting()
    story.fact(h.CommandGiven(h.Accept("reader", "1", "I listened to it")))
    return story


def hostile() -> Story:
    """A plan whose names try everything: pipes, newlines, escapes, bidi, HTML, lone surrogates."""
    name = "par|ser\\|\n## Overall Status\r\x1b[31m\u202e<script>\ud800"
    units = tuple(
        replace(u, name=name, sprints=(replace(u.sprints[0], name=name),)) for u in PLAN.units[:1]
    )
    story = Story(replace(PLAN, title=name, units=units))
    story.survey_all()
    story.fails(name, "\x1b]0;owned\x07\x1b[2J| boom |\n![x](http://example.invalid)")
    return story


BUDGETS = Budgets(Budget(usd=2, minutes=60), run=Budget(usd=5), day=Budget(tokens=3_000_000))


def spending() -> Story:
    """Two agents that can be heard, with budgets; one of them does not tell what it costs."""
    agent = replace(SETTINGS.agent, adapter="claude")
    story = Story(settings=replace(SETTINGS, agent=agent, budgets=BUDGETS))
    story.survey_all()
    story.active("parser")
    story.spends("parser", 12, 812_000, 1.204)
    story.spends("lexicon", 1, 900, None)
    story.doing = {
        story.run("parser"): "Bash: pytest -q parser && git commit -m 'the parser reads \x1b[31mall"
        + " of it'",
    }
    return story


def spent() -> Story:
    """The budget of the run is gone: what works may finish, and nothing new is begun."""
    story = spending()
    story.spends("parser", 40, 2_000_000, 5.01)
    story.succeeds("parser")
    story.succeeds("lexicon")
    story.doing = {}
    return story


def limited() -> Story:
    """The account has reached its limit: both units wait until it is reset."""
    story = spending()
    resets_at_us = story.now_us + 3 * 3_600_000_000
    said = "You've hit your limit"
    for unit in ("parser", "lexicon"):
        report = AgentReport(Conclusion.USAGE_LIMIT, said, resets_at_us=resets_at_us, proven=True)
        story.ends(unit, report)
    story.doing = {}
    return story


# --- gates ---------------------------------------------------------------------------------

CLONES = Isolation("topkick/night-shift", "/trees", "project", (Repository("project", "ba" * 20),))
GATED = replace(SETTINGS, gate=GateMode.AUTO, gate_commands=("python -m pytest -q",))
TIP = "1a2b3c4" + "d" * 33
RED = "FAILED tests/test_pages.py::test_total - assert 3 == 4\n2 failed, 118 passed in 4.2s\n"
FAILING = ("python -m pytest -q\ttests/test_pages.py::test_total",)


def _unit(
    name: str, *checks: Criterion, layer: int = 0, waits_for: tuple[str, ...] = ()
) -> UnitPlan:
    sprint = SprintPlan("1", f"The {name}", exit=checks or (check(f"test -f {name}"),))
    return UnitPlan(name, name, layer, waits_for, (sprint,))


THREE = Plan(
    title="Night Shift",
    sha256="0" * 64,
    units=(
        _unit("pages"),
        _unit("style"),
        _unit("words"),
        _unit("shop", layer=1, waits_for=("pages", "style", "words")),
    ),
)


class GateStory(Story):
    def does(self, *units: str) -> None:
        """Each does its sprint, one after the other, and has it merged where there are clones."""
        for unit in units:
            self.survey_all()
            self.succeeds(unit)
            if self.mission.isolation is not None:
                run = next(r for r in self.mission.runs.values() if r.unit == unit)
                self.fact(h.WorkIntegrated(run.id, Integration(TIP)), after_s=1)

    def builds(self, *bad: str, each: bool = False) -> GateRun:
        """The open gate's next run; it is red with the work of all the `bad` ones in it, or with
        that of each of them."""
        (gate,) = (g for g in self.mission.gates.values() if g.verdict is None)
        (order,) = (o for o in self.orders() if isinstance(o, h.RunGate))
        inside = [name in order.units for name in bad]
        red = any(inside) if each else bool(bad) and all(inside)
        outcome = CheckOutcome.FAILED if red else CheckOutcome.PASSED
        commands = dict.fromkeys((*order.commands, *(held.command for held in order.held)))
        results = tuple(
            CheckResult(command, outcome, int(red), 4_200, RED if red else "", Counts(118, 2 * red))
            for command in commands
        )
        tips = (Tip("project", TIP if order.units == gate.units else "ab" * 20),)
        suspects = tuple(u for u in bad[-1:] if red and u in order.units)
        run = GateRun(order.units, results, FAILING if red else (), suspects, tips, "7e" * 20)
        self.fact(h.GateRan(gate.id, order.number, run))
        return run

    def orders(self) -> tuple[h.Order, ...]:
        return orders(self.mission, self.now_us)

    def judged(self, *bad: str, each: bool = False) -> None:
        """Run the gate until it has a verdict."""
        (gate,) = (g for g in self.mission.gates.values() if g.verdict is None)
        while gate.id in self.mission.gates and self.mission.gates[gate.id].verdict is None:
            self.builds(*bad, each=each)


def gate_open() -> Story:
    """The gate of three is red; the third run of it is under way."""
    story = GateStory(THREE, GATED, CLONES)
    story.does("pages", "style", "words")
    story.builds("words")
    story.builds("words")
    return story


def gate_red() -> Story:
    """The culprit was found, and its repair sprint is at work."""
    story = GateStory(THREE, GATED, CLONES)
    story.does("pages", "style", "words")
    story.judged("words")
    story.survey_all()
    return story


def gate_together() -> Story:
    """Two units fail only together; the last one repairs it, then the gate is green."""
    story = GateStory(THREE, GATED, CLONES)
    story.does("pages", "style", "words")
    story.judged("pages", "words")
    story.does("words")
    story.judged()
    return story


def gate_two() -> Story:
    """Two culprits: one has mended its part, which only the next gate can tell."""
    story = GateStory(THREE, GATED, CLONES)
    story.does("pages", "style", "words")
    story.judged("pages", "words", each=True)
    story.does("pages")
    return story


def gate_asks() -> Story:
    """The gate is green, and a person must say whether the run continues."""
    story = GateStory(THREE, replace(GATED, gate=GateMode.ASK), CLONES)
    story.does("pages", "style", "words")
    story.judged()
    return story


def gate_cannot_run() -> Story:
    """Nothing could be built, for the command is not there; then a person lets it pass."""
    story = GateStory(THREE, GATED, CLONES)
    story.does("pages", "style", "words")
    (gate,) = story.mission.gates.values()
    missing = CheckResult("python -m pytest -q", CheckOutcome.CANNOT_RUN, 127, 20, "not found")
    story.fact(h.GateRan(gate.id, 1, GateRun(gate.units, (missing,), tips=(Tip("project", TIP),))))
    return story


def gate_accepted() -> Story:
    story = gate_cannot_run()
    story.fact(h.CommandGiven(h.PassGate("G1", "there is no pytest on this machine")))
    return story


def gate_completed() -> Story:
    """All is done; the last gate has built everything."""
    story = GateStory(THREE, GATED, CLONES)
    story.does("pages", "style", "words")
    story.judged()
    story.does("shop")
    story.judged()
    return story


def gate_nothing_known() -> Story:
    """All is done, and nothing is known that would build it."""
    story = GateStory(THREE, replace(GATED, gate_commands=()), CLONES)
    story.does("pages", "style", "words")
    story.does("shop")
    return story


def gate_held() -> Story:
    """In one tree: two have done what they can, and a third is still at work."""
    heavy = [replace(check(f"pytest {n}"), builds=True) for n in ("pages", "style", "words")]
    units = tuple(
        _unit(name, check(f"test -f {name}"), criterion)
        for name, criterion in zip(("pages", "style", "words"), heavy, strict=True)
    )
    story = GateStory(replace(THREE, units=units), GATED)
    story.does("pages", "style")
    return story


def gate_bars() -> Story:
    """A unit that the last unit depends on does not verify, so the last unit may not begin."""
    pages = replace(THREE.units[0], verify=("make -C pages verify",))
    story = GateStory(replace(THREE, units=(pages, *THREE.units[1:])), GATED, CLONES)
    story.does("pages", "style", "words")
    story.judged()
    (gate,) = story.mission.gates.values()
    failed = CheckResult("make -C pages verify", CheckOutcome.FAILED, 2, 900, "page 7 is blank\n")
    story.fact(h.GateRan(gate.id, 1, GateRun((), (failed,), tips=(Tip("project", TIP),))))
    return story
