"""Measure what a unit's own tree costs, next to bare git commands, in one run.

A repository of 10,000 files. In every round a unit gets its tree, commits one file, has the commit
merged with that of another, and is cleared away; `git worktree` and `git clone --local` do the
same. topkick's integration takes the commit over with object checks and merges it without a
checkout; its clearing first finds out that nothing in the tree is unsaved or nowhere else.

    python benchmarks/isolation.py [--files 10000] [--rounds 7] [--json]
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from topkick.checks.request import Ours
from topkick.engine.settings import NO_SETUP
from topkick.git.clone.cleanup import clear, look_around
from topkick.git.clone.places import laid_out
from topkick.git.clone.unit_tree import Trees

FILES_A_DIRECTORY = 100
LINES = 20
MISSION, LANDED, MERGED = "topkick/bench", "landed", "merged"
STEPS = ("set up", "integrate", "clear")
BARE = {
    "set up": ("git worktree add", "git clone --local"),
    "integrate": ("git merge, of a worktree's branch", "git fetch and git merge, of a clone's"),
    "clear": ("git worktree remove", "rm -r of a clone"),
}


@dataclass(frozen=True)
class Row:
    """`ratio` is topkick's median beside this one."""

    step: str
    name: str
    median_ms: float
    least_ms: float
    ratio: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    given, _ = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="topkick-bench-") as place:
        bench = Bench(Path(place).resolve(), given.files)
        for number in range(given.rounds):
            bench.play(number)
    rows = bench.rows()
    if given.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
    else:
        print(table(rows, given.files, given.rounds))


def table(rows: list[Row], files: int, rounds: int) -> str:
    lines = [
        f"{files} files, {rounds} rounds, {os.cpu_count()} cores\n",
        "| | | median ms | least ms | topkick beside it |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        ratio = f"{row.ratio:.2f}x" if row.name != "topkick" else ""
        cells = (row.step, row.name, f"{row.median_ms:.0f}", f"{row.least_ms:.0f}", ratio)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


class Bench:
    """The repository, a checkout in which bare git merges, and the times that were taken."""

    def __init__(self, place: Path, files: int) -> None:
        self.main, self.merging = place / "project", place / "merging"
        self._place = place
        self._base = make_repository(self.main, files)
        self._trees = place / "trees"
        git(self.main, "worktree", "add", "-q", "-b", MERGED, str(self.merging))
        self._times: dict[tuple[str, str], list[float]] = {}

    def play(self, number: int) -> None:
        """Play one round; the order of the three changes with the round."""
        players = [self._topkick, self._worktree, self._clone]
        turn = number % len(players)
        for player in (*players[turn:], *players[:turn]):
            player(number)

    def rows(self) -> list[Row]:
        found = []
        for step in STEPS:
            ours = statistics.median(self._times[step, "topkick"])
            for name in ("topkick", *BARE[step]):
                times = self._times[step, name]
                median = statistics.median(times)
                found.append(Row(step, name, median * 1e3, min(times) * 1e3, ours / median))
        return found

    def _timed(self, step: str, name: str, work: Callable[[], object]) -> None:
        began = time.perf_counter()
        work()
        self._times.setdefault((step, name), []).append(time.perf_counter() - began)

    # --- the three -------------------------------------------------------------------------

    def _topkick(self, number: int) -> None:
        unit = f"u{number}"
        isolation = laid_out(self.main, {self.main: self._base}, MISSION, self._trees / "bench")
        trees = Trees(Ours(str(self.main), unit, isolation, "bench", "bench@localhost"))
        ready = partial(trees.make_ready, NO_SETUP, (), lambda _: "")
        self._timed("set up", "topkick", ready)
        commit = change(trees.root, f"topkick-{number}")
        self._go_on(MISSION, number)
        integrate = partial(trees.integrate, ".", commit, "Merge")
        self._timed("integrate", "topkick", integrate)
        git(self.main, "branch", "-f", LANDED, MISSION)
        assert git(self.main, "branch", "--contains", commit, "--list", LANDED), "not integrated"
        self._timed("clear", "topkick", self._clear_all)
        assert not trees.root.exists()

    def _clear_all(self) -> None:
        for standing in list(look_around(self._trees, "")):
            clear(standing)

    def _worktree(self, number: int) -> None:
        at, branch = self._place / f"worktree-{number}", f"worktree-{number}"
        add, merge, remove = (BARE[step][0] for step in STEPS)
        adding = ("worktree", "add", "-q", "-b", branch, str(at), self._base)
        self._timed("set up", add, partial(git, self.main, *adding))
        change(at, branch)
        merging = ("merge", "-q", "--no-ff", "--no-edit", branch)
        self._timed("integrate", merge, partial(git, self.merging, *merging))
        self._timed("clear", remove, partial(git, self.main, "worktree", "remove", str(at)))

    def _clone(self, number: int) -> None:
        at, branch = self._place / f"clone-{number}", f"clone-{number}"
        clone, merge, remove = (BARE[step][1] for step in STEPS)
        words = ("clone", "-q", "--local", str(self.main), str(at))
        self._timed("set up", clone, partial(git, self._place, *words))
        git(at, "switch", "-q", "-c", branch)
        change(at, branch)
        self._timed("integrate", merge, partial(self._fetch_and_merge, at, branch))
        self._timed("clear", remove, partial(shutil.rmtree, at))

    def _fetch_and_merge(self, at: Path, branch: str) -> None:
        git(self.merging, "fetch", "-q", str(at), branch)
        git(self.merging, "merge", "-q", "--no-ff", "--no-edit", "FETCH_HEAD")

    def _go_on(self, branch: str, number: int) -> None:
        """Commit work of another unit to the branch, so that the merge has two sides."""
        below = branch if number else self._base
        text = f"{below}^{{tree}}"
        other = git(self.main, "commit-tree", "-p", below, "-m", f"Another {number}", text)
        git(self.main, "update-ref", f"refs/heads/{branch}", other.strip())


# --- the repository ------------------------------------------------------------------------


def make_repository(root: Path, files: int) -> str:
    """Packed, as a repository is that has been cloned from somewhere."""
    for number in range(files):
        directory = root / f"part-{number // FILES_A_DIRECTORY:03}"
        directory.mkdir(parents=True, exist_ok=True)
        text = "".join(f"line {line} of file {number}\n" for line in range(LINES))
        (directory / f"file-{number:05}.txt").write_text(text)
    git(root, "init", "-q", "-b", "main", "--template=")
    git(root, "config", "gc.auto", "0")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Begin")
    git(root, "gc", "-q")
    return git(root, "rev-parse", "HEAD").strip()


def change(tree: Path, name: str) -> str:
    (tree / f"{name}.txt").write_text("new\n")
    git(tree, "add", f"{name}.txt")
    git(tree, "commit", "-q", "-m", name)
    return git(tree, "rev-parse", "HEAD").strip()


def git(at: Path, *words: str) -> str:
    """Run git without the settings of any user."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "bench",
        "GIT_AUTHOR_EMAIL": "bench@localhost",
        "GIT_COMMITTER_NAME": "bench",
        "GIT_COMMITTER_EMAIL": "bench@localhost",
    }
    done = subprocess.run(["git", *words], cwd=at, env=env, capture_output=True, check=True)
    return done.stdout.decode()


if __name__ == "__main__":
    main()
