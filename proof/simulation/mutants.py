"""Planted bugs in kernel, loop and runner: the simulator must notice every one of them."""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from proof import altered_package
from proof.simulation.planted import ELSEWHERE, MUTANTS, Mutant

REPOSITORY = Path(__file__).parents[2]
CAUGHT = 9
LIMIT_S = 600


@dataclass(frozen=True, slots=True)
class Catch:
    mutant: Mutant
    seeds: int | None
    rule: str
    said: str


def hunt(mutant: Mutant | None, seeds: int, first: int = 1) -> Catch:
    """Run the simulator with one change in a copy of the package, until a rule is violated."""
    policy = mutant.policy if mutant is not None else "plan"
    words = ["--until-caught", "--seeds", str(seeds), "--first", str(first), "--policy", policy]
    with tempfile.TemporaryDirectory(prefix="topkick-mutant-") as room:
        where = package(Path(room), mutant)
        done = subprocess.run(
            [sys.executable, "-m", "proof.simulation", *words],
            cwd=REPOSITORY,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join((str(where), str(REPOSITORY))),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    caught = done.returncode == CAUGHT
    count, _, rest = done.stdout.strip().partition(" ")
    rule, _, said = rest.partition(" ")
    what = said if caught else done.stdout[-500:] + done.stderr[-2000:]
    return Catch(mutant or MUTANTS[0], int(count) if caught else None, rule if caught else "", what)


def hunt_by_test(mutant: Mutant, test: str) -> bool:
    """Return whether a test with real processes fails with the change, and only with it."""
    with tempfile.TemporaryDirectory(prefix="topkick-mutant-") as room:
        codes = [
            _tested(altered_package.copied(Path(room) / str(n), _edits(m)), test)
            for n, m in enumerate((mutant, None))
        ]
    return codes == [1, 0]


def _tested(where: Path, test: str) -> int:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(where), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
    return done.returncode


def package(where: Path, mutant: Mutant | None) -> Path:
    return altered_package.linked(where, _edits(mutant))


def _edits(mutant: Mutant | None) -> tuple[tuple[str, str, str], ...]:
    return tuple(mutant.edits) if mutant is not None else ()


def report(seeds: int, jobs: int) -> int:
    missed = 0
    with ThreadPoolExecutor(jobs) as pool:
        here = [mutant for mutant in MUTANTS if mutant.breaks not in ELSEWHERE]
        asked = [pool.submit(hunt, mutant, seeds) for mutant in here]
        for done in as_completed(asked):
            catch = done.result()
            count = "MISSED" if catch.seeds is None else str(catch.seeds)
            missed += catch.seeds is None
            print(
                f"{catch.mutant.room:8}{catch.mutant.breaks:58}{count:>7}  {catch.rule}", flush=True
            )
            if catch.seeds is None:
                print(catch.said, file=sys.stderr)
    for mutant in MUTANTS:
        if test := ELSEWHERE.get(mutant.breaks):
            caught = hunt_by_test(mutant, test)
            missed += not caught
            told = f"by {test.partition('::')[2]}" if caught else "MISSED"
            print(f"{mutant.room:8}{mutant.breaks:58}  {told}", flush=True)
    print(f"{len(MUTANTS)} planted bugs, {len(MUTANTS) - missed} caught within {seeds} seeds")
    return 1 if missed else 0
