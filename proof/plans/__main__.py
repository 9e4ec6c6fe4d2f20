"""`python -m proof.plans`: fuzz the reader of plans, measure its time, judge broken-down plans."""

import argparse
import os
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
    judged = verbs.add_parser("requirements", help="break documents down and judge the plans")
    judged.add_argument("place", type=Path, metavar="DIR", help="a directory of *.md documents")
    refined = verbs.add_parser("refining", help="prioritise and evaluate plans, and judge it")
    refined.add_argument("place", type=Path, metavar="DIR", help="a directory of *.md plans")
    ordered = verbs.add_parser("orders", help="prioritise generated plans; no constraint broken")
    ordered.add_argument("--examples", type=int, default=10_000)
    options = parser.parse_args()
    if options.verb == "refining":
        return _refining(options.place)
    if options.verb == "orders":
        return _orders(options.examples)
    if options.verb == "requirements":
        return _requirements(options.place)
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


def _requirements(place: Path) -> int:
    from proof.plans.requirements import judge_all

    judged = judge_all(place)
    print(f"{'document':48} {'req':>4} {'task':>4} {'unit':>4} {'spr':>4} {'own':>5} violations")
    for one in judged:
        counts = f"{one.requirements:4} {one.tasks:4} {one.units:4} {one.sprints:4}"
        print(f"{one.name[:48]:48} {counts} {one.checked:5.0%} {len(one.violations)} {one.refused}")
        for violation in one.violations:
            print(f"    {violation[:200]}")
    wrong = sum(len(one.violations) for one in judged)
    refused = sum(bool(one.refused) for one in judged)
    print(f"{len(judged)} documents, {refused} without a requirement, {wrong} violations")
    return 1 if wrong or not judged else 0


def _refining(place: Path) -> int:
    from proof.plans.refining import refine_all, table_of

    found = refine_all(place)
    print("\n".join(table_of(found)))
    return 1 if not found or any(one.violations for one in found) else 0


def _orders(examples: int) -> int:
    """Run the properties of the tests, with more examples than a test run has time for."""
    import pytest

    os.environ["TOPKICK_EXAMPLES"] = str(examples)
    tests = Path(__file__).parents[2] / "tests" / "planning" / "refinement"
    return int(pytest.main(["-q", str(tests / "test_prioritizing.py"), "-k", "broken or once"]))


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
