"""Files that hold the state themselves (a board, a session): their content, and edits."""

from dataclasses import dataclass
from enum import StrEnum

from topkick.engine.codec.texts import Text


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was read; without content if it does not exist, or if `trouble` says why."""

    path: str
    content: Text | None = None
    trouble: str = ""

    @property
    def text(self) -> str:
        return (self.content.body or "") if self.content is not None else ""

    @property
    def sha256(self) -> str:
        """The hash; empty if there is no file, as in `Edit.was`."""
        return self.content.sha256 if self.content is not None else ""


@dataclass(frozen=True, slots=True)
class SeenRun:
    """The state of an order on this host (absent, claimed, running, orphaned, exited or lost), and
    when its agent last printed something.
    """

    id: str
    state: str
    active_at_us: int = 0


@dataclass(frozen=True, slots=True)
class SeenBranch:
    """A branch with commits that HEAD lacks; an empty `tip` means that there is none."""

    name: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Glance:
    """A request to read: files by path or pattern (`artifacts/*.md`), orders by id, branches by
    name, and the last `messages` of a session's bus with the state updates before them.
    """

    paths: tuple[str, ...]
    runs: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    messages: int = 0


@dataclass(frozen=True, slots=True)
class Edit:
    """The new content of a file whose content has the hash `was`; empty means that it does not
    exist.

    With `appends` the content is added at the end, even if others append too.
    """

    path: str
    was: str
    content: Text
    appends: bool = False


# --- remote operations of an epic's tick -------------------------------------------------------
# Carried out outside the loop, one at a time.


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
    """This operation is on the remote, and other hosts have written since."""
    LOST = "lost"
    """Another host wrote first, and nothing of this operation is on the remote."""
    CHANGED = "changed"
    """The local files were changed meanwhile."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Upshot:
    """The result; `about` is the file, the address of the pull request, or what went wrong."""

    came: Came
    about: str = ""
