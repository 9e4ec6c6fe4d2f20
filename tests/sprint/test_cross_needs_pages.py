"""Screens about needs: nothing is called built or tested that was not."""

from dataclasses import replace

import pytest

from topkick.sprint.gates.model import Gate, GateKind, GateVerdict
from topkick.sprint.model import Mission
from topkick.sprint.needs import views as cross_needs
from topkick.sprint.needs.model import CrossNeed

BUILT = "All packages building. All tests passing."
NEEDED = (CrossNeed(1, "a", "the Box of b", "b", resolved=True), CrossNeed(2, "b", "the\nPen"))


def ended_with(verdict: GateVerdict | None, accepted: str = "") -> list[str]:
    gate = Gate("G1", GateKind.BUILD, verdict=verdict, passed=True, accepted=accepted)
    mission = replace(Mission(), cross_needs=NEEDED, past_gates=(gate,) if verdict else ())
    return list(cross_needs.closing(mission))


@pytest.mark.spec("RP-06")
def test_the_end_says_what_is_resolved_and_what_is_open() -> None:
    said = ended_with(GateVerdict.PASSED)
    assert BUILT in said
    assert "Cross-package needs resolved: 1 of 2" in said
    assert said[-1] == "  open: b: the Pen"
    assert not list(cross_needs.closing(Mission()))


@pytest.mark.spec("RP-06", "GT-02")
@pytest.mark.parametrize("verdict", [None, *(v for v in GateVerdict if v != "passed")])
def test_only_a_gate_that_passed_lets_it_be_called_built(verdict: GateVerdict | None) -> None:
    assert BUILT not in ended_with(verdict, "a person said so")
