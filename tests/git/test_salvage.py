"""Salvage: uncommitted work is saved without a byte of it being touched, and given back whole."""

import os
from pathlib import Path

import pygit2
import pytest
from repositories import ME, commit, git, made_clone, repository

from topkick.engine.errors import UsageError
from topkick.git import salvage
from topkick.git.read.repository import UNBORN
from topkick.git.salvage import Kept, Saved, kept_in, patch_of, restore, save, snapshot

pytestmark = pytest.mark.spec("N4", "SD-03")


@pytest.fixture
def at(tmp_path: Path) -> Path:
    repository(tmp_path / "proj")
    commit(tmp_path / "proj", "deep/b.txt", "b\n")
    return tmp_path / "proj"


def _saved(at: Path, name: str = "u1") -> Saved:
    before = _picture(at)
    found = save(at, at, name, ME, "Work of U1")
    assert _picture(at) == before, "saving touched the tree"
    assert found is not None
    return found


def _picture(at: Path) -> tuple[object, ...]:
    files = {
        str(p.relative_to(at)): (p.lstat().st_mode, p.is_file() and p.read_bytes())
        for p in sorted(at.rglob("*"))
        if ".git" not in p.relative_to(at).parts
    }
    index = at / ".git" / "index"
    return files, (at / ".git" / "HEAD").read_bytes(), index.exists() and index.read_bytes()


def _given_back(at: Path, saved: Saved) -> Path:
    """Restored into a fresh checkout of the same commit."""
    git(at, "reset", "-q", "--hard")
    git(at, "clean", "-qfd")
    (kept,) = [k for k in kept_in(at) if k.commit == saved.commit]
    restore(at, kept)
    return at


def _kept(at: Path) -> Kept:
    (kept,) = kept_in(at)
    return kept


# --- saving --------------------------------------------------------------------------------


def test_nothing_uncommitted_nothing_saved(at: Path) -> None:
    assert save(at, at, "u1", ME, "Work") is None
    assert kept_in(at) == []


def test_all_kinds_of_change_come_back(at: Path) -> None:
    (at / "a.txt").write_text("changed\n")
    (at / "deep" / "b.txt").unlink()
    (at / "new.txt").write_text("new\n")
    (at / "run.sh").write_text("#!/bin/sh\n")
    (at / "run.sh").chmod(0o755)
    (at / "link").symlink_to("nowhere/at/all")
    odd = os.fsdecode(b"odd\n\xff")
    (at / odd).write_bytes(bytes(range(256)))
    saved = _saved(at)
    names = {"a.txt", "deep/b.txt", "new.txt", "run.sh", "link", odd}
    assert set(saved.files) == names == set(_kept(at).files)
    assert saved.left_out == ()
    _given_back(at, saved)
    assert (at / "a.txt").read_text() == "changed\n"
    assert not (at / "deep" / "b.txt").exists()
    assert os.access(at / "run.sh", os.X_OK)
    assert not os.access(at / "new.txt", os.X_OK)
    assert (at / "link").readlink() == Path("nowhere/at/all")
    assert (at / odd).read_bytes() == bytes(range(256))


def test_a_file_made_executable_comes_back_so(at: Path) -> None:
    (at / "a.txt").chmod(0o755)
    _given_back(at, _saved(at))
    assert os.access(at / "a.txt", os.X_OK)


def test_ignored_files_are_not_taken(at: Path) -> None:
    commit(at, ".gitignore", ".env\nbuild/\n")
    (at / ".env").write_text("TOKEN=secret\n")
    (at / "build").mkdir()
    (at / "build" / "out").write_text("out\n")
    assert save(at, at, "u1", ME, "Work") is None
    (at / "new.txt").write_text("new\n")
    assert _saved(at).files == ("new.txt",)


def test_what_is_staged_and_differs_is_a_parent(at: Path) -> None:
    (at / "a.txt").write_text("staged\n")
    git(at, "add", "a.txt")
    (at / "a.txt").write_text("and changed\n")
    saved = _saved(at)
    head = git(at, "rev-parse", "HEAD")
    first, second = git(at, "rev-parse", f"{saved.ref}^1", f"{saved.ref}^2").split()
    assert first == head
    assert git(at, "show", f"{second}:a.txt") == "staged"
    assert git(at, "show", f"{saved.ref}:a.txt") == "and changed"


def test_what_is_staged_and_gone_from_the_tree_is_kept(at: Path) -> None:
    (at / "new.txt").write_text("only staged\n")
    git(at, "add", "new.txt")
    (at / "new.txt").unlink()
    saved = _saved(at)
    assert git(at, "show", f"{saved.ref}^2:new.txt") == "only staged"


def test_what_is_staged_alone_has_one_parent(at: Path) -> None:
    (at / "a.txt").write_text("staged\n")
    git(at, "add", "a.txt")
    saved = _saved(at)
    assert git(at, "rev-list", "--parents", "-1", saved.ref).split()[1:] == [
        git(at, "rev-parse", "HEAD")
    ]


def test_a_branch_without_a_commit(tmp_path: Path) -> None:
    at = tmp_path / "fresh"
    at.mkdir()
    git(at, "init", "-q")
    (at / "new.txt").write_text("new\n")
    (at / "staged.txt").write_text("staged\n")
    git(at, "add", "staged.txt")
    saved = _saved(at)
    assert set(_kept(at).files) == {"new.txt", "staged.txt"}
    assert b"+new" in patch_of(at, _kept(at))
    (at / "new.txt").unlink()
    restore(at, _kept(at))
    assert (at / "new.txt").read_text() == "new\n"
    assert saved.ref.startswith(salvage.REFS)


def test_in_the_middle_of_a_merge_with_conflicts(at: Path) -> None:
    git(at, "checkout", "-q", "-b", "other")
    commit(at, "a.txt", "theirs\n")
    git(at, "checkout", "-q", "-")
    commit(at, "a.txt", "ours\n")
    with pytest.raises(Exception, match="merge"):
        git(at, "merge", "other")
    saved = _saved(at)
    assert "<<<<<<<" in git(at, "show", f"{saved.ref}:a.txt")


def test_the_same_work_is_kept_once_and_other_work_beside_it(at: Path) -> None:
    (at / "new.txt").write_text("first\n")
    first = _saved(at)
    assert _saved(at) == first
    (at / "new.txt").write_text("second\n")
    second = _saved(at)
    assert second.ref == f"{first.ref}.2"
    assert git(at, "show", f"{first.ref}:new.txt") == "first"
    assert git(at, "show", f"{second.ref}:new.txt") == "second"


def test_only_what_lies_in_a_directory(at: Path) -> None:
    (at / "deep" / "new.txt").write_text("new\n")
    (at / "deeper.txt").write_text("not mine\n")
    found = save(at, at, "u1", ME, "Work", inside="deep")
    assert found is not None
    assert found.files == ("deep/new.txt",)


def test_of_a_clone_kept_at_home(at: Path) -> None:
    clone = made_clone(at, git(at, "rev-parse", "HEAD"))
    (clone.at / "new.txt").write_text("new\n")
    found = save(clone.at, clone.main, "u1", ME, "Work of U1")
    assert found is not None
    restore(at, _kept(at))
    assert (at / "new.txt").read_text() == "new\n"


# --- limits --------------------------------------------------------------------------------


def test_a_large_file_is_left_out_and_told(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(salvage, "FILE_LIMIT_BYTES", 100)
    (at / "large.bin").write_bytes(b"x" * 101)
    (at / "small.bin").write_bytes(b"x" * 100)
    saved = _saved(at)
    assert saved.files == ("small.bin",)
    assert len(saved.left_out) == 1
    assert saved.left_out[0].startswith("large.bin (larger than")
    assert "Left out: large.bin" in _kept(at).told


def test_a_large_change_leaves_the_committed_version(
    at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(salvage, "FILE_LIMIT_BYTES", 100)
    (at / "a.txt").write_bytes(b"x" * 101)
    (at / "new.txt").write_text("new\n")
    saved = _saved(at)
    assert git(at, "show", f"{saved.ref}:a.txt").startswith("one")


def test_nothing_but_what_is_left_out(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(salvage, "FILE_LIMIT_BYTES", 100)
    (at / "large.bin").write_bytes(b"x" * 101)
    assert save(at, at, "u1", ME, "Work") is None


def test_the_whole_has_a_limit(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(salvage, "TOTAL_LIMIT_BYTES", 250)
    for name in "xyz":
        (at / name).write_bytes(name.encode() * 100)
    saved = _saved(at)
    assert saved.files == ("x", "y")
    assert saved.left_out == ("z (the limit for saved work is reached)",)


def test_the_number_of_files_has_a_limit(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(salvage, "FILES_LIMIT", 2)
    for name in "xyz":
        (at / name).write_text(name)
    assert _saved(at).left_out == ("z (the limit for saved work is reached)",)


def test_repositories_and_pipes_are_left_out(at: Path) -> None:
    repository(at / "nested")
    os.mkfifo(at / "pipe")
    (at / "new.txt").write_text("new\n")
    saved = _saved(at)
    assert saved.files == ("new.txt",)
    assert any("nested" in why for why in saved.left_out)


def test_a_link_in_the_place_of_a_directory_is_not_followed(at: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "b.txt").write_text("not in this tree\n")
    (at / "deep" / "b.txt").unlink()
    (at / "deep").rmdir()
    (at / "deep").symlink_to(tmp_path / "secret")
    saved = _saved(at)
    assert "not in this tree" not in git(at, "show", saved.ref)
    entry = git(at, "ls-tree", saved.ref, "deep").split()
    assert entry[:2] == ["120000", "blob"]


def test_a_file_in_the_place_of_a_directory_and_the_other_way_round(at: Path) -> None:
    (at / "deep" / "b.txt").unlink()
    (at / "deep").rmdir()
    (at / "deep").write_text("a file now\n")
    (at / "a.txt").unlink()
    (at / "a.txt").mkdir()
    (at / "a.txt" / "inside").write_text("inside\n")
    saved = _saved(at)
    assert git(at, "show", f"{saved.ref}:deep") == "a file now"
    assert git(at, "show", f"{saved.ref}:a.txt/inside") == "inside"


# --- giving back ---------------------------------------------------------------------------


def _with_saved_change(at: Path) -> Kept:
    (at / "a.txt").write_text("saved\n")
    (at / "deep" / "b.txt").unlink()
    (at / "deep" / "new.txt").write_text("new\n")
    _saved(at)
    git(at, "reset", "-q", "--hard")
    git(at, "clean", "-qfd")
    return _kept(at)


@pytest.mark.parametrize("name", ["a.txt", "deep/b.txt", "deep/new.txt"])
def test_what_was_changed_since_is_not_written_over(at: Path, name: str) -> None:
    kept = _with_saved_change(at)
    (at / name).write_text("changed since\n")
    before = _picture(at)
    with pytest.raises(UsageError, match="--force"):
        restore(at, kept)
    assert _picture(at) == before
    restore(at, kept, force=True)
    assert (at / "a.txt").read_text() == "saved\n"
    assert not (at / "deep" / "b.txt").exists()
    assert (at / "deep" / "new.txt").read_text() == "new\n"


def test_twice_is_once(at: Path) -> None:
    kept = _with_saved_change(at)
    restore(at, kept)
    before = _picture(at)
    restore(at, kept)
    assert _picture(at) == before


@pytest.mark.parametrize("force", [False, True])
def test_nothing_is_written_or_removed_through_a_link(
    at: Path, tmp_path: Path, force: bool
) -> None:
    kept = _with_saved_change(at)
    outside = tmp_path / "outside"
    (at / "deep").rename(outside)
    (at / "deep").symlink_to(outside)
    before, theirs = _picture(at), (outside / "b.txt").read_text()
    with pytest.raises(UsageError, match="link"):
        restore(at, kept, force=force)
    assert _picture(at) == before
    assert (outside / "b.txt").read_text() == theirs
    assert [p.name for p in outside.iterdir()] == ["b.txt"]


@pytest.mark.parametrize("force", [False, True])
def test_a_directory_in_the_place_of_a_file_stays(at: Path, force: bool) -> None:
    kept = _with_saved_change(at)
    (at / "a.txt").unlink()
    (at / "a.txt").mkdir()
    (at / "a.txt" / "mine").write_text("mine\n")
    before = _picture(at)
    with pytest.raises(UsageError, match="directory"):
        restore(at, kept, force=force)
    assert _picture(at) == before


@pytest.mark.parametrize("force", [False, True])
def test_a_file_in_the_place_of_a_directory_stays(at: Path, force: bool) -> None:
    kept = _with_saved_change(at)
    (at / "deep" / "b.txt").unlink()
    (at / "deep").rmdir()
    (at / "deep").write_text("mine\n")
    before = _picture(at)
    with pytest.raises(UsageError):
        restore(at, kept, force=force)
    assert _picture(at) == before


# --- the state at the start ----------------------------------------------------------------


def test_a_snapshot_is_a_commit_on_top_and_no_salvage_of_its_own(at: Path) -> None:
    head = git(at, "rev-parse", "HEAD")
    assert snapshot(at, "start", ME, "At the start") == head
    (at / "a.txt").write_text("staged\n")
    git(at, "add", "a.txt")
    (at / "a.txt").write_text("changed\n")
    before = _picture(at)
    made = snapshot(at, "start", ME, "At the start")
    assert _picture(at) == before
    assert git(at, "rev-parse", f"{made}^@").split() == [head]
    assert git(at, "show", f"{made}:a.txt") == "changed"
    assert [kept.name for kept in kept_in(at)] == ["start"]
    assert snapshot(at, "start", ME, "At the start") is not None


def test_a_snapshot_without_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(salvage, "FILE_LIMIT_BYTES", 10)
    git(tmp_path, "init", "-q")
    (tmp_path / "large.bin").write_bytes(b"x" * 11)
    with pytest.raises(UsageError, match=r"large\.bin"):
        snapshot(tmp_path, "start", ME, "At the start")
    (tmp_path / "large.bin").unlink()
    assert snapshot(tmp_path, "start", ME, "At the start") == UNBORN
    (tmp_path / "new.txt").write_text("new\n")
    made = snapshot(tmp_path, "start", ME, "At the start")
    assert pygit2.Repository(str(tmp_path))[made].parents == []
