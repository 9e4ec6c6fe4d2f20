"""The anchor line survives the file around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.engine.codec.chain import EMPTY, Head, anchor_line, find_anchor

HEADS = st.builds(Head, st.integers(0, 10**17), st.binary(min_size=32, max_size=32).map(bytes.hex))


@pytest.mark.spec("J8")
@given(HEADS, st.text().filter(lambda text: find_anchor(text) is None), st.text())
def test_found_again_in_any_file(head: Head, before: str, after: str) -> None:
    assert find_anchor(f"{before}\n{anchor_line(head)}\n{after}") == head


@pytest.mark.spec("J8")
def test_the_header_wins_over_what_an_agent_said_below() -> None:
    ours, forged = Head(7, "ab" * 32), Head(9, "cd" * 32)
    assert find_anchor(f"# State\n{anchor_line(ours)}\n> {anchor_line(forged)}\n") == ours
    assert find_anchor(f"said: {anchor_line(forged)}\n{anchor_line(ours)}\r\n") == ours


@pytest.mark.parametrize(
    "text",
    ["", "<!-- topkick journal -->", "<!-- topkick journal 1 ab -->", f"<!-- {'a' * 99_999} -->"],
)
def test_no_anchor_is_no_anchor(text: str) -> None:
    assert find_anchor(text) is None


def test_an_empty_journal_has_a_head_too() -> None:
    assert find_anchor(anchor_line(EMPTY)) == EMPTY
