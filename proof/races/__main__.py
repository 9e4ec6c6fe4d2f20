"""`python -m proof.races`: a campaign of seeded races, judged from outside."""

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict

from .race import Outcome, run_race


def main() -> int:
    options = _options()
    seeds = range(options.seed, options.seed + options.races)
    began_s = time.monotonic()
    try:
        outcomes = list(_run(seeds, options.jobs, planted=options.planted))
    except KeyboardInterrupt:
        return 130
    broken = [o for o in outcomes if o.violations]
    for outcome in broken:
        print(f"seed {outcome.seed}:", *outcome.violations, sep="\n  ")
    for outcome in broken[:5]:
        print(f"again: python -m proof.races --races 1 --seed {outcome.seed}")
    print(
        f"races {len(outcomes)}  supervisors {sum(o.supervisors for o in outcomes)}  "
        f"blows {sum(o.blows for o in outcomes)}  refused {sum(o.refused for o in outcomes)}  "
        f"agents {sum(o.agents for o in outcomes)}  violations {len(broken)}  "
        f"seconds {time.monotonic() - began_s:.0f}"
    )
    if options.planted:
        return 0 if broken else 1
    return 1 if broken or len(outcomes) < options.races else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proof.races", description=__doc__)
    parser.add_argument("--races", type=int, default=500, help="how many (default: 500)")
    parser.add_argument("--seed", type=int, default=1, help="of the first race (default: 1)")
    parser.add_argument("--jobs", type=int, default=4, help="races at the same time (default: 4)")
    parser.add_argument(
        "--planted", action="store_true", help="without lock and epoch: must be caught"
    )
    return parser.parse_args()


def _run(seeds: range, jobs: int, *, planted: bool) -> Iterator[Outcome]:
    """Yield outcomes; each job is a process, loaded once, that prints each outcome on a line."""
    reader, writer = os.pipe()
    pids = []
    for number in range(jobs):
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            _work(seeds[number::jobs], writer, planted)
        pids.append(pid)
    os.close(writer)
    try:
        with open(reader, encoding="utf-8") as lines:
            for count, line in enumerate(lines, 1):
                said = json.loads(line)
                yield Outcome(**{**said, "violations": tuple(said["violations"])})
                if count % 25 == 0:
                    print(f"{count} of {len(seeds)} races", file=sys.stderr)
    except KeyboardInterrupt:
        for pid in pids:
            os.kill(pid, signal.SIGINT)
        raise
    finally:
        for pid in pids:
            os.waitpid(pid, 0)


def _work(seeds: range, writer: int, planted: bool) -> None:
    code = 1
    try:
        for seed in seeds:
            line = json.dumps(asdict(run_race(seed, planted=planted))) + "\n"
            os.write(writer, line.encode())
        code = 0
    except KeyboardInterrupt:
        code = 130
    except BaseException:  # noqa: BLE001  a bug of the harness shows as races that are missing
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
