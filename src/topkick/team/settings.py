"""Settings of a resident judge (CK-07)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """`role_spec` is the text of the role, `directory` is the session relative to the project's
    root; `asked` is the only request to answer if the judge should end after one.
    """

    session_id: str
    role_spec: str
    directory: str
    team: str = ""
    requirement: str = ""
    recovery: bool = False
    asked: str = ""


# --- settings of a team's coordinator ----------------------------------------------------------
# Besides the session: the judge, and where it works.


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """`judge` is the command that serves the session, without --recovery; it runs at `root`, which
    absolute paths of roles are below. `session` is the directory as the user names it.
    """

    judge: tuple[str, ...] = ()
    root: str = ""
    session: str = ""
