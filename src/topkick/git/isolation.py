"""Units with clones of their own: where these are, and the branches that their work is merged
into.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Tip:
    """A commit of one repository; `path` as in the mission's isolation."""

    path: str
    commit: str


@dataclass(frozen=True, slots=True)
class Repository:
    """One of the user's repositories; `path` is relative to the directory above all repositories of
    a run.

    `tip` is the commit at which topkick, or a person who accepted it, left the mission's branch; it
    is empty until there is a branch. The branch in the repository is only a copy: an agent can move
    it.
    """

    path: str
    base: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Isolation:
    """Each unit works in its own clones below `place`; their work is merged into `branch` (GT-06).

    `home` is the project's root, relative to the directory above all repositories.
    """

    branch: str
    place: str
    home: str
    repositories: tuple[Repository, ...]

    def with_tips(self, tips: Iterable[Tip]) -> "Isolation":
        """Return the isolation after the mission's branch was left at these commits."""
        left_at = {tip.path: tip.commit for tip in tips}
        now = (replace(r, tip=left_at.get(r.path, r.tip)) for r in self.repositories)
        return replace(self, repositories=tuple(now))


BRANCHES = "topkick/"
MISSION_IN_CLONE = f"{BRANCHES}integrated"
"""The name of the mission's branch inside a unit's clone."""
