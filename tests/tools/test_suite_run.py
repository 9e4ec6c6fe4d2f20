"""Additions of `make test` to pytest: minutes by directory, and a load next to it."""

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tools import suite_minutes, under_load

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_minutes_are_summed_over_phases_and_sorted() -> None:
    timed = [
        ("tests/core/test_a.py::test_one", "setup", 30.0),
        ("tests/core/test_a.py::test_one", "call", 30.0),
        ("tests/core/deep/test_b.py::test_two[x::y]", "call", 60.0),
        ("tests/plans/test_c.py::test_three", "call", 300.0),
        ("tests/test_d.py::test_four", "call", 6.0),
    ]
    assert suite_minutes.minutes_by_directory(timed) == [
        "    5.0 min      1 tests  tests/plans",
        "    2.0 min      2 tests  tests/core",
        "    0.1 min      1 tests  tests",
        "    7.1 min      4 tests  all",
    ]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_minutes_are_printed_with_and_without_workers(tmp_path: Path, workers: str) -> None:
    for name in ("one", "two"):
        (tmp_path / "tests" / name).mkdir(parents=True)
        test = tmp_path / "tests" / name / f"test_{name}.py"
        test.write_text(f"def test_{name}(): ...\n")
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["tools.suite_minutes"]\n')
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", workers, "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 tests  tests/one" in done.stdout
    assert "1 tests  tests/two" in done.stdout
    assert "2 tests  all" in done.stdout


def test_a_load_ends_with_the_command_that_it_stands_beside(tmp_path: Path) -> None:
    """The command sees the busy processes next to it; after its end none is left."""
    look = (
        "import os, pathlib, psutil; me = psutil.Process(); "
        "others = [p.pid for p in me.parent().children() if p.pid != me.pid]; "
        f"pathlib.Path({str(tmp_path / 'pids')!r}).write_text(' '.join(map(str, others))); "
        "raise SystemExit(7)"
    )
    before = {child.pid for child in psutil.Process().children()}
    assert under_load.run([sys.executable, "-c", look], busy=2) == 7
    seen = {int(pid) for pid in (tmp_path / "pids").read_text().split()} - before
    assert len(seen) == 2
    assert not any(map(is_running, seen))


def test_a_load_ends_when_what_started_it_is_killed() -> None:
    script = (
        "import subprocess, sys, os; from tools import under_load; "
        "words = [sys.executable, under_load.__file__, '--busy', str(os.getpid())]; "
        "p = subprocess.Popen(words, stdout=subprocess.DEVNULL); "
        "print(p.pid, flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    ends_at_s = time.monotonic() + PATIENCE_S
    while is_running(int(done.stdout)):
        assert time.monotonic() < ends_at_s, "the busy process outlived its parent"
        time.sleep(0.02)


def test_a_test_that_leaves_a_signal_ignored_is_told_and_harms_no_other(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["tools.signal_guard"]\n')
    (tmp_path / "test_it.py").write_text(
        "import os, signal\n\n\n"
        "def test_leaves():\n"
        "    signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "    descriptor = os.open(os.devnull, os.O_WRONLY | os.O_NONBLOCK)\n"
        "    signal.set_wakeup_fd(descriptor)\n\n\n"
        "def test_meets():\n"
        "    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed, 1 error" in done.stdout
    assert "left changed for all later ones: SIGINT, the wake-up descriptor" in done.stdout
