"""`python -m proof.crash`: the whole campaign, a share of it, or one point."""

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from proof.crash import known, record
from proof.crash.campaign import (
    HEAD,
    REACHED,
    REACHED_AGAIN,
    Bench,
    again,
    all_points,
    is_available,
    share,
    shortcomings,
    table,
    try_all,
)
from proof.crash.observer import Verdict
from proof.crash.points import Point, parse
from proof.crash.scenarios import BY_NAME
from proof.crash.subject import Topkick


def main(words: Sequence[str] | None = None) -> int:
    args = _arguments(words)
    if not is_available():
        sys.stderr.write("strace is needed, and Linux.\n")
        return 2
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    bench = Bench(Topkick(portable=args.mode == "portable"))
    try:
        if args.count:
            return _count(bench, args.scenario or tuple(BY_NAME))
        return _campaign(bench, args)
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        return 130
    finally:
        bench.close()


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proof.crash", description=__doc__)
    parser.add_argument(
        "--scenario", action="append", choices=sorted(BY_NAME), help="only this one; repeatable"
    )
    parser.add_argument("--share", default="0/1", metavar="K/N", help="part K of N of the points")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="tries at the same time")
    parser.add_argument("--mode", choices=("native", "portable"), default="native")
    parser.add_argument("--kind", help="only sup, cmd, keep, sup.CALL, or one named crash point")
    parser.add_argument("--recovery", action="store_true", help="die once more in the recovery")
    parser.add_argument(
        "--count", action="store_true", help="play without crashes and renew known.json"
    )
    parser.add_argument(
        "--point", action="append", metavar="SCENARIO:KIND:N", help="this point alone; repeatable"
    )
    parser.add_argument(
        "--log",
        type=Path,
        metavar="FILE",
        help="write verdicts there, pass over points that it has, and count all of it",
    )
    return parser.parse_args(words)


def _campaign(bench: Bench, args: argparse.Namespace) -> int:
    began_at_s = time.monotonic()
    verdicts = record.read(args.log, args.mode) if args.log else {}
    found = [point for point in _points(args) if point not in verdicts]
    sys.stderr.write(f"{len(found)} points, {len(verdicts)} others done before\n")
    before = len(verdicts)

    def tell(asked: Point, verdict: Verdict) -> None:
        verdicts[asked] = verdict
        done = len(verdicts) - before
        if args.log:
            record.add(args.log, args.mode, asked, verdict)
        if verdict.findings:
            print(_report(verdict, bench, args.mode), flush=True)
        if done % 25 == 0:
            rest_s = (time.monotonic() - began_at_s) / done * (len(found) - done)
            sys.stderr.write(f"{done}/{len(found)}, about {rest_s:.0f} s left\n")

    try_all(bench, found, args.jobs, tell)
    rows = table(verdicts.values())
    print("\n".join([HEAD, *(row.row() for row in rows)]))
    bad = sum(bool(v.findings) for v in verdicts.values())
    total = rows[-1]
    short = shortcomings(total, REACHED_AGAIN if args.recovery else REACHED)
    adopted = 100.0 * total.adopted / total.alive if total.alive else 100.0
    print(
        f"{total.points} points ({args.mode}), {total.hit} reached, {bad} with findings, "
        f"{total.adopted} of {total.alive} living agents adopted ({adopted:.2f} %), "
        f"{time.monotonic() - began_at_s:.0f} s"
    )
    print(*short, sep="\n", end="\n" if short else "")
    return 1 if bad or short else 0


def _points(args: argparse.Namespace) -> list[Point]:
    if args.point:
        return [parse(text) for text in args.point]
    part, of = (int(n) for n in args.share.split("/"))
    expected = known.read()
    found: list[Point] = []
    for name in args.scenario or BY_NAME:
        found += all_points(BY_NAME[name], expected[name].counts)
    if args.kind:
        found = [p for p in found if args.kind in (p.kind, p.process)]
    found = share(found, part, of)
    return again(found, expected["resume"].counts) if args.recovery else found


def _count(bench: Bench, names: Sequence[str]) -> int:
    found = known.read()
    for name in names:
        sys.stderr.write(f"counting {name}\n")
        found[name] = bench.count(BY_NAME[name])
    known.write(found)
    total = sum(len(all_points(BY_NAME[name], found[name].counts)) for name in found)
    print(f"{total} points in {len(found)} scenarios")
    return 0


def _report(verdict: Verdict, bench: Bench, mode: str) -> str:
    assert verdict.point is not None
    lines = [f"{verdict.point} {verdict.where}", *(f"  {text}" for text in verdict.findings)]
    lines.append(f"  kept in {bench.root / verdict.point.slug}")
    lines.append(f"  again: python -m proof.crash --mode {mode} --point {verdict.point}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
