"""Checkpoints between the layers of a plan (CK-14): where they stand, and how they are judged."""

import shlex
from dataclasses import dataclass, replace

SESSION = ".workflow/team"
ROLE_SPEC = "builtin"
OVERRIDES = "wisdom/decisions.md"
"""Below the session directory: where it is written down that a person let one pass."""


@dataclass(frozen=True, slots=True)
class CheckpointPlan:
    """Judged when the units of `after` are done; those it `holds` wait until it lets them begin.

    `place` is what the plan calls what it stands behind; `session` and `role_spec` are from the
    project's root, and `scope` are the tasks whose artifacts are judged.
    """

    id: str
    place: str
    after: tuple[str, ...]
    holds: tuple[str, ...]
    scope: tuple[str, ...]
    session: str = SESSION
    role_spec: str = ROLE_SPEC
    line: int = 0

    @property
    def command(self) -> str:
        return shlex.join(("topkick", *self.words))

    @property
    def words(self) -> tuple[str, ...]:
        scope = ",".join(self.scope)
        judged = ("checkpoint", "judge", self.session, self.id, "--scope", scope)
        return (*judged, "--role-spec", self.role_spec)

    def in_round(self, number: int) -> "CheckpointPlan":
        """An id is judged once: to be judged again, it takes one of its own."""
        return self if number == 1 else replace(self, id=f"{self.id}-R{number}")
