"""`python -m proof.files`: a board, an epic and a team, killed at each moment, go on.

A moment is a named crash point, or a write, sync, rename, spawn or kill of one of the commands.
"""

import argparse
import compileall
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import topkick
from proof.files import aims, board, epic, team
from proof.files.aims import Aim
from proof.files.place import Place

TRIES = 5
TOLD_EVERY = 25
KINDS = ("names", "calls")


@dataclass(frozen=True, slots=True)
class Scenario:
    """The functions that make, continue (0 at the end) and judge a place; with `leaves`, agents may
    still be running at the end.
    """

    make: Callable[[Path], Place]
    go_on: Callable[[Place], int]
    findings: Callable[[Place], Iterator[str]]
    leaves: bool = False


SCENARIOS: Mapping[str, Scenario] = MappingProxyType(
    {
        "board": Scenario(board.make, board.go_on, board.findings),
        "epic": Scenario(epic.make, epic.go_on, epic.findings),
        "team": Scenario(team.make, team.go_on, team.findings, leaves=True),
    }
)


@dataclass(frozen=True, slots=True)
class Verdict:
    aim: Aim
    hit: bool
    findings: tuple[str, ...]


def main(words: Sequence[str] | None = None) -> int:
    args = _arguments(words)
    compileall.compile_dir(topkick.__path__[0], quiet=2)  # or the first to run would write it
    began_at_s = time.monotonic()
    bad = 0
    for name in args.scenario or SCENARIOS:
        with tempfile.TemporaryDirectory(prefix="topkick-files-") as at:
            bad += _campaign(name, SCENARIOS[name], Path(at), args)
    print(f"{time.monotonic() - began_at_s:.0f} s")
    return 1 if bad else 0


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proof.files", description=__doc__)
    parser.add_argument("--scenario", action="append", choices=sorted(SCENARIOS))
    parser.add_argument("--kind", choices=KINDS, help="only named moments, or only system calls")
    parser.add_argument("--point", help="only this one, as a finding names it; needs --scenario")
    parser.add_argument("--jobs", type=int, default=2, help="tries at the same time")
    parser.add_argument("--share", default="0/1", metavar="K/N", help="part K of N of the points")
    return parser.parse_args(words)


def _campaign(name: str, scenario: Scenario, at: Path, args: argparse.Namespace) -> int:
    bad = 0
    for kind in (args.kind,) if args.kind else KINDS:
        found = [aims.parse(args.point)] if args.point else _points(scenario, at / kind, kind)
        part, of = (int(n) for n in args.share.split("/"))
        bad += _tried(f"{name}, {kind}", scenario, at, found[part::of], args.jobs)
        if args.point:
            break
    return bad


def _tried(name: str, scenario: Scenario, at: Path, found: Sequence[Aim], jobs: int) -> int:
    with ThreadPoolExecutor(jobs) as pool:
        made = [pool.submit(try_aim, scenario, at, aim) for aim in found]
        verdicts = [_told(n, future.result()) for n, future in enumerate(made, start=1)]
    bad = sum(bool(verdict.findings) for verdict in verdicts)
    hit = sum(verdict.hit for verdict in verdicts)
    print(f"{name}: {len(found)} points, {hit} died there, {bad} with findings", flush=True)
    return bad


def _points(scenario: Scenario, at: Path, kind: str) -> list[Aim]:
    """Return each moment as often as a run without a crash passes it."""
    place = scenario.make(at)
    place.watch.counts = kind
    code = scenario.go_on(place)
    found = _findings(scenario, place)
    if code or found:
        raise SystemExit(f"Not even without a crash: {code}, {found}")
    return place.watch.names() if kind == "names" else place.watch.calls()


def try_aim(scenario: Scenario, at: Path, aim: Aim) -> Verdict:
    here = at / str(aim).replace(":", "-")
    place = scenario.make(here)
    place.watch.aim = aim
    codes = [scenario.go_on(place)]
    place.watch.aim = None
    while codes[-1] != 0 and len(codes) < TRIES:
        codes.append(scenario.go_on(place))
    found = _findings(scenario, place)
    if codes[-1] != 0:
        found.append(f"it did not come to its end: {codes}")
    hit = place.watch.hit(aim)
    if not found:
        shutil.rmtree(here)
    return Verdict(aim, hit, tuple(found))


def _findings(scenario: Scenario, place: Place) -> list[str]:
    left = place.left_alive() if not scenario.leaves else []
    return [*(f"still alive: {words}" for words in left), *scenario.findings(place)]


def _told(number: int, verdict: Verdict) -> Verdict:
    for finding in verdict.findings:
        print(f"{verdict.aim}: {finding}", flush=True)
    if number % TOLD_EVERY == 0:
        print(f"{number} tried", file=sys.stderr, flush=True)
    return verdict


if __name__ == "__main__":
    sys.exit(main())
