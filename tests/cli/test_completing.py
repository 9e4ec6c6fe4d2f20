"""Completion of handles by the Tab key."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_analysis_commands import begin_a_run

PLAN = """\
# Story

## Parser

### Sprint 1: Tokens

### Sprint 2: Trees

## Printer

### Sprint 1: Ink
"""


def offered(place: Path, words: str) -> list[str]:
    asked = {
        "_TOPKICK_COMPLETE": "bash_complete",
        "COMP_WORDS": f"topkick {words}",
        "COMP_CWORD": str(len(words.split(" "))),
    }
    done = subprocess.run(
        [sys.executable, "-m", "topkick"],
        cwd=place,
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return [line.removeprefix("plain,") for line in done.stdout.split()]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    (tmp_path / "EXECUTION_PLAN.md").write_text(PLAN)
    return tmp_path


def test_the_handles_of_the_run_that_is_here_are_offered(place: Path) -> None:
    begin_a_run(place)
    assert offered(place, "retry U") == ["U1", "U1/1", "U1/2", "U2", "U2/1"]
    assert offered(place, "verify u1/") == ["U1/1", "U1/2"]
    assert offered(place, "stop U") == ["U1", "U2"]


def test_nothing_is_offered_and_nothing_said_where_anything_is_amiss(
    place: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert offered(tmp_path_factory.mktemp("elsewhere"), "retry U") == []
    assert offered(place, "retry U") == []
    begin_a_run(place)
    (place / ".git" / "topkick").chmod(0o700)
    for journal in (place / ".git" / "topkick").rglob("journal*"):
        journal.write_bytes(b"no journal")
    assert offered(place, "retry U") == []
