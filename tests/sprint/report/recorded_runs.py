"""Four recorded runs, made by the real kernel under a test clock, with their costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from topkick.checks.model import (
    CheckOutcome,
    CheckResult,
    Counts,
    Evidence,
    Finding,
    FindingKind,
    Ground,
    Integration,
    Where,
)
from topkick.engine import messages as h
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
from topkick.engine.settings import OnFinding, Settings
from topkick.git.isolation import Isolation, Repository, Tip
from topkick.plan_format.model import (
    Criterion,
    CriterionKind,
    Plan,
    SprintPlan,
    SprintRef,
    SprintType,
    UnitPlan,
)
from topkick.sprint.gates.model import GateMode, GateRun
from topkick.sprint.model import Mission
from topkick.sprint.orders import orders
from topkick.sprint.policy.decide import decide
from topkick.sprint.report.account import Account
from topkick.sprint.report.reader import ReportReading, read

T0_US = 1_760_000_000_000_000
SECOND_US = 1_000_000
MODELS = {"haiku": "small-1", "sonnet": "middle-4", "opus": "large-4"}
AGENT = AgentProgram("claude", ("claude", "-p"), models=MODELS, adapter="claude")
CLONES = Isolation("topkick/night", "/trees", "project", (Repository("project", "ba" * 20),))
GATE = "python -m pytest -q"
SETTINGS = Settings(AGENT, gate=GateMode.AUTO, gate_commands=(GATE,), on_finding=OnFinding.ASK)
TIP = "1a2b3c4" + "d" * 33
BASE = "ab" * 20


def check(command: str) -> Criterion:
    return Criterion(f"`{command}` passes", CriterionKind.COMMAND, command)


def sprint(
    id_: str, name: str, *commands: str, tasks: Sequence[str] = (), **more: object
) -> SprintPlan:
    made = SprintPlan(
        id_,
        name,
        text=f"Do {name}.",
        exit=tuple(check(c) for c in commands),
        tasks=tuple(tasks) or (f"Write `{name.lower()}.py`",),
    )
    return replace(made, **more)


@dataclass
class Recorder:
    """Tells facts to the kernel and keeps every record, numbered as the journal numbers them."""

    mission: Mission = field(default_factory=Mission)
    now_us: int = T0_US
    records: list[tuple[int, int, h.Happening]] = field(default_factory=list)
    commits: int = 0

    def tell(self, fact: h.Fact, after_s: float = 1) -> None:
        self.now_us += round(after_s * SECOND_US)
        done = step(decide, self.mission, fact, self.now_us)
        assert not done.stale, f"stale: {fact}"
        for happening in (fact, *done.events):
            self.records.append((len(self.records) + 1, self.now_us, happening))
        self.mission = done.mission

    def start(self, plan: Plan, settings: Settings, isolation: Isolation | None = CLONES) -> None:
        self.tell(h.SupervisorWoke(1, driven=True))
        self.say(h.Start("m", plan, settings, isolation))

    def say(self, command: h.Command, by: str = "ada", after_s: float = 30) -> None:
        self.tell(h.CommandGiven(command, by), after_s)

    def run(self, unit: str) -> str:
        found = self.mission.run_of(unit)
        assert found is not None, f"nothing of {unit} is out"
        return found.id

    def survey(self, *units: str, passing: Sequence[str] = ()) -> None:
        for run in list(self.mission.runs.values()):
            if run.stage is Stage.SURVEYING and (not units or run.unit in units):
                self.tell(h.GroundSurveyed(run.id, Ground(head=BASE, passing=tuple(passing))))

    def spends(self, unit: str, usage: Usage, after_s: float) -> None:
        self.tell(h.AgentSpent(self.run(unit), usage), after_s)

    def exits(self, unit: str, after_s: float, busy_s: float | None = None, code: int = 0) -> None:
        busy_ms = None if busy_s is None else round(busy_s * 1000)
        self.tell(
            h.AgentExited(self.run(unit), AgentExit(Ending.EXITED, code, busy_ms=busy_ms)), after_s
        )

    def checked(
        self,
        unit: str,
        codes: Mapping[str, int] | None = None,
        *,
        usage: Usage | None = None,
        conclusion: Conclusion = Conclusion.FINISHED,
        after_s: float = 20,
        commit: bool = True,
        tests: int = 12,
        **more: object,
    ) -> None:
        """Check the unit's work: all commands pass, except those with a code."""
        run = self.mission.runs[self.run(unit)]
        plan = self.mission.sprint(unit, run.sprint).plan
        held = self.mission.sprint(unit, run.sprint).held
        results = tuple(
            self.result(c.command or "", (codes or {}).get(c.command or "", 0), tests)
            for c in plan.checks
            if c.command not in held
        )
        self.commits += commit
        made = (f"{self.commits:07x}" + "c" * 33,) if commit else ()
        report = AgentReport(conclusion, usage=usage) if usage is not None else None
        seen = Evidence(
            results,
            head=made[0] if made else BASE,
            commits=made,
            substance=commit,
            report=report,
            where=Where.COMMIT,
        )
        self.tell(h.WorkChecked(run.id, replace(seen, **more)), after_s)

    @staticmethod
    def result(command: str, code: int, tests: int = 0) -> CheckResult:
        outcome = CheckOutcome.FAILED if code else CheckOutcome.PASSED
        counts = Counts(tests) if "pytest" in command and not code else None
        return CheckResult(command, outcome, code, 900, "one failed" if code else "", counts)

    def merged(self, unit: str) -> None:
        self.tell(h.WorkIntegrated(self.run(unit), Integration(TIP)), 3)

    def gate(self, *bad: str, after_s: float = 40) -> None:
        """The open gate's runs, until it is clear; red with the work of all the `bad` ones."""
        (gate,) = (g for g in self.mission.gates.values() if g.verdict is None)
        while gate.id in self.mission.gates and self.mission.gates[gate.id].verdict is None:
            (order,) = (o for o in orders(self.mission, self.now_us) if isinstance(o, h.RunGate))
            red = bool(bad) and all(name in order.units for name in bad)
            outcome = CheckOutcome.FAILED if red else CheckOutcome.PASSED
            results = tuple(
                CheckResult(c, outcome, int(red), 30_000, "", Counts(40, 2 * red))
                for c in (*order.commands, *(x.command for x in order.held))
            )
            failing = (f"{GATE}\ttest_total",) if red else ()
            tips = (Tip("project", TIP),)
            made = GateRun(order.units, results, failing, bad[-1:] if red else (), tips, "7e" * 20)
            self.tell(h.GateRan(gate.id, order.number, made), after_s)

    # --- what is read of it ---

    def account(self) -> Account:
        made = Account()
        for record in self.records:
            made.take(*record)
        return made

    def replayed(self) -> Mission:
        mission = Mission()
        for _, at_us, happening in self.records:
            mission = apply(mission, happening, at_us)
        return mission

    def reading(self) -> ReportReading:
        return read(self.account(), self.replayed())


# --- a clean run ---------------------------------------------------------------------------

CLEAN = Plan(
    title="Night Shift",
    sha256="0" * 64,
    units=(
        UnitPlan(
            "core",
            "core",
            sprints=(
                sprint("1", "Types and interfaces", "pytest -q core/types"),
                sprint("2", "Parser", "pytest -q core/parser", "ruff check core"),
                sprint("3", "Parser tests", "pytest -q core"),
            ),
        ),
        UnitPlan(
            "app",
            "app",
            sprints=(
                sprint("1", "Pages", "test -f app/pages.py"),
                sprint("2", "Search", "pytest -q app", waits_for=(SprintRef("core", "2"),)),
            ),
        ),
    ),
)


def clean() -> Recorder:
    """Two units, five sprints, all done at the first try; one gate at the end."""
    r = Recorder()
    r.start(CLEAN, SETTINGS)
    r.survey()
    r.spends("core", Usage(9, 30_000, 0, 2_000, 90_000), 200)
    r.exits("app", 340, busy_s=540)
    r.checked("app", usage=Usage(4, 12_000, 0, 900, 20_000))
    r.exits("core", 130, busy_s=688)
    r.checked("core", usage=Usage(18, 61_000, 0, 5_000, 210_000))
    r.survey("core")
    r.exits("core", 1_500, busy_s=1_499)
    r.checked("core", usage=Usage(41, 160_000, 10_000, 12_000, 640_000), tests=31)
    r.merged("core")
    r.survey()
    r.exits("core", 300, busy_s=299)
    r.checked("core", usage=Usage(6, 20_000, 0, 1_000, 35_000), tests=44)
    r.merged("core")
    r.exits("app", 420, busy_s=741)
    r.checked("app", usage=Usage(22, 70_000, 0, 4_000, 230_000))
    r.merged("app")
    r.gate()
    return r


# --- a run with everything -----------------------------------------------------------------

TROUBLED = Plan(
    title="Hard Night",
    sha256="1" * 64,
    units=(
        UnitPlan(
            "parser",
            "parser",
            sprints=(
                sprint("1", "Tokens", "pytest -q parser", "ruff check parser"),
                sprint("2", "Grammar", "pytest -q grammar"),
            ),
        ),
        UnitPlan(
            "lexicon",
            "lexicon",
            sprints=(
                sprint("1", "Words", "make words"),
                sprint("2", "Verbs", "make verbs"),
                sprint("3", "Nouns", "make nouns"),
            ),
        ),
        UnitPlan(
            "reader",
            "reader",
            sprints=(
                sprint("1", "Read aloud", "pytest -q reader"),
                sprint("2", "Listen to it", type=SprintType.MANUAL),
            ),
        ),
    ),
)
SKIPPED = Finding(
    FindingKind.TEST_SKIPPED, "test_slow is skipped now", "reader/test_read.py", 3, "test_slow"
)


def troubled() -> Recorder:
    """Retries, partials, a usage limit, a waiver, a manual sprint, a gate's repair, a FATAL."""
    r = Recorder()
    r.start(TROUBLED, replace(SETTINGS, first_tier=Tier.HAIKU))
    r.survey()
    _parser(r)
    _lexicon(r)
    _reader(r)
    r.gate("parser")
    r.survey()
    r.exits("parser", 400, busy_s=399)
    r.checked("parser", usage=Usage(12, 50_000, 0, 2_500, 300_000))
    r.merged("parser")
    r.gate()
    return r


def _parser(r: Recorder) -> None:
    """Fails, goes half of the way, then all of it; its second sprint fails once."""
    r.exits("parser", 300, busy_s=299)
    failed = {"pytest -q parser": 1, "ruff check parser": 1}
    r.checked("parser", failed, usage=Usage(50, 90_000, 0, 4_000, 40_000), commit=False)
    r.survey("parser")
    r.exits("parser", 600, busy_s=598)
    r.checked("parser", {"pytest -q parser": 1}, usage=Usage(30, 80_000, 0, 4_000, 250_000))
    r.survey("parser")
    r.exits("parser", 240, busy_s=239)
    r.checked("parser", usage=Usage(11, 33_000, 0, 1_000, 90_000))
    r.survey("parser")
    r.exits("parser", 200, busy_s=199, code=1)
    limit = Conclusion.USAGE_LIMIT
    report = AgentReport(
        limit,
        "limit",
        Usage(3, 9_000, 0, 100, 5_000),
        proven=True,
        resets_at_us=r.now_us + 900 * SECOND_US,
    )
    r.checked("parser", {"pytest -q grammar": 1}, commit=False, report=report)


def _lexicon(r: Recorder) -> None:
    """One sprint done, the next fails three times; the third never begins."""
    r.exits("lexicon", 60, busy_s=1_800)
    r.checked("lexicon", usage=Usage(7, 15_000, 0, 700, 12_000))
    r.tell(h.TimePassed(), 900)
    r.survey()
    r.exits("parser", 150, busy_s=148)
    r.checked("parser", usage=Usage(5, 14_000, 0, 300, 11_000))
    r.merged("parser")
    for n in range(3):
        r.survey("lexicon")
        r.exits("lexicon", 180, busy_s=170)
        r.checked("lexicon", {"make verbs": n + 1}, commit=False)


def _reader(r: Recorder) -> None:
    r.exits("reader", 100)
    r.checked("reader", usage=Usage(19, 40_000, 0, 2_000, 60_000), findings=(SKIPPED,))
    r.say(h.Waive("reader", "1", SKIPPED.id, "it needs the network", "ada"))
    r.survey("reader")
    r.exits("reader", 120, busy_s=118)
    r.checked("reader", usage=Usage(4, 8_000, 0, 500, 9_000), commit=False)
    r.say(h.Accept("reader", "1", "it is done already, so this is refused"), by="grace")
    r.say(h.Accept("reader", "2", "I listened to it"), by="grace", after_s=600)
    r.merged("reader")


# --- a run that was killed -----------------------------------------------------------------

KILLED = Plan(
    title="Short Night",
    sha256="2" * 64,
    units=(
        UnitPlan("north", "north", sprints=(sprint("1", "Roof", "test -f roof"),)),
        UnitPlan(
            "south",
            "south",
            sprints=(
                sprint("1", "Door", "test -f door", "test -f lock"),
                sprint("2", "Bell", "test -f bell"),
            ),
        ),
        UnitPlan(
            "yard",
            "yard",
            waits_for=("north",),
            sprints=(
                sprint("1", "Grow", "test -f grass", type=SprintType.DEFERRED),
                sprint("2", "Mow", "test -f hay"),
            ),
        ),
    ),
)


def killed() -> Recorder:
    """Killed in the night, resumed in the morning; then its supervisor dies and another wakes."""
    r = Recorder()
    r.start(KILLED, replace(SETTINGS, gate_commands=(), gate=GateMode.OFF), None)
    r.survey()
    r.spends("north", Usage(5, 20_000, 0, 900, 30_000), 120)
    r.spends("south", Usage(8, 25_000, 0, 800, 70_000), 30)
    r.spends("south", Usage(2, 9_000, 0, 100, 20_000), 5)  # its stream is read anew
    r.say(h.KillAll("user invoked killall"), after_s=60)
    stopped = AgentExit(Ending.STOPPED, signal=15, busy_ms=212_000)
    r.tell(h.AgentExited(r.run("north"), stopped))
    r.tell(h.AgentExited(r.run("south"), stopped))
    r.tell(h.SupervisorWoke(2, driven=True), 8 * 3600)
    r.say(h.Resume(), by="grace", after_s=2)
    r.checked("north", usage=Usage(6, 24_000, 0, 1_000, 36_000))
    r.checked("south", {"test -f lock": 1, "test -f door": 1}, commit=False)
    r.survey()
    r.spends("south", Usage(3, 9_000, 0, 300, 21_000), 45)
    r.tell(h.SupervisorWoke(3, driven=True), 1_800)
    r.exits("south", 2, busy_s=600)
    r.tell(h.SupervisorWoke(4, driven=True), 900)  # it died while the work was checked
    r.checked("south", usage=Usage(17, 52_000, 0, 2_000, 160_000))
    r.survey()
    for poll in (1, 2):
        result = Recorder.result("test -f grass", 2 - poll)
        r.tell(h.ConditionPolled(r.run("yard"), poll, Evidence((result,))), 60)
    r.exits("south", 100, busy_s=220)
    r.checked("south", usage=Usage(2, 7_000, 0, 100, None))
    r.survey("yard")
    r.exits("yard", 3_000, busy_s=2_990)
    r.checked("yard", usage=Usage(44, 150_000, 0, 9_000, 410_000))
    return r


# --- a run in one tree ---------------------------------------------------------------------

SHARED = Plan(
    title="One Tree",
    sha256="3" * 64,
    units=tuple(
        UnitPlan(
            name,
            name,
            sprints=(
                SprintPlan(
                    "1",
                    f"The {name}",
                    exit=(
                        check(f"test -f {name}"),
                        replace(check(f"pytest -q {name}"), builds=True),
                        Criterion("It is nice to look at"),
                    ),
                    tasks=(f"Write `{name}.py`",),
                ),
            ),
        )
        for name in ("left", "right")
    ),
)


def shared() -> Recorder:
    """Criteria that build are held while others work in the tree; the gate checks them."""
    r = Recorder()
    r.start(SHARED, SETTINGS, None)
    r.survey()
    for name in ("left", "right"):
        r.exits(name, 300)
        r.checked(name, usage=Usage(10, 20_000, 0, 1_000, 50_000), where=Where.PLACE)
    r.gate()
    return r


RUNS = {"clean": clean, "troubled": troubled, "killed": killed, "shared": shared}
