"""All tries of one order share its limits, and words that are only too long are shortened."""

from dataclasses import replace
from typing import Any

import pytest

from rig import SETTINGS
from topkick.engine.agents import answers as strict_answers
from topkick.engine.agents.answers import StrictQuestion
from topkick.engine.agents.json_schema import Schema, problems, trimmed
from topkick.engine.agents.program import Tier, Usage
from topkick.engine.agents.runs import Dispatch, Run, Stage
from topkick.engine.codec.texts import Text
from topkick.epic.answers import VERIFIER
from topkick.sprint.model import Mission
from topkick.team.judge.agent_checks import CHECK


def _run(turns: int, asked_turns: int = 0) -> Run:
    order = Dispatch("a", "m", Tier.SONNET, 1, Text.of("do it"), at_us=1, max_turns=asked_turns)
    return Run("m-1", "", "Writer x", Stage.CHECKING, dispatch=order, usage=Usage(turns=turns))


def test_the_turns_of_an_order_are_those_of_all_its_tries() -> None:
    asked = StrictQuestion("Writer", "x", "schema", "tries", "hash")
    mission = Mission(id="m", settings=replace(SETTINGS, max_turns=50), at_us=2)
    events = strict_answers.one_more_try(mission, asked, "", "no JSON", _run(30))
    assert events is not None
    noted = {e.key: e.value for e in events if hasattr(e, "key")}
    later = replace(mission, notebook=noted)
    assert strict_answers.turns_left(later, "tries") == 20
    assert strict_answers.one_more_try(later, asked, "", "no JSON", _run(20)) is None
    assert "turns" in strict_answers.no_answer(later, asked, "", "no JSON", _run(20))
    assert strict_answers.one_more_try(later, asked, "", "no JSON", _run(19)) is not None


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        (CHECK, {"result": "pass", "details": "x" * 3000, "evidence": ["y" * 3000]}),
        (VERIFIER, {"verdict": "FAIL", "reason": "x" * 5000}),
    ],
)
def test_a_judges_long_words_are_shortened(schema: Schema, answer: dict[str, Any]) -> None:
    assert problems(answer, schema.body)
    assert not problems(trimmed(answer, schema), schema.body)
