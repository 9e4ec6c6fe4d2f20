"""Units in clones, in a project and a HOME whose paths are unusual, or on another file system."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from story_project import Project, plan, unit

TWO = plan(unit("a"), unit("b"))
AUTO = {"isolation": "auto", "ritual": False}
ODD_NAMES = ("uml-ü", "日本", 'dq"q', '"leading', "a blank", "new\nline", "back\\slash", "#hash;x")


def _whole_run(project: Project) -> None:
    """Two units to COMPLETED with every check passed, merged and landed."""
    project.make(TWO, top=AUTO)
    assert "2 done (2 checked)" in project.says("start", "--yes", "--foreground")
    project.says("land", "--yes")
    for name in "ab":
        assert (project.root / name / "done-1.txt").is_file()
    assert project.git("status", "--porcelain") == ""


def _closed(project: Project) -> None:
    left = project.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


@pytest.fixture
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Project]:
    place = tmp_path / request.param
    place.mkdir()
    made = Project(place, portable=False)
    yield made
    _closed(made)


@pytest.mark.spec("GT-06")
@pytest.mark.parametrize("odd", ODD_NAMES, indirect=True, ids=ascii)
def test_a_whole_run_below_an_odd_name(odd: Project) -> None:
    """Projects below `uml-ü` or `dq"q` could not be merged; below a newline, not even begun."""
    _whole_run(odd)


@pytest.fixture
def other_disk(tmp_path: Path) -> Iterator[Path]:
    """A directory on a file system of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a second disk")
    words = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", place]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"a second disk cannot be mounted here: {done.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


@pytest.mark.spec("GT-06")
def test_a_whole_run_on_another_disk_than_the_state_and_without_home(
    tmp_path: Path, other_disk: Path
) -> None:
    """No clone could be made: `git clone --local` insists on hard links."""
    project = Project(other_disk, portable=False)
    del project.env["HOME"]
    project.env["XDG_STATE_HOME"] = str(tmp_path / "state")
    _whole_run(project)
    _closed(project)


@pytest.mark.spec("GT-06")
def test_the_reason_of_git_is_shown_where_a_clone_cannot_be_made(tmp_path: Path) -> None:
    """The reason was cut off: only its first line, without the reason, was shown."""
    project = Project(tmp_path, portable=False)
    project.make(TWO, top=AUTO)
    link = project.root / ".git" / "objects" / "elsewhere"
    link.symlink_to(tmp_path)
    said = project.says("start", "--yes", "--foreground", code=3)
    assert "`git clone` failed: fatal: symlink" in said
    link.unlink()
    project.says("resume", "--yes", "--foreground")
    _closed(project)
