"""Find out which trees may be deleted: never one with work that is nowhere else."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from topkick.engine.codec.codec import Codec
from topkick.engine.io import crash_points
from topkick.engine.io.files import NOTE_BYTES, read_plain, replace_atomically
from topkick.git.clone.places import DRAFT, READY, clones
from topkick.git.isolation import Isolation
from topkick.git.landing.checkout import why_not_clone

ABOUT = "about.json"
_GOING = ".topkick-going-"


@dataclass(frozen=True, slots=True)
class About:
    """A description next to a mission's trees, so that they are understood without its journal."""

    root: str
    isolation: Isolation


_CODEC = Codec(About)


def write_about(root: Path, isolation: Isolation) -> None:
    place = Path(isolation.place)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    _, body = _CODEC.encode(About(str(root), isolation))
    replace_atomically(place / ABOUT, body.encode())


@dataclass(frozen=True, slots=True)
class UnitTrees:
    """One unit's trees; they may be deleted if `why_not` is empty."""

    place: Path
    mission: str
    unit: str
    bytes: int
    why_not: str = ""


def look_around(trees: Path, in_use: str) -> Iterator[UnitTrees]:
    """Yield all trees of a project; `in_use` is the branch of a mission that has not ended."""
    if not trees.is_dir():
        return
    for place in sorted(p for p in trees.iterdir() if p.is_dir() and not p.is_symlink()):
        about = _about(place)
        for unit in sorted(p for p in place.iterdir() if p.is_dir() and not p.is_symlink()):
            if unit.name.startswith(_GOING):
                yield UnitTrees(unit, place.name, unit.name, _size(unit))
            elif about is not None:
                why_not = _why_not(about, unit.name, in_use)
                yield UnitTrees(unit, place.name, unit.name, _size(unit), why_not)
            else:
                why = "topkick does not know this directory"
                yield UnitTrees(unit, place.name, unit.name, _size(unit), why)


def look_at_checks(place: Path, *, begun: bool) -> Iterator[UnitTrees]:
    """Yield the trees for checks, which hold no work and are only a cache."""
    if place.is_dir():
        why_not = "its run has not ended" if begun else ""
        yield UnitTrees(place, "checks", place.name, _size(place), why_not)


def _about(place: Path) -> About | None:
    try:
        found = _CODEC.decode("About", read_plain(place / ABOUT, NOTE_BYTES).decode())
    except (OSError, ValueError):
        return None
    assert isinstance(found, About)
    return found


def _why_not(about: About, unit: str, in_use: str) -> str:
    if about.isolation.branch == in_use:
        return "its run has not ended"
    found = list(clones(Path(about.root), about.isolation, unit))
    place = Path(about.isolation.place) / unit
    if stray := sorted(_strays(place, {clone.at for clone in found})):
        return f"it has {stray[0]}, a file outside its repositories"
    return next((why for clone in found if (why := why_not_clone(clone))), "")


def _strays(place: Path, known: set[Path]) -> Iterator[str]:
    """Yield files that an agent put next to its clones, where git does not see them."""
    for found in place.iterdir():
        ours = found.name == READY or found.name.startswith(DRAFT)
        if found in known or ours:
            continue
        if found.is_dir() and not found.is_symlink() and any(found in at.parents for at in known):
            yield from _strays(found, known)
        else:
            yield found.name


def _size(place: Path) -> int:
    """Return the bytes that deleting would free; a hard-linked file frees nothing."""
    total = 0
    for directory, _, names in os.walk(place):
        for name in names:
            try:
                found = (Path(directory) / name).lstat()
            except OSError:
                continue
            total += found.st_blocks * 512 if found.st_nlink == 1 else 0
    return total


def clear(standing: UnitTrees) -> None:
    """Delete the trees: rename them in one step, then remove file by file."""
    assert not standing.why_not
    going = standing.place
    if not going.name.startswith(_GOING):
        going = standing.place.with_name(f"{_GOING}{standing.place.name}")
        if going.exists():
            _remove(going)
        crash_points.here("clean.before-rename")
        standing.place.rename(going)
        crash_points.here("clean.after-rename")
    _remove(going)
    left = [p for p in going.parent.iterdir() if p.name != ABOUT]
    if not left:
        _remove(going.parent)


def _remove(place: Path) -> None:
    """Remove a tree, even read-only directories such as package caches."""
    for directory, below, _ in os.walk(place):
        for name in below:
            path = Path(directory) / name
            if not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(place)
