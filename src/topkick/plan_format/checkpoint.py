"""Checkpoints between the layers of a plan (CK-14): their place, and the command that judges
them.
"""

import shlex
from dataclasses import dataclass, replace

SESSION = ".workflow/team"
ROLE_SPEC = "builtin"
OVERRIDES = "wisdom/decisions.md"
"""The file below the session directory that records that a person let a checkpoint pass."""


@dataclass(frozen=True, slots=True)
class CheckpointPlan:
    """A checkpoint: judged when the units of `after` are done; the units it `holds` wait for it.

    `place` is the plan's name for what comes before it; `session` and `role_spec` are paths from
    the project's root, and `scope` are the tasks whose artifacts are judged.
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
        """Return the plan for another round, with an id of its own: an id is judged once."""
        return self if number == 1 else replace(self, id=f"{self.id}-R{number}")
