"""What an order changed, and what it was asked for: all that an inspection needs to know."""

from dataclasses import dataclass

SYMLINK_MODE = 0o120000
SUBMODULE_MODE = 0o160000
MOST_BYTES = 1 << 20
"""A file that is larger is compared as a whole and not read."""


@dataclass(frozen=True, slots=True)
class File:
    """A file in a commit; of a symlink, `data` is where it points to."""

    path: str
    data: bytes
    mode: int = 0o100644

    @property
    def is_plain(self) -> bool:
        return self.mode not in (SYMLINK_MODE, SUBMODULE_MODE)

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "replace")

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file before and after; None where there was or is none. A rename has both."""

    before: File | None
    after: File | None

    @property
    def path(self) -> str:
        file = self.after or self.before
        assert file is not None
        return file.path


@dataclass(frozen=True, slots=True)
class AcceptedText:
    """What a person wrote and accepted: the commands that judge the work, and the sprint's text.

    `plan_file` is the plan's path from the top of the repository.
    """

    criteria: tuple[str, ...] = ()
    text: str = ""
    plan_file: str = ""
