"""The anchor line survives the file around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.engine.codec.chain import EMPTY, Head
from topkick.sprint.views import state_file

HEADS = st.builds(Head, st.integers(0, 10**17), st.binary(min_size=32, max_size=32).map(bytes.hex))


@pytest.mark.spec("J8")
@given(HEADS, st.text().filter(lambda text: state_file.find(text) is None), st.text())
def test_found_again_in_any_file(head: Head, before: str, after: str) -> None:
    assert state_file.find(f"{before}\n{state_file.line(head)}\n{after}") == head


@pytest.mark.spec("J8")
def test_the_header_wins_over_what_an_agent_said_below() -> None:
    ours, forged = Head(7, "ab" * 32), Head(9, "cd" * 32)
    assert (
        state_file.find(f"# State\n{state_file.line(ours)}\n> {state_file.line(forged)}\n") == ours
    )
    assert state_file.find(f"said: {state_file.line(forged)}\n{state_file.line(ours)}\r\n") == ours


@pytest.mark.parametrize(
    "text",
    ["", "<!-- topkick journal -->", "<!-- topkick journal 1 ab -->", f"<!-- {'a' * 99_999} -->"],
)
def test_no_anchor_is_no_anchor(text: str) -> None:
    assert state_file.find(text) is None


def test_an_empty_journal_has_a_head_too() -> None:
    assert state_file.find(state_file.line(EMPTY)) == EMPTY
