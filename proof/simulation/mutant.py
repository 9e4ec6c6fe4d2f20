"""A planted bug: one change of the source that a tired person might make."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mutant:
    """A planted bug; `old` occurs exactly once in the module and is replaced by `new`."""

    breaks: str
    module: str
    old: str
    new: str
    and_also: tuple[tuple[str, str, str], ...] = ()
    policy: str = "plan"

    @property
    def edits(self) -> tuple[tuple[str, str, str], ...]:
        return ((self.module, self.old, self.new), *self.and_also)

    @property
    def room(self) -> str:
        if self.policy != "plan":
            return self.policy
        if self.module.startswith(("engine/loop", "engine/journal/")):
            return "loop"
        return "runner" if self.module.startswith(("engine/io/", "runner/", "app/")) else "kernel"
