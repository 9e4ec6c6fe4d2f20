"""Write files so that a crash leaves either the old content or the new one."""

# Keepers avoid pathlib, which would double what they import.
# ruff: noqa: PTH104, PTH108, PTH118

import errno
import json
import os
import stat
import zlib
from collections.abc import Callable
from itertools import count
from typing import Any, BinaryIO

from topkick.engine.io import crash_points

_numbers = count()
_SUM = ', "sum": '
_CHUNK_BYTES = 1 << 20
NOTE_BYTES = 1 << 16
"""Enough for every small file that topkick writes for itself."""


def fsync_dir(path: str | os.PathLike[str]) -> None:
    """Make the entries of a directory survive a power cut."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def read_plain(
    path: str | os.PathLike[str], limit_bytes: int, *, follow_links: bool = False
) -> bytes:
    """Return the first bytes of a plain file; raise OSError for a FIFO or a device, without
    waiting.

    A symbolic link is refused too, unless `follow_links` is set: users may keep their own files
    wherever they like. Memory use depends on the file's size, not on the limit.
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
    """Return the last bytes of one of topkick's plain files."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is not a plain file", os.fspath(path))
        return os.pread(fd, most_bytes, max(0, found.st_size - most_bytes))
    finally:
        os.close(fd)


def open_log(path: str | os.PathLike[str]) -> BinaryIO:
    """Open one of topkick's files for appending; if that fails, what is written is discarded."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        fd = os.open(path, flags, 0o600)
    except OSError:  # a full disk, a link, a FIFO without a reader
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
    """Write a draft, sync it, rename it into place, sync the directory.

    With `durable=False` the change is atomic for every process, but a power cut may undo it. The
    draft is next to the target, or in `drafts`, which must be on the same file system. `still` is
    called as late as possible; if it returns False, nothing is changed.
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
    """Create a file, complete from its first moment; raise FileExistsError if there is one."""
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
    """Append to a plain file by one write, so that other processes may append at the same time."""
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
    if not found.st_size:  # it may be new: make its name durable too
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
    """Return a record as JSON with its own checksum, so that a flipped byte is noticed."""
    text = json.dumps(record)
    return f"{text[:-1]}{_SUM}{zlib.crc32(text.encode())}}}".encode()


def unseal(text: bytes) -> dict[str, Any] | None:
    """Return the record, or None if the bytes are not what was written."""
    body, _, tail = text.rpartition(_SUM.encode())
    body += b"}"
    if tail != b"%d}" % zlib.crc32(body):
        return None
    try:
        record = json.loads(body)
    except (ValueError, RecursionError):  # a valid checksum over invalid or too deeply nested JSON
        return None
    return record if isinstance(record, dict) else None
