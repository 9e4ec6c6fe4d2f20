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
