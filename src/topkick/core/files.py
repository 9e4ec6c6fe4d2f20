"""Files that are themselves the truth (a board, a session): as they were seen, and changes."""

from dataclasses import dataclass

from topkick.core.texts import Text


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was read: without content where there is none, or where `trouble` says why."""

    path: str
    content: Text | None = None
    trouble: str = ""

    @property
    def text(self) -> str:
        return (self.content.body or "") if self.content is not None else ""

    @property
    def sha256(self) -> str:
        """Empty where there is no file, as in `Edit.was`."""
        return self.content.sha256 if self.content is not None else ""


@dataclass(frozen=True, slots=True)
class SeenRun:
    """How an order stands on this very host: absent, claimed, running, orphaned, exited, lost;
    and when its agent last printed something."""

    id: str
    state: str
    active_at_us: int = 0


@dataclass(frozen=True, slots=True)
class SeenBranch:
    """A branch with commits that where the checkout stands has not; no `tip`: there is none."""

    name: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Glance:
    """What is to be looked at: files by their paths or by patterns (`artifacts/*.md`), orders by
    their ids, branches by name, and the last so many `messages` of a session's bus, with what was
    told of states before them."""

    paths: tuple[str, ...]
    runs: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    messages: int = 0


@dataclass(frozen=True, slots=True)
class Edit:
    """The new content of a file whose content has the hash `was`; empty: there is none yet.

    One that only `appends` adds its content at the end, whoever else does so too.
    """

    path: str
    was: str
    content: Text
    appends: bool = False
