"""Output of `verify` besides the checks themselves."""

import pytest

from topkick.plan_format.model import SprintPlan, UnitPlan
from topkick.sprint import model as m
from topkick.sprint.commands.verify import unseen


@pytest.mark.spec("VF-04")
def test_verify_of_a_unit_names_the_sprints_that_it_leaves_out() -> None:
    judged = m.Outcome(m.Verdict.SUCCESS, run_id="r")
    plans = [SprintPlan(id_, "x") for id_ in ("1", "2", "3")]
    done = tuple(m.Sprint(plan, outcome=judged) for plan in plans)
    unit = m.Unit("U1", UnitPlan("a", sprints=tuple(plans)), sprints=done)
    assert unseen(unit, done[2]) == ["U1/1", "U1/2"]
    assert unseen(unit, done[0]) == ["U1/2", "U1/3"]
