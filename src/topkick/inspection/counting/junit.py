"""Reads a JUnit report without building a tree, and refuses document types."""

from xml.etree import ElementTree

from topkick.core.evidence import Counts

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
