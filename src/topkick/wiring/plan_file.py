"""The plan file, read to be rewritten: only as it was seen, and in one step (PR-03)."""

import errno
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from topkick.core import standing
from topkick.core.errors import UsageError
from topkick.core.mission import Overall
from topkick.outside.ground.files import read_plain, replace_atomically
from topkick.plans.document import Reading
from topkick.wiring.looking import take_a_look
from topkick.wiring.planning import LONGEST_PLAN_BYTES, reading_of
from topkick.wiring.project import PlanNotFound, Project, make_state_dir, require_local_disk

CHANGED = "it has changed since it was read"


class NotOurs(Exception):
    """Why a file is left as it is."""


@dataclass(frozen=True, slots=True)
class PlanFile:
    """`text` holds every byte: what is no UTF-8 comes back as it was."""

    project: Project
    path: Path
    data: bytes
    found: os.stat_result

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "surrogateescape")

    def read(self, text: str) -> Reading:
        return reading_of(self.project, text.encode("utf-8", "surrogateescape"))


def open_plan(project: Project) -> PlanFile:
    try:
        path = project.plan_path.resolve()  # a link stays one
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
    """A run goes by the numbers of its sprints; they may not change under it."""
    view = take_a_look(project)
    if view is None:
        return
    begun = view.mission.plan is None  # a start that its supervisor has not yet read
    if begun or standing.overall(view.mission) is not Overall.COMPLETED:
        raise UsageError(
            f"A run of this plan exists, and topkick plan {verb} would change its sprints under "
            "it.\nTo see what it would do: topkick plan "
            f"{verb} --diff. To change the plan by hand and have the run take it over: edit it, "
            "then topkick plan diff and topkick resume"
        )


def rewrite(file: PlanFile, text: str) -> None:
    """Only if nobody has changed it since it was read."""
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
    """Root writes anywhere; what was made read-only, or has a second name, is meant to stay."""
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
    """The draft lies outside the tree, where nothing that a crash leaves is in anybody's way."""
    mode = stat.S_IMODE(before.st_mode)
    if not os.access(path, os.W_OK):
        raise NotOurs("it is read-only, or another user's")
    try:
        replace_atomically(path, data, mode, drafts=drafts)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        replace_atomically(path, data, mode)
    with suppress(OSError):  # root, and members of another group
        os.chown(path, before.st_uid, before.st_gid)
