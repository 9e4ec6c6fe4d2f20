"""A share of the simulation: a day of faults a seed, every edge, planted bugs, the retelling."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from proof.simulation import campaign, names, schedule
from proof.simulation.__main__ import all_edges
from proof.simulation.caught import CAUGHT_BY
from proof.simulation.mutants import REPOSITORY, hunt, hunt_by_test, package
from proof.simulation.planted import ELSEWHERE, EQUIVALENT, MUTANTS, Mutant
from proof.simulation.tables import RARE
from turn import DAY

SOURCE = REPOSITORY / "src" / "topkick"
SEEDS = 300
BOARDS = 30
EPICS = 10
CHUNK = 15
SOON = 3
TURNS = 10
GOAL = 40
LIMIT_S = 300

TAKE_EDGES = (9, 20, 21, 25, 27, 53, 95, *RARE.values())
"""Seeds that together take every edge: `python -m proof.simulation edges`."""

STRIKE = (8, 15, 24, 41, 44, 58, 100)
"""Seeds in which together everything strikes that there is."""

BY_NAME = {m.breaks: m for m in MUTANTS}
SHOW_SOON = [m for m in MUTANTS if CAUGHT_BY.get(m.breaks, SEEDS) <= SOON]
SHOW_LATER = [m for m in MUTANTS if CAUGHT_BY.get(m.breaks, 0) > SOON]
TODAY = SHOW_LATER[DAY % TURNS :: TURNS]
"""All have been hunted after so many days."""


@pytest.mark.spec(
    *("S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8"),
    *("C1", "C2", "C3", "C4", "C5", "C7", "C8"),
    *("D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D10", "D11", "G1", "G4"),
    *("J1", "J2", "J3", "J4", "J5", "J6", "J8", "N1", "N2", "N3", "N4", "N5"),
    *("K1", "K2", "K3", "K4", "K6", "K7", "V1", "V2", "V3", "V5", "V6", "Y1", "Y2"),
)
@pytest.mark.parametrize("first", range(1, SEEDS + 1, CHUNK))
def test_a_day_of_faults_breaks_no_rule(first: int):
    for seed in range(first, first + CHUNK):
        result = campaign.run_seed(seed)
        assert result.holds, "\n".join(campaign.tell_failure(result, 24.0))


@pytest.mark.spec("ER-02")
def test_a_clock_set_back_makes_no_poll_late_however_long_the_wait_is():
    """The clock reached the latest moment seen while the supervisor slept."""
    result = campaign.run_seed(5690)
    assert result.holds, "\n".join(campaign.tell_failure(result, 24.0))


@pytest.mark.spec("KB-02", "KB-04", "KB-05", "KB-06", "KB-08", "KB-11", "DP-09")
@pytest.mark.parametrize("first", range(1, BOARDS + 1, CHUNK))
def test_a_day_of_faults_breaks_no_rule_of_boards(first: int):
    for seed in range(first, first + CHUNK):
        result = campaign.run_seed(seed, policy="board")
        assert result.holds, "\n".join(campaign.tell_failure(result, 24.0, "board"))


@pytest.mark.spec("EP-01", "EP-02", "EP-03", "EP-10", "EP-11", "EP-12", "EP-14")
@pytest.mark.spec("EP-20", "EP-21", "EP-22")
@pytest.mark.parametrize("first", range(1, EPICS + 1, 5))
def test_a_day_of_faults_breaks_no_rule_of_epics(first: int):
    for seed in range(first, first + 5):
        result = campaign.run_seed(seed, policy="epic")
        assert result.holds, "\n".join(campaign.tell_failure(result, 24.0, "epic"))


@pytest.mark.spec("S2", "SM-02")
def test_every_edge_of_both_tables_is_taken():
    taken = frozenset[campaign.Edge]().union(*(campaign.run_seed(s).edges for s in TAKE_EDGES))
    missing = set(all_edges()) - taken
    assert not missing, "find seeds for them: python -m proof.simulation edges"


def test_everything_that_may_go_wrong_does():
    """Each fault must have had an effect on a run, not only have been scheduled."""
    figures = sum((campaign.run_seed(s).figures for s in STRIKE), Counter[str]())
    missing = [name for name in names.all_figures() if not figures[name]]
    assert not missing, "look for seeds in which they strike: python -m proof.simulation run"


def test_the_seeds_on_record_are_those_of_planted_bugs():
    assert set(CAUGHT_BY) | set(ELSEWHERE) == set(BY_NAME)
    assert len(CAUGHT_BY) >= GOAL
    assert len(BY_NAME) == len(MUTANTS)
    assert not set(EQUIVALENT) & set(BY_NAME)
    assert all(EQUIVALENT.values())


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.breaks)
def test_a_bug_can_still_be_planted(mutant: Mutant):
    """Also those that are hunted by hand only: the code they change may have changed."""
    for module, old, new in mutant.edits:
        assert (SOURCE / module).read_text().count(old) == 1
        assert old != new


def test_a_planted_bug_names_nothing_that_is_not_there(tmp_path: Path):
    """A NameError is caught by everything, so the hunt for the real mistake would show nothing."""
    for number, (module, old, new) in enumerate(e for m in MUTANTS for e in m.edits):
        text = (SOURCE / module).read_text().replace(old, new)
        (tmp_path / f"planted_{number}.py").write_text(text)
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821"]
    ruff += ["--output-format", "concise", str(tmp_path)]
    found = subprocess.run(ruff, check=False, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("mutant", [*SHOW_SOON, *TODAY], ids=lambda m: m.breaks)
def test_a_planted_bug_is_caught(mutant: Mutant):
    """Those that show soon and today's share of the others, each by the seed on record.

    `python -m proof.simulation mutants` hunts all of them.
    """
    catch = hunt(mutant, 1, first=CAUGHT_BY[mutant.breaks])
    assert catch.seeds is not None, f"survived: {mutant.breaks}\n{catch.said}"


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_planted_bug_about_real_processes_is_caught_by_its_test(name: str):
    assert hunt_by_test(BY_NAME[name], ELSEWHERE[name])


def test_the_copy_is_what_is_simulated():
    """Otherwise every planted bug would be looked for in the package as it is."""
    broken = Mutant(
        "all", "engine/kernel.py", '"""The kernel:', 'raise SystemExit(77)\n"""The kernel:'
    )
    assert hunt(broken, 1).seeds is None
    assert hunt(None, 1).seeds is None


@pytest.mark.parametrize("policy", campaign.POLICIES)
def test_a_seed_tells_the_same_story_twice(policy: str):
    first: list[str] = []
    again: list[str] = []
    campaign.run_schedule(campaign.make(5, policy=policy), first.append)
    campaign.run_schedule(campaign.make(5, policy=policy), again.append)
    assert first == again
    assert first


def test_a_failing_seed_is_shrunk_to_a_story_and_told_again_by_its_command(tmp_path: Path):
    mutant = BY_NAME["FATAL without BLOCKED"]
    seed = CAUGHT_BY[mutant.breaks]
    package(tmp_path, mutant)
    told = _simulate(tmp_path, "run", "--seeds", "1", "--first", str(seed))
    assert told[0].startswith(f"seed {seed} breaks S3: ")
    replay = next(line for line in told if line.startswith("replay: python -m proof.simulation "))
    words = replay.removeprefix("replay: python -m proof.simulation ").split()
    small = told[told.index("shrunk to:") + 1 : told.index("")]
    assert len(small) < len(schedule.make(seed).describe())
    again = _simulate(tmp_path, *words)
    assert any("VIOLATION S3: " in line for line in again)
    retold = _simulate(tmp_path, *words, "--shrink")
    assert retold[: len(small)] == small
    assert any("VIOLATION S3: " in line for line in retold)


def _simulate(package_root: Path, *words: str) -> list[str]:
    """Run the simulator with the package in that directory; a violation ends it with 1."""
    done = subprocess.run(
        [sys.executable, "-m", "proof.simulation", *words],
        cwd=REPOSITORY,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(package_root), str(REPOSITORY))),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout.splitlines()
