"""Ownership of changes: commits that a unit took over from another are the other unit's work."""

import subprocess
from pathlib import Path

import pygit2
import pytest

from topkick.git.read.changes import changes_between, merged_from

MISSION = "refs/heads/topkick/x"


def _git(at: Path, *words: str) -> str:
    name = ["-c", "user.name=a", "-c", "user.email=a@b"]
    done = subprocess.run(
        ["git", *name, *words], cwd=at, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def _commit(at: Path, name: str, text: str) -> str:
    (at / name).write_text(text)
    _git(at, "add", "-A")
    _git(at, "commit", "-q", "-m", name)
    return _git(at, "rev-parse", "HEAD")


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """The user's repository, with the branch on which the work of units meets."""
    at = tmp_path / "main"
    at.mkdir()
    _git(at, "init", "-q", "-b", "main")
    _commit(at, "theirs.py", "1")
    _git(at, "switch", "-q", "-c", "topkick/x")
    return at


@pytest.fixture
def clone(main: Path, tmp_path: Path) -> Path:
    _git(tmp_path, "clone", "-q", "main", "clone")
    return tmp_path / "clone"


def _changed(main: Path, clone: Path, base: str, head: str) -> list[str]:
    repo = pygit2.Repository(str(clone))
    found = pygit2.Repository(str(main)).references.get(MISSION)
    left_at = str(found.target) if found is not None else ""
    merged = merged_from(repo, head, main / ".git", left_at)
    changes = changes_between(repo, base, head, beside=(merged,) if merged else ())
    return [c.after.path for c in changes if c.after is not None]


@pytest.mark.spec("VF-03")
def test_what_was_merged_from_the_mission_is_not_the_units(main: Path, clone: Path) -> None:
    base = _git(clone, "rev-parse", "HEAD")
    _commit(main, "theirs.py", "2")
    _commit(clone, "own.py", "1")
    _git(clone, "pull", "-q", "--no-rebase", "--no-edit", "origin", "topkick/x")
    head = _commit(clone, "own.py", "2")
    assert _changed(main, clone, base, head) == ["own.py"]
    _commit(main, "theirs.py", "1")
    assert _changed(main, clone, base, head) == ["own.py"], "the mission has gone on since"


@pytest.mark.spec("VF-03")
def test_what_stands_on_the_mission_but_was_not_merged_excuses_nothing(
    main: Path, clone: Path
) -> None:
    base = _git(clone, "rev-parse", "HEAD")
    _commit(main, "theirs.py", "2")
    head = _commit(clone, "theirs.py", "2")
    assert _changed(main, clone, base, head) == ["theirs.py"]


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize("how", ["--ff-only", "--no-ff"])
def test_work_that_the_mission_has_taken_in_is_still_its_own(
    main: Path, clone: Path, how: str
) -> None:
    base = _git(clone, "rev-parse", "HEAD")
    _commit(clone, "own.py", "1")
    head = _commit(clone, "more.py", "1")
    _git(main, "pull", "-q", how, "--no-rebase", "--no-edit", str(clone), "HEAD")
    _commit(main, "theirs.py", "2")
    assert sorted(_changed(main, clone, base, head)) == ["more.py", "own.py"]
