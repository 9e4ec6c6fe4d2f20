"""`python -m proof.soak`: ten minutes of kills, commands and agents of every kind."""

import argparse
import random
import sys

from proof.races.arena import arena

from . import field, planted
from .soak import Figures, Pace, Soak


def main() -> int:
    options = _options()
    pace = Pace(
        duration_s=options.minutes * 60,
        agents=options.agents,
        units=options.units,
        kill_every_s=tuple(options.kill_every),
        command_every_s=tuple(options.command_every),
        patience_s=options.patience,
        plant=options.plant,
    )
    first = field.round_plan(0, options.units, random.Random(options.seed))
    try:
        with arena(first, field.AGENT, field.config(options.agents)) as place:
            figures = Soak(place, pace, options.seed).run()
    except KeyboardInterrupt:
        return 130
    print(*figures.violations, sep="\n", end="\n" if figures.violations else "")
    print(_last_line(figures))
    return 1 if figures.violations else 0


def _last_line(f: Figures) -> str:
    def span(name: str) -> str:
        values = [getattr(sample, name) for sample in f.samples]
        third = max(1, len(values) // 3)
        if not values:
            return "0/0"
        return f"{max(values[:third])}/{max(values[-third:])}"

    return (
        f"rounds {f.rounds}  supervisors {f.supervisors}  kills {f.kills}  "
        f"commands {f.commands}  stops {f.stops}  killalls {f.killalls}  sprints {f.sprints}  "
        f"records {f.records}  violations {len(f.violations)}  first/last third: "
        f"rss_kib {span('rss_kib')}  descriptors {span('descriptors')}  "
        f"processes {span('processes')}  zombies {span('zombies')}  files {span('files')}"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proof.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long (default: 10)")
    parser.add_argument("--agents", type=int, default=8, help="at the same time (default: 8)")
    parser.add_argument("--units", type=int, default=40, help="of each round (default: 40)")
    parser.add_argument("--seed", type=int, default=1, help="of kills and commands (default: 1)")
    parser.add_argument(
        "--kill-every",
        type=float,
        nargs=2,
        default=(5.0, 40.0),
        metavar=("LOW", "HIGH"),
        help="seconds between kills of the supervisor (default: 5 40)",
    )
    parser.add_argument(
        "--command-every",
        type=float,
        nargs=2,
        default=(2.0, 8.0),
        metavar=("LOW", "HIGH"),
        help="seconds between commands from other terminals (default: 2 8)",
    )
    parser.add_argument(
        "--patience", type=float, default=300.0, help="seconds to come to an end (300)"
    )
    parser.add_argument(
        "--plant", choices=sorted(planted.PLANTS), default="", help="a bug that must be caught"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
