"""A short share of `python -m proof.soak`."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from proof.races.arena import UnitText, arena, plan_text
from proof.soak.gauges import Sample, growth
from proof.soak.soak import Pace, Soak

ROOT = Path(__file__).parents[2]


def soak(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "proof.soak", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


@pytest.mark.spec("Y2", "D3", "J3", "J4", "J5", "K2", "K4")
def test_a_supervisor_killed_again_and_again_loses_and_leaves_nothing() -> None:
    words = ["--minutes", "0.35", "--agents", "8", "--units", "16", "--seed", "3"]
    done = soak(*words, "--kill-every", "3", "8", "--command-every", "2", "5")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " violations 0 " in done.stdout


def test_a_soak_catches_supervisors_that_only_take_over() -> None:
    words = ["--minutes", "0.15", "--agents", "4", "--units", "6", "--seed", "3"]
    pace = ["--kill-every", "2", "3", "--command-every", "4", "6", "--patience", "8"]
    done = soak(*words, *pace, "--plant", "idle")
    assert done.returncode == 1, done.stdout + done.stderr
    assert ": no end within 8 s" in done.stdout


@pytest.mark.spec("J3")
def test_a_soak_sees_a_record_that_is_lost() -> None:
    pace = Pace(1.0, 1, 1, (1.0, 1.0), (1.0, 1.0), 1.0)
    with arena(plan_text([UnitText("quick0x0")])) as place:
        words = [sys.executable, "-m", "topkick", "start", "--foreground", "--yes"]
        subprocess.run(words, cwd=place.root, env=place.env, check=True, capture_output=True)
        watching = Soak(place, pace, 1)
        for _ in range(2):
            watching.look_for_losses()
            assert watching.figures.violations == []
        with closing(sqlite3.connect(place.project.journal_path, isolation_level=None)) as db:
            db.execute("DELETE FROM records WHERE step = (SELECT max(step) FROM records)")
        watching.look_for_losses()
    (found,) = watching.figures.violations
    assert "records were seen" in found


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
