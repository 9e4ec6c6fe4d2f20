"""A planted bug: one change of the core that a tired person might make."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """`old` stands exactly once in the module; `new` takes its place."""

    breaks: str
    module: str
    old: str
    new: str
    and_also: tuple[tuple[str, str, str], ...] = ()

    @property
    def edits(self) -> tuple[tuple[str, str, str], ...]:
        return ((self.module, self.old, self.new), *self.and_also)
