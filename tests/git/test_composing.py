"""The base with the work of some: merged from their branches, or picked from one that all share."""

from collections.abc import Iterator
from pathlib import Path

import pygit2
import pytest
from repositories import commit, git, repository

from topkick.git.landing.compose import NotComposed, Piece, merged, oldest, owned, picked, workshop
from topkick.git.read.repository import UNBORN
from topkick.sprint.gates.model import Covered


@pytest.fixture
def main(tmp_path: Path) -> Path:
    at = tmp_path / "main"
    repository(at)
    return at


@pytest.fixture
def ours(main: Path, tmp_path: Path) -> Iterator[pygit2.Repository]:
    with workshop(tmp_path / "place", main / ".git" / "objects") as repo:
        yield repo


def _files(repo: pygit2.Repository, commit_id: str) -> dict[str, str]:
    tree = repo[commit_id].peel(pygit2.Tree)
    found: dict[str, str] = {}

    def walk(inside: pygit2.Tree, above: str) -> None:
        for entry in inside:
            if isinstance(entry, pygit2.Tree):
                walk(entry, f"{above}{entry.name}/")
            elif isinstance(entry, pygit2.Blob):
                found[f"{above}{entry.name}"] = entry.data.decode()

    walk(tree, "")
    return {path: text for path, text in found.items() if path != "a.txt"}


def _branch(main: Path, name: str, file: str, text: str) -> Piece:
    git(main, "switch", "-q", "-c", name, "main")
    made = commit(main, file, text)
    git(main, "switch", "-q", "main")
    return Piece(name, made)


@pytest.mark.spec("GT-03")
def test_the_work_of_some_units_is_merged_and_nothing_of_the_users_is_touched(
    main: Path, ours: pygit2.Repository
) -> None:
    base = git(main, "rev-parse", "HEAD")
    pieces = [_branch(main, name, f"{name}/x", name) for name in ("a", "b", "c")]
    before = (git(main, "for-each-ref"), git(main, "count-objects"))
    assert _files(ours, merged(ours, base, [])) == {}
    assert _files(ours, merged(ours, base, pieces[:1])) == {"a/x": "a"}
    assert _files(ours, merged(ours, base, [pieces[0], pieces[2]])) == {"a/x": "a", "c/x": "c"}
    assert (git(main, "for-each-ref"), git(main, "count-objects")) == before


@pytest.mark.spec("GT-03")
def test_units_whose_work_conflicts_cannot_be_had_together(
    main: Path, ours: pygit2.Repository
) -> None:
    base = git(main, "rev-parse", "HEAD")
    pieces = [_branch(main, name, "same", name) for name in ("a", "b")]
    with pytest.raises(NotComposed, match="the work of b"):
        merged(ours, base, pieces)


@pytest.mark.spec("GT-03")
def test_a_repository_without_a_commit_takes_the_first_as_it_is(
    main: Path, ours: pygit2.Repository
) -> None:
    piece = _branch(main, "a", "x", "a")
    assert merged(ours, UNBORN, []) == UNBORN
    assert merged(ours, UNBORN, [piece]) == piece.commit


def _share(main: Path) -> tuple[str, str, list[Covered]]:
    """Two units in one tree, their commits in turn; the last is in neither's directory."""
    base = git(main, "rev-parse", "HEAD")
    commit(main, "a/1", "a")
    commit(main, "b/1", "b")
    commit(main, "a/2", "a")
    a = commit(main, "shared", "during b")
    b = commit(main, "b/2", "b")
    git(main, "commit", "-q", "--allow-empty", "-m", "nobody's")
    head = commit(main, "late", "after both")
    between = git(main, "rev-parse", f"{a}~1")
    return base, head, [Covered("a", 1, "a", base, between), Covered("b", 1, "b", base, b)]


def _home(directory: str) -> str:
    return "" if directory == "." else directory


@pytest.mark.spec("GT-03")
def test_commits_in_a_shared_tree_are_told_apart_by_directory_then_by_time(main: Path) -> None:
    base, head, covers = _share(main)
    found = owned(pygit2.Repository(str(main)), base, head, covers, _home)
    assert [unit for _, unit in found] == ["a", "b", "a", "b", "b", "", ""]


@pytest.mark.spec("GT-03")
def test_the_commits_of_one_unit_are_taken_from_a_shared_tree(
    main: Path, ours: pygit2.Repository
) -> None:
    base, head, covers = _share(main)
    commits = owned(pygit2.Repository(str(main)), base, head, covers, _home)
    only_a = picked(ours, base, [(c, u) for c, u in commits if u in ("", "a")])
    assert sorted(_files(ours, only_a)) == ["a/1", "a/2", "late"]
    nobody = picked(ours, base, [(c, u) for c, u in commits if not u])
    assert sorted(_files(ours, nobody)) == ["late"]


@pytest.mark.spec("GT-03")
def test_what_builds_on_the_others_cannot_be_had_without_them(
    main: Path, ours: pygit2.Repository
) -> None:
    base = git(main, "rev-parse", "HEAD")
    commit(main, "shared", "a\n")
    second = commit(main, "shared", "b\n")
    with pytest.raises(NotComposed):
        picked(ours, base, [(second, "b")])


@pytest.mark.spec("GT-03")
def test_the_base_is_what_all_began_from(main: Path) -> None:
    repo = pygit2.Repository(str(main))
    first = git(main, "rev-parse", "HEAD")
    second = commit(main, "x", "x")
    head = commit(main, "y", "y")
    assert oldest(repo, [second, first], head) == first
    assert oldest(repo, [], head) == head, "nothing is known: there is nothing to take apart"
    assert oldest(repo, [second, UNBORN], head) == UNBORN


def test_the_workshop_is_gone_afterwards(main: Path, tmp_path: Path) -> None:
    with workshop(tmp_path / "place", main / ".git" / "objects"):
        assert list((tmp_path / "place").iterdir())
    assert list((tmp_path / "place").iterdir()) == []
