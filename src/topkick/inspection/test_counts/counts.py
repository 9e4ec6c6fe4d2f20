"""How many tests a command ran, read from its output as it streams by.

Text that is added to an output never makes more tests pass, nor hides one that failed or was
skipped: of two sums the smaller counts (V8).
"""

import re
from typing import Protocol
from xml.etree import ElementTree

from topkick.checks.model import Counts
from topkick.inspection.test_counts.runners import is_test_command, junit_files
from topkick.inspection.test_counts.suites import Cargo, Go, GoJson, Surefire, Swift, Tap
from topkick.inspection.test_counts.summaries import (
    Least,
    OneLine,
    Unittest,
    bun,
    mocha,
    node,
    playwright,
)

# --- Reads a JUnit report without building a tree, and refuses document types.

MOST_BYTES = 16 << 20
_ROOTS = ("testsuites", "testsuite")


class _Refused(Exception):
    """The document is none of ours."""


class _Target:
    """Counts test cases as they go by; the parser calls its methods."""

    def __init__(self) -> None:
        self._counts = [0, 0, 0]
        self._depth = 0
        self._case_depth = 0
        self._fate = 0

    def start(self, tag: str, _attributes: dict[str, str]) -> None:
        name = tag.rpartition("}")[2]
        self._depth += 1
        if self._depth == 1 and name not in _ROOTS:
            raise _Refused
        if self._case_depth == 0 and name == "testcase":
            self._case_depth, self._fate = self._depth, 0
        elif self._case_depth and self._depth == self._case_depth + 1:
            if name in ("failure", "error"):
                self._fate = 1
            elif name in ("skipped", "disabled") and self._fate == 0:
                self._fate = 2

    def end(self, _tag: str) -> None:
        if self._case_depth == self._depth:
            self._counts[self._fate] += 1
            self._case_depth = 0
        self._depth -= 1

    def close(self) -> None:
        pass

    def doctype(self, _name: str, _public: str | None, _system: str | None) -> None:
        raise _Refused

    def counts(self) -> Counts:
        passed, failed, skipped = self._counts
        return Counts(passed, failed, skipped)


def junit_counts(xml: bytes) -> Counts | None:
    """How many test cases the report tells of; None where it is no JUnit report."""
    if len(xml) > MOST_BYTES:
        return None
    target = _Target()
    parser = ElementTree.XMLParser(target=target)  # noqa: S314  document types are refused
    try:
        parser.feed(xml)
        parser.close()
    except (_Refused, ElementTree.ParseError, ValueError, LookupError):
        return None
    return target.counts()


__all__ = ["MOST_LINE_BYTES", "OutputTally", "is_test_command", "junit_counts", "junit_files"]

MOST_LINE_BYTES = 8192


class LineReader(Protocol):
    def line(self, text: str) -> None: ...


class CountReader(LineReader, Protocol):
    def counts(self) -> Counts | None: ...


_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_]|\x08|\x0f"
)
_TELLING = re.compile(
    r"[Pp]ass|PASS|[Ff]ail|FAIL|[Tt]est|RUN|PAUSE|[Rr]an |SKIP|^ok|^OK|^not ok|^1\.\.|[Ee]xamples?,"
    r"|Executed|pending|skip|todo|\bruns,|cancelled|suites|Running|Results|Bail|\"Action\"|in \d"
)


class OutputTally:
    """Reads output piece by piece and keeps only sums. `counts` is asked at the end."""

    def __init__(self) -> None:
        self._rest = b""
        self._too_long = False
        self._one_line = OneLine()
        self._node = node()
        self._tap = Tap()
        self._runners: tuple[CountReader, ...] = (
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
