"""Rewrite the plan file: only if it is unchanged, and in one step (PR-03)."""

import errno
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from topkick.app.project import (
    LONGEST_PLAN_BYTES,
    PlanNotFound,
    Project,
    make_state_dir,
    require_local_disk,
)
from topkick.app.run_view import take_a_look
from topkick.engine.errors import UsageError
from topkick.engine.io.files import read_plain, replace_atomically
from topkick.plan_format.document import PlanReading
from topkick.sprint import status
from topkick.sprint.model import Overall
from topkick.sprint.run.load_plan import reading_of

CHANGED = "it has changed since it was read"


class NotOurs(Exception):
    """The reason why a file is left as it is."""


@dataclass(frozen=True, slots=True)
class PlanFile:
    """The plan file; `text` holds every byte, even those that are not UTF-8."""

    project: Project
    path: Path
    data: bytes
    found: os.stat_result

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "surrogateescape")

    def read(self, text: str) -> PlanReading:
        return reading_of(self.project, text.encode("utf-8", "surrogateescape"))


def open_plan(project: Project) -> PlanFile:
    try:
        path = project.plan_path.resolve()  # write to the target, so that a link stays a link
        found = path.stat()
        return PlanFile(project, path, read_plain(path, LONGEST_PLAN_BYTES + 1), found)
    except FileNotFoundError:
        raise PlanNotFound from None
    except OSError as error:
        raise UsageError(
            f"{project.plan_path} cannot be read: {error.strerror}.\n"
            "Make it a file that you may read."
        ) from error


def refuse_while_running(project: Project, verb: str) -> None:
    """Raise while a run is active: it uses the numbers of its sprints."""
    view = take_a_look(project)
    if view is None:
        return
    begun = view.mission.plan is None  # a start that its supervisor has not yet read
    if begun or status.overall(view.mission) is not Overall.COMPLETED:
        raise UsageError(
            f"A run of this plan exists, and topkick plan {verb} would change its sprints under "
            "it.\nTo see what it would do: topkick plan "
            f"{verb} --diff. To change the plan of this run: edit the file, then topkick plan diff "
            "and topkick resume"
        )


def rewrite(file: PlanFile, text: str) -> None:
    """Rewrite the file, unless it has changed since it was read."""
    data = text.encode("utf-8", "surrogateescape")
    require_local_disk(file.project)
    make_state_dir(file.project)
    try:
        require_ours(file.found)
        require_unchanged(file.path, file.found)
        put_in_place(file.path, data, file.found, file.project.state_dir)
    except NotOurs as why:
        raise UsageError(f"{file.project.plan_path} was not written: {why}.") from why
    except OSError as error:
        raise UsageError(
            f"{file.project.plan_path} was not written: {error.strerror}. It is as it was."
        ) from error


def require_ours(found: os.stat_result) -> None:
    """Raise for a read-only or hard-linked file: root could write it, but it is meant to stay."""
    if not found.st_mode & 0o222 or (os.geteuid() and found.st_uid != os.geteuid()):
        raise NotOurs("it is read-only, or another user's")
    if found.st_nlink > 1:
        raise NotOurs("it is a file of several names (hard links)")


def require_unchanged(path: Path, found: os.stat_result) -> None:
    if _stamp(path.stat()) != _stamp(found):
        raise NotOurs(CHANGED)


def _stamp(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size)


def put_in_place(path: Path, data: bytes, before: os.stat_result, drafts: Path) -> None:
    """Replace the file; the draft is outside the tree, so that a crash leaves nothing there."""
    mode = stat.S_IMODE(before.st_mode)
    if not os.access(path, os.W_OK):
        raise NotOurs("it is read-only, or another user's")
    try:
        replace_atomically(path, data, mode, drafts=drafts)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        replace_atomically(path, data, mode)
    with suppress(OSError):  # only root may change the owner
        os.chown(path, before.st_uid, before.st_gid)
