"""`python -m proof.plans`: fuzz the reader of plans, or measure how its time grows."""

import argparse
import sys
import tempfile
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m proof.plans", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    fuzz = verbs.add_parser("fuzz", help="coverage-guided fuzzing (needs atheris)")
    fuzz.add_argument("--minutes", type=float, default=10.0)
    fuzz.add_argument("--plans", type=Path, help="a directory of plans to begin with")
    verbs.add_parser("growth", help="the exponent of each hostile text, at most 1.25")
    options = parser.parse_args()
    return _growth() if options.verb == "growth" else _fuzz(options.minutes, options.plans)


def _growth() -> int:
    from proof.plans.growth import LIMIT, grow_all

    found = grow_all()
    for one in sorted(found, key=lambda growth: -growth.exponent):
        size = one.bytes / 1024
        print(f"{one.exponent:5.2f}  {one.name:26} {size:8.0f} KiB  {one.seconds * 1000:8.1f} ms")
    worst = max(one.exponent for one in found)
    print(f"{len(found)} hostile texts, worst exponent {worst:.2f}, limit {LIMIT}")
    return 1 if worst > LIMIT else 0


def _fuzz(minutes: float, plans: Path | None) -> int:
    try:
        from proof.plans.fuzzing import main as fuzz
    except ImportError:
        sys.stderr.write("atheris is not installed; make fuzz installs it.\n")
        return 2
    fuzz(int(minutes * 60), Path(tempfile.mkdtemp(prefix="topkick-fuzz-")) / "seeds", plans)
    return 0


if __name__ == "__main__":
    sys.exit(main())
