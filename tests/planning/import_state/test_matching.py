"""A state file against the plan: who is who, and what becomes of every sprint."""

import pytest

from topkick.plan_format.document import read as read_plan
from topkick.plan_format.model import Plan
from topkick.planning.import_state.claims import (
    ClaimFate,
    FoundEvidence,
    NamedSprint,
    claims,
    named_by,
    spoken_of,
    take,
)
from topkick.planning.import_state.match import match
from topkick.planning.import_state.reader import read
from topkick.sprint.model import Claimed
from topkick.sprint.transitions import SprintState as S

PLAN = """\
# Shop

| Work Unit | Directory | Sprints | Dependencies |
|---|---|---|---|
| Core types | core | 3 | none |
| Web | web | 2 | none |
"""


def plan(*ids: str, other: str = "12") -> Plan:
    text = PLAN
    for name, own in (("Core types", ids or ("1", "2", "3")), ("Web", tuple(other))):
        text += f"\n## {name}\n"
        for n, id_ in enumerate(own):
            text += f"\n### Sprint {id_}: {name} {n}\n\n**Exit criteria**:\n"
            text += "- [ ] `test -f x`\n" if name == "Web" else "- [ ] It reads well\n"
    return read_plan(text, default_name="shop").plan


def rows(*cells: str) -> str:
    head = "| Work Unit | Sprint | State |\n|---|---|---|\n"
    return head + "".join(f"| {cell} |\n" for cell in cells)


def believed(state: str, of: Plan) -> list[S | None]:
    return [belief.state for belief in match(read(state), of).beliefs.values()]


@pytest.mark.spec("ST-04")
def test_units_by_name_by_what_begins_alike_and_by_place() -> None:
    state = rows("Core | 1 | DONE", "frontend | 1 | PARTIAL")
    assert believed(state, plan()) == [S.COMPLETED, None, None, S.PARTIAL, None]


@pytest.mark.spec("ST-04")
def test_numbers_through_all_units_are_numbers_of_each() -> None:
    state = rows("Core types | 1 | DONE", "Core types | 2 | DONE", "Core types | 3 | DONE",
                 "Web | 4 | DONE", "Web | 5 | RUNNING")  # fmt: skip
    assert believed(state, plan()) == [*[S.COMPLETED] * 4, S.RUNNING]


@pytest.mark.spec("ST-04")
def test_what_is_before_the_current_one_is_believed_done() -> None:
    state = "### Core types\n- Work unit state: RUNNING\n- Current sprint: 3 of 3\n"
    assert believed(state, plan("A1", "A2", "A3")) == [S.COMPLETED, S.COMPLETED, None, None, None]


@pytest.mark.spec("ST-04")
def test_strangers_are_told() -> None:
    state = rows("Core types | 1 | DONE", "Core types | 7 | DONE", "Web | 1 | DONE",
                 "cleanup | 1 | DONE")  # fmt: skip
    strangers = match(read(state), plan()).strangers
    assert [(one.unit, one.sprint) for one in strangers] == [("Core types", "7"), ("cleanup", "1")]


@pytest.mark.spec("ST-02", "ST-04")
def test_only_a_leading_run_is_claimed_and_taken_only_with_evidence() -> None:
    state = rows("Core types | 1 | DONE", "Core types | 2 | DONE", "Core types | 3 | FATAL",
                 "Web | 1 | PARTIAL", "Web | 2 | DONE")  # fmt: skip
    whole = plan()
    found = {("Core types", "1"): FoundEvidence(naming=("abc1234",))}
    units = take(whole, match(read(state), whole), found)
    fates = [sprint.fate for unit in units for sprint in unit.sprints]
    assert fates == [
        ClaimFate.TAKE,
        ClaimFate.AGAIN,
        ClaimFate.RETRY,
        ClaimFate.GO_ON,
        ClaimFate.AFTER_GAP,
    ]
    assert claims(units, "S.md") == (
        Claimed("Core types", "1", "S.md, line 3: DONE", ("abc1234",), taken=True),
        Claimed("Core types", "2", "S.md, line 4: DONE"),
    )


@pytest.mark.spec("ST-02")
@pytest.mark.parametrize(
    ("message", "in_its_place", "names"),
    [
        ("Sprint 3: Parser", True, True),
        ("Sprint 3: Parser", False, False),
        ("Sprint 3: Parser", None, True),
        ("[core sortie 3] x", None, True),
        ("[score sortie 3] x", None, False),
        ("Sprint 30: Parser", True, False),
        ("three things", True, False),
    ],
)
def test_a_commit_names_a_sprint(message: str, in_its_place: bool | None, names: bool) -> None:
    sprint = NamedSprint("core", "3", "Parser", alone=False)
    assert named_by(message, spoken_of(message), sprint, in_its_place=in_its_place) is names
    telling = NamedSprint("core", "EM-3", "Parser", alone=True)
    assert named_by("feat: EM-3 done", frozenset(), telling, in_its_place=False)
    assert not named_by("feat: EM-31 done", frozenset(), telling, in_its_place=True)
