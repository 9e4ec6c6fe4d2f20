"""Agents can put anything where a file should be: it is neither waited for nor swallowed whole."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from topkick.engine.io.files import read_plain
from topkick.git.read.directory import find_git

PATIENCE_S = 60
WATCH = """
from topkick.sprint.run import plan_watch
plan_watch.EVERY_S = 0.0
path = Path("EXECUTION_PLAN.md")
path.write_text("# Plan")
watch = plan_watch.PlanWatch(path, str, lambda: "# Plan")
path.unlink()
put(path)
print(watch.poll())
"""
FIND = """
from topkick.git.read.directory import find_git
Path("repository").mkdir()
put(Path("repository/.git"))
print(find_git(Path("repository").resolve()))
own = Path("linked/own")
own.mkdir(parents=True)
Path("linked/.git").write_text("gitdir: own")
put(own / "commondir")
put(own / "gitdir")
found = find_git(Path("linked").resolve())
print(found.common == found.own, found.checked_out_at)
"""
TOOLS = """
from topkick.checks.tool_marks import tools_of
put(Path("make"))
Path("make").chmod(0o755)
print(tools_of(["make"], str(Path.cwd()), ""))
"""
RESPAWNER = """
from topkick.app.state_dir import restart_notice as notice
place = Path("state")
place.mkdir()
put(place / notice.LOCK_FILE)
notice.announce(place, notice.RestartNotice(1, "killed by SIGKILL", 1))
print(notice.expected(place))
with notice.respawner_at_work(place):
    print("it goes on")
"""
FIFO = "put = os.mkfifo"
DEVICE = "put = lambda path: path.symlink_to('/dev/zero')"


def _said(code: str, put: str, place: Path) -> str:
    """By a process of its own: what it waits for never comes, what it reads never ends."""
    limits = "import os, resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
    words = [sys.executable, "-c", f"{limits}from pathlib import Path\n{put}\n{code}"]
    done = subprocess.run(
        words, cwd=place, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.spec("LP-05", "Y3")
@pytest.mark.parametrize("put", [FIFO, DEVICE], ids=["FIFO", "device"])
def test_a_plan_that_is_no_plain_file_is_gone(put: str, tmp_path: Path) -> None:
    """A FIFO stopped all supervision, a device ended it."""
    assert _said(WATCH, put, tmp_path) == "(PlanEdited(sha256='gone'),)\n"


@pytest.mark.spec("Y3")
@pytest.mark.parametrize("put", [FIFO, DEVICE], ids=["FIFO", "device"])
def test_what_is_no_plain_file_points_to_no_repository(put: str, tmp_path: Path) -> None:
    assert _said(FIND, put, tmp_path) == "None\nTrue None\n"


@pytest.mark.parametrize("put", [FIFO, DEVICE], ids=["FIFO", "device"])
def test_what_lies_in_the_place_of_the_respawners_lock_is_not_waited_for(
    put: str, tmp_path: Path
) -> None:
    """A FIFO stopped `status` for ever."""
    assert _said(RESPAWNER, put, tmp_path) == "None\nit goes on\n"


def test_a_program_that_is_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    assert "unreadable" in _said(TOOLS, FIFO, tmp_path)


@pytest.mark.parametrize("where", ["a\0b", "x" * 300, "loop"], ids=["NUL", "long", "loop"])
def test_words_that_are_no_path_point_to_no_repository(where: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / ".git").write_text(f"gitdir: {where}")
    assert find_git(tmp_path) is None


@pytest.mark.parametrize("where", ["a\0b", "\udcff", "loop"], ids=["NUL", "no UTF-8", "loop"])
def test_a_worktree_whose_own_files_say_nonsense_is_still_found(where: str, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "loop").symlink_to("loop")
    (tmp_path / ".git").write_text("gitdir: own")
    for name in ("commondir", "gitdir"):
        (tmp_path / "own" / name).write_bytes(os.fsencode(where))
    found = find_git(tmp_path)
    assert found is not None
    assert found.own == tmp_path / "own"


def test_only_who_says_so_follows_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"words")
    (tmp_path / "link").symlink_to("file")
    with pytest.raises(OSError, match="symbolic link"):
        read_plain(tmp_path / "link", 99)
    assert read_plain(tmp_path / "link", 99, follow_links=True) == b"words"
    assert read_plain(tmp_path / "link", 3, follow_links=True) == b"wor"
