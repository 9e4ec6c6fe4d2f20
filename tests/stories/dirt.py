"""Makes a clean checkout dirty in a random but repeatable way; as a program, an agent that does so
once and then sleeps. Nothing but the standard library.
"""

import os
import random
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

FILES = 12
SLEEPS_S = 240
ODD = (b"new\nline", b"\xff\xfe not text", b' "quoted" ', b"-dash", b"\xc3\xa4\xcc\x88", b"$(x)`y`")


def fill(top: Path) -> None:
    """Write the files that are committed before the dirt."""
    for number in range(FILES):
        place = top / f"d{number % 3}" / f"f{number}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"line {number}\n" * 5)
    (top / "link").symlink_to("d0/f0.txt")
    (top / ".gitignore").write_text("*.log\n")


def make_dirty(top: Path, rng: random.Random) -> None:
    changes = (_modify, _stage, _stage_and_modify, _delete, _remove, _untracked, _rename)
    more = (_executable, _link, _odd_name, _ignored, _file_for_directory, _stat_only)
    _modify(top, rng)
    _untracked(top, rng)
    for _ in range(rng.randint(3, 10)):
        with suppress(OSError):  # what an earlier change took away
            rng.choice(changes + more)(top, rng)


def _some(top: Path, rng: random.Random) -> Path:
    return rng.choice(sorted(p for p in top.glob("d*/*.txt") if p.is_file() and not p.is_symlink()))


def _bytes(rng: random.Random) -> bytes:
    return rng.randbytes(rng.randint(0, 200))


def _git(top: Path, *words: str) -> None:
    quiet = subprocess.DEVNULL
    subprocess.run(["git", *words], cwd=top, check=False, stdout=quiet, stderr=quiet)


def _modify(top: Path, rng: random.Random) -> None:
    _some(top, rng).write_bytes(_bytes(rng))


def _stage(top: Path, rng: random.Random) -> None:
    place = _some(top, rng)
    place.write_bytes(_bytes(rng))
    _git(top, "add", "--", str(place))


def _stage_and_modify(top: Path, rng: random.Random) -> None:
    place = top / f"staged{rng.randint(0, 9)}.txt"
    place.write_bytes(_bytes(rng))
    _git(top, "add", "--", str(place))
    place.write_bytes(_bytes(rng))


def _delete(top: Path, rng: random.Random) -> None:
    _some(top, rng).unlink()


def _remove(top: Path, rng: random.Random) -> None:
    _git(top, "rm", "-q", "-f", "--", str(_some(top, rng)))


def _untracked(top: Path, rng: random.Random) -> None:
    place = top / f"new{rng.randint(0, 3)}" / f"n{rng.randint(0, 99)}.bin"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(_bytes(rng))


def _rename(top: Path, rng: random.Random) -> None:
    place = _some(top, rng)
    _git(top, "mv", "--", str(place), str(place.with_name(f"moved{rng.randint(0, 99)}.txt")))


def _executable(top: Path, rng: random.Random) -> None:
    _some(top, rng).chmod(0o755)


def _link(top: Path, rng: random.Random) -> None:
    place = _some(top, rng)
    place.unlink()
    place.symlink_to(rng.choice(["nowhere", "../link", "/"]))


def _odd_name(top: Path, rng: random.Random) -> None:
    place = os.path.join(os.fsencode(top), rng.choice(ODD))
    with open(place, "wb") as file:
        file.write(_bytes(rng))
    if rng.random() < 0.5:
        _git(top, "add", "--", os.fsdecode(place))


def _ignored(top: Path, rng: random.Random) -> None:
    (top / "some.log").write_bytes(_bytes(rng))


def _file_for_directory(top: Path, rng: random.Random) -> None:
    aside = top / f"aside{rng.randint(0, 9)}"
    (top / "d2").rename(aside)
    (top / "d2").write_bytes(_bytes(rng))


def _stat_only(top: Path, rng: random.Random) -> None:
    """The index is out of date though nothing has changed: git itself would refresh it."""
    os.utime(_some(top, rng), (1_000_000_000, 1_000_000_000))


def main(marks: Path, run: str, seed: str) -> None:
    """In a unit's tree; the second time it is dirty already."""
    unit = os.environ["TOPKICK_UNIT"]
    if seed and not (marks / f"dirty.{unit}").exists():
        make_dirty(Path(unit), random.Random(f"{seed}.{unit}"))
        (marks / f"dirty.{unit}").touch()
    (marks / f"at-work.{run}").touch()
    time.sleep(SLEEPS_S)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
