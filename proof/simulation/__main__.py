"""`python -m proof.simulation`: many seeds, one seed retold, the edges taken, the planted bugs."""

import argparse
import sys
import time
from collections import Counter

from proof.simulation import campaign, mutants
from proof.simulation.campaign import Edge, Result
from proof.simulation.tables import RARE, SPRINTS, UNITS


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m proof.simulation", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("run", "edges", "mutants"), default="run")
    parser.add_argument("--policy", choices=campaign.POLICIES, default="plan", help="whose run")
    parser.add_argument("--seeds", type=int, default=300, help="how many seeds (default 300)")
    parser.add_argument("--first", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--hours", type=float, default=24.0, help="simulated hours of faults")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once (default 1)")
    parser.add_argument("--seed", type=int, help="run this one seed and tell all of it")
    parser.add_argument("--shrink", action="store_true", help="with --seed: shrink it first")
    parser.add_argument("--until-caught", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    try:
        return _do(asked)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def _do(asked: argparse.Namespace) -> int:
    seeds = range(asked.first, asked.first + asked.seeds)
    if asked.seed is not None:
        return _one(asked.seed, asked.hours, asked.policy, shrink=asked.shrink)
    if asked.until_caught:
        return _until_caught(seeds, asked.hours, asked.policy)
    if asked.what == "mutants":
        return mutants.report(asked.seeds, asked.jobs)
    if asked.what == "edges":
        return _edges(seeds, asked.hours, asked.jobs)
    return _many(seeds, asked.hours, asked.jobs, asked.policy)


def _one(seed: int, hours: float, policy: str, *, shrink: bool) -> int:
    planned = campaign.make(seed, hours, policy)
    if shrink:
        rule = campaign.run_schedule(planned).rule
        planned = campaign.shrink(planned, rule) if rule else planned
    print("\n".join(planned.describe()))
    result = campaign.run_schedule(planned, print)
    print(f"seed {seed}: {result.what or 'holds'}; {result.steps} steps, {result.hours:.1f} h")
    return 0 if result.holds else 1


def _until_caught(seeds: range, hours: float, policy: str) -> int:
    for n, result in enumerate(campaign.run_seeds(seeds, hours, policy=policy), start=1):
        if not result.holds:
            print(f"{n} {result.rule} {result.what}")
            return mutants.CAUGHT
    return 0


def _many(seeds: range, hours: float, jobs: int, policy: str) -> int:
    began_s = time.monotonic()
    figures: Counter[str] = Counter()
    broken: list[Result] = []
    steps, simulated_h, cpu_s = 0, 0.0, 0.0
    for n, result in enumerate(campaign.run_seeds(seeds, hours, jobs, policy), start=1):
        figures.update(result.figures)
        steps += result.steps
        simulated_h += result.hours
        cpu_s += result.cpu_s
        if not result.holds:
            broken.append(result)
            print(f"seed {result.seed} breaks {result.what}", flush=True)
        if n % 50 == 0:
            print(f"{n} of {len(seeds)}, {len(broken)} broken", file=sys.stderr, flush=True)
    for result in broken[:3]:
        print("\n".join(campaign.tell_failure(result, hours, policy)))
    for name, count in sorted(figures.items()):
        print(f"  {name:28}{count:>9}")
    wall_s = time.monotonic() - began_s
    print(
        f"{policy}: {len(seeds)} seeds, {simulated_h:.0f} simulated hours, {steps} steps, "
        f"{figures['crashed']} crashes, {len(broken)} violations, "
        f"{wall_s:.0f} s wall, {cpu_s:.0f} s of CPU"
    )
    return 1 if broken else 0


def _edges(seeds: range, hours: float, jobs: int) -> int:
    first: dict[Edge, int] = {}
    taken: dict[int, frozenset[Edge]] = {}
    broken = 0
    for result in campaign.run_seeds(seeds, hours, jobs):
        if not result.holds:
            broken += 1
            print(f"seed {result.seed} breaks {result.what}", flush=True)
        taken[result.seed] = result.edges
        for edge in result.edges:
            first[edge] = min(first.get(edge, result.seed), result.seed)
    missing = 0
    for edge in all_edges():
        seed = first.get(edge, RARE.get(edge))
        missing += seed is None
        said = f"seed {seed}" if seed is not None else "NEVER TAKEN"
        print(f"{edge[0]:7}{edge[1]:13}{edge[2]:16}{said}")
    few = " ".join(map(str, cover(taken)))
    print(f"these seeds take all of them: {few}")
    print(f"{len(first)} of {len(all_edges())} edges taken, {missing} missing, {broken} broken")
    return 1 if missing or broken else 0


def cover(taken: dict[int, frozenset[Edge]]) -> list[int]:
    """Return a few seeds that together cover all edges."""
    left = frozenset[Edge]().union(*taken.values())
    chosen = []
    while left:
        seed = max(sorted(taken), key=lambda s: len(taken[s] & left))
        chosen.append(seed)
        left -= taken[seed]
    return sorted(chosen)


def all_edges() -> list[Edge]:
    units = [("unit", *edge) for edge in UNITS]
    return [*units, *(("sprint", *edge) for edge in SPRINTS)]


if __name__ == "__main__":
    sys.exit(main())
