"""A sandbox for one process and its children: they read everything and write only where allowed.

It uses Landlock (Linux 5.19 or newer, ABI 2). A process gives up rights for itself, without
privileges and without a container; its children inherit the restriction and cannot lift it. The
rules allow rights below given directories and deny them everywhere else. Only rights that change
files are handled, so reading and executing always work. Truncation is handled from ABI 3 on.

Cases: where the kernel lacks Landlock, on other systems, and with TOPKICK_PORTABLE=1, `put_up`
returns False and changes nothing; the caller must then compare the files itself. A path that does
not exist is skipped. A restriction lasts until the process ends; a process that is killed leaves
nothing to clean up.

Run as a program (`python fence.py SCRATCH COMMAND...`), the module puts up the sandbox and executes
the command inside it. It imports the standard library only, because it runs on its own.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Mapping
from enum import IntFlag

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH, _VERSION, _NO_NEW_PRIVILEGES = 1, 1, 38
_LEAST_ABI, _TRUNCATE_SINCE = 2, 3
CANNOT_RUN = 126


class Right(IntFlag):
    """Landlock's access rights, as the kernel numbers them; reading and executing are never
    restricted.
    """

    WRITE = 1 << 1
    REMOVE_DIRECTORY = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_DEVICE = 1 << 6
    MAKE_DIRECTORY = 1 << 7
    MAKE_FILE = 1 << 8
    MAKE_SOCKET = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_LINK = 1 << 12
    MOVE = 1 << 13
    TRUNCATE = 1 << 14


ALL = Right(sum(Right))
APPEND = Right.WRITE | Right.MAKE_FILE
ADD = Right.MAKE_FILE | Right.MOVE
"""Allow new files only, moved in from a directory where everything is allowed; existing files
cannot be changed.
"""


def put_up(allowed: Mapping[str, Right]) -> bool:
    """Restrict this process and all its future children; return False where the system has no
    Landlock.
    """
    abi = _abi()
    if abi < _LEAST_ABI:
        return False
    handled = ALL if abi >= _TRUNCATE_SINCE else ALL & ~Right.TRUNCATE
    libc = ctypes.CDLL(None, use_errno=True)
    ruleset = struct.pack("=Q", handled)
    fence = _call(libc, _CREATE_RULESET, ruleset, len(ruleset), 0)
    try:
        for path, rights in allowed.items():
            _allow(libc, fence, path, rights & handled)
        if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            raise _error("prctl")
        _call(libc, _RESTRICT_SELF, fence, 0)
    finally:
        os.close(fence)
    return True


def is_there() -> bool:
    """Return whether this system has Landlock."""
    return _abi() >= _LEAST_ABI


def _abi() -> int:
    if not sys.platform.startswith("linux") or os.environ.get("TOPKICK_PORTABLE") == "1":
        return 0
    try:
        abi: int = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, _VERSION)
    except OSError:
        return 0
    return abi


def _allow(libc: ctypes.CDLL, fence: int, path: str, rights: Right) -> None:
    """Allow the rights below a path; skip a path that does not exist."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        _call(libc, _ADD_RULE, fence, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


def _call(libc: ctypes.CDLL, number: int, *arguments: int | bytes) -> int:
    result: int = libc.syscall(number, *arguments)
    if result < 0:
        raise _error("landlock")
    return result


def _error(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")


def main(scratch: str, *command: str) -> None:
    """Execute the command, which may write in `scratch` and nowhere else."""
    try:
        put_up({scratch: ALL, "/dev": Right.WRITE})
        os.execvp(command[0], command)  # noqa: S606 - only the sandbox is between
    except OSError as trouble:
        sys.stderr.write(f"{command[0]} cannot be run in the sandbox: {trouble}\n")
        sys.exit(CANNOT_RUN)


if __name__ == "__main__":
    main(*sys.argv[1:])
