"""A share of the boards and epics that are killed: `make files` tries every moment."""

from collections.abc import Callable
from pathlib import Path

import pytest

from proof.files import aims
from proof.files.__main__ import SCENARIOS, try_aim


@pytest.mark.spec("KB-08", "EP-03")
@pytest.mark.parametrize(
    ("name", "point"),
    [("board", "1.vfork:3"), ("epic", "files.after-edit:1")],
)
def test_killed_there_it_goes_on_to_its_end(
    name: str, point: str, tmp_path: Path, need: Callable[[str], str]
):
    need("strace")
    verdict = try_aim(SCENARIOS[name], tmp_path, aims.parse(point))
    assert verdict.hit
    assert not verdict.findings


@pytest.mark.parametrize("text", ["journal.after-commit:2", "3.rename:1"])
def test_a_point_is_told_as_it_is_read(text: str):
    assert str(aims.parse(text)) == text


def test_a_point_that_is_none_is_refused():
    with pytest.raises(ValueError, match="neither"):
        aims.parse("1.open:1")
