"""Remote operations of an epic's tick, carried out outside the loop, one at a time."""

from dataclasses import dataclass
from enum import StrEnum

from topkick.core.files import Edit


@dataclass(frozen=True, slots=True)
class Share:
    """Synchronise `paths` with a branch of a remote; with `edits`, write those remotely first, then
    locally.

    Edits are written only if no other host has changed the files since they were last the same
    (EP-03).
    """

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
    """The result of a remote operation."""

    DONE = "done"
    OVERTAKEN = "overtaken"
    """It was written there, and others have written since."""
    LOST = "lost"
    """Others wrote first, and nothing of this operation is there."""
    CHANGED = "changed"
    """The files here were changed meanwhile."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Upshot:
    """The result; `about` is the file, the address of the pull request, or what went wrong."""

    came: Came
    about: str = ""
