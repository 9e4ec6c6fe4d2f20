"""The plan of a run as it was accepted: a copy next to the journal, and how to restore the file.

A run never needs the file EXECUTION_PLAN.md: it uses the plan in its journal. People need the file,
so every command says how to get it back. The copy's name is the hash of its content. It is written
before the run takes that plan over, so a crash cannot leave a copy under a wrong name.
"""

import os
import shlex
from contextlib import suppress
from pathlib import Path

from topkick.app.project import LONGEST_PLAN_BYTES, Project
from topkick.app.run_search import is_plan_there
from topkick.app.run_view import take_a_look
from topkick.engine import messages as h
from topkick.engine.errors import TopkickError
from topkick.engine.fold import apply
from topkick.engine.io.files import read_plain, replace_atomically
from topkick.git.read.directory import find_git
from topkick.plan_format.front_matter import content_hash
from topkick.plan_format.model import Plan
from topkick.sprint.model import Mission


def keep_copy(project: Project, plan: Plan) -> None:
    """Keep the text of a plan that is about to be accepted; best effort."""
    with suppress(OSError):
        data = read_plain(project.plan_path, LONGEST_PLAN_BYTES, follow_links=True)
        if _hash_of(data) == plan.sha256:
            copy = _copy_of(project, plan.sha256)
            copy.parent.mkdir(mode=0o700, exist_ok=True)
            replace_atomically(copy, data)


def missing_plan(project: Project) -> str:
    """Say that the plan is missing, with the command that restores it; empty if it is there."""
    if is_plan_there(project):
        return ""
    what = f"The plan {_shown(project.plan_path)} is missing"
    command = _command(project, _accepted(project))
    if command:
        return f"{what}; bring it back: {command}"
    return f"{what}, and no commit has it. The run uses the plan as it was accepted."


def with_plan_as_it_is(project: Project, mission: Mission) -> Mission:
    """Correct what the run last knew of its plan file: it may have been restored since."""
    try:
        sha256 = _hash_of(read_plain(project.plan_path, LONGEST_PLAN_BYTES, follow_links=True))
    except OSError:
        sha256 = h.PLAN_DELETED
    return apply(mission, h.PlanEdited(sha256), mission.at_us)


def _accepted(project: Project) -> str:
    try:
        view = take_a_look(project)
    except TopkickError:
        return ""
    return view.mission.plan.sha256 if view is not None and view.mission.plan is not None else ""


def _command(project: Project, sha256: str) -> str:
    """Prefer a commit that has the plan as accepted; then topkick's copy; then any commit."""
    exact, other = _commits(project, sha256)
    copy = _copy_of(project, sha256)
    if not exact and sha256 and copy.is_file():
        return shlex.join(["cp", str(copy), _shown(project.plan_path)])
    commit = exact or other
    if not commit:
        return ""
    here = Path.cwd()
    if here.is_relative_to(project.root):
        return shlex.join(["git", "checkout", commit[:12], "--", _shown(project.plan_path)])
    words = ["git", "-C", str(project.root), "checkout", commit[:12], "--", project.plan_path.name]
    return shlex.join(words)


def _commits(project: Project, sha256: str) -> tuple[str, str]:
    """Return a commit with the plan as accepted, and one with any plan of that name."""
    git = find_git(project.root)
    if git is None or not project.plan_path.is_relative_to(git.top):
        return "", ""
    from topkick.git.read.history import versions_of

    newest = ""
    inside = project.plan_path.relative_to(git.top).as_posix()
    for commit, data in versions_of(git.top, inside, LONGEST_PLAN_BYTES):
        newest = newest or commit
        if _hash_of(data) == sha256:
            return commit, newest
    return "", newest


def _copy_of(project: Project, sha256: str) -> Path:
    return project.current / "plans" / f"{sha256[:16]}.md"


def _hash_of(data: bytes) -> str:
    return content_hash(data.decode("utf-8", "replace"))


def _shown(path: Path) -> str:
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
