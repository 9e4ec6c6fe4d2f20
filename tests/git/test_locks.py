"""Locks that a killed process left: topkick removes its own and respects all others."""

import subprocess
from pathlib import Path

import pytest
from repositories import (
    ME,
    catch_up,
    commit,
    git,
    integrate,
    look_at,
    made_clone,
    repository,
    tip_of,
)

from topkick.engine.errors import UsageError
from topkick.git import locks
from topkick.git.landing.fetch_commits import gather
from topkick.git.landing.landing import land
from topkick.git.landing.merge import WISH
from topkick.git.locks import free_clone, writing
from topkick.git.salvage import save


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "PATIENCE_S", 0.1)


@pytest.fixture
def main(tmp_path: Path) -> Path:
    repository(tmp_path / "project")
    return tmp_path / "project"


def lock(git_dir: Path, ref: str) -> Path:
    found = git_dir / f"{ref}.lock"
    found.parent.mkdir(parents=True, exist_ok=True)
    found.touch()
    return found


def test_a_lock_of_our_own_ref_that_lost_its_owner_holds_nobody_up(main: Path) -> None:
    clone = made_clone(main, git(main, "rev-parse", "HEAD"))
    made = commit(clone.at, "b.txt", "b\n")
    for ref in (clone.gathered, clone.mission_ref, "refs/topkick/salvage/x-U1"):
        lock(main / ".git", ref)
    gather(clone, made)
    integrate(clone, made, ME, "Merge")
    assert tip_of(clone) == made
    (clone.at / "left.txt").write_text("left\n")
    assert save(clone.at, clone.main, "x-U1", ME, "Work") is not None


def test_locks_that_a_killed_agent_left_in_its_clone_are_taken_away(main: Path) -> None:
    clone = made_clone(main, git(main, "rev-parse", "HEAD"))
    left = [lock(clone.at / ".git", name) for name in ("index", "HEAD", "refs/heads/x/y")]
    free_clone(clone.at / ".git")
    assert not any(path.exists() for path in left)


def test_a_landing_that_was_killed_is_gone_on_with(main: Path) -> None:
    clone = made_clone(main, git(main, "rev-parse", "HEAD"))
    made = commit(clone.at, "b.txt", "b\n")
    gather(clone, made)
    integrate(clone, made, ME, "Merge")
    dead = subprocess.Popen(["true"])
    dead.wait()
    (main / ".git" / "topkick-landing").write_text(f"{dead.pid} 1 0\n")
    lock(main / ".git", "index")
    lock(main / ".git", "refs/heads/main")
    landing = look_at(main, clone.mission)
    assert landing is not None
    assert land(landing, ME) == made
    assert git(main, "status", "--porcelain") == ""
    assert not (main / ".git" / "topkick-landing").exists()


def test_a_lock_of_somebody_elses_git_stops_a_landing(main: Path) -> None:
    held = lock(main / ".git", "index")
    with (
        pytest.raises(UsageError, match=r"index\.lock"),
        writing(main / ".git", main / ".git", "refs/heads/main"),
    ):
        pytest.fail("it went on")
    assert held.exists()


def test_catching_up_that_was_cut_off_among_its_files_goes_on(main: Path) -> None:
    base = git(main, "rev-parse", "HEAD")
    one, other = made_clone(main, base, "U1"), made_clone(main, base, "U2")
    made = commit(other.at, "b.txt", "b\n")
    gather(other, made)
    integrate(other, made, ME, "Merge")
    git(one.at, "fetch", "-q", str(main), f"+{other.mission_ref}:{WISH}")
    (one.at / "b.txt").write_text("b\n")
    git(one.at, "add", "b.txt")
    assert catch_up(one, ME, "Catch up").commit == made
    assert git(one.at, "status", "--porcelain") == ""
    assert git(one.at, "for-each-ref", WISH) == ""
