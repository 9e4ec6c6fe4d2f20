"""Files that are either the old bytes or the new ones, whatever dies in between."""

# Keepers do without pathlib, which would double what they import.
# ruff: noqa: PTH104, PTH108, PTH118

import errno
import json
import os
import stat
import zlib
from collections.abc import Callable
from itertools import count
from typing import Any, BinaryIO

from topkick.outside.ground import crash_points

_numbers = count()
_SUM = ', "sum": '
_CHUNK_BYTES = 1 << 20
NOTE_BYTES = 1 << 16
"""Enough for every small file that topkick writes for itself."""


def fsync_dir(path: str | os.PathLike[str]) -> None:
    """Make the names in a directory survive a power cut."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def read_plain(
    path: str | os.PathLike[str], limit_bytes: int, *, follow_links: bool = False
) -> bytes:
    """The first bytes of a plain file; a FIFO or a device is refused and never waited for.

    So is a link, unless it is a file of the user's, who may have it wherever they like. Memory is
    taken for what the file has, not for what the limit allows.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    fd = os.open(path, flags if follow_links else flags | os.O_NOFOLLOW)
    with open(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "it is not a plain file", os.fspath(path))
        chunks, left = [], limit_bytes
        while left > 0 and (chunk := file.read(min(left, _CHUNK_BYTES))):
            chunks.append(chunk)
            left -= len(chunk)
    return b"".join(chunks)


def read_end(path: str | os.PathLike[str], most_bytes: int) -> bytes:
    """The last bytes of a plain file of ours."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is not a plain file", os.fspath(path))
        return os.pread(fd, most_bytes, max(0, found.st_size - most_bytes))
    finally:
        os.close(fd)


def open_log(path: str | os.PathLike[str]) -> BinaryIO:
    """To append to a plain file of ours; where there cannot be one, the words go nowhere."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        fd = os.open(path, flags, 0o600)
    except OSError:  # a full disk, a link, a FIFO that nobody reads
        return open(os.devnull, "ab")
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return open(fd, "ab")
    os.close(fd)
    return open(os.devnull, "ab")


def replace_atomically(
    path: str | os.PathLike[str],
    data: bytes,
    mode: int = 0o600,
    *,
    durable: bool = True,
    drafts: str | os.PathLike[str] | None = None,
    still: Callable[[], bool] | None = None,
) -> bool:
    """Write a draft, sync, rename it into place, sync the directory.

    With `durable=False` the change is atomic for every process but a power cut may undo it.
    The draft lies beside the target, or in `drafts`, which has to be on the same file system.
    `still` is asked as late as can be whether it is still wanted; if not, all stays as it is.
    """
    directory, name = os.path.split(os.fspath(path))
    temporary = _draft_of(name, directory if drafts is None else os.fspath(drafts))
    try:
        _write_draft(temporary, data, mode, durable=durable)
        crash_points.here("files.before-rename")
        if still is not None and not still():
            _discard(temporary)
            return False
        os.rename(temporary, path)
        crash_points.here("files.after-rename")
    except OSError:
        _discard(temporary)
        raise
    if durable:
        fsync_dir(directory or ".")
    return True


def create_once(
    path: str | os.PathLike[str], data: bytes, mode: int, drafts: str | os.PathLike[str]
) -> None:
    """A file that was not there before, whole from its first moment; one that is stays."""
    directory, name = os.path.split(os.fspath(path))
    temporary = _draft_of(name, os.fspath(drafts))
    try:
        _write_draft(temporary, data, mode, durable=True)
        crash_points.here("files.before-rename")
        os.link(temporary, path)
        crash_points.here("files.after-rename")
    finally:
        _discard(temporary)
    fsync_dir(directory or ".")


def _draft_of(name: str, place: str) -> str:
    return os.path.join(place, f".{name}.{os.getpid()}.{next(_numbers)}.tmp")


def _write_draft(path: str, data: bytes, mode: int, *, durable: bool) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        os.fchmod(fd, mode)
        write_all(fd, data)
        if durable:
            os.fsync(fd)
    finally:
        os.close(fd)


def append_durably(path: str | os.PathLike[str], data: bytes) -> None:
    """At the end of a plain file, by one write, so that others may do the same at the same time."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(path, flags, 0o644)
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is not a plain file", os.fspath(path))
        write_all(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)
    if not found.st_size:  # it may be new, and its name not on disk yet
        fsync_dir(os.path.split(os.fspath(path))[0] or ".")


def write_all(fd: int, data: bytes) -> None:
    """Write every byte; a single write may stop early."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def seal(record: dict[str, Any]) -> bytes:
    """A record as JSON that carries its own checksum, so that a flipped byte shows."""
    text = json.dumps(record)
    return f"{text[:-1]}{_SUM}{zlib.crc32(text.encode())}}}".encode()


def unseal(text: bytes) -> dict[str, Any] | None:
    """The record, or None if the bytes are not as they were written."""
    body, _, tail = text.rpartition(_SUM.encode())
    body += b"}"
    if tail != b"%d}" % zlib.crc32(body):
        return None
    try:
        record = json.loads(body)
    except (ValueError, RecursionError):  # a right checksum over what is no JSON, or nests too deep
        return None
    return record if isinstance(record, dict) else None
