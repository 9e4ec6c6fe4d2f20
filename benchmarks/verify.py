"""Measure what checking a sprint costs next to its bare criterion command, in one run.

A repository of 10,000 files with a real test. In every round a file and its test are changed and
committed; then the criterion is run bare in that checkout, and the whole check is made as the
supervisor makes it: the tree for checks brought to the commit, prepared, the criterion run there,
tests counted, the change inspected, git read. The first round makes the tree and is told apart.

    python benchmarks/verify.py [--files 10000] [--rounds 9] [--json]
"""

import argparse
import json
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from topkick.checks.executor import CheckBench
from topkick.checks.model import Evidence, Where
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentProgram
from topkick.engine.settings import Settings

FILES_A_DIRECTORY = 100
LINES = 20
CRITERION = f"{sys.executable} -m unittest -q tests.test_change"


@dataclass(frozen=True)
class Answer:
    """Medians in seconds; `beyond_s` is what is left beside 1.1 times the bare command."""

    files: int
    rounds: int
    bare_s: float
    check_s: float
    first_s: float
    ratio: float
    beyond_s: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    given, _ = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="topkick-bench-") as place:
        found = measure(Path(place).resolve(), given.files, given.rounds)
    print(json.dumps(asdict(found), indent=2) if given.json else told(found))


def told(found: Answer) -> str:
    return (
        f"{found.files} files, {found.rounds} rounds, {os.cpu_count()} cores\n"
        f"the bare criterion          {found.bare_s:8.3f} s\n"
        f"the whole check             {found.check_s:8.3f} s   {found.ratio:.2f}x\n"
        f"the first, with a new tree  {found.first_s:8.3f} s\n"
        f"beyond 1.1x of the bare one {found.beyond_s:8.3f} s   (the bound is 2 s)"
    )


def measure(place: Path, files: int, rounds: int) -> Answer:
    root = place / "project"
    _make(root, files)
    program = AgentProgram("none", ("true",))
    settings = Settings(program, verify_prepare=())
    bench = CheckBench(
        root,
        place / "runs",
        place / "log",
        lambda: settings,
        dict(os.environ),
        verify_in=place / "checks",
    )
    bare, whole = [], []
    try:
        for number in range(rounds + 1):
            base = _head(root)
            _change(root, number)
            began = time.perf_counter()
            subprocess.run(["bash", "-c", CRITERION], cwd=root, check=True, capture_output=True)
            bare.append(time.perf_counter() - began)
            began = time.perf_counter()
            evidence = _check(bench, base, number)
            whole.append(time.perf_counter() - began)
            assert [r.passed for r in evidence.results] == [True], evidence.results
            assert evidence.where is Where.COMMIT
            assert not evidence.findings, evidence.findings
    finally:
        bench.close()
    bare_s, check_s = statistics.median(bare[1:]), statistics.median(whole[1:])
    beyond_s = max(0.0, check_s - 1.1 * bare_s)
    return Answer(files, rounds, bare_s, check_s, whole[0], check_s / bare_s, beyond_s)


def _check(bench: CheckBench, base: str, number: int) -> Evidence:
    order = h.CheckWork(
        id=f"bench-{number}.check.0",
        run_id=f"bench-{number}",
        directory=".",
        checks=(CRITERION,),
        always=(),
        base=base,
        output_of="",
        where=Where.COMMIT,
        before=h.Before(base),
        asked="Change `src/change.py` and `tests/test_change.py`.",
    )
    bench.ensure(order)
    while True:
        select.select([bench], [], [], 1.0)
        for fact in bench.poll():
            assert isinstance(fact, h.WorkChecked)
            return fact.evidence


def _make(root: Path, files: int) -> None:
    text = "\n".join(f"line = {n}" for n in range(LINES))
    for number in range(files):
        at = root / "src" / f"d{number // FILES_A_DIRECTORY}" / f"f{number}.py"
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(f"{text}\nnumber = {number}\n")
    (root / "tests").mkdir()
    (root / "tests" / "__init__.py").write_text("")
    _git(root, "init", "-q", "-b", "main")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "begin")


def _change(root: Path, number: int) -> None:
    (root / "src" / "change.py").write_text(f"def value(n):\n    return n + {number}\n")
    cases = "".join(
        f"    def test_{n}(self):\n        self.assertEqual(value({n}) - {n}, value(0))\n\n"
        for n in range(number + 1)
    )
    head = "import unittest\n\nfrom src.change import value\n\n\n"
    (root / "tests" / "test_change.py").write_text(
        f"{head}class Change(unittest.TestCase):\n{cases}"
    )
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", f"change {number}")


def _head(root: Path) -> str:
    return _git(root, "rev-parse", "HEAD").strip()


def _git(root: Path, *words: str) -> str:
    name = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    done = subprocess.run(
        ["git", *name, *words], cwd=root, check=True, capture_output=True, text=True
    )
    return done.stdout


if __name__ == "__main__":
    main()
