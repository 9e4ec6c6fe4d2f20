"""How many tests a command ran, read from its output as it streams by.

Text that is added to an output never makes more tests pass, nor hides one that failed or was
skipped: of two sums the smaller counts (V8).
"""

import re
from typing import Protocol

from topkick.core.evidence import Counts
from topkick.inspection.counting.junit import junit_counts
from topkick.inspection.counting.runners import is_test_command, junit_files
from topkick.inspection.counting.suites import Cargo, Go, GoJson, Surefire, Swift, Tap
from topkick.inspection.counting.summaries import (
    Least,
    OneLine,
    Unittest,
    bun,
    mocha,
    node,
    playwright,
)

__all__ = ["MOST_LINE_BYTES", "Tally", "is_test_command", "junit_counts", "junit_files"]

MOST_LINE_BYTES = 8192


class LineReader(Protocol):
    def line(self, text: str) -> None: ...


class Reader(LineReader, Protocol):
    def counts(self) -> Counts | None: ...


_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_]|\x08|\x0f"
)
_TELLING = re.compile(
    r"[Pp]ass|PASS|[Ff]ail|FAIL|[Tt]est|RUN|PAUSE|[Rr]an |SKIP|^ok|^OK|^not ok|^1\.\.|[Ee]xamples?,"
    r"|Executed|pending|skip|todo|\bruns,|cancelled|suites|Running|Results|Bail|\"Action\"|in \d"
)


class Tally:
    """Reads output piece by piece and keeps only sums. `counts` is asked at the end."""

    def __init__(self) -> None:
        self._rest = b""
        self._too_long = False
        self._one_line = OneLine()
        self._node = node()
        self._tap = Tap()
        self._runners: tuple[Reader, ...] = (
            Unittest(),
            mocha(),
            playwright(),
            bun(),
            Cargo(),
            Surefire(),
            Go(),
            GoJson(),
            Swift(),
        )
        self._readers: tuple[LineReader, ...] = (
            self._one_line,
            self._node,
            self._tap,
            *self._runners,
        )

    def write(self, data: bytes) -> None:
        first, *others = data.replace(b"\r", b"\n").split(b"\n")
        self._grow(first)
        for piece in others:
            self._end_line()
            self._grow(piece)

    def _grow(self, piece: bytes) -> None:
        if self._too_long or len(self._rest) + len(piece) > MOST_LINE_BYTES:
            self._too_long, self._rest = True, b""
        else:
            self._rest += piece

    def _end_line(self) -> None:
        line, self._rest, self._too_long = self._rest, b"", False
        text = _ESCAPES.sub("", line.decode("utf-8", "replace")).rstrip()
        if _TELLING.search(text):
            for reader in self._readers:
                reader.line(text)

    def counts(self) -> Counts | None:
        """None where no runner was recognised. Of several runners: the least that passed."""
        self._end_line()
        found = [*self._one_line.all_counts(), *self._of_protocol()]
        found += [counts for runner in self._runners if (counts := runner.counts())]
        if not found:
            return None
        least = Least()
        for counts in found:
            least.add(counts)
        return least.counts()

    def _of_protocol(self) -> list[Counts]:
        """Node's own sums beat its lines, where suites hide tests."""
        by_node, by_lines = self._node.counts(), self._tap.counts()
        if by_node and self._node.most("suites"):
            return [by_node]
        return [counts for counts in (by_node, by_lines) if counts]
