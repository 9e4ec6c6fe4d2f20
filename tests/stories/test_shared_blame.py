"""A unit in a shared tree is not charged for what another unit broke there."""

import sys

import pytest
from gated import ended, orders, past
from story_project import Project, plan, sprint, unit
from test_shared_gates import valued, written

from topkick.engine import messages as h
from topkick.sprint.gates.model import GateVerdict
from topkick.sprint.model import Proof
from topkick.sprint.transitions import SprintCause

DONE = "test -f {here}/done-1.txt"
SUITE = f"{sys.executable} -m unittest -q"
RIGHT = 'test "$(cat beta/it.py)" = "VALUE = 1"'


@pytest.mark.spec("GT-02", "GT-03", "SM-05")
def test_another_units_red_test_charges_nobody_and_a_green_gate_ends_a_fatal_sprint(
    project: Project,
) -> None:
    """`beta` leaves a bug; `alpha` and `delta` come after it, alone, and fail for it alone."""
    units = (
        unit("beta", sprint(DONE)),
        unit("alpha", sprint(DONE, SUITE)),
        unit("delta", sprint(DONE, RIGHT)),
        unit("gamma", needs="alpha delta"),
    )
    project.make(
        plan(*units),
        limits={"max_agents": 1, "max_retries": 1},
        top={"gate": {"command": [SUITE]}},
    )
    project.script("beta.1", f"{written(2)}work()")
    project.script("alpha.1", f"{written()}work()")
    project.script("delta.1.1", "work()")
    project.script("delta.1", "fail()")
    project.script("beta.repair-1", valued(1))
    ended(project.begin("start", "--yes", "--foreground"))

    alpha, delta = project.sprint("alpha/1"), project.sprint("delta/1")
    assert (alpha.failures_ever, alpha.dispatches, alpha.proof) == (0, 1, Proof.CHECKED)
    held = next(x for x in project.happenings() if isinstance(x, h.SprintJudged) and x.held)
    assert (held.unit, held.held, held.proof) == ("alpha", (SUITE,), Proof.HELD)
    assert "Held for the gate" in project.board()
    red, *_, green = past(project)
    assert (red.verdict, red.groups) == (GateVerdict.CULPRITS, (("beta",),))
    assert green.verdict is GateVerdict.PASSED

    assert (delta.failures_ever, delta.proof) == (1, Proof.CHECKED)
    late = [x for x in project.happenings() if isinstance(x, h.SprintMoved)]
    (late_one,) = [x for x in late if x.cause is SprintCause.LATE_FINISH]
    assert (late_one.unit, late_one.sprint) == ("delta", "1")
    assert "gate G2 passed" in late_one.why
    assert [project.state(u) for u in ("alpha", "delta", "gamma")] == ["COMPLETED"] * 3
    assert orders(project).index("beta/repair-1") < orders(project).index("gamma/1")


@pytest.mark.spec("GT-04")
def test_a_suite_that_was_green_before_the_order_is_owed_by_who_broke_it(project: Project) -> None:
    project.make(
        plan(unit("beta", sprint(DONE)), unit("alpha", sprint(DONE, SUITE))),
        limits={"max_agents": 1},
        top={"gate": {"command": [SUITE]}},
    )
    project.script("beta.1", f"{written()}work()")
    project.script("alpha.1.1", f"{written(2)}work()")
    project.script("alpha.1.2", valued(1))
    ended(project.begin("start", "--yes", "--foreground"))
    assert orders(project) == ["beta/1", "alpha/1", "alpha/1"]
    assert not [x for x in project.happenings() if isinstance(x, h.SprintJudged) and x.held]
