"""Find a project's git directory by reading files alone: it is quick, and nothing is executed."""

from dataclasses import dataclass
from pathlib import Path

from topkick.engine.io.files import read_plain

LONGEST_BYTES = 1 << 14


@dataclass(frozen=True, slots=True)
class GitPlace:
    """The paths of a repository: `common` is shared by all worktrees, `own` is this worktree's git
    directory, `top` is its checkout.

    `checked_out_at` is the `.git` file that git has on record for a linked worktree.
    """

    common: Path
    own: Path
    top: Path
    checked_out_at: Path | None = None


def existing(directory: Path) -> Path:
    """Return the directory, or its nearest existing parent: a unit's directory may not exist
    yet.
    """
    place = directory
    while not place.is_dir():
        place = place.parent
    return place


def find_git(directory: Path) -> GitPlace | None:
    for top in (directory, *directory.parents):
        own = _git_directory(top / ".git")
        if own is not None:
            return GitPlace(_common(own), own, top, _checked_out_at(own))
    return None


def above_submodules(git: GitPlace | None) -> GitPlace | None:
    """Return the repository that holds this submodule, since the two are checked out together."""
    while git is not None and "modules" in git.common.parts and ".git" in git.common.parts:
        git = find_git(git.top.parent)
    return git


def _git_directory(marker: Path) -> Path | None:
    """Return the directory, or the one that a `.git` file points to (worktrees, submodules)."""
    if marker.is_dir():
        return marker if (marker / "HEAD").exists() else None
    own = _pointed_to(marker, "gitdir:")
    return own if own is not None and own.is_dir() else None


def _common(own: Path) -> Path:
    return _pointed_to(own / "commondir") or own


def _checked_out_at(own: Path) -> Path | None:
    return _pointed_to(own / "gitdir")


def _pointed_to(file: Path, label: str = "") -> Path | None:
    """Read a path from a file; agents can write there, so anything malformed counts as nothing."""
    try:
        text = read_plain(file, LONGEST_BYTES, follow_links=True).decode("utf-8", "replace").strip()
        if not text.startswith(label):
            return None
        found = (file.parent / text.removeprefix(label).strip()).resolve()
        found.exists()  # raises if the name is too long
    except (OSError, ValueError, RuntimeError):  # not a plain file, no valid name, a link loop
        return None
    return found
