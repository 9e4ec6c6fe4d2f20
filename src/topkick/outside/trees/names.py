"""Names of files that need not be text."""

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """A path for libgit2, whose lists take names that are no text only as bytes."""

    path: str

    def __fspath__(self) -> bytes:
        return os.fsencode(self.path)
