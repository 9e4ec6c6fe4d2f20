"""A small share of `python -m proof.bus`, and proof that its judge can see."""

import subprocess
import sys
from pathlib import Path

import pytest

from proof.bus.planted import PLANTED

ROOT = Path(__file__).parents[2]


def campaign(*options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "proof.bus", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.spec("CK-20", "CK-21")
def test_many_writers_killed_among_each_other_lose_and_double_nothing() -> None:
    size = "--writers 8 --messages 40 --deletions 10 --kills 30 --torn 20"
    done = campaign(*size.split(), "--seed", "7")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "findings 0 " in done.stdout


@pytest.mark.spec("CK-20", "CK-21")
def test_bugs_that_were_planted_are_caught() -> None:
    done = campaign("planted", "--seed", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [*PLANTED]
