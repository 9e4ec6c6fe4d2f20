"""What the coordinator of a team is told besides the session: who judges, and where."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """`judge` is the command that serves the session, without --recovery; it works at `root`, which
    absolute paths of roles are below. `session` is the directory as a person names it."""

    judge: tuple[str, ...] = ()
    root: str = ""
    session: str = ""
