"""The tree for checks: at the commit, ours alone, warm, and never in anybody's way."""

import os
import shutil
import subprocess
from pathlib import Path

import pygit2
import pytest

from topkick.git.clone.places import SourceRepository
from topkick.git.clone.verification_tree import NotStanding, prepared, stood_up
from topkick.git.read.directory import find_git
from topkick.git.read.repository import UNBORN


def _git(at: Path, *words: str) -> str:
    name = ["-c", "user.name=a", "-c", "user.email=a@b"]
    done = subprocess.run(
        ["git", *name, *words], cwd=at, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    at = tmp_path / "work"
    at.mkdir()
    _git(at, "init", "-q", "-b", "main")
    (at / "a.txt").write_text("one")
    (at / ".gitignore").write_text("cache/\n")
    _commit(at)
    return at


def _commit(at: Path) -> str:
    _git(at, "add", "-A")
    _git(at, "commit", "-q", "-m", "x")
    return _git(at, "rev-parse", "HEAD")


def _source(work: Path, commit: str = "", branch: str = "main") -> SourceRepository:
    git = find_git(work)
    assert git is not None
    at = commit or _git(work, "rev-parse", "HEAD")
    return SourceRepository("work", work, (git.common / "objects",), git.common, at, branch)


@pytest.mark.spec("VF-04")
def test_it_stands_at_the_commit_without_what_is_not_committed(work: Path, tmp_path: Path) -> None:
    (work / "a.txt").write_text("two, uncommitted")
    (work / "new.txt").write_text("untracked")
    (work / "cache").mkdir()
    (work / "cache" / "x").write_text("ignored")
    with stood_up(tmp_path / "verify", [_source(work)]) as below:
        here = below / "work"
        assert (here / "a.txt").read_text() == "one"
        assert sorted(p.name for p in here.iterdir()) == [".git", ".gitignore", "a.txt"]
        assert _git(here, "status", "--porcelain") == ""
        assert _git(here, "branch", "--show-current") == "main"
        assert _git(here, "rev-parse", "HEAD") == _git(work, "rev-parse", "HEAD")
    assert _git(work, "status", "--porcelain") == "M a.txt\n?? new.txt"


@pytest.mark.spec("VF-04")
def test_the_next_check_finds_it_warm_and_clean_at_another_commit(
    work: Path, tmp_path: Path
) -> None:
    first = _source(work)
    (work / "b.txt").write_text("b")
    (work / "a.txt").unlink()
    second = _source(work, _commit(work))
    with stood_up(tmp_path / "verify", [first]) as below:
        (below / "work" / "cache").mkdir()
        (below / "work" / "cache" / "warm").write_text("kept")
        (below / "work" / "left.txt").write_text("left by a check")
        (below / "work" / "a.txt").write_text("changed by a check")
        place = below
    with stood_up(tmp_path / "verify", [second]) as below:
        assert below == place, "a stable path keeps builds warm"
        here = below / "work"
        names = sorted(p.name for p in here.iterdir())
        assert names == [".git", ".gitignore", "b.txt", "cache"]
        assert (here / "cache" / "warm").read_text() == "kept"
    with stood_up(tmp_path / "verify", [first]) as below:
        assert (below / "work" / "a.txt").read_text() == "one"
        assert not (below / "work" / "b.txt").exists()


@pytest.mark.spec("VF-04")
def test_a_cold_tree_is_made_anew_and_leaves_nothing(work: Path, tmp_path: Path) -> None:
    with stood_up(tmp_path / "verify", [_source(work)]) as below:
        (below / "work" / "cache").mkdir()
    with stood_up(tmp_path / "verify", [_source(work)], cold=True) as below:
        assert not (below / "work" / "cache").exists()
        cold = below
    assert not cold.exists()
    assert sorted(p.name for p in (tmp_path / "verify").iterdir()) == ["1", "1.lock"]


def test_two_checks_at_once_have_a_tree_each(work: Path, tmp_path: Path) -> None:
    place = tmp_path / "verify"
    with stood_up(place, [_source(work)]) as one, stood_up(place, [_source(work)]) as two:
        assert one != two
    with stood_up(place, [_source(work)]) as again:
        assert again == one


def test_what_a_dead_process_left_of_a_cold_tree_is_swept(work: Path, tmp_path: Path) -> None:
    left = tmp_path / "verify" / "cold-1-1"
    left.mkdir(parents=True)
    (tmp_path / "verify" / "cold-1-1.lock").write_text("")
    with stood_up(tmp_path / "verify", [_source(work)]):
        assert not left.exists()


def test_a_tree_that_was_half_made_or_damaged_is_made_again(work: Path, tmp_path: Path) -> None:
    place = tmp_path / "verify"
    half = place / "1" / "work"
    half.mkdir(parents=True)
    (half / "rubbish").write_text("")
    with stood_up(place, [_source(work)]) as below:
        assert not (below / "work" / "rubbish").exists()
        (below / "work" / ".git" / "HEAD").write_text("nonsense")
        (below / "work" / ".git" / "config").write_text("[core]\n\tfsmonitor = touch canary\n")
    with stood_up(place, [_source(work)]) as below:
        assert (below / "work" / "a.txt").read_text() == "one"
        assert "fsmonitor" not in (below / "work" / ".git" / "config").read_text()


def test_a_commit_that_is_gone_is_told(work: Path, tmp_path: Path) -> None:
    with (
        pytest.raises(NotStanding, match="no longer has commit"),
        stood_up(tmp_path / "verify", [_source(work, "1" * 40)]),
    ):
        pass


def test_a_repository_without_a_commit_stands_empty(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    _git(work, "init", "-q", "-b", "main")
    with stood_up(tmp_path / "verify", [_source(work, UNBORN)]) as below:
        assert [p.name for p in (below / "work").iterdir()] == [".git"]


def test_a_repository_inside_another_is_kept(work: Path, tmp_path: Path) -> None:
    inner = work / "inner"
    inner.mkdir()
    _git(inner, "init", "-q", "-b", "main")
    (inner / "i.txt").write_text("i")
    _commit(inner)
    git = find_git(inner)
    assert git is not None
    head = _git(inner, "rev-parse", "HEAD")
    nested = SourceRepository(
        "work/inner", inner, (git.common / "objects",), git.common, head, "main"
    )
    for _ in range(2):
        with stood_up(tmp_path / "verify", [nested, _source(work)]) as below:
            assert (below / "work" / "inner" / "i.txt").read_text() == "i"
            assert _git(below / "work", "status", "--porcelain") == ""


def test_the_names_of_branches_and_tags_are_known_there(work: Path, tmp_path: Path) -> None:
    _git(work, "tag", "v1")
    _git(work, "branch", "other/one")
    with stood_up(tmp_path / "verify", [_source(work)]) as below:
        assert (
            _git(below / "work", "rev-parse", "v1", "other/one").split()
            == [_git(work, "rev-parse", "HEAD")] * 2
        )


def test_odd_paths_and_links_stand_as_they_are(work: Path, tmp_path: Path) -> None:
    (work / "ein Ort, ünïcode").mkdir()
    (work / "ein Ort, ünïcode" / "x").write_text("x")
    (work / "link").symlink_to("/dev/null")
    (work / "run").write_text("#!/bin/sh\n")
    (work / "run").chmod(0o755)
    _commit(work)
    with stood_up(tmp_path / "v ü", [_source(work)]) as below:
        here = below / "work"
        assert os.readlink(here / "link") == "/dev/null"
        assert os.access(here / "run", os.X_OK)
        assert (here / "ein Ort, ünïcode" / "x").read_text() == "x"
        assert not pygit2.Repository(os.fspath(here)).status()


def test_units_whose_commits_are_in_clones_of_their_own_share_a_tree(
    work: Path, tmp_path: Path
) -> None:
    """The commit of one unit is not in the objects of the other unit's clone."""
    sources = []
    for name in ("u1", "u2"):
        clone = tmp_path / name
        _git(tmp_path, "clone", "-q", "--no-hardlinks", os.fspath(work), name)
        (clone / f"{name}.txt").write_text(name)
        commit = _commit(clone)
        both = (work / ".git" / "objects", clone / ".git" / "objects")
        sources.append(SourceRepository("work", clone, both, work / ".git", commit, name))
    for source in (*sources, *sources):
        with stood_up(tmp_path / "verify", [source]) as below:
            names = sorted(p.name for p in (below / "work").iterdir())
            assert names == [".git", ".gitignore", "a.txt", f"{source.branch}.txt"]
            (below / "work" / "cache").mkdir(exist_ok=True)
            (below / "work" / "cache" / "warm").touch()
            (below / "work" / "cache" / "warm").unlink()
            (below / "work" / "cache").rmdir()


@pytest.mark.spec("VF-05")
def test_one_that_is_made_anew_is_prepared_anew(work: Path, tmp_path: Path) -> None:
    with stood_up(tmp_path / "verify", [_source(work)]) as below:
        prepared(below).write_text("npm ci")
    with stood_up(tmp_path / "verify", [_source(work)]) as below:
        assert prepared(below).exists(), "warm: what was made is still there"
        shutil.rmtree(below / "work" / ".git")
        (below / "work" / "cache").mkdir()
    with stood_up(tmp_path / "verify", [_source(work)]) as below:
        assert not (below / "work" / "cache").exists()
        assert not prepared(below).exists()


@pytest.mark.spec("VF-04")
def test_what_we_write_there_goes_through_no_link(work: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("theirs")
    with stood_up(tmp_path / "verify", [_source(work)]) as below:
        for name in ("config", "info/exclude", "objects/info/alternates"):
            (below / "work" / ".git" / name).unlink()
            (below / "work" / ".git" / name).symlink_to(theirs)
    with stood_up(tmp_path / "verify", [_source(work)]) as below:
        assert (below / "work" / "a.txt").read_text() == "one"
    assert theirs.read_text() == "theirs"
