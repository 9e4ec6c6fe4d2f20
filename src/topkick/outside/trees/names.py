"""File names that need not be valid text."""

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """A path for libgit2, which accepts names that are not UTF-8 only as bytes."""

    path: str

    def __fspath__(self) -> bytes:
        return os.fsencode(self.path)
