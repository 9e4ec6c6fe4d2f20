"""SUPERVISOR_STATE.md on disk: replaced as a whole, at most twice a second, and always at the end.

In a large run a write takes longer, so there are fewer of them: they may take no more than a
twentieth of the supervisor's time.

Drafts stay outside the tree that agents work in, unless the file cannot be renamed from there: two
disks, or two mounts of one.
"""

import errno
import time
from collections.abc import Callable
from pathlib import Path

from topkick.engine.codec.chain import Head
from topkick.engine.io import crash_points
from topkick.engine.io.files import replace_atomically
from topkick.sprint.model import Mission

EVERY_S = 0.5
TIMES_ITS_COST = 20

Render = Callable[[Mission, Head], str]


class StateFile:
    def __init__(
        self,
        path: Path,
        render: Render,
        drafts: Path,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._monotonic_s = monotonic_s
        self._path = path
        self._drafts = drafts
        self._render = render
        self._written: Head | None = None
        self._next_s = 0.0
        self._behind = False
        self.trouble = ""

    def show(self, mission: Mission, head: Head) -> None:
        self._behind = head != self._written
        if self._behind and self._monotonic_s() >= self._next_s:
            self.flush(mission, head)

    def flush(self, mission: Mission, head: Head) -> None:
        """Write the file now; a failure does not stop the run, because the journal has
        everything.
        """
        if head == self._written or mission.plan is None:
            return
        began_s = self._monotonic_s()
        try:
            text = self._render(mission, head).encode("utf-8", "replace")
            crash_points.here("board.before-write")
            self._drafts = write_board(self._path, text, self._drafts)
            crash_points.here("board.after-write")
        except OSError as error:
            self.trouble = (
                f"{self._path.name} cannot be written: {error.strerror}. The run continues; make "
                f"sure that there is room, and that {self._path} can be written."
            )
        else:
            self._written, self._behind, self.trouble = head, False, ""
        cost_s = self._monotonic_s() - began_s
        self._next_s = began_s + cost_s + max(EVERY_S, TIMES_ITS_COST * cost_s)

    def wake_in_s(self) -> float | None:
        return max(0.0, self._next_s - self._monotonic_s()) if self._behind else None


def write_board(path: Path, text: bytes, drafts: Path) -> Path:
    """Replace a board; return the directory in which drafts of it can be written from now on."""
    try:
        replace_atomically(path, text, mode=0o644, drafts=drafts)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        replace_atomically(path, text, mode=0o644)
        return path.parent
    return drafts
