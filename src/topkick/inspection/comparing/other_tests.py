"""Test files in languages that nobody here can read: compared by their lines and by plain words."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from topkick.core.evidence import Finding, FindingKind
from topkick.inspection.comparing.reading import Reading, Side, digest, newly_there, shown
from topkick.inspection.inventory import Inventory, Mark

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
        if not _missing(Counter(_lines(before)), spare):
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
        first = _missing(Counter(_lines(before)) - Counter(_lines(after)), spare)
        if first:
            what = f"{after.path} no longer says {shown(first, 60)}"
            seen = digest("\n".join(_lines(after)))
            kind = FindingKind.TEST_REWRITTEN
            yield Finding(kind, what, after.path, 0, after.path, seen), before.path


def other_tests_skipped(readings: Sequence[Reading]) -> Iterator[Finding]:
    others = [it for it in readings if is_other(it.before) or is_other(it.after)]
    for at in newly_there(others, _skips, key=lambda mark: " ".join(mark.text.split())):
        is_focus = at.mark.name.startswith("focus")
        kind = FindingKind.TEST_FOCUSED if is_focus else FindingKind.TEST_SKIPPED
        deed = "runs only some of its tests" if is_focus else "skips more than before"
        what = f"{at.side.path} {deed}: {shown(at.mark.text)}"
        seen = digest(at.mark.text)
        yield Finding(kind, what, at.side.path, at.mark.line, at.side.path, seen)


def _skips(inventory: Inventory) -> tuple[Mark, ...]:
    return inventory.whole_skips


def _missing(lost: Counter[str], spare: Counter[str]) -> str:
    """The first line that is nowhere now; those that are elsewhere are taken from there."""
    first = ""
    for line, count in lost.items():
        if spare[line] < count:
            first = first or line
        spare[line] -= count
    return first


def _gained(readings: Sequence[Reading]) -> Counter[str]:
    """The lines that came, over all test files."""
    gained: Counter[str] = Counter()
    for reading in readings:
        before, after = reading.before, reading.after
        if after is not None and is_other(after):
            old = _lines(before) if before is not None and is_other(before) else ()
            gained.update(Counter(_lines(after)) - Counter(old))
    return gained


def _lines(side: Side) -> Iterator[str]:
    """Those that say something: no blank ones, comments, lone brackets or imports."""
    for raw in side.file.text.split("\n"):
        line = raw.strip()
        if not _BESIDE.match(line) and not _WORDLESS.match(line):
            yield line
