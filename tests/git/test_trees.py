"""Clones, gathering and merging on real repositories."""

import os
from pathlib import Path

import pygit2
import pytest
from repositories import ME, catch_up, commit, git, integrate, made_clone, repository, tip_of

from topkick.git.clone.places import Clone
from topkick.git.landing.fetch_commits import gather, head_of
from topkick.git.landing.merge import BranchInUse
from topkick.git.salvage import save


@pytest.fixture
def two(tmp_path: Path) -> tuple[Clone, Clone]:
    base = repository(tmp_path / "proj")
    return made_clone(tmp_path / "proj", base, "U1"), made_clone(tmp_path / "proj", base, "U2")


def test_a_clone_stands_alone(two: tuple[Clone, Clone]) -> None:
    one, _ = two
    assert git(one.at, "status", "--porcelain") == ""
    assert git(one.at, "remote") == ""
    assert git(one.at, "branch", "--show-current") == "topkick/op-u1"
    assert git(one.at, "branch", "--format=%(refname:short)").split() == ["main", "topkick/op-u1"]


def test_work_of_two_units_meets_on_the_branch(two: tuple[Clone, Clone]) -> None:
    for clone, name in zip(two, ("b.txt", "c.txt"), strict=True):
        made = commit(clone.at, name, "x\n")
        assert head_of(clone) == made
        gather(clone, made)
        assert not integrate(clone, made, ME, "Merge").conflicts
    main = two[0].main
    assert git(main, "ls-tree", "--name-only", "topkick/op").split() == ["a.txt", "b.txt", "c.txt"]
    assert git(main, "status", "--porcelain") == ""
    assert git(main, "branch", "--show-current") == "main"
    caught = catch_up(two[0], ME, "Catch up")
    assert (two[0].at / "c.txt").exists()
    assert git(two[0].at, "status", "--porcelain") == ""
    assert caught.commit == tip_of(two[0])


def test_a_conflict_moves_nothing(two: tuple[Clone, Clone]) -> None:
    one, other = two
    for clone, text in ((one, "x\n"), (other, "y\n")):
        made = commit(clone.at, "a.txt", text)
        gather(clone, made)
        found = integrate(clone, made, ME, "Merge")
    assert found.conflicts == ("a.txt",)
    assert found.commit == tip_of(one) == git(one.at, "rev-parse", "HEAD")


def test_salvage_keeps_every_byte(two: tuple[Clone, Clone]) -> None:
    one, _ = two
    (one.at / "a.txt").write_text("changed\n")
    (one.at / "new\nline.txt").write_text("new\n")
    weird = os.fsdecode(b"\xff\xfe.bin")
    (one.at / weird).write_bytes(b"\0\1\2")
    (one.at / "staged.txt").write_text("staged\n")
    git(one.at, "add", "staged.txt")
    (one.at / "staged.txt").write_text("and changed\n")
    before = git(one.at, "status", "--porcelain", "-z")
    saved = save(one.at, one.main, "u1/r-1", ME, "Work of U1")
    assert saved is not None
    assert len(saved.files) == 4
    assert git(one.at, "status", "--porcelain", "-z") == before
    again = save(one.at, one.main, "u1/r-1", ME, "Work of U1")
    assert again == saved
    repo = pygit2.Repository(os.fspath(one.main))
    found = repo[saved.commit]
    assert len(found.parents) == 2


@pytest.mark.parametrize("where", ["checkout", "worktree"])
def test_a_branch_that_somebody_stands_on_is_not_moved(
    two: tuple[Clone, Clone], where: str
) -> None:
    one, other = two
    made = commit(one.at, "b.txt", "x\n")
    gather(one, made)
    integrate(one, made, ME, "Merge")
    if where == "checkout":
        git(one.main, "checkout", "-q", "topkick/op")
    else:
        git(one.main, "worktree", "add", "-q", str(one.main.parent / "linked"), "topkick/op")
    more = commit(other.at, "c.txt", "y\n")
    gather(other, more)
    with pytest.raises(BranchInUse, match="git switch"):
        integrate(other, more, ME, "Merge")
    assert tip_of(one) == made
