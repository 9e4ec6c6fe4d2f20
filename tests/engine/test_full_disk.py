"""A disk that is full at the moment when a run begins: it is held up, and not held against it."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner_bench import ENV, Bench
from topkick.runner import run_dir, watch
from topkick.runner.local_runner import Active, Placement

INODES = 64
ROOM_FOR_A_CLAIM = 2  # its draft and its name; the output takes what is left of them


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """On a disk with room for few files."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    words = ["mount", "-t", "tmpfs", "-o", f"size=4m,nr_inodes={INODES}", "tmpfs", place]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.decode().strip()}")
    made = Bench(place)
    yield made
    made.clean_up()
    subprocess.run(["umount", "-l", place], check=True)


def _begin_without_room(bench: Bench, room: int) -> None:
    """The order is written down already; then the disk takes so many more files."""
    placement = Placement(("/bin/sh", "-c", "exit 4"), "/", ENV)
    run_dir.prepare(bench.runs / "r1", "r1", placement)
    (bench.runs / "launcher.log").touch()
    for path in _fill(bench.home)[:room]:
        path.unlink()
    bench.runner.ensure("r1", placement)


def _fill(place: Path) -> list[Path]:
    made: list[Path] = []
    for number in range(INODES):
        try:
            (place / f"filler.{number}").touch()
        except OSError:
            return made
        made.append(place / f"filler.{number}")
    raise AssertionError("it is never full")


def _make_room(bench: Bench) -> None:
    for path in bench.home.glob("filler.*"):
        path.unlink()


@pytest.mark.spec("D1", "Y2")
def test_a_run_that_could_not_be_claimed_begins_when_there_is_room(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three keepers died of it in a moment, and the agent was down until a person resumed."""
    monkeypatch.setattr(watch, "LAUNCHES", 1)
    _begin_without_room(bench, 0)
    bench.until(lambda: bench.runner.trouble("r1"))
    assert bench.runner.describe("r1").state == "absent"
    launcher_pid = bench.runner.launcher_pid
    _make_room(bench)
    assert bench.end_of("r1").code == 4
    assert bench.runner.launcher_pid == launcher_pid  # which has done nothing wrong
    assert bench.runner.trouble("r1") == ""


@pytest.mark.spec("D1", "Y2")
def test_a_run_whose_start_could_not_be_recorded_begins_when_there_is_room(bench: Bench) -> None:
    """Earlier the agent was reported as unable to start, which only a resume can undo."""
    _begin_without_room(bench, ROOM_FOR_A_CLAIM)
    bench.until(lambda: bench.runner.describe("r1").state == "claimed")
    bench.until(lambda: Active("r1") in bench.notices)
    assert bench.runner.describe("r1").state == "claimed"
    _make_room(bench)
    assert bench.end_of("r1").code == 4


@pytest.mark.spec("D7", "K1")
def test_a_run_that_waits_for_room_can_be_stopped(bench: Bench) -> None:
    _begin_without_room(bench, ROOM_FOR_A_CLAIM)
    bench.until(lambda: Active("r1") in bench.notices)
    assert bench.runner.describe("r1").state == "claimed"
    bench.runner.stop("r1", 5.0)
    _make_room(bench)
    ended = bench.end_of("r1")
    assert ended.how == "stopped"
    assert ended.code in (127, None), "it began after all"  # None: killed before it could say so
