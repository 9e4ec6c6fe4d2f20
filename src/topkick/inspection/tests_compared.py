"""The tests before and after: which are gone, skipped, focused, emptied or ask something else."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from topkick.core.model import Finding, FindingKind
from topkick.inspection.case_compared import (
    Renames,
    is_emptied,
    lost_assertions,
    other_question,
    renames,
)
from topkick.inspection.matching import Matching, match
from topkick.inspection.reading import Placed, Reading, Side, digest, folder, shown

MANY = 5
"""When a file is gone with more tests than these, that is one finding and not one for each."""

# Conditions that people give to a new test because of where it cannot run, not because it fails.
_USUAL_CONDITION = re.compile(
    r"(?:platform|GOOS|os\.name|system\(\)).{0,20}(?:==|startswith|in).{0,6}[\"'](?:win|nt|Win|cyg)"
    r"|target_os\s*=\s*\"windows\"|cfg\(windows\)|os\(Windows\)"
    r"|version_info\s*<|\bwhich\(|find_spec|importorskip|import_module|LookPath"
    r"|testing\.Short\(\)|geteuid|#available|hasattr\("
)


@dataclass(frozen=True, slots=True)
class Compared:
    """`suspicions` need the old tests to be run against the new code; `findings` need nothing."""

    findings: tuple[Finding, ...]
    suspicions: tuple[Suspicion, ...]


@dataclass(frozen=True, slots=True)
class Suspicion:
    """`path` is the test file's before the change."""

    finding: Finding
    path: str


def tests_compared(readings: Sequence[Reading]) -> Compared:
    """All changed files as one pool, so that a test may move and change its name."""
    matching = match(readings)
    moved = renames(_moves(readings))
    findings = [
        *_strays(matching),
        *_skipped(readings, matching),
        *_focused(matching),
        *_emptied(matching),
    ]
    suspicions = [*_rewritten(matching, moved), *_newly_broken(readings)]
    for finding, lost in _gone(readings, matching):
        if _replaced(lost, matching):
            suspicions.append(Suspicion(finding, lost[0].side.path))
        else:
            findings.append(finding)
    findings += _vanished(readings)
    return Compared(tuple(findings), tuple(suspicions))


def _moves(readings: Iterable[Reading]) -> Iterator[tuple[str, str]]:
    for reading in readings:
        before, after = reading.before, reading.after
        if before and after and before.path != after.path:
            yield before.path, after.path


def of_case(kind: FindingKind, at: Placed, what: str, seen: str) -> Finding:
    return Finding(kind, what, at.side.path, at.case.line, at.case.name, digest(seen))


def of_file(kind: FindingKind, side: Side, what: str, seen: str = "") -> Finding:
    return Finding(kind, what, side.path, 0, side.path, digest(seen))


# Gone ------------------------------------------------------------------------------------------


def _gone(
    readings: Sequence[Reading], matching: Matching
) -> Iterator[tuple[Finding, list[Placed]]]:
    by_file: dict[int, list[Placed]] = defaultdict(list)
    for at in matching.gone:
        by_file[at.number].append(at)
    for number, lost in by_file.items():
        why = _why_shut(readings[number])
        if why and len(lost) > MANY:
            side = lost[0].side
            what = f"{side.path} {why}, and with it {len(lost)} tests"
            yield of_file(FindingKind.TEST_REMOVED, side, what, "gone"), lost
            continue
        for at in lost:
            what = f"{at.short} in {at.side.path} is gone"
            what = f"{what}: the file {why}" if why and why != "is gone" else what
            yield of_case(FindingKind.TEST_REMOVED, at, what, "gone"), [at]


def _why_shut(reading: Reading) -> str:
    """Why there is nothing left to be read in the place of a file, or ""."""
    before, after = reading.before, reading.after
    if after is None:
        return "is gone"
    if after.shut and not (before and before.shut):
        return f"is {after.shut} now"
    if after.inventory.broken and not (before and before.inventory.broken):
        return "cannot be parsed any more"
    return ""


def _vanished(readings: Sequence[Reading]) -> Iterator[Finding]:
    """Test files in which nobody could see a test, and which are shut or gone now; Python that
    cannot be parsed, which no runner can run."""
    for reading in readings:
        before, after = reading.before, reading.after
        if before is None or not before.is_test:
            continue
        why = _why_shut(reading)
        if after is not None and after.inventory.broken and before.inventory.cases:
            if why and after.inventory.language == "python":
                yield of_file(FindingKind.TEST_REMOVED, after, f"{after.path} {why}", "broken")
        elif before.shut and (after is None or not after.is_test):
            what = f"{before.path} is gone" if after is None else _uncollected(before, after)
            yield of_file(FindingKind.TEST_REMOVED, before, what, "gone")


def _newly_broken(readings: Sequence[Reading]) -> Iterator[Suspicion]:
    """Our reader may not know new syntax; the old tests can tell."""
    for reading in readings:
        before, after = reading.before, reading.after
        if before is None or after is None or not before.inventory.cases:
            continue
        inventory = after.inventory
        if inventory.broken and not before.inventory.broken and inventory.language != "python":
            what = f"{after.path} cannot be parsed any more"
            finding = of_file(FindingKind.TEST_REMOVED, after, what, "broken")
            yield Suspicion(finding, before.path)


def _uncollected(before: Side, after: Side) -> str:
    return f"{before.path} is {after.path} now, where no runner looks for tests"


def _strays(matching: Matching) -> Iterator[Finding]:
    for old, new in matching.stray:
        what = f"{old.short} is in {new.side.path} now, where no runner looks for tests"
        yield of_case(FindingKind.TEST_REMOVED, old, what, new.side.path)


def _replaced(lost: Sequence[Placed], matching: Matching) -> bool:
    """As many real tests with as many assertions came in the same file or in the same folder."""
    at = lost[0]
    here = [it for it in matching.gone if it.number == at.number]
    there = [it for it in matching.fresh if it.number == at.number]
    if _is_matched_by(here, there):
        return True
    place = folder(at.side.path)
    here = [it for it in matching.gone if folder(it.side.path) == place]
    there = [it for it in matching.fresh if folder(it.side.path) == place]
    return _is_matched_by(here, there)


def _is_matched_by(gone: Sequence[Placed], fresh: Sequence[Placed]) -> bool:
    real = [it for it in fresh if it.case.assertions and not it.skip]
    asserted = sum(len(it.case.assertions) for it in real)
    return len(real) >= len(gone) and asserted >= sum(len(it.case.assertions) for it in gone)


# Skipped, focused, emptied, rewritten ----------------------------------------------------------


def _skipped(readings: Sequence[Reading], matching: Matching) -> Iterator[Finding]:
    kind = FindingKind.TEST_SKIPPED
    whole: set[int] = set()
    for old, new in [*matching.pairs, *((None, it) for it in matching.fresh)]:
        mark = _new_skip(old, new)
        if mark:
            what = f"{new.short} is skipped now: {shown(mark)}"
            what = what if old else f"{new.short} is new and skipped: {shown(mark)}"
            yield of_case(kind, new, what, mark)
        elif new.number not in whole and _is_newly_shut_in(old, new):
            whole.add(new.number)
            yield _whole_skip(new.side)
    for number, reading in enumerate(readings):
        if number not in whole and _has_lost_all_to_a_skip(reading):
            assert reading.after is not None
            yield _whole_skip(reading.after)


def _new_skip(old: Placed | None, new: Placed) -> str:
    if not new.skip:
        return ""
    if old is None:
        condition = new.case.skip_if
        return "" if condition and _USUAL_CONDITION.search(condition) else new.skip
    was, now = old.case, new.case
    if not old.skip:
        return "" if _whole(old.side) else new.skip
    if was.skip_if and was.skip_if != now.skip_if:
        return new.skip  # it was skipped somewhere, and now elsewhere or everywhere
    return ""


def _whole(side: Side) -> str:
    """The mark that keeps the whole file from running."""
    return next((mark.text for mark in side.inventory.whole_skips), "")


def _is_newly_shut_in(old: Placed | None, new: Placed) -> bool:
    mark = _whole(new.side)
    if not mark or new.skip:
        return False
    if old is None:
        return not _USUAL_CONDITION.search(mark)
    return not old.skip and not _whole(old.side)


def _has_lost_all_to_a_skip(reading: Reading) -> bool:
    before, after = reading.before, reading.after
    if before is None or after is None or not after.inventory.whole_skips:
        return False
    return bool(before.inventory.cases) and not _whole(before) and not after.inventory.cases


def _whole_skip(side: Side) -> Finding:
    mark = side.inventory.whole_skips[0]
    what = f"all of {side.path} is skipped now: {shown(mark.text)}"
    seen = digest(mark.text)
    return Finding(FindingKind.TEST_SKIPPED, what, side.path, mark.line, side.path, seen)


def _focused(matching: Matching) -> Iterator[Finding]:
    for old, new in [*matching.pairs, *((None, it) for it in matching.fresh)]:
        if new.case.focused and not (old and old.case.focused):
            what = f"only {new.short} and others with such a mark run now"
            yield of_case(FindingKind.TEST_FOCUSED, new, what, "focused")


def _emptied(matching: Matching) -> Iterator[Finding]:
    for old, new in matching.pairs:
        if is_emptied(old.case, new.case):
            what = f"{new.short} asserts nothing any more"
            yield of_case(FindingKind.TEST_EMPTIED, new, what, new.case.essence)


def _rewritten(matching: Matching, moved: Renames) -> Iterator[Suspicion]:
    for old, new in matching.pairs:
        if is_emptied(old.case, new.case):
            continue
        what = _rewriting(old, new, moved)
        if what:
            finding = of_case(FindingKind.TEST_REWRITTEN, new, what, new.case.essence)
            yield Suspicion(finding, old.side.path)


def _rewriting(old: Placed, new: Placed, moved: Renames) -> str:
    lost = lost_assertions(old.case, new.case, moved)
    if lost:
        return f"{new.short} no longer says {shown(lost[0], 60)}"
    reason = other_question(old.case, new.case, moved)
    return f"{new.short} may ask something else now: {reason}" if reason else ""
