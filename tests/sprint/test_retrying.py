"""Messages of `retry` before it sends an order."""

import pytest

from topkick.engine.agents.program import AgentProgram
from topkick.engine.errors import UsageError
from topkick.plan_format.model import SprintPlan
from topkick.sprint.commands.decide import warn_of_model, warn_of_same_failure
from topkick.sprint.model import Sprint

AGENT = AgentProgram("codex", ("codex",), models={"haiku": "gpt-mini", "opus": "codestral"})


@pytest.mark.parametrize(
    "model", ["", "haiku", "opus", "codestral", "claude-opus-4-1", "o3", "vendor/model", "a:free"]
)
def test_a_known_model_and_a_full_name_are_taken(model: str) -> None:
    assert warn_of_model(model, [AGENT]) == ""


@pytest.mark.parametrize(
    ("model", "meant"),
    [("opsu", "opus"), ("sonet", "sonnet"), ("Haiku", "haiku"), ("codestrl", "codestral")],
)
def test_a_slip_of_the_pen_is_refused_with_what_was_meant(model: str, meant: str) -> None:
    with pytest.raises(UsageError, match=f"Did you mean: --model {meant}"):
        warn_of_model(model, [AGENT])


def test_another_word_is_passed_on_and_said() -> None:
    assert "'opusplan' is neither a tier" in warn_of_model("opusplan", [AGENT])


@pytest.mark.spec("SM-10")
def test_a_retry_says_that_the_same_failure_ends_it_at_once() -> None:
    sprint = Sprint(SprintPlan("1", "Tokens"), fingerprints=("a", "b"))
    assert warn_of_same_failure(sprint) == ""
    sprint = Sprint(SprintPlan("1", "Tokens"), fingerprints=("a", "b", "a"))
    assert "It has failed 2 times in the same way" in warn_of_same_failure(sprint)
