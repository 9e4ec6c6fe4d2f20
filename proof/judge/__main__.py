"""`python -m proof.judge`: a judge killed at every named moment and at every write, sync, rename,
link, unlink and spawn of a wake, started again, and looked at."""

import argparse
import compileall
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import topkick
from proof.crash import points
from proof.judge.findings import findings
from proof.judge.session import Try

TRIES = 4
TOLD_EVERY = 25
AGAIN_EVERY = 8
AGAIN = ("write.6", "fdatasync.4", "fdatasync.9", "rename.4", "write.24")
"""Where the restarted judge dies too, for a share of the points."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point; `name` is a crash point or a system call, `number` which of them."""

    name: str
    number: int
    again: str = ""
    lost_journal: bool = False

    def __str__(self) -> str:
        more = f"+{self.again}" if self.again else ""
        return f"{self.name}:{self.number}{more}{'-journal' if self.lost_journal else ''}"

    @property
    def is_call(self) -> bool:
        return self.name in points.CALLS


@dataclass(frozen=True, slots=True)
class Verdict:
    point: Point
    hit: bool
    findings: tuple[str, ...]


def main(words: Sequence[str] | None = None) -> int:
    args = _arguments(words)
    compileall.compile_dir(topkick.__path__[0], quiet=2)  # or the first to run would write it
    began_at_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="topkick-judge-") as at:
        found = [*_wanted(Path(at), args)]
        with ThreadPoolExecutor(args.jobs) as pool:
            tried = pool.map(lambda point: try_point(Path(at), point), found)
            verdicts = [_told(n, verdict) for n, verdict in enumerate(tried, start=1)]
    bad = sum(bool(verdict.findings) for verdict in verdicts)
    hit = sum(verdict.hit for verdict in verdicts)
    spent_s = time.monotonic() - began_at_s
    print(f"{len(found)} points, {hit} died there, {bad} with findings, {spent_s:.0f} s")
    return 1 if bad else 0


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proof.judge", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="tries at the same time")
    parser.add_argument("--share", default="0/1", metavar="K/N", help="part K of N of the points")
    parser.add_argument("--only", default="", help="points whose name begins so")
    return parser.parse_args(words)


def _wanted(at: Path, args: argparse.Namespace) -> Iterator[Point]:
    """Yield every point once, each third without its journal too, and some with a second death."""
    part, of = (int(n) for n in args.share.split("/"))
    every = [point for point in all_points(at / "whole") if point.name.startswith(args.only)]
    for number, point in enumerate(every[part::of]):
        yield point
        if number % 3 == 0:
            yield Point(point.name, point.number, lost_journal=True)
        if number % AGAIN_EVERY == 0:
            yield Point(point.name, point.number, AGAIN[number // AGAIN_EVERY % len(AGAIN)])


def all_points(at: Path) -> list[Point]:
    """Return each point as often as a run without a crash passes it."""
    named, called = _whole(at / "names", "names"), _whole(at / "calls", "calls")
    calls = points.count(lambda who: called.log() if who == "sup" else at / "none").sup
    names = Counter(named.passed())
    for tried in (named, called):
        tried.remove()
    passed = [*sorted(names.items()), *sorted(calls.items())]
    return [Point(name, n) for name, count in passed for n in range(1, count + 1)]


def _whole(at: Path, counts: str) -> Try:
    tried = Try(at).make()
    code = tried.serve(counts=counts)
    found = [*findings(tried)]
    if code or found:
        raise SystemExit(f"Not even without a crash: {code}, {found}")
    return tried


def try_point(at: Path, point: Point) -> Verdict:
    tried = Try(at / str(point).replace(":", "-")).make()
    if point.is_call:
        codes = [tried.serve(call=f"{point.name}.{point.number}")]
        hit = points.was_killed(tried.log())
    else:
        codes = [tried.serve(name=f"{point.name}:{point.number}")]
        hit = tried.passed().count(point.name) >= point.number
    if point.lost_journal:
        tried.lose_journal()
    codes += _gone_on(tried, codes[0], point.again)
    found = [f"still alive: {words}" for words in tried.left_alive()]
    found += [] if codes[-1] == 0 else [f"it did not come to its end: {codes}"]
    found += findings(tried, lost_journal=point.lost_journal)
    if not found:
        tried.remove()
    return Verdict(point, hit, tuple(found))


def _gone_on(tried: Try, code: int, again: str) -> Iterator[int]:
    """Start the judge again until it leaves when asked; a judge that has left already is asked
    anew.
    """
    for number in range(TRIES):
        if code == 0 and tried.has_journal():
            return
        left = any(m.type == "shutdown_response" for m in tried.bus.messages())
        if left:
            tried.wish_it_gone(f"again {number}")
        code = tried.serve("--recovery", call=again if number == 0 else "")
        yield code


def _told(number: int, verdict: Verdict) -> Verdict:
    for finding in verdict.findings:
        print(f"{verdict.point}: {finding}", flush=True)
    if number % TOLD_EVERY == 0:
        print(f"{number} tried", file=sys.stderr, flush=True)
    return verdict


if __name__ == "__main__":
    sys.exit(main())
