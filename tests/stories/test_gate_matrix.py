"""A share of `python -m proof.gates`: each kind of red gate, at places that differ."""

from pathlib import Path

import pytest
from story_project import Project

from proof.gates.cases import KINDS, case_named, every_case
from proof.gates.trying import tried

SHARE = (
    "green/4/-",
    "single-culprit/2/1",
    "single-culprit/2/2",
    "single-culprit/3/2",
    "single-culprit/4/3",
    "single-culprit/5/1",
    "single-culprit/5/5",
    "named-culprit/5/4",
    "two-culprits/2/1+2",
    "two-culprits/4/1+3",
    "interaction/2/1+2",
    "interaction/5/2+4",
    "flake-first-1/2/-",
    "flake-first-2/3/-",
    "flake-first-3/4/-",
    "pre-existing/3/-",
    "beside-an-old-one/3/2",
    "hangs/2/-",
    "hung-by-one/2/2",
    "cannot-run/5/-",
)


@pytest.mark.spec("GT-02", "GT-03")
@pytest.mark.parametrize("name", SHARE)
def test_the_right_verdict_and_nobody_charged(name: str, tmp_path: Path) -> None:
    project = Project(tmp_path, portable=False)
    try:
        found = tried(case_named(name), project)
    finally:
        left = project.close()
    assert found.wrong == ()
    assert left == []


def test_the_share_has_every_kind_and_the_whole_every_place() -> None:
    assert {case_named(name).kind for name in SHARE} == set(KINDS)
    single = [c for c in every_case() if c.kind.name == "single culprit"]
    assert {(c.units, c.at[0]) for c in single} == {(n, at) for n in range(2, 6) for at in range(n)}
