"""Read a bus incrementally: only what was added since the last look, even after a rewrite."""

import os
from collections.abc import Iterator
from pathlib import Path

from topkick.team.bus.model import Message, number_in, read_line
from topkick.team.bus.place import LARGEST_BYTES, BusPlace, open_plain

REMEMBERED_BYTES = 256


class BusReader:
    """Returns each message once; needs no lock and leaves no trace.

    A rewritten file (another inode, a smaller size, or other bytes before the offset) is read from
    its beginning; then only messages with a higher number than any before are new.
    """

    def __init__(self, session_dir: Path, after: int = 0) -> None:
        self._place = BusPlace(session_dir)
        self._given = after
        self._file = (0, 0)
        self._offset = 0
        self._remembered = b""
        self.newest = 0

    def read(self) -> tuple[Message, ...]:
        """Return new messages, in the order of the file."""
        with self._place.told():
            try:
                descriptor = open_plain(self._place.messages, os.O_RDONLY)
            except FileNotFoundError:
                self._place.require_session()
                self._begin_anew((0, 0))
                return ()
            try:
                return self._read(descriptor)
            finally:
                os.close(descriptor)

    def _begin_anew(self, file: tuple[int, int]) -> None:
        self._file, self._offset, self._remembered = file, 0, b""

    def _read(self, descriptor: int) -> tuple[Message, ...]:
        found = os.fstat(descriptor)
        file = (found.st_dev, found.st_ino)
        if file != self._file or not self._goes_on(descriptor, found.st_size):
            self._begin_anew(file)
        is_anew = self._offset == 0
        messages = tuple(self._new(descriptor))
        if is_anew:
            messages = tuple(m for m in messages if m.number > self._given)
        self._given = max((self._given, *(m.number for m in messages)))
        return messages

    def _goes_on(self, descriptor: int, size: int) -> bool:
        start = self._offset - len(self._remembered)
        return (
            size >= self._offset
            and os.pread(descriptor, len(self._remembered), start) == self._remembered
        )

    def _new(self, descriptor: int) -> Iterator[Message]:
        data = self._remembered + _rest(descriptor, self._offset)
        skip = len(self._remembered)
        end = data.rfind(b"\n") + 1
        lines = data[skip:end].split(b"\n") if end > skip else []
        last = _message(data[max(end, skip) :])
        if last is not None:  # complete, only its newline is missing
            end = len(data)
        if last is None:  # torn or still being written: its number counts as used
            self.newest = max(self.newest, _number_in(data[max(end, skip) :]))
        for line in lines:
            message = _message(line)
            if message is not None:
                self.newest = max(self.newest, message.number)
                yield message
            else:
                self.newest = max(self.newest, _number_in(line))
        if last is not None:
            self.newest = max(self.newest, last.number)
            yield last
        if end > skip:
            self._offset += end - skip
            self._remembered = data[max(end - REMEMBERED_BYTES, 0) : end]


def _message(line: bytes) -> Message | None:
    return read_line(line.decode("utf-8", "replace")) if line.strip() else None


def _number_in(line: bytes) -> int:
    return number_in(line.decode("utf-8", "replace"))


def _rest(descriptor: int, offset: int) -> bytes:
    """Read up to LARGEST_BYTES, the limit for topkick's writes; what others append beyond it is
    ignored.
    """
    parts = []
    while offset < LARGEST_BYTES:
        part = os.pread(descriptor, min(1 << 20, LARGEST_BYTES - offset), offset)
        if not part:
            break
        parts.append(part)
        offset += len(part)
    return b"".join(parts)
