"""Where units work that have clones of their own, and on which branches their work meets."""

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Tip:
    """A commit of one repository; `path` as in the mission's isolation."""

    path: str
    commit: str


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository of the user's; `path` is from the place that all of a run lie below.

    `tip` is the commit at which topkick, or a person who accepted it, left the mission's branch;
    it is empty until there is a branch. The branch in the repository is only a copy of it: an
    agent can move that one.
    """

    path: str
    base: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Isolation:
    """Each unit works in clones of its own below `place`; their work meets on `branch` (GT-06).

    `home` is the project's root, from the place that all repositories lie below.
    """

    branch: str
    place: str
    home: str
    repositories: tuple[Repository, ...]

    def with_tips(self, tips: Iterable[Tip]) -> "Isolation":
        """The same, after the mission's branch was left at these commits."""
        left_at = {tip.path: tip.commit for tip in tips}
        now = (replace(r, tip=left_at.get(r.path, r.tip)) for r in self.repositories)
        return replace(self, repositories=tuple(now))


BRANCHES = "topkick/"
MISSION_IN_CLONE = f"{BRANCHES}integrated"
"""What the mission's branch is called inside a unit's clone."""
