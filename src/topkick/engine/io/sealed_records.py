"""The sealed records of a run directory: which fields each has, which values they may hold, and how
a claim is published.

An agent runs as the same user as its keeper, so it can write any file of its run directory with a
right checksum. The checksum finds accidents; the tables below find everything else. A record
whose field is missing, of another type or out of bounds is damaged as a whole, exactly like one
with a flipped byte, and damages only the run it belongs to. Fields that a table does not name are
ignored, so that a later version of the protocol may add some.

Keepers carry this module: standard library only, and no pathlib.
"""

# ruff: noqa: PTH108, PTH118

import fcntl
import os
import stat
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple

from topkick.engine.io import crash_points
from topkick.engine.io.files import fsync_dir, seal, unseal, write_all

PROTOCOL = 1
"""The format of the run directory: a supervisor and a keeper of other versions may share it."""

Check = Callable[[object], bool]
_MISSING = object()
_MOST_TEXT = 1 << 16
_MOST_MEMBERS = 1 << 17
_LONG_S = 1e12  # more than any time stamp in seconds
_LIMIT_S = 2e6  # the longest wait that poll() takes, in seconds
_HOWS = ("exited", "signaled", "deadline", "stopped", "cannot_start", "lost")


class Field(NamedTuple):
    """The check of one value; a field without a default is required."""

    check: Check
    default: object = _MISSING


def whole(least: int, most: int) -> Check:
    return lambda value: type(value) is int and least <= value <= most


def number(least: float, most: float) -> Check:
    def check(value: object) -> bool:
        if type(value) is int:
            return least <= value <= most
        return isinstance(value, float) and isfinite(value) and least <= value <= most

    return check


def text(most: int = _MOST_TEXT) -> Check:
    return lambda value: isinstance(value, str) and len(value) <= most and "\0" not in value


def one_of(*words: str) -> Check:
    return lambda value: isinstance(value, str) and value in words


def or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def list_of(check: Check, most: int = _MOST_MEMBERS) -> Check:
    return lambda value: isinstance(value, list) and len(value) <= most and all(map(check, value))


def table_of(check: Check) -> Check:
    def is_table(value: object) -> bool:
        return isinstance(value, dict) and all(_is_name(k) and check(v) for k, v in value.items())

    return is_table


def _is_name(key: str) -> bool:
    return bool(key) and "=" not in key and "\0" not in key


def fields(**shape: Field) -> Check:
    return lambda value: isinstance(value, dict) and _filled(value, shape) is not None


_PID = whole(1, (1 << 31) - 1)
_STARTED = whole(0, (1 << 63) - 1)
_COUNT = whole(0, (1 << 63) - 1)
_SECONDS = number(0, _LONG_S)
_WAIT_S = number(0, _LIMIT_S)
_WORDS = or_none(text())
_PATH = text(1 << 12)


def _is_own_group(value: object) -> bool:
    """Return whether this names a control group that a keeper made: no other group may be
    killed.
    """
    if not isinstance(value, str) or not _PATH(value) or not value.startswith("/"):
        return False
    *above, name = value.split("/")
    return name.startswith("topkick-") and ".." not in above


class RecordShape(NamedTuple):
    """The fields of one kind of record, and how many bytes it may have."""

    most_bytes: int
    fields: Mapping[str, Field]


ORDER = RecordShape(
    64 << 20,
    {
        "protocol": Field(whole(0, 1 << 31)),
        "run_id": Field(text(100)),
        "argv": Field(list_of(text(16 << 20))),
        "cwd": Field(_PATH),
        "env": Field(table_of(text(16 << 20))),
        "stdin_file": Field(or_none(_PATH)),
        "deadline_s": Field(or_none(_WAIT_S)),
        "grace_s": Field(_WAIT_S),
        "output_cap_bytes": Field(whole(1, 1 << 50)),
        "stop_signal": Field(whole(1, 64), 15),
    },
)
CLAIM = RecordShape(
    1 << 16,
    {
        "run_id": Field(text(100), ""),
        "keeper": Field(or_none(fields(pid=Field(_PID), started=Field(_STARTED))), None),
        "boot_id": Field(text(200)),
        "cgroup": Field(or_none(_is_own_group), None),
        "mark": Field(or_none(text(300)), None),
        "mode": Field(one_of("portable", "native"), "native"),
        "claimed_at": Field(_SECONDS),
        "revoked": Field(or_none(one_of(*_HOWS)), None),
        "why": Field(_WORDS, None),
    },
)
AGENT = RecordShape(1 << 12, {"pid": Field(_PID), "started": Field(_STARTED)})
STOP = RecordShape(1 << 17, {"grace_s": Field(_WAIT_S), "why": Field(_WORDS, None)})
EXIT = RecordShape(
    4 << 20,
    {
        "how": Field(one_of(*_HOWS)),
        "code": Field(or_none(whole(-(1 << 31), 1 << 31)), None),
        "signal": Field(or_none(whole(0, 1 << 16)), None),
        "errno_text": Field(_WORDS, None),
        "started_at": Field(or_none(_SECONDS), None),
        "ended_at": Field(or_none(_SECONDS), None),
        "cpu_s": Field(_SECONDS, 0.0),
        "max_rss_kb": Field(_COUNT, 0),
        "output_bytes": Field(_COUNT, 0),
        "dropped_bytes": Field(_COUNT, 0),
        "survivors": Field(list_of(_PID), ()),
        "leftovers": Field(_COUNT, 0),
    },
)


def open_record(data: bytes, shape: RecordShape) -> dict[str, Any] | None:
    """Return exactly the fields of the shape, or None if the record is damaged."""
    if len(data) > shape.most_bytes:
        return None
    found = unseal(data)
    return None if found is None else _filled(found, shape.fields)


def _filled(found: Mapping[str, object], wanted: Mapping[str, Field]) -> dict[str, Any] | None:
    filled = {name: found.get(name, field.default) for name, field in wanted.items()}
    for name, field in wanted.items():
        if name in found and not field.check(found[name]):
            return None
        if filled[name] is _MISSING:
            return None
    return filled


def read_record(run_dir: str, name: str, shape: RecordShape) -> dict[str, Any] | None:
    """Return the record in a file of a run directory; None if it is missing or damaged.

    Anything but a plain file counts as damage; a FIFO is never waited for.
    """
    data = read_bytes(os.path.join(run_dir, name), shape.most_bytes)
    return open_record(data, shape) if data else None


def read_bytes(path: str, most_bytes: int) -> bytes:
    """Return a plain file's bytes, at most one more than `most_bytes`; empty if it is not a plain
    file.

    Raise OSError if the file exists and cannot be opened now.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            return b""
        data = b""
        while len(data) <= most_bytes:
            more = os.read(fd, min(most_bytes + 1 - len(data), max(found.st_size, 1 << 12)))
            if not more:
                break
            data += more
        return data
    finally:
        os.close(fd)


# --- the claim ----------------------------------------------------------------------------------


def take_claim(run_dir: str, claim: dict[str, Any], *, durable: bool = True) -> int | None:
    """Publish a claim exclusively; return its locked descriptor, or None if there is a claim
    already.
    """
    temporary = os.path.join(run_dir, f"claim.{os.getpid()}")
    fd = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        write_all(fd, seal(claim))
        crash_points.here("claim.before-link")
        os.link(temporary, os.path.join(run_dir, "claim"))
        crash_points.here("claim.after-link")
    except OSError as error:
        os.close(fd)
        if isinstance(error, FileExistsError):
            return None
        raise
    finally:
        os.unlink(temporary)
    if durable:
        try:
            sync_claim(run_dir)
        except OSError:
            os.close(fd)
            raise
    return fd


def sync_claim(run_dir: str) -> None:
    """Make the claim's directory entries durable: after a power cut the claim must still exist.

    The first claim comes with a new directory of runs, so the entries above it are synced too.
    """
    runs = os.path.join(run_dir, os.pardir)
    for path in (run_dir, runs, os.path.join(runs, os.pardir)):
        fsync_dir(path)
