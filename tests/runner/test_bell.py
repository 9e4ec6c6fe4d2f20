"""Ringing wakes the supervisor, and no other process."""

import os
import select
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from topkick.engine.errors import TopkickError
from topkick.runner.wake_fifo import WakeFifo, ring


def is_ringing(bell: WakeFifo, timeout_s: float = 0) -> bool:
    return bool(select.select([bell], [], [], timeout_s)[0])


def test_ringing_wakes_from_another_process(tmp_path: Path) -> None:
    script = "import sys; from pathlib import Path; from topkick.runner.wake_fifo import ring; "
    script += "assert ring(Path(sys.argv[1]))"
    with WakeFifo(tmp_path) as bell:
        assert not is_ringing(bell)
        with subprocess.Popen([sys.executable, "-c", script, tmp_path]) as ringer:
            assert is_ringing(bell, timeout_s=30)
        assert ringer.returncode == 0
        assert bell.drain()
        assert not is_ringing(bell), "nor does the ringer's leaving look like an end"
        assert not bell.drain()


def test_nobody_hears_is_an_answer_and_leaves_no_trace(tmp_path: Path) -> None:
    assert not ring(tmp_path)
    assert list(tmp_path.iterdir()) == []
    WakeFifo(tmp_path).close()
    assert not ring(tmp_path)


def test_a_bell_rung_very_often_neither_blocks_nor_stays_loud(tmp_path: Path) -> None:
    with WakeFifo(tmp_path) as bell:
        with suppress(BlockingIOError):
            while True:
                os.write(bell.fileno(), b"!" * 4096)
        assert ring(tmp_path)
        assert bell.drain()
        assert not is_ringing(bell)


def test_a_bell_left_by_a_dead_supervisor_serves_the_next(tmp_path: Path) -> None:
    WakeFifo(tmp_path).close()
    with WakeFifo(tmp_path) as bell:
        assert ring(tmp_path)
        assert bell.drain()


@pytest.mark.parametrize("kind", ["file", "directory", "link"])
def test_something_else_in_its_place_is_not_touched(tmp_path: Path, kind: str) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"")
    match kind:
        case "file":
            (tmp_path / "bell").touch()
        case "directory":
            (tmp_path / "bell").mkdir()
        case _:
            (tmp_path / "bell").symlink_to(precious)
    assert not ring(tmp_path)
    with pytest.raises(TopkickError, match="bell"):
        WakeFifo(tmp_path)
    assert precious.read_bytes() == b""
    assert os.path.lexists(tmp_path / "bell")
