"""Any change of a record, or of what came before it, changes its link."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.engine.codec.chain import GENESIS, Record, link

RECORD = Record(12, 3, 4, 567, "Moved", '{"to":"a"}')


@pytest.mark.spec("J1")
@pytest.mark.parametrize(
    "change",
    [{"seq": 1}, {"step": 33}, {"epoch": 5}, {"at_us": 568}, {"kind": "move"}, {"body": "{}"}],
)
def test_every_field_counts(change: dict[str, Any]) -> None:
    assert link(GENESIS, replace(RECORD, **change)) != link(GENESIS, RECORD)
    assert link(b"\1" * 32, RECORD) != link(GENESIS, RECORD)


@pytest.mark.spec("J1")
@given(st.text("a1 {", max_size=4), st.text("a1 {", max_size=4), st.integers(0, 4))
def test_a_border_moved_between_kind_and_body_shows(kind: str, body: str, at: int) -> None:
    whole = kind + body
    moved = Record(1, 1, 1, 1, whole[:at], whole[at:])
    here = Record(1, 1, 1, 1, kind, body)
    assert (link(GENESIS, moved) == link(GENESIS, here)) == (moved == here)


@pytest.mark.spec("J1", "J6")
def test_the_link_is_fixed_for_ever() -> None:
    assert link(GENESIS, RECORD).hex() == (
        "180910668e77793aae3bfd3d0d33d03f571e49a5c9c942f800b34480c2b0ccd7"
    )
