"""Where units work that have clones of their own, and on which branches their work meets."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository of the user's; `path` is from the place that all of a run lie below."""

    path: str
    base: str


@dataclass(frozen=True, slots=True)
class Isolation:
    """Each unit works in clones of its own below `place`; their work meets on `branch` (GT-06).

    `home` is the project's root, from the place that all repositories lie below.
    """

    branch: str
    place: str
    home: str
    repositories: tuple[Repository, ...]


BRANCHES = "topkick/"
MISSION_IN_CLONE = f"{BRANCHES}integrated"
"""What the mission's branch is called inside a unit's clone."""
