"""Named moments at which a test can kill this process, set by `TOPKICK_CRASH_AT=name:n`.

With `TOPKICK_CRASH_TRACE=file` each passing is also written to that file, and n counts the passings
of all processes that share it, so that exactly one of them dies. Without both variables this costs
nothing.
"""

import os
import signal
import sys
from collections.abc import Callable

AT = "TOPKICK_CRASH_AT"
TRACE = "TOPKICK_CRASH_TRACE"

NAMES = frozenset(
    {
        # starting a run
        "start.before-archive",
        "start.after-archive",
        "start.before-plan-note",
        "start.after-plan-note",
        "journal.before-create",
        "journal.before-publish",
        "journal.after-create",
        # the journal and its command queue
        "journal.before-epoch",
        "journal.after-epoch",
        "journal.before-commit",
        "journal.after-commit",
        "inbox.before-post",
        "inbox.after-post",
        "bell.before-ring",
        "bell.after-ring",
        # putting a salvaged journal into place
        "repair.before-ready",
        "repair.after-ready",
        "repair.before-publish",
        "repair.after-publish",
        # the message bus of a session
        "bus.locked",
        "bus.before-append",
        "bus.after-append",
        "bus.before-meta",
        "bus.after-meta",
        "bus.before-mark",
        "bus.after-mark",
        "bus.before-rewrite",
        "bus.after-rewrite",
        # the project
        "lock.taken",
        "lock.named",
        "lock.before-release",
        "board.before-write",
        "board.after-write",
        "files.before-rename",
        "files.after-rename",
        "files.before-edit",
        "files.after-edit",
        # files shared with other hosts, in the checker
        "share.before-push",
        "share.after-push",
        "share.after-write",
        # the loop: recorded, not yet acted on
        "loop.written",
        "loop.told",
        "loop.before-wait",
        # an agent's start, in the supervisor
        "run.before-order",
        "run.after-order",
        "launch.before-request",
        "launch.after-request",
        # the same, in the keeper
        "claim.before-link",
        "claim.after-link",
        "keeper.after-claim",
        "tree.before-fork",
        "tree.after-fork",
        "tree.before-gate",
        "tree.after-gate",
        "keeper.before-exit-record",
        "keeper.after-exit-record",
        "keeper.after-farewell",
        # ending an agent
        "revoke.before",
        "revoke.after",
        "stop.before-note",
        "stop.after-note",
        "kill.before-ask",
        "kill.after-ask",
        "kill.before-round",
        "kill.after-round",
        # checking its work
        "checker.before-start",
        "checker.after-start",
        "checker.after-ask",
        "checker.before-answer",
        "checker.after-answer",
        # a unit's own tree, in the checker
        "tree.before-clone",
        "tree.before-name",
        "tree.after-name",
        "tree.before-ready",
        "tree.before-gather",
        "tree.after-gather",
        "tree.before-merge",
        "tree.after-merge",
        "tree.before-stand",
        "verify.after-stand",
        "verify.before-prepared",
        "tree.before-salvage",
        "tree.after-salvage",
        # the work of all units built together, in the checker
        "gate.before-run",
        "gate.before-compose",
        "gate.after-compose",
        "gate.before-build",
        "gate.after-build",
        "gate.before-clear",
        # landing the work, and cleaning up
        "land.before-files",
        "land.before-branch",
        "land.after-branch",
        "clean.before-rename",
        "clean.after-rename",
    }
)


def _pass_by(_name: str) -> None:
    return


class _Armed:
    """Counts the passings of every name, traces them if asked to, and dies at the chosen one."""

    def __init__(self, at: str, trace: str) -> None:
        self._name, _, number = at.partition(":")
        if at and (self._name not in NAMES or not (number or "1").isdecimal()):
            sys.stderr.write(f"{AT}={at}: there is no such crash point. Known: {_known()}\n")
            raise SystemExit(2)
        self._number = int(number or 1)
        self._trace = trace
        self._passed = 0

    def here(self, name: str) -> None:
        assert name in NAMES, f"{name} is not listed in crash_points.NAMES"
        if self._trace:
            passed = self._note(name)
        elif name == self._name:
            self._passed += 1
            passed = self._passed
        else:
            return
        if name == self._name and passed == self._number:
            os.kill(os.getpid(), signal.SIGKILL)

    def _note(self, name: str) -> int:
        """Append this passing to the shared file; return how often the name is in it by then."""
        line = f"{name}\n".encode()
        fd = os.open(self._trace, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, line)
            end = os.lseek(fd, 0, os.SEEK_CUR)
            return os.pread(fd, end, 0).splitlines().count(line.strip())
        finally:
            os.close(fd)


def _known() -> str:
    return ", ".join(sorted(NAMES))


def _bind() -> Callable[[str], None]:
    at, trace = os.environ.get(AT, ""), os.environ.get(TRACE, "")
    return _Armed(at, trace).here if at or trace else _pass_by


here = _bind()
