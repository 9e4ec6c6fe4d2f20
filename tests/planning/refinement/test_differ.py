"""The differ that judges refined plans sees what it is there to see."""

import pytest

from proof.plans.refining import order_differs, shape_differs

TEXT = "# Plan\n\n### Sprint 1: A\n\nSprint 2 comes later.\n\n### Sprint 2: B\n\nWords.\n"
IDS = {"1", "2"}


def test_moved_lines_and_new_ids_are_meant() -> None:
    moved = "# Plan\n\n### Sprint 1: B\n\nWords.\n\n### Sprint 2: A\n\n**Priority**: 1.5 — why\n\n"
    assert not list(order_differs(TEXT, f"{moved}Sprint 1 comes later.\n", IDS))


@pytest.mark.parametrize(
    "after",
    [
        TEXT.replace("Words.", "Other words."),
        TEXT.replace("Words.\n", ""),
        TEXT.replace("Sprint 2 comes", "Sprint 7 comes"),
        TEXT + "More.\n",
    ],
)
def test_other_changes_are_not(after: str) -> None:
    assert list(order_differs(TEXT, after, IDS))


@pytest.mark.parametrize(
    ("after", "meant"),
    [
        (TEXT + "\n**Exit criteria**:\n- [ ] File exists: `a` (proposed)\n", True),
        (TEXT + "- [ ] File exists: `a`\n", False),
        (TEXT.replace("Words.", "Other words."), False),
        (TEXT.replace("Words.\n", ""), False),
    ],
)
def test_proposed_criteria_are_meant_and_nothing_else(after: str, meant: bool) -> None:
    assert (not list(shape_differs(TEXT, after, reshaped=False))) is meant
