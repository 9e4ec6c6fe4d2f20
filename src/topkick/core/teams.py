"""Settings of a team's coordinator besides the session: the judge, and where it works."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """`judge` is the command that serves the session, without --recovery; it runs at `root`, which
    absolute paths of roles are below. `session` is the directory as the user names it.
    """

    judge: tuple[str, ...] = ()
    root: str = ""
    session: str = ""
