"""`evolve` is `dataclasses.replace` for values that do nothing when they are made."""

from dataclasses import FrozenInstanceError, replace

import pytest

from topkick.engine.agents.runs import Background
from topkick.engine.evolve import evolve
from topkick.plan_format.model import SprintPlan, UnitPlan
from topkick.sprint.model import Mission, Sprint, Unit

VALUES = [
    (Mission(id="m"), {"at_us": 5}),
    (Sprint(SprintPlan("1", "One")), {"failures": 2, "hold": "why"}),
    (Unit("U1", UnitPlan("a")), {"at": 1}),
    (Background("b", "a", "1", "server", ("serve",), "."), {"running": True}),
]


@pytest.mark.parametrize(("value", "changes"), VALUES, ids=lambda x: type(x).__name__)
def test_it_is_replace(value: object, changes: dict[str, object]) -> None:
    assert evolve(value, **changes) == replace(value, **changes)  # type: ignore[type-var]
    assert evolve(value) == value
    assert evolve(value) is not value


@pytest.mark.parametrize(("value", "_"), VALUES, ids=lambda x: type(x).__name__)
def test_an_unknown_field_is_refused_and_the_result_is_frozen(value: object, _: object) -> None:
    with pytest.raises(TypeError, match="nonsense"):
        evolve(value, nonsense=1)
    with pytest.raises(FrozenInstanceError):
        evolve(value).id = "x"  # type: ignore[attr-defined]
