"""One supervisor per project, even if a process dies, forks or only reads."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from topkick.app.state_dir.lock import Holder, ProjectLock, holder, is_held
from topkick.engine.errors import AnotherSupervisor, UsageError

HOLD = """
import os, sys, time
from pathlib import Path
from topkick.app.state_dir.lock import ProjectLock
lock = ProjectLock(Path(sys.argv[1])).acquire(now_us=7_000_000)
child = 0
if "fork" in sys.argv:
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.stdin.read()
        os._exit(0)
if "exec" in sys.argv:
    import subprocess
    child = subprocess.Popen(["cat"], stdout=subprocess.DEVNULL, close_fds=False).pid
print(child, flush=True)
time.sleep(600)
"""


def hold(state_dir: Path, *how: str) -> tuple["subprocess.Popen[bytes]", int]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, state_dir, *how], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout
    return process, int(process.stdout.readline())


def end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    assert process.stdin
    assert process.stdout
    process.stdout.close()
    process.stdin.close()


@pytest.mark.spec("J4")
def test_a_second_one_is_refused_and_told_who_holds_it(tmp_path: Path) -> None:
    state_dir = tmp_path / "git" / "topkick"
    process, _ = hold(state_dir)
    try:
        assert is_held(state_dir)
        assert holder(state_dir) == Holder(process.pid, 7_000_000)
        with pytest.raises(AnotherSupervisor, match=rf"process {process.pid}, since ") as caught:
            ProjectLock(state_dir).acquire(now_us=8)
        assert caught.value.exit_code == 4
    finally:
        end(process)
    assert not is_held(state_dir)
    with ProjectLock(state_dir).acquire(now_us=9):
        assert holder(state_dir) == Holder(os.getpid(), 9)
        assert is_held(state_dir)
    assert not is_held(state_dir)
    assert holder(state_dir) is None


@pytest.mark.spec("J4")
@pytest.mark.parametrize("how", ["fork", "exec"])
def test_children_do_not_inherit_it(tmp_path: Path, how: str) -> None:
    process, child = hold(tmp_path, how)
    process.kill()
    process.wait()
    try:
        os.kill(child, 0)
        ProjectLock(tmp_path).acquire(now_us=9).release()
    finally:
        end(process)


def test_a_forked_child_that_leaves_does_not_free_it(tmp_path: Path) -> None:
    process, _ = hold(tmp_path, "fork")
    try:
        assert process.stdin
        process.stdin.close()
        with pytest.raises(AnotherSupervisor):
            ProjectLock(tmp_path).acquire(now_us=9)
        assert is_held(tmp_path)
    finally:
        end(process)


@pytest.mark.spec("J4")
def test_its_file_removed_changes_nothing_and_its_directory_replaced_is_noticed(
    tmp_path: Path,
) -> None:
    state_dir = tmp_path / "topkick"
    with ProjectLock(state_dir).acquire(now_us=1) as lock:
        for file in state_dir.iterdir():
            file.unlink()
        with pytest.raises(AnotherSupervisor, match="an unknown process"):
            ProjectLock(state_dir).acquire(now_us=2)
        assert lock.is_in_place()
        shutil.rmtree(state_dir)
        assert not lock.is_in_place()
        state_dir.mkdir()
        assert not lock.is_in_place()


def test_onlookers_do_not_keep_anyone_out(tmp_path: Path) -> None:
    def look(_: int) -> None:
        for _ in range(300):
            is_held(tmp_path)

    with ThreadPoolExecutor(3) as onlookers:
        watching = onlookers.map(look, range(3))
        for number in range(100):
            ProjectLock(tmp_path).acquire(now_us=number).release()
        list(watching)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"pid":"x","since_us":1}', b"\xff", b"null"])
def test_a_holder_file_in_disorder_says_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "holder.json").write_bytes(content)
    assert holder(tmp_path) is None
    ProjectLock(tmp_path).acquire(now_us=1).release()


def test_what_is_not_there_is_not_held_and_not_made(tmp_path: Path) -> None:
    assert not is_held(tmp_path / "none")
    assert holder(tmp_path / "none") is None
    assert not (tmp_path / "none").exists()


def test_a_file_in_its_place_is_a_mistake_with_advice(tmp_path: Path) -> None:
    (tmp_path / "topkick").touch()
    with pytest.raises(UsageError, match="directory"):
        ProjectLock(tmp_path / "topkick").acquire(now_us=1)
