"""Read an agent's stream from its output on disk: bit by bit while it works, complete at its
end.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from topkick.agents.registry import adapter_named
from topkick.agents.vocabulary import Event, Said, Started, StreamReader, Unknown
from topkick.engine.agents.program import AgentExit, AgentProgram, AgentReport, Conversation, Usage
from topkick.runner.keeper import output
from topkick.runner.keeper.output import Chunk
from topkick.runner.run_dir import read_limits
from topkick.text import escape

# --- lines of a stream -------------------------------------------------------------------------
# Split bytes into lines, in memory that does not grow with the stream.

LINE_MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line that was skipped, reported once, when its end is seen."""

    bytes: int


class OutputLines:
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


CHUNK_BYTES = 1 << 18
AT_ONCE_BYTES = 4 << 20

Tail = Callable[[int, int], Chunk]
"""Returns at most so many bytes from an offset on."""


class TailReader:
    """Continues where it stopped; output that was dropped meanwhile is skipped.

    `hidden` are values that no event may contain; they are redacted before a line is shortened.
    """

    def __init__(
        self,
        program: AgentProgram,
        resumed: Conversation | None,
        hidden: tuple[str, ...] = (),
    ) -> None:
        self._program = program
        self._hidden = tuple(word for value in hidden if value for word in _spelled(value))
        self._reader: StreamReader = adapter_named(program.adapter).reader(resumed)
        self._lines = OutputLines()
        self._offset = 0
        self._in_half_a_line = False
        self.conversation = ""
        self.last_said = ""
        self.answer = ""

    @property
    def usage(self) -> Usage:
        return self._program.priced(self._reader.usage)

    def hear(self, tail: Tail, most_bytes: int = AT_ONCE_BYTES) -> Iterator[Event]:
        """Yield the new events; if there is much output, the rest comes at the next call."""
        begun_at = self._offset
        while self._offset - begun_at < most_bytes:
            chunk = tail(self._offset, CHUNK_BYTES)
            if not chunk.data:
                return
            if chunk.offset > self._offset:
                yield Unknown(f"{chunk.offset - self._offset} bytes that were not kept")
                self._lines, self._in_half_a_line = OutputLines(), True
            self._offset = chunk.next_offset
            for line in self._lines.feed(self._from_a_whole_line(chunk.data)):
                yield from self._feed(line)

    def _from_a_whole_line(self, data: bytes) -> bytes:
        """After a gap in the output, drop the partial first line."""
        if not self._in_half_a_line:
            return data
        _, newline, rest = data.partition(b"\n")
        self._in_half_a_line = not newline
        return rest

    def has_more(self, tail: Tail) -> bool:
        return bool(tail(self._offset, 1).data)

    def end(self) -> Iterator[Event]:
        for line in self._lines.end():
            yield from self._feed(line)

    def report(self, ended: AgentExit) -> AgentReport:
        return self._reader.report(ended)

    def _feed(self, line: bytes | TooLong) -> Iterator[Event]:
        if isinstance(line, TooLong):
            yield Unknown(f"a line of {line.bytes} bytes")
            return
        if self._hidden:
            line = escape.redact(line.decode("utf-8", "replace"), self._hidden).encode()
        for event in self._reader.feed(line):
            if isinstance(event, Started):
                self.conversation = event.conversation
            if isinstance(event, Said) and event.text.strip():
                self.last_said = event.text
                self.answer = event.whole or event.text
            yield event


def tail_of(run_dir: Path) -> Tail | None:
    """Return a reader for a run's directory; None if no order was written there."""
    limits = read_limits(run_dir)
    if limits is None:
        return None
    return lambda offset, most: output.read(run_dir, limits.output_cap_bytes, offset, most)


def heard_all(
    run_dir: Path,
    program: AgentProgram,
    resumed: Conversation | None,
    hidden: tuple[str, ...] = (),
) -> TailReader:
    """Read the whole stream of a run that is over, in memory that does not grow with it."""
    listener = TailReader(program, resumed, hidden)
    tail = tail_of(run_dir)
    if tail is None:
        return listener
    while listener.has_more(tail):
        _exhaust(listener.hear(tail))
    _exhaust(listener.end())
    return listener


def _exhaust(events: Iterator[Event]) -> None:
    for _ in events:
        continue


def _spelled(value: str) -> Iterator[str]:
    """Yield the ways in which a value may be written in a line, JSON or not."""
    quoted = json.dumps(value)[1:-1]
    yield from dict.fromkeys((value, quoted, quoted.replace("/", "\\/")))
