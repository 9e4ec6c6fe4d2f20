"""The rules of gates, merges and repairs (GT-01 to GT-07), with books of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from proof.simulation.views import SprintView, UnitView
from topkick.checks.model import CheckOutcome, Integration
from topkick.engine import messages as h
from topkick.sprint.gates.model import Gate, GateRun

if TYPE_CHECKING:
    from proof.simulation.oracle import Oracle

LETS_PASS = ("passed", "not run", "pre-existing", "flaky")
BLAMES = ("culprits", "interaction")
MOST_REPAIRS = 3
MOST_RUNS = 24


@dataclass(slots=True)
class GateView:
    id: str
    build: bool
    covers: tuple[tuple[str, int], ...]
    commands: tuple[str, ...]
    clears: str
    runs: list[GateRun] = field(default_factory=list)
    guilty: set[frozenset[str]] = field(default_factory=set)  # the culprits at each of its runs
    steady: bool = True
    verdict: str = ""
    final: bool = False

    @property
    def waits_at_the_end(self) -> bool:
        """True for a run's last gate that had something to run and proved nothing."""
        ran = any(run.results for run in self.runs)
        return self.final and ran and self.verdict in ("not run", "pre-existing")


class Gates:
    """The builds, and their results."""

    def __init__(self, oracle: Oracle) -> None:
        self._o = oracle
        self.open: dict[str, GateView] = {}
        self.opened: set[str] = set()
        self.merges: list[Integration] = []
        self.isolated = False
        self.mode = "off"
        self._seen: list[tuple[str, int, GateRun, frozenset[str], bool]] = []
        self._cleared: dict[str, frozenset[str]] = {}
        self._blamed: set[str] = set()  # by the gate that was judged last

    # --- observations ----------------------------------------------------------------------

    def built(self, order: h.RunGate, run: GateRun, guilty: frozenset[str], steady: bool) -> None:
        self._seen.append((order.gate_id, order.number, run, guilty, steady))

    def being_built(self, ids: list[str]) -> None:
        o = self._o
        o.require(len(ids) <= 1, "D10", f"{ids} are built at once")
        at_work = o.books.stance == "working" and o.books.driven
        o.require(at_work or not ids, "D7", f"{ids} are built, and the stance is {o.books.stance}")
        gone = [i for i in ids if i not in self.open or self.open[i].verdict]
        o.require(not gone, "GT-02", f"{gone} are built, and nobody needs it")

    # --- facts -----------------------------------------------------------------------------

    def ran(self, fact: h.GateRan) -> None:
        gate = self.open[fact.gate_id]
        seen = [s for s in self._seen if s[:3] == (fact.gate_id, fact.number, fact.run)]
        self._o.require(seen, "V1", f"{gate.id}: a build that nobody saw")
        expected = len(gate.runs) + 1
        self._o.require(fact.number == expected, "C7", f"{gate.id}: build {fact.number} again")
        self._o.require(expected <= MOST_RUNS, "GT-03", f"{gate.id} is built without end")
        gate.runs.append(fact.run)
        gate.guilty |= {s[3] for s in seen}
        gate.steady = gate.steady and all(s[4] for s in seen)

    def integrated(self, fact: h.WorkIntegrated) -> None:
        self._o.require(fact.found in self.merges, "V1", "a merge that nobody made")

    # --- events ----------------------------------------------------------------------------

    def take(self, fact: h.Fact, event: h.Event, before: tuple[h.Event, ...]) -> bool:
        match event:
            case h.GateOpened(gate):
                self._opened(gate)
            case h.GateJudged(gate_id, verdict, _, groups):
                self._judged(self.open[gate_id], verdict.value, groups)
            case h.GateClosed(gate_id, passed):
                self._closed(fact, self.open.pop(gate_id), passed, before)
            case h.GateDropped(gate_id):
                gate = self.open.pop(gate_id)
                units = self._o.books.units
                past = all(units[n].gated >= k for n, k in gate.covers)
                waits = gate.verdict not in LETS_PASS or gate.waits_at_the_end
                moot = gate.verdict and (past or waits)
                self._o.require(moot, "GT-02", f"{gate_id} was dropped before it was clear")
            case h.UnitHeld(unit, why):
                self._o.books.units[unit].hold = str(why or "")
            case h.UnitIntegrated(unit, sprints):
                self._integrated(fact, self._o.books.units[unit], sprints)
            case h.SprintAdded():
                self._added(fact, event)
            case _:
                return False
        return True

    def _opened(self, gate: Gate) -> None:
        o, units = self._o, self._o.books.units
        o.require(gate.id not in self.opened, "D8", f"{gate.id} again")
        at_work = o.books.stance == "working" and o.books.driven
        o.require(at_work, "D7", f"{gate.id} was opened, and the stance is {o.books.stance}")
        covers = tuple((c.unit, c.sprints) for c in gate.covers)
        build = not gate.clears
        if build:
            others = [g.id for g in self.open.values() if g.build and not g.verdict]
            o.require(not others, "GT-02", f"{gate.id} was opened beside {others}")
            for name, sprints in covers:
                mine = self._where_it_meets(units[name])
                o.require(sprints == mine, "GT-02", f"{name}: {sprints} sprints, not {mine}")
            fresh = {u.name for u in units.values() if self._where_it_meets(u) > u.gated}
            o.require({n for n, _ in covers} == fresh, "GT-02", f"{gate.id}: {covers}, not {fresh}")
            held = {(x.unit, x.command) for x in gate.held}
            owed = {(n, c) for n, k in covers for c in self._owed(units[n].sprints[:k])}
            o.require(held >= owed, "GT-02", f"{gate.id} does not run {owed - held}")
            agents = [r.id for r in o.books.open_runs() if r.dispatched]
            o.require(self.isolated or not agents, "GT-02", f"{gate.id} opened, {agents} at work")
        else:
            wanted = self._verified(units[gate.clears])
            o.require(set(gate.commands) == wanted, "GT-01", f"{gate.id} runs {gate.commands}")
        self.opened.add(gate.id)
        view = GateView(gate.id, build, covers, gate.commands, gate.clears, final=gate.final)
        self.open[gate.id] = view

    def _where_it_meets(self, unit: UnitView) -> int:
        done = [s.state for s in unit.sprints]
        count = next((n for n, s in enumerate(done) if s != "COMPLETED"), len(done))
        return unit.integrated if self.isolated else count

    @staticmethod
    def _owed(sprints: list[SprintView]) -> list[str]:
        owed = [s for s in sprints if s.held and not s.id.startswith("repair-")]
        return [c for s in owed if s.proof == "held" for c in s.held]

    def _verified(self, unit: UnitView) -> set[str]:
        return {c for n in unit.waits_for for c in self._o.books.units[n].verify}

    def _judged(self, gate: GateView, verdict: str, groups: tuple[tuple[str, ...], ...]) -> None:
        o, everyone = self._o, tuple(n for n, _ in gate.covers)
        whole = [r for r in gate.runs if r.units == everyone]
        o.require(whole, "GT-02", f"{gate.id} is {verdict}, and nothing was built")
        green = [r for r in whole if r.results and all(x.passed for x in r.results)]
        optional = [r for r in whole if r.detected and not _red(r)]
        if verdict == "passed":
            o.require(green or optional, "GT-02", f"{gate.id} passed, and nothing was green")
        if verdict == "flaky":
            o.require(green, "GT-03", f"{gate.id} is called flaky, and it was never green")
        if verdict in (*BLAMES, "pre-existing", "flaky"):
            o.require(_red(whole[0]), "GT-03", f"{gate.id} is {verdict}, and it was not red")
        if verdict == "pre-existing":
            base = [r for r in gate.runs if not r.units]
            o.require(base and _red(base[0]), "GT-03", f"{gate.id}: nothing failed before")
        if gate.build and gate.steady and len(gate.guilty) == 1:
            self._fairly(gate, verdict, groups)
        gate.verdict = verdict
        self._blamed = {name for group in groups for name in group}

    def _fairly(self, gate: GateView, verdict: str, groups: tuple[tuple[str, ...], ...]) -> None:
        """Check that only culprits are blamed, if the world did not change meanwhile."""
        (guilty,) = gate.guilty
        owing = {n for n, k in gate.covers for _ in self._owed(self._o.books.units[n].sprints[:k])}
        named = {name for group in groups for name in group}
        innocent = named - guilty - owing
        self._o.require(not innocent, "GT-03", f"{gate.id} blames {innocent}, not {set(guilty)}")
        broken = any(_red(r) for r in gate.runs)
        excused = broken and verdict in LETS_PASS
        self._o.require(
            not excused, "GT-03", f"{gate.id} is {verdict}, though {set(guilty)} broke it"
        )

    def _closed(
        self, fact: h.Fact, gate: GateView, passed: bool, before: tuple[h.Event, ...]
    ) -> None:
        o = self._o
        command = fact.command if isinstance(fact, h.CommandGiven) else None
        accepted = isinstance(command, h.PassGate) and command.gate == gate.id
        refused = isinstance(command, h.RefuseGate) and command.gate == gate.id
        o.require(gate.verdict, "GT-02", f"{gate.id} was closed before it was clear")
        if not passed:
            mended = any(isinstance(e, h.SprintAdded) for e in before)
            fair = not gate.build or mended or refused
            o.require(fair, "GT-03", f"{gate.id} was given up, and nobody mends it")
            return
        if gate.build:
            asked = accepted or (self.mode != "ask" and not gate.waits_at_the_end)
            o.require(asked, "GT-02", f"{gate.id} passed, and nobody was asked")
            o.require(
                accepted or gate.verdict in LETS_PASS, "GT-03", f"{gate.id} passed: {gate.verdict}"
            )
            for name, sprints in gate.covers:
                unit = o.books.units[name]
                unit.gated = max(unit.gated, sprints)
                for sprint in unit.sprints[:sprints]:
                    sprint.held = ()
            self._to_recheck(gate)
        else:
            o.require(gate.verdict == "passed", "GT-01", f"{gate.clears} cleared: {gate.verdict}")
            self._cleared[gate.clears] = frozenset(gate.commands)

    def _to_recheck(self, gate: GateView) -> None:
        """Mark sprints that another unit may have repaired, in a shared tree."""
        if self.isolated or gate.verdict != "passed":
            return
        for unit in self._o.books.units.values():
            if unit.state == "BLOCKED" and unit.current is not None:
                unit.current.recheck = unit.current.red

    def may_recheck(self, unit: UnitView) -> bool:
        """Return whether a check without an agent is allowed, once for each gate that passes."""
        current = unit.current
        return unit.state == "BLOCKED" and current is not None and current.recheck

    def _integrated(self, fact: h.Fact, unit: UnitView, sprints: int) -> None:
        o = self._o
        clean = isinstance(fact, h.WorkIntegrated) and not fact.found.conflicts
        clean = clean and not fact.found.trouble  # type: ignore[union-attr]
        o.require(clean, "GT-06", f"{unit.name} is called merged, and it was not")
        o.require(sprints > unit.integrated, "GT-06", f"{unit.name} merged {sprints} again")
        undone = [s.id for s in unit.sprints[:sprints] if s.state != "COMPLETED"]
        o.require(not undone, "GT-06", f"{unit.name}: {undone} merged before they are done")
        unit.integrated = sprints

    def _added(self, fact: h.Fact, event: h.SprintAdded) -> None:
        o, unit = self._o, self._o.books.units[event.unit]
        if event.plan.id.startswith("repair-"):
            refused = isinstance(fact, h.CommandGiven) and isinstance(fact.command, h.RefuseGate)
            o.require(
                refused or isinstance(fact, h.GateRan), "GT-03", f"{unit.name} mends for nobody"
            )
            blamed = refused or unit.name in self._blamed
            o.require(blamed, "GT-03", f"{unit.name} is to mend what {self._blamed} broke")
            tried = sum(s.id.startswith("repair-") for s in unit.sprints[unit.gated :])
            o.require(
                refused or tried < MOST_REPAIRS, "GT-03", f"{unit.name} mends for the {tried + 1}th"
            )
            o.require(unit.state == "RUNNING", "GT-03", f"{unit.name} is to mend: {unit.state}")
        else:
            conflicts = isinstance(fact, h.WorkIntegrated) and fact.found.conflicts
            o.require(conflicts, "GT-06", f"{unit.name}: {event.plan.id} without a conflict")
        o.require(unit.state != "COMPLETED", "S4", f"{unit.name} is COMPLETED, and is to go on")
        checks = tuple(c.command for c in event.plan.exit if c.command)
        view = SprintView(event.plan.id, event.plan.type.value, checks, generated=True)
        current = unit.current
        at = unit.sprints.index(current) if current is not None else len(unit.sprints)
        unit.sprints.insert(at + (event.after_current and current is not None), view)

    # --- queries ---------------------------------------------------------------------------

    def begun(self, unit: UnitView) -> None:
        missing = self._verified(unit) - self._cleared.get(unit.name, frozenset())
        self._o.require(not missing, "GT-01", f"{unit.name} began, and {missing} never passed")

    def finished(self, unit: UnitView) -> None:
        owed = self._owed(unit.sprints)
        self._o.require(not owed, "GT-02", f"{unit.name} is COMPLETED, and {owed} were never run")
        merged = not self.isolated or unit.integrated == len(unit.sprints)
        self._o.require(merged, "S5", f"{unit.name} is COMPLETED, and not merged")
        known = self.mode != "off" and self.commands_known
        gated = not known or unit.gated == len(unit.sprints)
        self._o.require(gated, "S5", f"{unit.name} is COMPLETED, and its gate did not pass")

    commands_known = False

    def dispatched(self, unit: str, dispatch: object) -> None:
        """Check GT-04: no second agent in a shared tree while one is allowed to build."""
        if self.isolated or self.mode == "off":
            return
        others = [r for r in self._o.books.open_runs() if r.unit != unit and r.dispatched]
        alone = [r.id for r in others if r.alone]
        self._o.require(not alone, "GT-04", f"{unit} is dispatched while {alone} may build")
        mine = dispatch.alone  # type: ignore[attr-defined]
        self._o.require(not (mine and others), "GT-04", f"{unit} may build beside others")

    def revised(self) -> None:
        self.open.clear()

    def waits(self) -> bool:
        return any(g.verdict for g in self.open.values())

    def is_before(self, unit: UnitView) -> bool:
        """Return whether some of the unit's work has not passed a gate yet."""
        return self.mode != "off" and self._where_it_meets(unit) > unit.gated


def _red(run: GateRun) -> bool:
    red = (CheckOutcome.FAILED, CheckOutcome.TIMED_OUT, CheckOutcome.RAN_NOTHING)
    return any(r.outcome in red for r in run.results)
