"""The user's settings and topkick's own files: never an agent's work, nor a finding against it.

A person edits topkick.toml, and topkick writes its boards, while agents work in the same tree. An
agent that commits everything it finds commits them too.
"""

import os
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

OUR_NAMES = (
    "topkick.toml",
    "SUPERVISOR_STATE.md",
    "SUPERVISOR_STATE.*.md",
    "ANALYSIS_REPORT.md",
    "ANALYSIS_REPORT.*.md",
    "COMPLETE_*.md",
)
"""File names at the project's root."""


def ours_in(top: Path, project: Path) -> Callable[[str], bool]:
    """Return a function that decides whether a path from the repository's top is topkick's own
    file.
    """
    below = os.path.relpath(project.resolve(), top.resolve())
    prefix = "" if below == "." else f"{Path(below).as_posix()}/"

    def is_ours(path: str) -> bool:
        name = path.removeprefix(prefix)
        return path.startswith(prefix) and any(fnmatchcase(name, own) for own in OUR_NAMES)

    return is_ours
