"""Errands: what a tick of an epic has done at a remote, outside the loop, one at a time."""

from dataclasses import dataclass
from enum import StrEnum

from topkick.core.files import Edit


@dataclass(frozen=True, slots=True)
class Share:
    """Bring `paths` level with a branch of a remote; or, with `edits`, write those there first and
    here after: only if nobody has written them there since they were last level (EP-03)."""

    where: str
    paths: tuple[str, ...]
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Propose:
    """Push a branch as it is, and open a pull request for it unless there is one (EP-14)."""

    branch: str
    tip: str
    title: str
    body: str
    draft: bool = False


Errand = Share | Propose


class Came(StrEnum):
    """What became of an errand."""

    DONE = "done"
    OVERTAKEN = "overtaken"
    """It stands there, and others have written since."""
    LOST = "lost"
    """Others have written before us, and nothing of ours stands there."""
    CHANGED = "changed"
    """Others have changed the files here."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Upshot:
    """`about` is the file, the address of the pull request, or what went wrong."""

    came: Came
    about: str = ""
