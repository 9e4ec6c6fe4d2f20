"""The mission's branch beside what the journal says of it: whose move was it?"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from repositories import IDENTITY, ME, MISSION, commit, git, made_clone, repository

from topkick.checks.request import MergeRequest, Ours
from topkick.git.clone.clone import make_clone
from topkick.git.clone.places import Clone, laid_out
from topkick.git.clone.unit_tree import Trees
from topkick.git.isolation import Isolation, Tip
from topkick.git.landing.fetch_commits import NotGathered, gather
from topkick.git.landing.merge import integrate, prepare
from topkick.git.landing.moved_branch import BranchMoved, find_moved, put_back

REF = f"refs/heads/{MISSION}"


@pytest.fixture
def main(tmp_path: Path) -> Path:
    at = tmp_path / "proj"
    repository(at)
    return at


@pytest.fixture
def two(main: Path) -> tuple[Clone, Clone]:
    base = git(main, "rev-parse", "HEAD")
    return made_clone(main, base), made_clone(main, base, "U2")


def _laid_out(root: Path, tops: dict[Path, str]) -> Isolation:
    return laid_out(root, tops, MISSION, root.parent / "trees" / "op")


def _work(clone: Clone) -> str:
    made = commit(clone.at, f"{clone.unit}.txt", "work\n")
    gather(clone, made)
    return made


def _rewound(main: Path) -> None:
    git(main, "update-ref", REF, "HEAD")


def _follows_main(main: Path) -> None:
    git(main, "symbolic-ref", REF, "refs/heads/main")


def _is_a_file(main: Path) -> None:
    blob = git(main, "hash-object", "-w", "--stdin", feed="x")
    (main / ".git" / REF).write_text(f"{blob}\n")


def _has_a_merge_with_more_in_it(main: Path) -> None:
    one, other = git(main, "rev-parse", REF, "refs/topkick/units/op/u2").split()
    tree = git(main, "rev-parse", f"{one}^{{tree}}")
    made = git(main, "commit-tree", tree, "-p", one, "-p", other, "-m", "Merge U2")
    git(main, "update-ref", REF, made)


@pytest.mark.spec("GT-06")
@pytest.mark.parametrize(
    "move", [_rewound, _follows_main, _is_a_file, _has_a_merge_with_more_in_it]
)
def test_a_branch_that_was_moved_in_any_way_is_left_alone_and_can_be_put_back(
    main: Path, two: tuple[Clone, Clone], move: Callable[[Path], None]
) -> None:
    one, other = two
    first, second = _work(one), _work(other)
    assert integrate(one, first, ME, "Merge").commit == first
    move(main)
    was = git(main, "rev-parse", REF)
    with pytest.raises(BranchMoved, match="topkick accept topkick/op"):
        prepare(replace(other, tip=first), second, ME, "Merge U2")
    assert git(main, "rev-parse", REF) == was
    moved = find_moved(main, MISSION, first)
    assert moved is not None
    git(main, *put_back(moved).split()[1:])
    assert find_moved(main, MISSION, first) is None
    assert not integrate(replace(other, tip=first), second, ME, "Merge U2").conflicts


@pytest.mark.spec("GT-06", "N3")
def test_a_merge_of_another_unit_that_was_not_written_down_is_gone_on_from(
    main: Path, two: tuple[Clone, Clone]
) -> None:
    """killall ended the merge of U1 right after it; U2 is merged first when the run resumes."""
    one, other = two
    first, second = _work(one), _work(other)
    integrate(one, first, ME, "Merge")
    with pytest.raises(BranchMoved):
        prepare(other, second, ME, "Merge U2")
    found = prepare(other, second, ME, "Merge U2", checked=(first,))
    assert (found.was, found.conflicts) == (first, ())


def test_a_commit_that_is_lost_is_told_of(main: Path, two: tuple[Clone, Clone]) -> None:
    made = _work(two[0])
    with pytest.raises(NotGathered, match="git fsck --lost-found"):
        prepare(replace(two[0], tip="1" * 40), made, ME, "Merge")


@pytest.mark.spec("GT-06")
def test_what_was_checked_is_merged_in_every_repository_and_not_what_came_after(
    tmp_path: Path,
) -> None:
    """Beside the unit's own repository, HEAD at the time of the merge was taken."""
    tops = {}
    for name in ("proj", "beside"):
        repository(tmp_path / name)
        tops[tmp_path / name] = git(tmp_path / name, "rev-parse", "HEAD")
    isolation = _laid_out(tmp_path / "proj", tops)
    ours = Ours(str(tmp_path / "proj"), "U1", isolation, ME.name, ME.email)
    trees = Trees(ours)
    for clone in trees.clones():
        make_clone(clone, IDENTITY)
        commit(clone.at, "checked.txt", "checked\n")
    heads = trees.heads()
    for clone in trees.clones():
        commit(clone.at, "later.txt", "nobody has checked this\n")
    found = trees.integrate(MergeRequest(ours, ".", "", "Merge", heads))
    assert {tip.path: tip.commit for tip in found.tips} == {h.path: h.commit for h in heads}
    for top in tops:
        assert "later.txt" not in git(top, "ls-tree", "--name-only", REF)
    assert isolation.with_tips(found.tips).repositories[0].tip == heads[0].commit


@pytest.mark.spec("GT-06")
def test_with_a_branch_moved_in_one_repository_no_other_is_touched(tmp_path: Path) -> None:
    tops = {}
    for name in ("proj", "beside"):
        repository(tmp_path / name)
        tops[tmp_path / name] = git(tmp_path / name, "rev-parse", "HEAD")
    isolation = _laid_out(tmp_path / "proj", tops)
    ours = Ours(str(tmp_path / "proj"), "U1", isolation, ME.name, ME.email)
    trees = Trees(ours)
    for clone in trees.clones():
        make_clone(clone, IDENTITY)
        commit(clone.at, "work.txt", "work\n")
    last = trees.clones()[-1].main
    commit(last, "mine.txt", "mine\n")
    git(last, "branch", MISSION)
    with pytest.raises(BranchMoved, match=r"mine\.txt"):
        trees.integrate(MergeRequest(ours, ".", "", "Merge", trees.heads()))
    assert git(trees.clones()[0].main, "branch", "--list", MISSION) == ""


def test_tips_of_other_repositories_stay() -> None:
    isolation = _laid_out(Path("/p/proj"), {Path("/p/proj"): "a", Path("/p/beside"): "b"})
    there = isolation.with_tips([Tip("proj", "c")]).with_tips([Tip("beside", "d")])
    assert [r.tip for r in there.repositories] == ["c", "d"]
