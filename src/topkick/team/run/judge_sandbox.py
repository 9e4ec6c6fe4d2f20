"""The files that a judge may write: its reports, wisdom, the bus, and its own state (CK-23)."""

import re
from pathlib import Path

from topkick.app.project import Project
from topkick.engine.effects import Edit
from topkick.engine.errors import UsageError
from topkick.engine.io.file_executor import Door
from topkick.runner import sandbox
from topkick.runner.local_runner import LocalRunner

SPARE_LAUNCHERS = 2
BUS, WISDOM, ARTIFACTS = ".msg", "wisdom", "artifacts"
_REPORT = re.compile(r"artifacts/CHECKPOINT-[0-9]{3,6}(-R[0-9]{1,3})?-report\.md")
_DRAFTS = ".CHECKPOINT-*-report.md.*.tmp"
_WISDOM = re.compile(r"wisdom/[A-Za-z0-9_-]{1,60}\.md")


def judges_door(project: Project) -> Door:
    """Return the door for edits; drafts are with the bus, and a report is linked into place from
    there.
    """
    session = project.plan_path.parent
    for name in (BUS, WISDOM, ARTIFACTS):
        _require_directory(session / name)
    for draft in (session / BUS).glob(_DRAFTS):  # left by dead judges
        draft.unlink(missing_ok=True)
    return Door(refusal, session / BUS)


def _require_directory(place: Path) -> None:
    """Raise unless it is a real directory: a link would open its target."""
    if place.is_symlink() or (place.exists() and not place.is_dir()):
        raise UsageError(
            f"{place} is not a directory of the session, and the judge may write nowhere else. It "
            f"was not started.\nReplace it: rm {place} && mkdir {place}"
        )
    place.mkdir(exist_ok=True)


def refusal(edit: Edit) -> str:
    """Return why an edit is refused; only new reports and appended wisdom are allowed."""
    if _REPORT.fullmatch(edit.path) and not edit.was and not edit.appends:
        return ""
    if _WISDOM.fullmatch(edit.path) and edit.appends:
        return ""
    return f"the judge may not write {edit.path}: it only adds reports and wisdom"


def confine(project: Project, agents: LocalRunner) -> bool:
    """Enforce the same by the operating system; return False where it cannot.

    The prefork servers of agents are started before, so agents are not restricted with the judge.
    When the last server has died, no agent can start until the judge is restarted.
    """
    agents.make_ready(SPARE_LAUNCHERS)
    session = project.plan_path.parent
    return sandbox.put_up(
        {
            str(project.state_dir): sandbox.ALL,
            str(session / BUS): sandbox.ALL,
            str(session / WISDOM): sandbox.APPEND,
            str(session / ARTIFACTS): sandbox.ADD,
            "/dev": sandbox.Right.WRITE,
        }
    )
