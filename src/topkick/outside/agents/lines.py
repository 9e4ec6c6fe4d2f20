"""Split bytes into lines, in memory that does not grow with the stream."""

from dataclasses import dataclass

LINE_MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line that was skipped, reported once, when its end is seen."""

    bytes: int


class Lines:
    """Lines end with a newline and are returned without it; the last one may lack it."""

    def __init__(self, line_max_bytes: int = LINE_MAX_BYTES) -> None:
        self._line_max_bytes = line_max_bytes
        self._begun = bytearray()
        self._dropped_bytes = 0

    def feed(self, chunk: bytes) -> list[bytes | TooLong]:
        first, *others = chunk.split(b"\n")
        self._grow(first)
        found: list[bytes | TooLong] = []
        for part in others:
            found.append(self._whole())
            self._grow(part)
        return found

    def end(self) -> list[bytes | TooLong]:
        return [self._whole()] if self._begun or self._dropped_bytes else []

    def _grow(self, part: bytes) -> None:
        if self._dropped_bytes:
            self._dropped_bytes += len(part)
        elif len(self._begun) + len(part) > self._line_max_bytes:
            self._dropped_bytes = len(self._begun) + len(part)
            self._begun = bytearray()
        else:
            self._begun += part

    def _whole(self) -> bytes | TooLong:
        if self._dropped_bytes:
            line: bytes | TooLong = TooLong(self._dropped_bytes)
        else:
            line = bytes(self._begun)
        self._begun, self._dropped_bytes = bytearray(), 0
        return line
