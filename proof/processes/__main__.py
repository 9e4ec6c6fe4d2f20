"""`python -m proof.processes`: kill thousands of nasty agents, look for survivors and victims."""

import argparse
import os
import sys

from proof.processes.batch import MODES
from proof.processes.campaign import Figures, plan, run
from proof.processes.planted import PLANTS


def main() -> int:
    options = _parser().parse_args()
    modes = {"both": ["native", "no-cgroup", "portable"]}.get(options.mode, [options.mode])
    orders = plan(options.kills, modes, options.seed, options.plant)
    if options.batch is not None:
        orders = [order for order in orders if order.number == options.batch]
    try:
        figures = run(orders, min(options.jobs, len(orders)), _progress)
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted; nothing was left running\n")
        return 130
    sys.stderr.write("\n")
    for text in [*figures.survivors, *figures.foreign, *figures.troubles][:40]:
        sys.stdout.write(f"  {text}\n")
    ways = ", ".join(f"{way} {count}" for way, count in sorted(figures.by_way.items()))
    sys.stdout.write(f"seed {options.seed}: {ways}\n{figures.line()}\n")
    return 0 if figures.good else 1


def _progress(figures: Figures) -> None:
    news = [*figures.survivors, *figures.foreign, *figures.troubles][figures.told :]
    figures.told += len(news)
    sys.stderr.write("".join(f"\n{text}" for text in news) + "\n" * bool(news))
    sys.stderr.write(f"\r{figures.kills} kills, {len(figures.survivors)} survivors ")
    sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof.processes", description=__doc__)
    parser.add_argument("--kills", type=int, default=120, help="how many agents to end")
    parser.add_argument(
        "--mode",
        choices=["both", *MODES],
        default="both",
        help="with all that Linux gives, without control groups, or as on other systems",
    )
    jobs = min(4, os.cpu_count() or 1)
    parser.add_argument("--jobs", type=int, default=jobs, help="workers at once")
    parser.add_argument("--seed", type=int, default=1, help="the same seed, the same orders")
    parser.add_argument("--batch", type=int, help="only this batch of the plan")
    parser.add_argument("--plant", choices=PLANTS, default="", help="a bug that must be caught")
    return parser


if __name__ == "__main__":
    sys.exit(main())
