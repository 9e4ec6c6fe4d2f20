"""Claims about a sprint in progress files."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.plan_format.progress_file import claimed


@pytest.mark.spec("VF-01")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- Last completed sprint: 2", "complete"),
        ("- Last completed sprint: 21", ""),
        ("## Completed Sprints\n- Sprint 2: Text", "complete"),
        ("## Completed Sprints\n- Sprint 1: Text\n## Next Sprint\n- Sprint 2: More", ""),
        ("| Sprint | Name | Status |\n|---|---|---|\n| 2 | Tests | completed |", "complete"),
        ("| 2 | Tests | pending |", "not done"),
        ("## Sprint 2: Tests\n\n**Status:** in progress", "partial"),
        ("## Sprint 2: Tests\n\n**Status:** blocked", "blocked"),
        ("| 2 | Tests | FAILED |", "failed"),
        ("Sprint 2 COMPLETE, build passing", "complete"),
        ("Sprint 2: failed", "failed"),
        ("- Sprint 2: handle failed uploads -- complete", "complete"),
        ("- Sprint 2: fixed failing tests", ""),
        ("## Sprint 2: Errors\nWhat failed uploads mean\nStatus: done", "complete"),
        ("Sprint 2 is not complete", "not done"),
        ("Sprint 12 complete", ""),
        ("", ""),
    ],
)
def test_a_progress_file_is_read_for_one_sprint(text: str, said: str) -> None:
    assert claimed(text, "2") == said


@settings(deadline=None)
@given(st.text(), st.text(min_size=1, max_size=5))
def test_any_text_can_be_read(text: str, sprint: str) -> None:
    assert claimed(text, sprint) in {"", "complete", "partial", "failed", "blocked", "not done"}
