"""The hidden truth that builds at gates follow: what is wrong with which unit's work."""

from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import strategies as st

from rig import result, said_by_judge
from topkick.engine import messages as h
from topkick.sprint.gates.model import GateRun
from topkick.sprint.model import Mission, Unit
from topkick.sprint.transitions import SprintState

NAMES = ("A", "B", "C", "D")


@dataclass(frozen=True)
class Truth:
    """`groups` fail, each alone or only together; a repair mends it, unless nothing does.

    `odd` is what else may be wrong with a build.
    """

    groups: tuple[frozenset[str], ...] = ()
    odd: str = ""
    mends: bool = True
    clears_at_us: int = 0
    lied: tuple[str, ...] = ()

    def guilty(self, mission: Mission) -> frozenset[str]:
        return frozenset[str]().union(*self._groups(mission))

    def _groups(self, mission: Mission) -> Iterator[frozenset[str]]:
        for group in self.groups:
            units = [u for u in mission.units.values() if u.name in group]
            if not (self.mends and any(_has_repaired(u) for u in units)):
                yield group

    def run(self, mission: Mission, order: h.RunGate, *, liar: bool | None) -> GateRun:
        gate = mission.gates[order.gate_id]
        if gate.clears:
            passes = mission.at_us >= self.clears_at_us if liar is None else liar
            code = 0 if passes else 1
            return GateRun(order.units, tuple(result(c, code) for c in order.commands))
        if order.checkpoint is not None:
            word = "pass" if liar is None else "warn" if liar else "block"
            return GateRun(order.units, (said_by_judge(order.commands[0], word),))
        if self.odd == "trouble":
            return GateRun(order.units, trouble="cannot be put together")
        named = order.commands or (("make test",) if self.odd != "unknown" else ())
        named = tuple(dict.fromkeys((*named, *(x.command for x in order.held))))
        failing = tuple(self._failing(mission, order))
        if liar is not None:
            failing = () if liar else ("test_any",)
        code = {"hangs": 124}.get(self.odd, 1) if failing else 0
        code = 127 if self.odd == "cannot run" else code
        found = tuple(result(c, code) for c in named)
        return GateRun(order.units, found, failing, detected=not order.commands)

    def _failing(self, mission: Mission, order: h.RunGate) -> Iterator[str]:
        for group in self._groups(mission):
            if group <= set(order.units):
                yield f"test_{''.join(sorted(group))}"
        if self.odd == "before":
            yield "test_old"
        if self.odd == "flaky" and order.number == 1:
            yield "test_flaky"


def _has_repaired(unit: Unit) -> bool:
    done = SprintState.COMPLETED
    return any(s.id.startswith("repair-") and s.state is done for s in unit.sprints)


ODD = ("trouble", "unknown", "hangs", "cannot run", "before", "flaky")
GROUPS = st.frozensets(st.sampled_from(NAMES), min_size=1, max_size=2)
TRUTHS = st.builds(
    Truth,
    st.lists(GROUPS, max_size=2).map(tuple),
    st.sampled_from(["", "", "", "", *ODD]),
    st.booleans(),
    st.sampled_from([0, 0, 100_000_000]),
)
