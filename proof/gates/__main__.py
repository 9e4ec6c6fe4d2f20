"""`python -m proof.gates`: every kind of red gate, among two to five units, at every place."""

import argparse
import signal
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from proof.gates.cases import Case, every_case
from proof.gates.trying import Bench, Found


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m proof.gates", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="projects at once (default: 2)")
    parser.add_argument("--only", default="", help="cases whose name has one of these, by commas")
    parser.add_argument("--list", action="store_true", help="say what would be tried")
    args = parser.parse_args(words)
    wanted = [part for part in args.only.split(",") if part]
    cases = [c for c in every_case() if not wanted or any(part in c.name for part in wanted)]
    if args.list or not cases:
        print(*(case.name for case in cases), sep="\n")
        return 0 if cases else 1
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    found = run_all(cases, args.jobs)
    if found is None:
        return 130
    print(table(found))
    print(figures(found))
    return 1 if any(f.wrong for f in found) else 0


def run_all(cases: Sequence[Case], jobs: int) -> list[Found] | None:
    """Return results in the order of the cases; None if it was interrupted."""
    bench = Bench()
    with ThreadPoolExecutor(jobs) as pool:
        tries = {pool.submit(bench.try_it, case): n for n, case in enumerate(cases)}
        found: dict[int, Found] = {}
        try:
            for future in as_completed(tries):
                found[tries[future]] = future.result()
                _tell(found[tries[future]], len(found), len(cases))
        except BaseException as error:
            pool.shutdown(wait=False, cancel_futures=True)
            bench.stop()
            if isinstance(error, KeyboardInterrupt):
                return None
            raise
    return [found[n] for n in range(len(cases))]


def _tell(f: Found, number: int, of: int) -> None:
    judged = "; ".join(f.wrong)[:200] or "right"
    sys.stderr.write(f"{number:>3}/{of} {f.case.name:<28} {f.took_s:5.1f} s  {judged}\n")


def table(found: Sequence[Found]) -> str:
    lines = [f"{'kind':<18} units  place  {'verdict':<14} runs  charged  laid to"]
    for f in found:
        place = "+".join(str(n + 1) for n in f.case.at) or "-"
        laid = "; ".join(" with ".join(group) for group in f.groups) or "nobody"
        told = f"{f.case.kind.name:<18} {f.case.units:>5}  {place:<5}  {f.verdict:<14}"
        told += f" {f.runs:>4}  {f.charged:>7}  {laid}"
        lines.append(told + (f"  WRONG: {'; '.join(f.wrong)}" if f.wrong else ""))
    return "\n".join(lines)


def figures(found: Sequence[Found]) -> str:
    right = sum(not f.wrong for f in found)
    runs = [f.runs for f in found]
    return (
        f"gates: {len(found)} cases, {right} right, {len(found) - right} wrong; "
        f"{sum(runs)} runs, at most {max(runs)} for one; {sum(f.charged for f in found)} charged"
    )


if __name__ == "__main__":
    sys.exit(main())
