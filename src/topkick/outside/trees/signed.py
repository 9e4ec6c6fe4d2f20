"""The author of merges and of saved work."""

from dataclasses import dataclass

import pygit2


@dataclass(frozen=True, slots=True)
class Signed:
    name: str
    email: str

    def now(self) -> pygit2.Signature:
        return pygit2.Signature(self.name or "topkick", self.email or "topkick@localhost")
