"""Control groups that killed processes left behind."""

import os
from pathlib import Path

import pytest

from topkick.runner.process import cgroups


@pytest.fixture(name="prefix")
def _prefix() -> str:
    made = cgroups.make(f"topkick-trial-{os.getpid()}-0")
    if made is None:
        pytest.skip("no control groups of our own here")
    cgroups.remove(made)
    return f"topkick-trial-{os.getpid()}-"


def test_a_group_left_under_our_name_is_used_again(prefix: str) -> None:
    left = cgroups.make(f"{prefix}1")
    assert left is not None
    assert cgroups.make(f"{prefix}1") == left
    cgroups.remove(left)


def test_only_old_and_empty_groups_are_taken_away(prefix: str) -> None:
    left = cgroups.make(f"{prefix}2")
    assert left is not None
    cgroups.tidy(prefix, older_than_s=600)
    assert Path(left).is_dir()
    cgroups.tidy(prefix, older_than_s=-1)
    assert not Path(left).exists()
