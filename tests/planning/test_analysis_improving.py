"""`refine` as a whole: order and shape change each other until neither has anything left to do."""

import pytest

from topkick.plan_format.document import PlanReading, read
from topkick.planning.analysis.rounds import improved
from topkick.planning.project_facts import Surroundings

TASKS = "\n".join(f"{n}. Create `src/part_{n}.py`" for n in range(1, 13))
CHECKS = "\n".join(f"- [ ] `test -f src/part_{n}.py`" for n in range(1, 13))
PLAN = f"""\
# Mailer

### Sprint 1: Parts

**Tasks**:
{TASKS}

**Exit criteria**:
{CHECKS}

### Sprint 2: Pages

**Depends on**: Sprint 1

**Tasks**:
1. Create `src/pages.py`

**Exit criteria**:
- [ ] `test -f src/pages.py`
"""


def reading(text: str) -> PlanReading:
    return read(text, default_name="p")


@pytest.mark.spec("PR-03", "EV-02")
def test_sprints_that_were_split_get_their_priority_too_and_then_nothing_changes() -> None:
    done = improved(PLAN, reading, Surroundings(), 50)
    assert done.shape.splits
    assert len(done.shape.before) == 2
    assert len(done.shape.after) == 2 + done.shape.splits - done.shape.merges
    assert done.text.count("**Priority**") == len(reading(done.text).sprints)
    again = improved(done.text, reading, Surroundings(), 50)
    assert again.text == done.text
    assert (again.shape.splits, again.shape.merges) == (0, 0)
