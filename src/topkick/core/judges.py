"""What a resident judge is told when it is started (CK-07)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """`role_spec` is its text, `directory` the session's from the project's root; `asked` is the
    only request that it is there for, where it is to end after one."""

    session_id: str
    role_spec: str
    directory: str
    team: str = ""
    requirement: str = ""
    recovery: bool = False
    asked: str = ""
