"""Answer builds at gates and merges from the simulated world's hidden truth."""

from zlib import crc32

from proof.simulation.gate_world import GateWorld
from proof.simulation.work import GATE_COMMAND, Project
from topkick.checks.model import CheckOutcome, CheckResult, Integration
from topkick.engine import messages as h
from topkick.sprint.gates.model import GateRun

MANY_MERGES = 12


class Builder:
    def __init__(self, project: Project, world: GateWorld) -> None:
        self._project = project
        self._world = world
        self._merges = 0

    def guilty(self) -> frozenset[str]:
        return frozenset[str]().union(*self._project.groups())

    def odd(self) -> str:
        early = self._project.now_s() < self._world.odd_until_s
        return self._world.odd if early and not self._project.honest else ""

    def restless(self) -> bool:
        """True while checks lie or cannot run, when nothing follows from results."""
        p = self._project
        return p.now_s() < max(p.broken_until_s, p.forged_until_s)

    def build(self, order: h.RunGate) -> GateRun:
        if not order.covers:
            return GateRun((), tuple(self._project.run(c) for c in order.commands))
        odd = self.odd()
        if odd == "trouble":
            return GateRun(order.units, trouble="the tree cannot be made")
        failing = [*self._failing(order, odd)]
        commands = order.commands or (GATE_COMMAND,)
        results = [self._result(c, failing, odd) for c in commands]
        for held in order.held:
            met = self._project.honest or held.command in self._project.met
            failing += [] if met else [held.command]
            results.append(self._result(held.command, [] if met else ["held"], ""))
        found = {r.command: r for r in results}
        detected = not order.commands
        return GateRun(order.units, tuple(found.values()), tuple(failing), detected=detected)

    def _failing(self, order: h.RunGate, odd: str) -> list[str]:
        groups = [g for g in self._project.groups() if g <= set(order.units)]
        failing = [f"test {' '.join(sorted(g))}" for g in groups]
        failing += ["test old"] if odd in {"before", "hangs"} else []
        return failing + (["test flaky"] if odd == "flaky" and order.number == 1 else [])

    def _result(self, command: str, failing: list[str], odd: str) -> CheckResult:
        if odd == "cannot run":
            return CheckResult(command, CheckOutcome.CANNOT_RUN, 127)
        if not failing:
            return CheckResult(command, CheckOutcome.PASSED, 0)
        if odd == "hangs":
            return CheckResult(command, CheckOutcome.TIMED_OUT, 124)
        return CheckResult(command, CheckOutcome.FAILED, 1, excerpt="it fails")

    def merge(self, order: h.IntegrateWork) -> Integration:
        """Merge; now and then it conflicts, or the branch is in use, but not forever."""
        self._merges += 1
        chance = crc32(f"{order.id} {self._merges}".encode()) % 100
        if self._project.honest or self._merges > MANY_MERGES or chance >= 35:
            return Integration(f"tip{self._merges}")
        if chance < 10:
            return Integration("", trouble="the branch is in use")
        return Integration(f"tip{self._merges}", conflicts=("both.txt",))
