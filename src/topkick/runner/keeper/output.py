"""Read an agent's output across the segments that its keeper wrote."""

import os
from dataclasses import dataclass
from pathlib import Path

from topkick.runner.keeper.keeper import segment_path

_MOST_DIGITS = 9  # of a segment's number: agents may make files of any name


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes from `offset` on; `offset` is later than requested if a part was dropped."""

    data: bytes
    offset: int
    next_offset: int


def size_bytes(path: Path, cap_bytes: int) -> int:
    """Return how much was printed in all."""
    number = max(_numbers(path), default=0)
    try:
        return number * cap_bytes + Path(segment_path(os.fspath(path), number)).stat().st_size
    except FileNotFoundError:
        return number * cap_bytes


def read(path: Path, cap_bytes: int, offset: int, limit_bytes: int) -> Chunk:
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


def _numbers(path: Path) -> list[int]:
    names = [entry.name for entry in path.iterdir()] if path.is_dir() else []
    tails = [name.removeprefix("output.") for name in names if name.startswith("output.")]
    numbers = [tail for tail in tails if tail.isdecimal() and len(tail) <= _MOST_DIGITS]
    return [int(tail) for tail in numbers] + [0] * ("output" in names)
