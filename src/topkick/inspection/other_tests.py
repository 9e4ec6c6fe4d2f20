"""Test files in languages that nobody here can read: compared by their lines and by plain words."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from topkick.core.model import Finding, FindingKind
from topkick.inspection.inventory import Inventory, Mark
from topkick.inspection.reading import Reading, Side, digest, newly_there, shown

_BESIDE = re.compile(
    r"(?:import|package|using|require|require_relative|use|from|include|#include|source|load)\b"
    r"|//|--|/\*|\*|#(?!\[)"
)
_WORDLESS = re.compile(r"[\W_]*\Z")


def is_other(side: Side | None) -> bool:
    return side is not None and side.is_test and not side.is_read and not side.shut


def other_tests_removed(readings: Sequence[Reading]) -> Iterator[Finding]:
    """A file of which every line is elsewhere now was moved, and not removed."""
    spare = _gained(readings)
    for reading in readings:
        before, after = reading.before, reading.after
        if before is None or not is_other(before):
            continue
        if after is not None and after.is_test and not after.shut:
            continue
        lost = Counter(_lines(before))
        if lost and lost <= spare:
            spare -= lost
            continue
        what = f"{before.path} is gone"
        if after is not None:
            what = f"{before.path} is {after.shut or after.path} now: its tests do not run"
        yield Finding(
            FindingKind.TEST_REMOVED, what, before.path, 0, before.path, digest("gone" + what)
        )


def other_tests_rewritten(readings: Sequence[Reading]) -> Iterator[tuple[Finding, str]]:
    """Findings of lines that are lost, each with the path of the file before the change."""
    spare = _gained(readings)
    for reading in readings:
        before, after = reading.before, reading.after
        if before is None or after is None or not is_other(before) or not is_other(after):
            continue
        lost = Counter(_lines(before)) - Counter(_lines(after))
        missing = lost - spare
        spare -= lost - missing
        if missing:
            first = next(line for line in _lines(before) if missing[line])
            what = f"{after.path} no longer says {shown(first, 60)}"
            seen = digest("\n".join(_lines(after)))
            kind = FindingKind.TEST_REWRITTEN
            yield Finding(kind, what, after.path, 0, after.path, seen), before.path


def other_tests_skipped(readings: Sequence[Reading]) -> Iterator[Finding]:
    others = [it for it in readings if is_other(it.before) or is_other(it.after)]
    for at in newly_there(others, _skips, key=lambda mark: " ".join(mark.text.split())):
        what = f"{at.side.path} skips more than before: {shown(at.mark.text)}"
        subject = at.mark.name or at.side.path
        seen = digest(at.mark.text)
        yield Finding(
            FindingKind.TEST_SKIPPED, what, at.side.path, at.mark.line, subject, seen
        )


def _skips(inventory: Inventory) -> Iterator[Mark]:
    yield from inventory.whole_skips
    for case in inventory.cases:
        if case.skip or case.skip_if:
            yield Mark(case.line, case.skip or case.skip_if, case.name)


def _gained(readings: Sequence[Reading]) -> Counter[str]:
    """The lines that test files have now and did not have before, over all of them."""
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    for reading in readings:
        if reading.before is not None and is_other(reading.before):
            before.update(_lines(reading.before))
        if reading.after is not None and is_other(reading.after):
            after.update(_lines(reading.after))
    return after - before if before else after


def _lines(side: Side) -> Iterator[str]:
    """Those that say something: no blank ones, comments, lone brackets or imports."""
    for raw in side.file.text.split("\n"):
        line = raw.strip()
        if not _BESIDE.match(line) and not _WORDLESS.match(line):
            yield line
