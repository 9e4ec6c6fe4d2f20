"""A share of the races of `python -m proof.races`, and proof that their observer can see."""

import subprocess
import sys
from pathlib import Path

import pytest

from proof.races import judge
from proof.races.arena import Start

ROOT = Path(__file__).parents[2]
RACES_EACH = 6


def campaign(*options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "proof.races", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.spec("J4", "D3", "J1", "J5", "Y2")
@pytest.mark.parametrize("first", [1001, 2001, 3001, 4001])
def test_of_many_supervisors_at_once_never_two_act(first: int) -> None:
    done = campaign("--races", str(RACES_EACH), "--seed", str(first), "--jobs", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"races {RACES_EACH} " in done.stdout
    assert " violations 0 " in done.stdout


@pytest.mark.spec("J4")
def test_without_lock_and_epoch_the_races_do_not_pass() -> None:
    done = campaign("--races", "4", "--seed", "2", "--jobs", "2", "--planted")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " violations 0 " not in done.stdout


def test_the_observer_sees_a_second_process_and_one_that_nobody_wrote_down() -> None:
    starts = [Start("m-1", 10), Start("m-2", 11), Start("m-1", 12), Start("m-9", 13)]
    found = list(judge.of_starts(starts, {"m-1", "m-2"}))
    assert found == [
        "D3: m-1 was started 2 times",
        "D1: m-9 was started and is in no journal",
    ]


def test_the_observer_sees_acts_that_interleave(tmp_path: Path) -> None:
    acts = tmp_path / "acts"
    acts.write_text("1 10/1 append\n2 11/2 begin_epoch\n3 11/2 append\n4 10/3 begin_epoch\n")
    assert list(judge.of_acts(acts)) == []
    acts.write_text("1 10/1 append\n3 10/1 _run\n2 11/2 begin_epoch\n")
    assert list(judge.of_acts(acts)) == ["two that act: 10/1 did _run after 11/2 had acted"]
