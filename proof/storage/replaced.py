"""A directory, a FIFO, a link or a device in place of a file of topkick's: no hang, no
traceback.
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from proof.storage.faults import DOCUMENTED, half_way, moved, tracebacks
from proof.storage.stage import Scene, scratch

LIMIT_S = 90.0
STATE = ".git/topkick/main"
FILES = (
    "SUPERVISOR_STATE.md",
    "topkick.toml",
    "EXECUTION_PLAN.md",
    f"{STATE}/current",
    f"{STATE}/current/journal.db",
    f"{STATE}/current/journal.db-wal",
    f"{STATE}/current/journal.db-shm",
    f"{STATE}/current/journal.db-posted",
    f"{STATE}/current/bell",
    f"{STATE}/current/runs",
    f"{STATE}/holder.json",
    f"{STATE}/home.json",
    f"{STATE}/plan",
    f"{STATE}/supervisor.log",
    f"{STATE}/archive",
    *(f"RUN/{name}" for name in ("order.json", "claim", "agent", "exit.json", "prompt", "output")),
)
COMMANDS = (
    ("status",),
    ("journal", "check"),
    ("resume", "--yes", "--foreground"),
    ("resume", "--yes"),
    ("stop",),
    ("killall",),
    ("logs", "U1/1"),
    ("doctor",),
)


@dataclass(frozen=True, slots=True)
class Swap:
    file: str
    kind: str
    command: tuple[str, ...]

    def __str__(self) -> str:
        return f"{' '.join(self.command)}: {self.file} is a {self.kind}"


def as_directory(path: Path, _outside: Path) -> None:
    path.mkdir()


def as_fifo(path: Path, _outside: Path) -> None:
    os.mkfifo(path)


def as_link_elsewhere(path: Path, outside: Path) -> None:
    path.symlink_to(outside)


def as_dangling_link(path: Path, outside: Path) -> None:
    path.symlink_to(outside.with_name("nowhere"))


def as_loop(path: Path, _outside: Path) -> None:
    path.symlink_to(path.name)


def as_device(path: Path, _outside: Path) -> None:
    path.symlink_to("/dev/zero")


KINDS: dict[str, Callable[[Path, Path], None]] = {
    "directory": as_directory,
    "FIFO": as_fifo,
    "link elsewhere": as_link_elsewhere,
    "dangling link": as_dangling_link,
    "loop": as_loop,
    "device": as_device,
}


def all_swaps(every: int = 1) -> Iterator[Swap]:
    """Yield all swaps; neighbours differ in everything, so that every n-th is a fair share."""
    everything = [Swap(f, k, c) for c in COMMANDS for k in KINDS for f in FILES]
    count = len(everything)
    for turn in range(0, count, every):
        yield everything[turn * 389 % count]


def path_of(scene: Scene, file: str) -> Path:
    if not file.startswith("RUN/"):
        return scene.root / file
    runs = scene.root / STATE / "current/runs"
    run = next(path for path in sorted(runs.iterdir()) if (path / "claim").exists())
    return run / file.removeprefix("RUN/")


def try_out(swap: Swap, place: Path, template: Path) -> list[str]:
    scene = moved(template, place)
    outside = place / "outside"
    outside.write_bytes(b"precious\n")
    path = path_of(scene, swap.file)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    KINDS[swap.kind](path, outside)
    try:
        said = scene.run(*swap.command, limit_s=LIMIT_S)
        problems = list(tracebacks(scene, said))
        if "IT HUNG" in said.text:
            problems.append("it hung")
        elif said.code not in DOCUMENTED:
            problems.append(f"exit code {said.code} is not documented")
        if outside.read_bytes() != b"precious\n":
            problems.append("the link was followed, and what it points to was written")
        if (place / "nowhere").exists():
            problems.append("the link was followed, and what it points to was made")
    finally:
        scene.close()
    return problems


def run(jobs: int, every: int) -> int:
    swaps, bad, done = list(all_swaps(every)), 0, 0
    with scratch() as place:
        template = half_way(place / "template")

        def one(numbered: tuple[int, Swap]) -> tuple[Swap, list[str]]:
            number, swap = numbered
            here = place / f"swap-{number}"
            try:
                return swap, try_out(swap, here, template.place)
            finally:
                shutil.rmtree(here, ignore_errors=True)

        with ThreadPoolExecutor(jobs) as pool:
            for swap, problems in pool.map(one, enumerate(swaps)):
                done += 1
                bad += bool(problems)
                if problems:
                    print(f"\n{swap}\n  " + "\n  ".join(problems), flush=True)
                sys.stderr.write(f"\r{done}/{len(swaps)} swaps, {bad} bad ")
                sys.stderr.flush()
    print(f"\nreplaced: {len(swaps)} swaps of {len(FILES)} files by {len(KINDS)} kinds; {bad} bad")
    return bad
