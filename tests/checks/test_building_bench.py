"""Checks that build, asked for as a supervisor does: they wait, and get their turn or go."""

import fcntl
import os
import select
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from topkick.app.config.file import load_config_at
from topkick.app.config.settings import make_settings
from topkick.checks.build_slots import INSIDE
from topkick.checks.executor import CheckBench
from topkick.checks.model import CheckOutcome
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentProgram
from topkick.engine.errors import UsageError
from topkick.engine.settings import Settings

PATIENCE_S = 90.0
SETTINGS = Settings(AgentProgram("none", ("true",)), check_timeout_s=60.0)
ORDER = h.CheckWork("r1.check.0", "r1", ".", ("sh build.sh", "true"), (), None, "")


@contextmanager
def _bench(root: Path, environ: Mapping[str, str] = os.environ) -> Iterator[CheckBench]:
    (root / "build.sh").write_text('echo "$TOPKICK_BUILDING" >built\n')
    log, place = root / "log", root / "building"
    bench = CheckBench(root, root, log, lambda: SETTINGS, environ, slots_in=place)
    try:
        yield bench
    finally:
        bench.close()


@contextmanager
def _somebody_builds(root: Path) -> Iterator[None]:
    (root / "building").mkdir()
    with (root / "building" / "slot-1").open("w") as slot:
        slot.write("77 other")
        slot.flush()
        fcntl.flock(slot, fcntl.LOCK_EX)
        yield


def _until(bench: CheckBench, look: Callable[[], bool]) -> list[h.Fact]:
    ends_at_s = time.monotonic() + PATIENCE_S
    facts: list[h.Fact] = []
    while not look() and not facts:
        assert time.monotonic() < ends_at_s, "it never came true"
        select.select([bench.fileno()], [], [], 0.05)
        facts += bench.poll()
    return facts


def _outcomes(bench: CheckBench) -> list[CheckOutcome]:
    (fact,) = _until(bench, lambda: False)
    assert isinstance(fact, h.WorkChecked)
    return [result.outcome for result in fact.evidence.results]


@pytest.mark.spec("GT-02")
def test_a_check_that_builds_waits_for_its_turn_and_says_so(tmp_path: Path) -> None:
    ticket = tmp_path / "building" / "wait-1"
    with _bench(tmp_path) as bench:
        with _somebody_builds(tmp_path):
            bench.ensure(ORDER)
            assert not _until(bench, ticket.exists)
            assert not (tmp_path / "built").exists()
        assert _outcomes(bench) == [CheckOutcome.PASSED] * 2
    assert (tmp_path / "built").read_text() == "1\n"
    told = "r1.check.0 waits for another build on this host (pid 77, project other)"
    assert told in (tmp_path / "log").read_text()


@pytest.mark.spec("GT-02")
def test_a_check_that_waits_is_taken_back(tmp_path: Path) -> None:
    ticket = tmp_path / "building" / "wait-1"
    with _bench(tmp_path) as bench, _somebody_builds(tmp_path):
        bench.ensure(ORDER)
        assert not _until(bench, ticket.exists)
        bench.cancel(ORDER.id)
        assert not _until(bench, lambda: not bench.live())
        assert not ticket.exists()
    assert not (tmp_path / "built").exists()


@pytest.mark.spec("GT-02")
def test_a_build_that_calls_topkick_does_not_wait_for_itself(tmp_path: Path) -> None:
    with _bench(tmp_path, {**os.environ, INSIDE: "1"}) as bench, _somebody_builds(tmp_path):
        bench.ensure(ORDER)
        assert _outcomes(bench) == [CheckOutcome.PASSED] * 2


@pytest.mark.spec("GT-02")
def test_how_many_is_configured(tmp_path: Path) -> None:
    path = tmp_path / "topkick.toml"
    agent = '[agents.a]\ncommand = ["true"]\n'
    path.write_text(agent)
    assert make_settings(load_config_at(path)).builds == 1
    path.write_text(f"{agent}[gate]\nbuilds = 3\nmax_pressure = 50\nmin_free_mb = 0\n")
    made = make_settings(load_config_at(path))
    assert (made.builds, made.build_max_pressure, made.build_min_free_mb) == (3, 50.0, 0)
    path.write_text(f"{agent}[gate]\nbuilds = 0\n")
    with pytest.raises(UsageError, match=r"gate\.builds"):
        load_config_at(path)
