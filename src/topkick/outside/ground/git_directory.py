"""Where a project's git directory is, by reading files alone: quick, and nothing is executed."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class GitPlace:
    """`common` is shared by all worktrees; `own` is this worktree's; `top` its checkout.

    `checked_out_at` is the `.git` file that git itself has on record for a linked worktree.
    """

    common: Path
    own: Path
    top: Path
    checked_out_at: Path | None = None


def existing(directory: Path) -> Path:
    """It, or the nearest above it that is there: a unit's directory may not be made yet."""
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
    """A submodule comes and goes with the repository that holds it."""
    while git is not None and "modules" in git.common.parts and ".git" in git.common.parts:
        git = find_git(git.top.parent)
    return git


def _git_directory(marker: Path) -> Path | None:
    """A directory, or a file that points to one (worktrees, submodules)."""
    if marker.is_dir():
        return marker if (marker / "HEAD").exists() else None
    try:
        text = marker.read_text(errors="replace").strip()
    except OSError:
        return None
    if not text.startswith("gitdir:"):
        return None
    own = (marker.parent / text.removeprefix("gitdir:").strip()).resolve()
    return own if own.is_dir() else None


def _common(own: Path) -> Path:
    try:
        return (own / (own / "commondir").read_text().strip()).resolve()
    except OSError:
        return own


def _checked_out_at(own: Path) -> Path | None:
    try:
        return (own / (own / "gitdir").read_text().strip()).resolve()
    except OSError:
        return None
