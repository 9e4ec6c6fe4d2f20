"""Supervisor and checkers die at the same moment: their build is ended, not waited for."""

import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from proof.crash.place import Place, wait_for
from proof.crash.scenarios import BY_NAME
from proof.crash.steps import RESUME, START
from proof.crash.subject import Topkick

HANGING = """\
echo $$ >> "$HOME/../witness/builds"
test -f "$HOME/../witness/go" && exit 0
while kill -0 {pid}; do sleep 1; done
"""
"""For ever, as long as this test lives."""


@pytest.mark.spec("GT-02", "K5")
@pytest.mark.parametrize("portable", [False, True], ids=["native", "portable"])
def test_a_build_whose_supervisor_and_checker_died_together_is_ended(
    portable: bool, tmp_path: Path
) -> None:
    """Earlier it kept the host's only slot, and all other builds waited for it."""
    subject, place = Topkick(portable=portable), Place(tmp_path / "place")
    place.make()
    files = {"build.sh": HANGING.format(pid=os.getpid())}
    subject.prepare(place, replace(BY_NAME["build-gate"], files=files))
    builds = place.witness / "builds"
    try:
        with _begun(subject, place, START) as first:
            assert wait_for(lambda: builds.exists() and builds.read_text())
            dying = [p.pid for p in place.living() if "topkick" in p.words]
            # Stopped first: a checker that outlives its supervisor for a moment ends the build.
            for number in (signal.SIGSTOP, signal.SIGKILL):
                for pid in {first.pid, *dying}:
                    with suppress(ProcessLookupError):
                        os.kill(pid, number)
        old = int(builds.read_text().split()[0])
        assert place.lives(old), "nobody is left who could have ended it"
        place.open_gate("go")
        with _begun(subject, place, RESUME) as second:
            assert wait_for(lambda: second.poll() is not None, 120)
        assert second.returncode == 0
        assert not place.lives(old)
    finally:
        place.end_all()


def _begun(subject: Topkick, place: Place, words: tuple[str, ...]) -> "subprocess.Popen[bytes]":
    with open(place.root / "out", "ab") as out:
        return subprocess.Popen(
            subject.argv(words),
            cwd=place.project,
            env=subject.env(place),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
