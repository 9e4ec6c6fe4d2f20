"""A change as it was read: what stood in the file before and what stands in it after."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from topkick.checks.model import Finding, FindingKind
from topkick.inspection.change import File, FileChange
from topkick.inspection.inventory import Inventory, Mark, TestCase
from topkick.text.escape import short

OFTEN_FOREIGN = frozenset({"node_modules", "vendor", "dist", ".venv", "venv", "third_party"})
TEST_FOLDERS = frozenset(
    {"test", "tests", "spec", "specs", "__tests__", "testdata", "fixtures", "testing", "benches"}
)
_BETWEEN_NAMES = re.compile(r"::| > ")


@dataclass(frozen=True, slots=True)
class Side:
    """A file at one end of a change. `shut` says why nobody could read it: it is a symbolic link,
    or binary. `is_read`: there is a reader for its language, and it was used. `is_test`: it lies
    among the tests. `is_collected`: a test runner would look into it."""

    file: File
    inventory: Inventory
    is_read: bool = False
    is_test: bool = False
    is_collected: bool = False
    shut: str = ""

    @property
    def path(self) -> str:
        return self.file.path


@dataclass(frozen=True, slots=True)
class ChangeReading:
    """A side is None where there was or is no file, or one that is not the project's own."""

    change: FileChange
    before: Side | None
    after: Side | None

    @property
    def is_test(self) -> bool:
        return any(side is not None and side.is_test for side in (self.before, self.after))


@dataclass(frozen=True, slots=True)
class Placed:
    """A test case and where it stands; `number` is that of its reading."""

    number: int
    side: Side
    case: TestCase

    @property
    def short(self) -> str:
        return short_name(self.case.name)

    @property
    def is_collected(self) -> bool:
        """Rust's tests stand beside the code; elsewhere a runner goes by the file's name."""
        return self.side.is_collected or self.side.inventory.language == "rust"

    @property
    def counts(self) -> bool:
        """`test_connection` in the code of a product need not be a test."""
        return self.is_collected or bool(self.case.assertions)

    @property
    def skip(self) -> str:
        case = self.case
        return case.skip or case.skip_if


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def short_name(name: str) -> str:
    return _BETWEEN_NAMES.split(name)[-1].strip()


def is_foreign(path: str) -> bool:
    """In a folder that people copy into a repository and do not write."""
    return any(part in OFTEN_FOREIGN for part in path.split("/")[:-1])


def is_among_tests(path: str) -> bool:
    return any(part.lower() in TEST_FOLDERS for part in path.split("/")[:-1])


def folder(path: str) -> str:
    return path.rpartition("/")[0]


def digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def shown(text: str, most: int = 80) -> str:
    """On one line, and cut."""
    return short(text, most)


def case_finding(kind: FindingKind, at: Placed, what: str, seen: str) -> Finding:
    return Finding(kind, what, at.side.path, at.case.line, at.case.name, digest(seen))


def file_finding(kind: FindingKind, side: Side, what: str, seen: str = "") -> Finding:
    return Finding(kind, what, side.path, 0, side.path, digest(seen))


@dataclass(frozen=True, slots=True)
class MarkAt:
    side: Side
    mark: Mark


def sides(readings: Iterable[ChangeReading], is_after: bool) -> Iterator[Side]:
    for reading in readings:
        side = reading.after if is_after else reading.before
        if side is not None:
            yield side


def newly_there(
    readings: Sequence[ChangeReading],
    marks: Callable[[Inventory], Iterable[Mark]],
    key: Callable[[Mark], str],
) -> list[MarkAt]:
    """The marks that all files together have more of than before; what was moved is not new."""
    spare = Counter(key(mark) for side in sides(readings, False) for mark in marks(side.inventory))
    fresh = []
    for at in _old_texts_first(readings, marks):
        if spare[key(at.mark)] > 0:
            spare[key(at.mark)] -= 1
        else:
            fresh.append(at)
    return fresh


def _old_texts_first(
    readings: Sequence[ChangeReading], marks: Callable[[Inventory], Iterable[Mark]]
) -> list[MarkAt]:
    """So that of many marks of one kind the ones that are called new are those nobody knew."""
    known = Counter(
        " ".join(mark.text.split())
        for side in sides(readings, False)
        for mark in marks(side.inventory)
    )
    old: list[MarkAt] = []
    new: list[MarkAt] = []
    for side in sides(readings, True):
        for mark in marks(side.inventory):
            text = " ".join(mark.text.split())
            known[text] -= 1
            (old if known[text] >= 0 else new).append(MarkAt(side, mark))
    return old + new
