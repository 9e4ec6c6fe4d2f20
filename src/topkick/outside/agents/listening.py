"""Read an agent's stream from its output on disk: bit by bit while it works, complete at its
end.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from topkick.boards import safe
from topkick.core.agents import AgentExit, AgentProgram, AgentReport, Conversation, Usage
from topkick.outside.agents.lines import Lines, TooLong
from topkick.outside.agents.registry import adapter_named
from topkick.outside.agents.vocabulary import Event, Reader, Said, Started, Unknown
from topkick.outside.ground import output
from topkick.outside.ground.output import Chunk
from topkick.outside.ground.run_dir import read_limits

CHUNK_BYTES = 1 << 18
AT_ONCE_BYTES = 4 << 20

Tail = Callable[[int, int], Chunk]
"""Returns at most so many bytes from an offset on."""


class Listener:
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
        self._reader: Reader = adapter_named(program.adapter).reader(resumed)
        self._lines = Lines()
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
                self._lines, self._in_half_a_line = Lines(), True
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
            line = safe.redact(line.decode("utf-8", "replace"), self._hidden).encode()
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
) -> Listener:
    """Read the whole stream of a run that is over, in memory that does not grow with it."""
    listener = Listener(program, resumed, hidden)
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
