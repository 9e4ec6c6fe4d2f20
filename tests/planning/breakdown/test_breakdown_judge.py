"""The judge of broken-down plans finds nothing in good ones, and what is planted in bad ones."""

from dataclasses import replace
from pathlib import Path

import pytest

from proof.plans import requirements as judge
from topkick.planning.breakdown.draft import Breakdown, break_down
from topkick.planning.breakdown.model import DraftSprint, LineRange
from topkick.planning.breakdown.writer import write

FIXTURES = Path(__file__).parents[2] / "fixtures" / "requirements"


def _violations(found: Breakdown, text: str) -> str:
    return "\n".join(judge._violations(found, judge._sprints(found), text.split("\n")))


def _changed(found: Breakdown, sprint: DraftSprint) -> Breakdown:
    unit = found.draft.units[0]
    units = (replace(unit, sprints=(sprint, *unit.sprints[1:])), *found.draft.units[1:])
    draft = replace(found.draft, units=units)
    return replace(found, draft=draft, text=write(draft))


@pytest.mark.spec("BD-03", "BD-04")
def test_good_plans_pass_and_planted_faults_are_found() -> None:
    assert [one.violations for one in judge.judge_all(FIXTURES)] == [(), (), ()]
    text = (FIXTURES / "cli-tool.md").read_text()
    found = break_down(text, document="cli-tool.md", name="larder")
    first = found.draft.units[0].sprints[0]
    outside = replace(first.tasks[0], lines=LineRange(24, 24))
    assert "out of scope" in _violations(
        _changed(found, replace(first, tasks=(outside,) * 3)), text
    )
    assert "and no reason" in _violations(
        _changed(found, replace(first, tasks=first.tasks[:1])), text
    )
    unchecked = replace(first, exit=("`test -f README.md` passes", "It reads well"))
    assert "no check names its own work" in _violations(_changed(found, unchecked), text)
    nowhere = replace(first.tasks[0], lines=LineRange(2, 2))
    assert "says nothing" in _violations(
        _changed(found, replace(first, tasks=(nowhere,) * 3)), text
    )
    assert "read" in _violations(replace(found, text=write(replace(found.draft, name="Y"))), text)
