"""A fence around a process: it reads everything and writes only where it is allowed to.

By Landlock (Linux 5.19 and later), which nothing that is started inside can leave. Where there is
none, `put_up` says so and the caller has to look for itself. Run as a program, it puts a fence up
and becomes the command behind it. Standard library only, for it runs alone.
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
    """As the kernel numbers them; those to read and to execute are never taken away."""

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
"""New files only, brought in from where all is allowed; none that is there can be changed."""


def put_up(allowed: Mapping[str, Right]) -> bool:
    """For this process and all that it will start; False where the system has no such fence."""
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
    """Whether this system has such a fence."""
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
    """A place that is not there needs no allowance."""
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
    """Become the command, which may write in `scratch` and nowhere else."""
    try:
        put_up({scratch: ALL, "/dev": Right.WRITE})
        os.execvp(command[0], command)  # noqa: S606 - the fence is all that is between
    except OSError as trouble:
        sys.stderr.write(f"{command[0]} cannot be run behind a fence: {trouble}\n")
        sys.exit(CANNOT_RUN)


if __name__ == "__main__":
    main(*sys.argv[1:])
