"""`python -m proof.bus`: many writers on one bus, killed; and planted bugs that must be caught."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from proof.bus.campaign import Campaign, Outcome, Size
from proof.bus.planted import PLANTED

SMALL = Size(writers=6, messages=30, deletions=10, kills=30, torn=20)
SEEDS = 5
"""The number of tries for a planted bug: the seed alone does not decide which process dies
where.
"""


def main(words: Sequence[str] | None = None) -> int:
    args = _arguments(words)
    if args.what == "planted":
        return _planted(args.seed)
    size = Size(args.writers, args.messages, args.deletions, args.kills, args.torn)
    outcome = _run(size, args.seed)
    _tell(outcome)
    return 1 if outcome.findings else 0


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proof.bus", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["run", "planted"], default="run")
    size = Size()
    parser.add_argument("--writers", type=int, default=size.writers)
    parser.add_argument("--messages", type=int, default=size.messages, help="of each writer")
    parser.add_argument("--deletions", type=int, default=size.deletions)
    parser.add_argument("--kills", type=int, default=size.kills, help="beside crash points")
    parser.add_argument("--torn", type=int, default=size.torn, help="half lines of others")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(words)


def _run(size: Size, seed: int, planted: str = "") -> Outcome:
    with tempfile.TemporaryDirectory(prefix="topkick-bus-") as at:
        return Campaign(Path(at), size, seed, planted).run()


def _planted(seed: int) -> int:
    missed = 0
    for name in PLANTED:
        outcomes = (_run(SMALL, seed + n, name) for n in range(SEEDS))
        found = next((outcome.findings[0] for outcome in outcomes if outcome.findings), "")
        missed += not found
        print(f"{name}: {found or 'NOT CAUGHT'}", flush=True)
    return 1 if missed else 0


def _tell(outcome: Outcome) -> None:
    for finding in outcome.findings[:20]:
        print(finding)
    print(
        f"acknowledged {outcome.acknowledged}  killed {outcome.kills} and at named points "
        f"{outcome.crash_points}  torn lines {outcome.torn}  readings {outcome.readings}  "
        f"bad lines seen {outcome.bad_lines}  findings {len(outcome.findings)}  "
        f"seconds {outcome.seconds:.0f}"
    )


if __name__ == "__main__":
    sys.exit(main())
