"""`python -m proof.files`: a board, an epic and a team, killed at each named moment, go on."""

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from proof.files import board, epic, team
from proof.files.place import Place

TRIES = 5


@dataclass(frozen=True, slots=True)
class Scenario:
    """How a place is made, gone on with (0 when it is at its end) and judged."""

    make: Callable[[Path], Place]
    go_on: Callable[[Place, str], int]
    findings: Callable[[Place], Iterator[str]]


SCENARIOS: Mapping[str, Scenario] = MappingProxyType(
    {
        "board": Scenario(board.make, board.go_on, board.findings),
        "epic": Scenario(epic.make, epic.go_on, epic.findings),
        "team": Scenario(team.make, team.go_on, team.findings),
    }
)


@dataclass(frozen=True, slots=True)
class Verdict:
    point: str
    hit: bool
    findings: tuple[str, ...]


def main(words: Sequence[str] | None = None) -> int:
    args = _arguments(words)
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
    parser.add_argument("--jobs", type=int, default=2, help="tries at the same time")
    parser.add_argument("--share", default="0/1", metavar="K/N", help="part K of N of the points")
    return parser.parse_args(words)


def _campaign(name: str, scenario: Scenario, at: Path, args: argparse.Namespace) -> int:
    points = _points(scenario, at / "whole")
    part, of = (int(n) for n in args.share.split("/"))
    points = points[part::of]
    with ThreadPoolExecutor(args.jobs) as pool:
        made = [pool.submit(_try, scenario, at, point) for point in points]
        verdicts = [_told(future.result()) for future in made]
    bad = sum(bool(verdict.findings) for verdict in verdicts)
    hit = sum(verdict.hit for verdict in verdicts)
    print(f"{name}: {len(points)} points, {hit} died there, {bad} with findings")
    return bad


def _points(scenario: Scenario, at: Path) -> list[str]:
    """Each named moment as often as a run without any crash passes it."""
    place = scenario.make(at)
    code = scenario.go_on(place, "count")
    found = [*scenario.findings(place)]
    if code or found:
        raise SystemExit(f"Not even without a crash: {code}, {found}")
    passed = Counter(place.trace())
    return [f"{name}:{n}" for name in sorted(passed) for n in range(1, passed[name] + 1)]


def _try(scenario: Scenario, at: Path, point: str) -> Verdict:
    here = at / point.replace(":", "-")
    place = scenario.make(here)
    codes = [scenario.go_on(place, point)]
    while codes[-1] != 0 and len(codes) < TRIES:
        codes.append(scenario.go_on(place, ""))
    found = [*scenario.findings(place)]
    if codes[-1] != 0:
        found.append(f"it did not come to its end: {codes}")
    name, _, number = point.partition(":")
    hit = place.trace().count(name) >= int(number)
    if not found:
        shutil.rmtree(here)
    return Verdict(point, hit, tuple(found))


def _told(verdict: Verdict) -> Verdict:
    for finding in verdict.findings:
        print(f"{verdict.point}: {finding}", flush=True)
    return verdict


if __name__ == "__main__":
    sys.exit(main())
