"""A share of the crash campaign, another one each half day; all of it: `python -m proof.crash`."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from proof.crash import known, record
from proof.crash.broken import BREAKAGES, SOURCE, Breakage
from proof.crash.campaign import (
    Bench,
    GoesWrong,
    Tally,
    again,
    all_points,
    excused,
    share,
    shortcomings,
)
from proof.crash.gated import GATED
from proof.crash.gates import doubled
from proof.crash.isolated import ISOLATED
from proof.crash.ledgers import Ledgers, Row, seen_after
from proof.crash.observer import Verdict
from proof.crash.points import Point, parse, per_event
from proof.crash.scenarios import BY_NAME, SCENARIOS, SHARED
from proof.crash.steps import Scenario
from proof.crash.subject import Topkick
from topkick.engine.io.crash_points import NAMES
from turn import TURN

PARTS = 41
"""All parts have been tried after so many half days, or after so many days if the suite runs once a
day: the number is odd for that. `make crash` tries all of them at once."""
RARER = 13
"""What isolated units do takes longer, and so does what a killed beginning leaves: of those points
all have been tried after so many rounds of all parts."""
RAREST = 217
"""Of those where all is built together, which begin like the others."""
SECOND_DEATHS = 24
"""One try in so many is killed once more in its recovery."""
RARE = "never-began"
KNOWN = known.read()


def _share() -> tuple[int, int]:
    """`TOPKICK_CRASH_SHARE=k/n`, else by the turn."""
    given = os.environ.get("TOPKICK_CRASH_SHARE")
    if given:
        part, of = given.split("/")
        return int(part), int(of)
    return TURN % PARTS, PARTS


PART, OF = _share()


def _points() -> list[Point]:
    chosen = share(_all(s for s in SHARED if s.name != RARE), PART, OF)
    chosen += _rarely(_all((*ISOLATED, BY_NAME[RARE])), RARER)
    chosen += _rarely(_all(GATED), RAREST)
    return chosen + share(again(chosen, KNOWN["resume"].counts), PART, SECOND_DEATHS)


def _rarely(found: list[Point], times: int) -> list[Point]:
    rounds = TURN // PARTS % times
    return share(found, PART + rounds * OF, OF * times)


def _all(wanted: Iterable[Scenario]) -> list[Point]:
    return [p for s in wanted for p in all_points(s, KNOWN[s.name].counts)]


def _named() -> list[Point]:
    """Return a share of the crash points that no shared scenario passes, each in one scenario."""
    often = {n for s in SHARED for n in KNOWN[s.name].counts.names}
    first = {n: s.name for s in reversed(SCENARIOS) for n in KNOWN[s.name].counts.names}
    return share([Point(first[n], n, 1) for n in sorted(first.keys() - often)], PART, 5)


@pytest.fixture(name="bench", scope="session")
def _bench(tmp_path_factory: pytest.TempPathFactory, need: Callable[[str], str]) -> Iterator[Bench]:
    need("strace")
    need("git")
    bench = Bench(Topkick(), tmp_path_factory.mktemp("crash"))
    yield bench
    bench.close()


@pytest.mark.spec("J3", "D1", "D3", "K2", "K5", "J4", "N3", "N5", "Y2", "LP-01", "SD-04")
@pytest.mark.parametrize("point", sorted({*_points(), *_named()}, key=str), ids=str)
def test_nothing_is_lost_doubled_or_left_behind(bench: Bench, point: Point) -> None:
    verdict = bench.try_point(point)
    told = f"share {PART}/{OF}; again: python -m proof.crash --point {point}"
    assert not verdict.findings, "\n".join([told, verdict.where, *verdict.findings])
    assert verdict.adopted == verdict.alive, told


SURE = (
    "dispatch:sup.fdatasync:22",
    "complete:keep.write:5",
    "stop-drained:cmd.write:1",
    "isolated:look.mkdir:80",
    "fatal:journal.before-commit:6",
    "complete:sup.pwrite64:120+fdatasync.12",
    "complete:sup.unlink:13+pwrite64.130",
)
"""Surely reached, of each kind; others may be missed by a hair, and the campaign counts those.

Of `isolated`, two checkers make some 170 directories together, and one of them at least half of
these, however they share the work: one gets as far as the 80th, and hardly ever both do."""


@pytest.mark.parametrize("text", SURE)
def test_where_it_is_to_die_it_dies(bench: Bench, text: str) -> None:
    verdict = bench.try_point(parse(text))
    assert not verdict.findings, verdict.findings
    assert verdict.hit
    assert verdict.adopted == verdict.alive


def test_every_point_has_its_turn_also_if_the_suite_runs_once_a_day() -> None:
    """Earlier parts and rounds went by the same day, and three of four rare points had none."""
    for times in (RARER, RAREST):
        slots = PARTS * times
        once_a_day = range(1, 2 * slots, 2)
        assert {(t % PARTS, t // PARTS % times) for t in once_a_day} == {
            (part, rounds) for part in range(PARTS) for rounds in range(times)
        }


def test_a_campaign_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    log, asked = tmp_path / "log", parse("start:sup.write:9+write.8")
    verdict = Verdict(parse("start:sup.write:9+write.2"), hit=True, lost=["all"], alive=2)
    record.add(log, "native", asked, verdict)
    record.add(log, "portable", parse("start:sup.write:1"), verdict)
    with open(log, "a") as file:
        file.write('{"asked": "start:su')
    assert record.read(log, "native") == {asked: verdict}
    assert record.read(tmp_path / "none", "native") == {}


def test_a_journal_on_its_way_is_looked_for_again_and_one_that_is_gone_stays_gone() -> None:
    there: Ledgers = {"journal 1": ("a", "b")}
    looks = iter([{}, {}, there])
    assert seen_after(there, lambda: next(looks)) == there
    assert seen_after(there, dict) == {}


def test_several_deaths_excuse_another_end_and_nothing_else() -> None:
    verdict = Verdict(None, hit=True, orphans=["sleep 50"], wrong=["a is BLOCKED"])
    assert excused(verdict).findings == ["orphan: sleep 50"]
    assert not excused(verdict).hit


def test_a_campaign_that_strikes_or_adopts_too_rarely_fails() -> None:
    assert not shortcomings(Tally("all", points=100, hit=97, alive=100, adopted=99))
    (few,) = shortcomings(Tally("all", points=100, hit=96, alive=100, adopted=100))
    assert few.startswith("Only 96 of 100 points were reached, and 97% have to be")
    (given_up,) = shortcomings(Tally("all", points=100, hit=100, alive=100, adopted=98))
    assert given_up == "Only 98 of 100 living agents were adopted, and 99% have to be."


SEVERAL = 4
COUNTED = "partial"
SLACK = 2
"""More or fewer calls of a kind than known, or a quarter of them: a timer may come in between."""


def test_what_is_known_of_a_scenario_is_not_out_of_date(bench: Bench) -> None:
    """Otherwise calls that are new are never died at. Renew: `python -m proof.crash --count`.

    Only calls that belong to an event are compared: how often a supervisor looks whether a lock is
    free or rewrites a file for people depends on the pace of the machine.
    """
    found, was = bench.count(BY_NAME[COUNTED]), KNOWN[COUNTED]
    assert found.baseline == was.baseline
    assert set(found.counts.names) ^ set(was.counts.names) <= PASSED_BY_CHANCE
    assert found.counts.keep == was.counts.keep
    known_, now = was.counts.per_event, found.counts.per_event
    both = {call: (known_.get(call, 0), now.get(call, 0)) for call in {*known_, *now}}
    off = {c: n for c, n in both.items() if abs(n[0] - n[1]) > max(SLACK, n[0] // 4)}
    assert off == {}, "known and found"


def test_calls_of_waiting_and_rewriting_are_not_counted_and_those_of_events_are(
    tmp_path: Path,
) -> None:
    state = "/p/.git"
    events = [
        f'mkdir("{state}/topkick/main", 0700) = 0',
        f"fsync(4<{state}/topkick/main/current/.plan.1.5.tmp>) = 0",
        "vfork()                                 = 14748",
        'sendto(7<UNIX-STREAM:[12]>, "Ask", 3, MSG_NOSIGNAL, NULL, 0) = 3',
    ]
    at_its_pace = [
        f'mkdir("{state}/topkick/main", 0700) = -1 EEXIST (File exists)',
        f'write(4<{state}/topkick/main/.BOARD.md.1.7.tmp>, "# Board"..., 9) = 9',
        f'rename("{state}/topkick/main/.BOARD.md.1.7.tmp", "/p/BOARD.md") = 0',
        "fsync(4</p>)                            = 0",
        'mkdir("/src/topkick/__pycache__", 0777) = 0',
        'write(1</p/out/01>, "U1 a: started\\n", 14) = 14',
    ]
    log = tmp_path / "log"
    log.write_text("\n".join([*events, *at_its_pace * 10]))
    found = per_event(log, Path(state), ["BOARD.md"])
    assert found == {"mkdir": 1, "fsync": 1, "vfork": 1, "sendto": 1}


@pytest.mark.spec("K4", "K6", "SD-05")
def test_killall_goes_on_when_the_supervisor_dies_over_it(bench: Bench) -> None:
    """Earlier `killall` killed by itself after 20 s; dead agents stayed RUNNING in the journal."""
    verdict = bench.try_point(parse("killall:stop.after-note:1"))
    assert verdict.hit
    assert not verdict.findings, verdict.findings


@pytest.mark.spec("GT-02", "GT-03")
def test_what_is_put_together_for_a_gate_is_gone_when_its_process_died(bench: Bench) -> None:
    """Workshops in which some units' work was put together once stayed for ever."""
    verdict = bench.try_point(parse("gate-repair:gate.after-compose:1"))
    assert verdict.hit
    assert not verdict.findings, verdict.findings


@pytest.mark.spec("GT-03")
def test_a_run_an_end_or_a_repair_is_written_down_once() -> None:
    opened = Row(1, 0.0, "GateOpened", {"gate": {"id": "G1"}})
    ran = Row(2, 0.0, "GateRan", {"gate_id": "G1", "number": 1})
    next_one = Row(3, 0.0, "GateRan", {"gate_id": "G1", "number": 2})
    added = Row(4, 0.0, "SprintAdded", {"unit": "b", "plan": {"id": "repair-1"}})
    closed = Row(5, 0.0, "GateClosed", {"gate_id": "G1", "passed": False})
    assert not doubled([opened, ran, next_one, added, closed])
    assert doubled([opened, ran, ran]) == ["run 1 of G1 came after 1"]
    assert doubled([opened, next_one]) == ["run 2 of G1 came after 0"]
    assert doubled([opened, added, closed, added]) == ["b/repair-1 was added 2 times"]
    assert doubled([opened, closed, closed]) == ["G1 ended 2 times"]


@pytest.mark.parametrize("breakage", BREAKAGES, ids=lambda b: b.name)
def test_a_broken_program_is_caught(
    breakage: Breakage, tmp_path: Path, need: Callable[[str], str]
) -> None:
    """Otherwise the harness proves nothing."""
    need("strace")
    package = breakage.make(tmp_path / "package")
    bench = Bench(Topkick(package=package), tmp_path / "bench")
    bench.root.mkdir()
    if not breakage.points:
        with pytest.raises(GoesWrong, match=breakage.finding):
            bench.play_through(BY_NAME[breakage.scenario], "plain")
        return
    points = breakage.points * SEVERAL  # load may decide which process is first
    found = (bench.try_point(parse(text)).findings for text in points)
    assert any(breakage.finding in line for lines in found for line in lines)


# --- the crash points themselves -----------------------------------------------------------


def test_every_named_point_is_in_the_source_and_the_other_way_round() -> None:
    calls = re.compile(r'crash_points\.here\("([^"]+)"\)')
    found = {name for path in SOURCE.rglob("*.py") for name in calls.findall(path.read_text())}
    assert found == NAMES


# plans edit and share no files; epics do, and are killed there by tests/stories/test_epic_story.py
# and tests/git/test_shared_files.py
OF_FILES = {
    *("files.before-edit", "files.after-edit"),
    *("share.before-push", "share.after-push", "share.after-write"),
}
# nor do they post messages; tests/team/test_bus.py kills a process that does
OF_A_BUS = {name for name in NAMES if name.startswith("bus.")}
# nor is their journal damaged; tests/proof/test_storage.py kills a process that salvages one
OF_A_REPAIR = {name for name in NAMES if name.startswith("repair.")}
TOGETHER = (
    *("start", "stop-forced", "killall", "never-began", "isolated", "salvage", "clean"),
    "gate-repair",
)


@pytest.mark.parametrize("scenario", TOGETHER)
def test_the_names_a_scenario_passes_are_passed(
    bench: Bench, scenario: str, tmp_path: Path
) -> None:
    """Together these pass every name: none is dead wood."""
    episode = bench.play_through(BY_NAME[scenario], "names")
    passed = set(episode.log("names").read_text().split())
    assert passed >= set(KNOWN[scenario].counts.names) - PASSED_BY_CHANCE
    covered = {n for s in TOGETHER for n in names_of(s)}
    assert covered == NAMES - OF_FILES - OF_A_BUS - OF_A_REPAIR


PASSED_BY_CHANCE = {
    "kill.before-round",
    "kill.after-round",
    "loop.before-wait",
    "tree.before-merge",
    "tree.after-merge",
}
"""Whether an agent has to be killed or goes when asked is a matter of milliseconds, and so is
whether a clone is made before the work of another unit is on the branch."""


def names_of(scenario: str) -> set[str]:
    return set(KNOWN[scenario].counts.names)


def test_an_unknown_crash_point_is_refused_in_plain_words() -> None:
    env = {"PATH": os.environ["PATH"], "TOPKICK_CRASH_AT": "journal.sometime:2"}
    words = [sys.executable, "-m", "topkick", "status"]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "journal.sometime:2: there is no such crash point. Known: bell.after-ring" in done.stderr


def test_the_nth_passing_kills_and_others_do_not() -> None:
    code = (
        "from topkick.engine.io import crash_points\n"
        "for n in range(9):\n"
        "    print(n, flush=True)\n"
        "    crash_points.here('loop.written')\n"
        "    crash_points.here('loop.told')\n"
    )
    env = {"PATH": os.environ["PATH"], "TOPKICK_CRASH_AT": "loop.told:3"}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (-9, ["0", "1", "2"])


def test_with_a_trace_one_of_many_processes_dies(tmp_path: Path) -> None:
    code = "from topkick.engine.io.crash_points import here; here('loop.told')"
    trace = tmp_path / "trace"
    env = {
        "PATH": os.environ["PATH"],
        "TOPKICK_CRASH_AT": "loop.told:2",
        "TOPKICK_CRASH_TRACE": str(trace),
    }
    words = [sys.executable, "-c", code]
    codes = [subprocess.run(words, env=env, check=False).returncode for _ in range(3)]
    assert codes == [0, -9, 0]
    assert trace.read_text() == "loop.told\n" * 3
