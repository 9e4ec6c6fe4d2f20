"""An agent's output: the keeper writes it in segments, the supervisor reads across them.

Keepers carry this module: standard library only, and no pathlib.
"""

# ruff: noqa: PTH108, PTH112, PTH116, PTH118, PTH208

import os
from typing import NamedTuple

_MOST_DIGITS = 9  # of a segment's number: agents may make files of any name


class Chunk(NamedTuple):
    """Bytes from `offset` on; `offset` is later than requested if a part was dropped."""

    data: bytes
    offset: int
    next_offset: int


class CappedOutput:
    """Keeps the first and the last bytes of the output in segments of one size; drops the middle.

    Segment n starts at byte n * cap, so an offset stays valid whatever is dropped.
    """

    def __init__(self, run_dir: str, cap_bytes: int) -> None:
        self._run_dir = run_dir
        self._cap_bytes = max(1, cap_bytes)
        self.total_bytes = 0
        self.dropped_bytes = 0
        self._fd = self._open(0)

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            room = self._cap_bytes - self.total_bytes % self._cap_bytes
            part, view = view[:room], view[room:]
            self._put(part)
            self.total_bytes += len(part)
            if len(part) == room:
                self._next_segment()

    def _put(self, part: memoryview) -> None:
        place = self.total_bytes % self._cap_bytes
        try:
            while self._fd >= 0 and part:
                written = os.pwrite(self._fd, part, place)
                part = part[written:]
                place += written
        except OSError:  # a full disk must not stop the agent; lost bytes are counted
            pass
        self.dropped_bytes += len(part)

    def _next_segment(self) -> None:
        number = self.total_bytes // self._cap_bytes
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = self._open(number)
        if number > 2:
            self.dropped_bytes += self._cap_bytes
            try:
                os.unlink(segment_path(self._run_dir, number - 2))
            except OSError:
                return

    def _open(self, number: int) -> int:
        path = segment_path(self._run_dir, number)
        try:
            return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        except OSError:
            return -1


def segment_path(run_dir: str, number: int) -> str:
    """Return the file of one segment: `output`, `output.1`, `output.2` …"""
    return os.path.join(run_dir, f"output.{number}" if number else "output")


def size_bytes(path: str | os.PathLike[str], cap_bytes: int) -> int:
    """Return how much was printed in all."""
    number = max(_numbers(path), default=0)
    try:
        return number * cap_bytes + os.stat(segment_path(os.fspath(path), number)).st_size
    except FileNotFoundError:
        return number * cap_bytes


def read(path: str | os.PathLike[str], cap_bytes: int, offset: int, limit_bytes: int) -> Chunk:
    """Return up to `limit_bytes` from one segment; continue at `next_offset`."""
    for number in sorted(_numbers(path)):
        start = number * cap_bytes
        if offset >= start + cap_bytes:
            continue
        place = max(offset, start)
        try:
            data = _read_at(segment_path(os.fspath(path), number), place - start, limit_bytes)
        except OSError:  # dropped meanwhile, or not a keeper's file
            continue
        if data:
            return Chunk(data, place, place + len(data))
    return Chunk(b"", offset, offset)


def _read_at(path: str, place: int, limit_bytes: int) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        return os.pread(fd, limit_bytes, place)
    finally:
        os.close(fd)


def _numbers(path: str | os.PathLike[str]) -> list[int]:
    names = os.listdir(path) if os.path.isdir(path) else []
    tails = [name.removeprefix("output.") for name in names if name.startswith("output.")]
    numbers = [tail for tail in tails if tail.isdecimal() and len(tail) <= _MOST_DIGITS]
    return [int(tail) for tail in numbers] + [0] * ("output" in names)
