"""Errands run by real processes: what they bring back, and what is left when they die."""

import os
import select
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from topkick.engine import messages as h
from topkick.engine.codec.texts import Text
from topkick.engine.effects import Came, Edit, Share
from topkick.git.remote.executor import ErrandBench

pytestmark = pytest.mark.spec("EP-03")
FILE = "e.md"
LEVEL = Share("origin/epics", (FILE,))
EDIT = Share("origin/epics", (FILE,), (Edit(FILE, Text.of("one\n").sha256, Text.of("two\n")),))
Run = Callable[..., h.ErrandDone]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """An order to a bench in a repository with a remote; the fact that comes of it."""
    root, bare = tmp_path / "root", tmp_path / "bare.git"
    for words in (["init", "-q", "--bare", bare], ["init", "-q", root]):
        subprocess.run(["git", *words], check=True)
    subprocess.run(["git", "remote", "add", "origin", bare], cwd=root, check=True)
    (root / FILE).write_text("one\n")
    bench = ErrandBench(root, tmp_path, tmp_path / "log", lambda text: text.body or "", os.environ)

    def go(number: int, share: Share) -> h.ErrandDone:
        bench.ensure(h.RunErrand(f"m-errand-{number}", number, share))
        assert bench.live() == {f"m-errand-{number}"}
        ends_at_s = time.monotonic() + 60
        while not (found := bench.poll()):
            assert time.monotonic() < ends_at_s
            select.select([bench.fileno()], [], [], 0.1)
        assert bench.live() == frozenset()
        (fact,) = found
        assert isinstance(fact, h.ErrandDone)
        return fact

    yield go
    bench.close()


def test_it_comes_back_with_what_became_of_it(run: Run, tmp_path: Path) -> None:
    assert run(1, LEVEL).upshot.came is Came.DONE
    fact = run(2, EDIT)
    assert (fact.number, fact.upshot.came) == (2, Came.DONE)
    assert (tmp_path / "root" / FILE).read_text() == "two\n"
    (tmp_path / "bare.git").rename(tmp_path / "away")
    assert run(3, LEVEL).upshot.came is Came.FAILED


def test_whoever_is_sent_dies_each_time_and_a_person_is_told(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOPKICK_CRASH_AT", "share.after-write")
    assert run(1, LEVEL).upshot.came is Came.DONE
    upshot = run(2, EDIT).upshot
    assert (upshot.came, upshot.about) == (
        Came.FAILED,
        "the process for remote operations died at each try",
    )
