"""A short share of `python -m proof.soak`."""

import subprocess
import sys
from pathlib import Path

import pytest

from proof.soak.gauges import Sample, growth

ROOT = Path(__file__).parents[2]


@pytest.mark.spec("Y2", "D3", "J4", "J5", "K2", "K4")
def test_a_supervisor_killed_again_and_again_loses_and_leaves_nothing() -> None:
    words = ["--minutes", "0.35", "--agents", "8", "--units", "16", "--seed", "3"]
    pace = ["--kill-every", "3", "8", "--command-every", "2", "5"]
    done = subprocess.run(
        [sys.executable, "-m", "proof.soak", *words, *pace],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " violations 0 " in done.stdout


def test_the_gauges_see_growth() -> None:
    flat = [Sample(n, 50_000, 20, 9, 0, 9) for n in range(90)]
    assert growth(flat, agents=8) == []
    rising = [Sample(n, 50_000 + 1000 * n, 20 + n // 3, 9, n // 9, 9 + n // 9) for n in range(90)]
    assert [found.split(" grew")[0] for found in growth(rising, agents=8)] == [
        "memory",
        "descriptors",
        "zombies",
        "files in the state directory",
    ]
