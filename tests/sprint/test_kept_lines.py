"""A state file that keeps the lines of units is the same, after each step, as one made anew."""

from collections.abc import Callable, Iterator

import made_missions
import pytest
from made_missions import Story

from topkick.engine import messages as h
from topkick.engine.codec.chain import Head
from topkick.sprint.model import Mission
from topkick.sprint.views import state_file
from topkick.sprint.views.state_file import KeptLines

HEAD = Head(41, "ab" * 32)
STORIES = (
    made_missions.blocked,
    made_missions.killed,
    made_missions.completed,
    made_missions.gate_two,
    made_missions.gate_bars,
)


def after_each_step(story: Story) -> Iterator[tuple[int, Mission]]:
    last = (0, Mission())
    for at_us, mission, happening in story.told():
        if isinstance(happening, h.Fact):
            yield last
        last = (at_us, mission)
    yield last


@pytest.mark.spec("RP-01")
@pytest.mark.parametrize("story", STORIES)
def test_a_state_file_with_kept_lines_is_the_same(story: Callable[[], Story]) -> None:
    kept = KeptLines()
    for at_us, mission in after_each_step(story()):
        for left in ({}, dict.fromkeys(mission.units, ("draft.py",))):
            anew = state_file.render(mission, HEAD, at_us, uncommitted=left)
            assert anew == state_file.render(mission, HEAD, at_us, uncommitted=left, kept=kept)


def test_only_units_that_are_different_are_rendered_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    story, kept, rendered = made_missions.at_work(), KeptLines(), []
    block = state_file._unit_block
    monkeypatch.setattr(
        state_file,
        "_unit_block",
        lambda facts: rendered.append(facts.unit.name) or block(facts),
    )
    state_file.render(story.mission, HEAD, story.now_us, kept=kept)
    assert rendered == list(story.mission.units)
    rendered.clear()
    run = next(iter(story.mission.runs.values()))
    story.exits(run.unit)
    state_file.render(story.mission, HEAD, story.now_us, kept=kept)
    assert rendered == [run.unit]
