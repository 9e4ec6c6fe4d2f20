"""The tests before and after: which are gone, skipped, focused, emptied or ask something else."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from topkick.checks.model import Finding, FindingKind
from topkick.inspection.change import AcceptedText
from topkick.inspection.compare.cases import (
    Renames,
    is_emptied,
    lost_assertions,
    other_question,
    renames,
)
from topkick.inspection.compare.code import Replacements
from topkick.inspection.compare.match import Matching, match
from topkick.inspection.compare.reader import (
    ChangeReading,
    Placed,
    Side,
    case_finding,
    digest,
    file_finding,
    newly_there,
    shown,
    sides,
)
from topkick.inspection.compare.skips import skipped
from topkick.inspection.compare.surroundings import other_surroundings
from topkick.inspection.inventory import Inventory, Mark

# --- Test files in languages that nobody here can read: compared by their lines and by plain
# words.

_BESIDE = re.compile(
    r"(?:import|package|using|require|require_relative|use|from|include|#include|source|load)\b"
    r"|//|--|/\*|\*|#(?!\[)"
)
_WORDLESS = re.compile(r"[\W_]*\Z")


def is_other(side: Side | None) -> bool:
    return side is not None and side.is_test and not side.is_read and not side.shut


def other_tests_removed(readings: Sequence[ChangeReading]) -> Iterator[Finding]:
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


def other_tests_rewritten(readings: Sequence[ChangeReading]) -> Iterator[tuple[Finding, str]]:
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


def other_tests_skipped(readings: Sequence[ChangeReading]) -> Iterator[Finding]:
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


def _gained(readings: Sequence[ChangeReading]) -> Counter[str]:
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


MANY = 5
"""When a file is gone with more tests than these, that is one finding and not one for each."""
LITTLE = 80
"""A test file without tests and with no more characters than these held none in another form."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """`path` is the test file's before the change."""

    finding: Finding
    path: str


@dataclass(frozen=True, slots=True)
class Compared:
    """`suspicions` need the old tests to be run against the new code; `findings` need nothing."""

    findings: tuple[Finding, ...]
    suspicions: tuple[Suspicion, ...]


def compare_tests(readings: Sequence[ChangeReading], asked: AcceptedText) -> Compared:
    """All changed files as one pool, so that a test may move and change its name."""
    moved = renames(_moves(readings), asked.text)
    matching = _without_broken(match(readings, moved), readings)
    findings = [
        *_strays(matching),
        *skipped(readings, matching),
        *_focused(matching),
        *_emptied(matching),
    ]
    suspicions = [*_rewritten(matching, moved), *_newly_broken(readings)]
    known = {it.path for it in suspicions}
    around = (Suspicion(*it) for it in other_surroundings(readings, matching))
    suspicions += [it for it in around if it.path not in known]
    replacements = Replacements(matching)
    for finding, at in _gone(readings, matching):
        if replacements.has(at):
            suspicions.append(Suspicion(finding, at.side.path))
        else:
            findings.append(finding)
    findings += _vanished(readings)
    return Compared(tuple(findings), tuple(suspicions))


def _moves(readings: Iterable[ChangeReading]) -> Iterator[tuple[str, str]]:
    for reading in readings:
        before, after = reading.before, reading.after
        if before and after and before.path != after.path:
            yield before.path, after.path


# Gone ------------------------------------------------------------------------------------------


def _gone(
    readings: Sequence[ChangeReading], matching: Matching
) -> Iterator[tuple[Finding, Placed]]:
    by_file: dict[int, list[Placed]] = defaultdict(list)
    for at in matching.gone:
        by_file[at.number].append(at)
    for number, lost in by_file.items():
        why = _why_shut(readings[number])
        if why and len(lost) > MANY:
            side = lost[0].side
            what = f"{side.path} {why}, and with it {len(lost)} tests"
            yield file_finding(FindingKind.TEST_REMOVED, side, what, "gone"), lost[0]
            continue
        for at in lost:
            what = f"{at.short} in {at.side.path} is gone"
            what = f"{what}: the file {why}" if why and why != "is gone" else what
            yield case_finding(FindingKind.TEST_REMOVED, at, what, "gone"), at


def _why_shut(reading: ChangeReading) -> str:
    """Why there is nothing left to be read in the place of a file, or ""."""
    before, after = reading.before, reading.after
    if after is None:
        return "is gone"
    if after.shut and not (before and before.shut):
        return f"is {after.shut} now"
    if after.inventory.broken and not (before and before.inventory.broken):
        return "cannot be parsed any more"
    return ""


def _is_broken_python(reading: ChangeReading) -> bool:
    """No runner can run it."""
    before, after = reading.before, reading.after
    if before is None or after is None or not before.inventory.cases or before.inventory.broken:
        return False
    return after.inventory.broken and after.inventory.language == "python"


def _without_broken(matching: Matching, readings: Sequence[ChangeReading]) -> Matching:
    """What cannot be parsed is one finding; nothing is known of its tests."""
    broken = {number for number, it in enumerate(readings) if _is_broken_python(it)}
    return replace(
        matching,
        pairs=tuple(pair for pair in matching.pairs if pair[1].number not in broken),
        gone=tuple(at for at in matching.gone if at.number not in broken),
        fresh=tuple(at for at in matching.fresh if at.number not in broken),
    )


def _vanished(readings: Sequence[ChangeReading]) -> Iterator[Finding]:
    """Test files in which nobody could see a test, and that are shut, gone or aside now; and
    Python that cannot be parsed."""
    kept = {side.inventory.essence for side in sides(readings, True) if side.is_collected}
    for reading in readings:
        before, after = reading.before, reading.after
        if before is None or not before.is_collected:
            continue
        if _is_broken_python(reading):
            assert after is not None
            what = f"{after.path} cannot be parsed any more"
            yield file_finding(FindingKind.TEST_REMOVED, after, what, "broken")
        elif _held_something(before) and before.inventory.essence not in kept:
            if after is None or (after.shut and not before.shut):
                what = f"{before.path} {_why_shut(reading)}"
                yield file_finding(FindingKind.TEST_REMOVED, before, what, "gone")
            elif not after.is_collected:
                what = f"{before.path} is {after.path} now, where no runner looks for tests"
                yield file_finding(FindingKind.TEST_REMOVED, before, what, after.path)


def _held_something(side: Side) -> bool:
    if side.shut:
        return True
    inventory = side.inventory
    return side.is_read and not inventory.cases and len(inventory.essence) > LITTLE


def _newly_broken(readings: Sequence[ChangeReading]) -> Iterator[Suspicion]:
    """Our reader may not know new syntax; the old tests can tell."""
    for reading in readings:
        before, after = reading.before, reading.after
        if before is None or after is None or not before.inventory.cases:
            continue
        inventory = after.inventory
        if inventory.broken and not before.inventory.broken and inventory.language != "python":
            what = f"{after.path} cannot be parsed any more"
            finding = file_finding(FindingKind.TEST_REMOVED, after, what, "broken")
            yield Suspicion(finding, before.path)


def _strays(matching: Matching) -> Iterator[Finding]:
    for old, new in matching.stray:
        what = f"{old.short} is in {new.side.path} now, where no runner looks for tests"
        yield case_finding(FindingKind.TEST_REMOVED, old, what, new.side.path)


# Focused, emptied, rewritten --------------------------------------------------------------------


def _focused(matching: Matching) -> Iterator[Finding]:
    for old, new in [*matching.pairs, *((None, it) for it in matching.fresh)]:
        if new.case.focused and not (old and old.case.focused):
            what = f"only {new.short} and others with such a mark run now"
            yield case_finding(FindingKind.TEST_FOCUSED, new, what, "focused")


def _emptied(matching: Matching) -> Iterator[Finding]:
    for old, new in matching.pairs:
        if is_emptied(old.case, new.case) and not _is_skipped(new):
            what = f"{new.short} asserts nothing any more"
            yield case_finding(FindingKind.TEST_EMPTIED, new, what, new.case.essence)


def _is_skipped(at: Placed) -> bool:
    """Always: then that is what there is to say of it."""
    return bool(at.case.skip) and not at.case.skip_if


def _rewritten(matching: Matching, moved: Renames) -> Iterator[Suspicion]:
    for old, new in matching.pairs:
        if is_emptied(old.case, new.case) or _is_skipped(new):
            continue
        what = _rewriting(old, new, moved)
        if what:
            finding = case_finding(FindingKind.TEST_REWRITTEN, new, what, new.case.essence)
            yield Suspicion(finding, old.side.path)


def _rewriting(old: Placed, new: Placed, moved: Renames) -> str:
    lost = lost_assertions(old.case, new.case, moved)
    if lost:
        return f"{new.short} no longer says {shown(lost[0], 60)}"
    reason = other_question(old.case, new.case, moved)
    return f"{new.short} may ask something else now: {reason}" if reason else ""
