"""`python -m proof.peers --bin DIR`: the table, with topkick in the last line."""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from proof.crash.campaign import Bench, all_points
from proof.crash.episode import Episode
from proof.crash.known import Known
from proof.crash.observer import Baseline, Verdict, starts_of
from proof.crash.points import count
from proof.crash.scenarios import BY_NAME
from proof.crash.subject import Subject, Topkick
from proof.peers.subjects import Dbos, Supervisord

SCENARIO = "dispatch"


def main(words: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(words)
    print(f"{'program':<14}{'points':>8}{'again':>8}{'lost':>18}{'wrong':>8}{'found again':>16}")
    for subject in (Supervisord(asked.bin), Dbos(asked.bin), Topkick()):
        print(_row(subject, _tried(subject, asked.most, asked.jobs)), flush=True)
    print("points: kills that struck; again: points at which a job was begun by a second process;")
    print("lost: at which something recorded was gone; wrong: at which it came to another end than")
    print("without a kill (a job that failed because it was done before; one that never began);")
    print("found again: of the processes alive at the kill, those whose own end was recorded.")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof.peers", description=__doc__)
    parser.add_argument("--bin", type=Path, required=True, help="where python and supervisord are")
    parser.add_argument("--most", type=int, default=120, help="points for each program")
    parser.add_argument("--jobs", type=int, default=2, help="tries side by side")
    return parser


def _tried(subject: Subject, most: int, jobs: int) -> list[Verdict]:
    scenario = BY_NAME[SCENARIO]
    expected: dict[str, Known] = {}
    bench = Bench(subject, expected=expected)
    try:
        expected[SCENARIO] = _known(subject, bench.play_through(scenario, "calls"))
        points = all_points(scenario, expected[SCENARIO].counts)
        found = [point for point in points if point.process == "sup"]
        every = max(1, len(found) // most)
        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(bench.try_point, found[::every]))
    finally:
        bench.close()


def _known(subject: Subject, played: Episode) -> Known:
    counts = count(played.log)
    baseline = Baseline(subject.standing(played.place), starts_of(played.place))
    played.place.remove()
    return Known(baseline, counts)


def _row(subject: Subject, verdicts: list[Verdict]) -> str:
    hit = [v for v in verdicts if v.hit]
    again, wrong = sum(bool(v.doubles) for v in hit), sum(bool(v.wrong) for v in hit)
    lost = str(sum(bool(v.lost) for v in hit)) if subject.remembers else "keeps no record"
    found = f"{sum(v.adopted for v in hit)} of {sum(v.alive for v in hit)}"
    return f"{subject.name:<14}{len(hit):>8}{again:>8}{lost:>18}{wrong:>8}{found:>16}"


if __name__ == "__main__":
    sys.exit(main())
