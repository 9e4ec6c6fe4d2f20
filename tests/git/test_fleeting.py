"""Temporary directories: one for each process, removed when the process ends."""

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from topkick.git.clone.temporary import COLD, COMPOSED, fleeting, locked, sweep


def _die_inside(place: Path, kind: str) -> None:
    with fleeting(place, kind) as mine:
        (mine / "half").write_text("half")
        mine.with_name(f"{mine.name}.prepared").write_text("")
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.spec("GT-03")
@pytest.mark.parametrize("kind", [COLD, COMPOSED])
def test_the_next_one_takes_away_what_the_dead_left(kind: str, tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    process = spawn.Process(target=_die_inside, args=(tmp_path, kind))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 3
    with fleeting(tmp_path, COMPOSED) as mine:
        assert sorted(tmp_path.iterdir()) == [mine, mine.with_name(f"{mine.name}.lock")]
    assert not list(tmp_path.iterdir())


def test_what_lives_is_left_alone(tmp_path: Path) -> None:
    with fleeting(tmp_path, COLD) as one, fleeting(tmp_path, COLD) as two:
        sweep(tmp_path)
        assert one != two
        assert one.is_dir()
        assert two.is_dir()
    assert not list(tmp_path.iterdir())


def test_it_is_gone_when_something_went_wrong(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), fleeting(tmp_path, COLD) as mine:
        (mine / "nowhere" / "file").touch()
    assert not list(tmp_path.iterdir())


def test_a_lock_that_was_taken_away_is_none(tmp_path: Path) -> None:
    held = locked(tmp_path / "cold-1-1")
    assert held is not None
    assert locked(tmp_path / "cold-1-1") is None
    (tmp_path / "cold-1-1.lock").unlink()
    again = locked(tmp_path / "cold-1-1")
    assert again is not None, "another file has the name by now, and a lock of its own"
    os.close(held)
    os.close(again)
