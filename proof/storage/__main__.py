"""The storage suite by hand: corruption, faults, replaced files."""

import argparse
import sys

from proof.storage import corruption, faults, replaced


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m proof.storage", description=__doc__)
    campaigns = parser.add_subparsers(dest="campaign", required=True)
    bytes_ = campaigns.add_parser("corruption", help="every byte flipped, every length, pages")
    bytes_.add_argument("--jobs", type=int, default=2, help="processes at once (2)")
    bytes_.add_argument("--stride", type=int, default=1, help="only every nth case of each kind")
    bytes_.add_argument("--cases", type=int, help="at most so many, chosen by chance")
    bytes_.add_argument("--seed", type=int, default=1, help="for the choice")
    faults_ = campaigns.add_parser("faults", help="errors injected at every call (needs strace)")
    faults_.add_argument("--jobs", type=int, default=2, help="projects at once (2)")
    faults_.add_argument("--every", type=int, default=1, help="only every nth fault")
    faults_.add_argument(
        "--command", action="append", choices=sorted(faults.COMMANDS), help="only this command"
    )
    swaps = campaigns.add_parser("replaced", help="a FIFO, link, directory instead of a file")
    swaps.add_argument("--jobs", type=int, default=2, help="projects at once (2)")
    swaps.add_argument("--every", type=int, default=1, help="only every nth swap")
    asked = parser.parse_args()
    if asked.campaign == "replaced":
        return 1 if replaced.run(asked.jobs, asked.every) else 0
    if asked.campaign == "faults":
        return 1 if faults.run(asked.jobs, asked.every, asked.command or [*faults.COMMANDS]) else 0
    tally = corruption.run(asked.jobs, asked.stride, asked.seed, asked.cases)
    corruption.report(tally)
    return 1 if tally.bad() else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
