"""Tests that are kept from running by a mark that was not there before."""

import re
from collections.abc import Iterator, Sequence

from topkick.checks.model import Finding, FindingKind
from topkick.inspection.compare.match import Matching
from topkick.inspection.compare.reader import (
    ChangeReading,
    Placed,
    Side,
    case_finding,
    digest,
    shown,
)

# Conditions that people give to a new test because of where it cannot run, not because it fails.
_USUAL_CONDITION = re.compile(
    r"(?:platform|GOOS|os\.name|system\(\)).{0,20}(?:==|startswith|in).{0,6}[\"'](?:win|nt|Win|cyg)"
    r"|target_os\s*=\s*\"windows\"|cfg\(windows\)|os\(Windows\)"
    r"|version_info\s*<|\bwhich\(|find_spec|importorskip|import_module|LookPath"
    r"|testing\.Short\(\)|geteuid|#available|hasattr\("
    r"|\A(?!.*(?:environ|getenv|\benv\b))(?:not [\w.]+\(.*|[\w.]+(?:\(.*\))? is None\Z)"
)


def skipped(readings: Sequence[ChangeReading], matching: Matching) -> Iterator[Finding]:
    kind = FindingKind.TEST_SKIPPED
    whole: set[int] = set()
    for old, new in [*matching.pairs, *((None, it) for it in matching.fresh)]:
        mark = "" if _is_of_the_whole(new) else _new_skip(old, new)
        if mark:
            what = f"{new.short} is skipped now: {shown(mark)}"
            what = what if old else f"{new.short} is new and skipped: {shown(mark)}"
            yield case_finding(kind, new, what, mark)
        elif new.number not in whole and _is_newly_shut_in(old, new):
            whole.add(new.number)
            yield _of_whole(new.side)
    for number, reading in enumerate(readings):
        if number not in whole and _has_lost_all_to_a_skip(reading):
            assert reading.after is not None
            yield _of_whole(reading.after)


def _is_of_the_whole(at: Placed) -> bool:
    """A reader may say a skip of the file for each of its tests, too."""
    mark = "".join(whole_skip(at.side).split())
    return bool(mark) and bool(at.skip) and "".join(at.case.skip.split()) in mark


def _new_skip(old: Placed | None, new: Placed) -> str:
    if not new.skip:
        return ""
    if old is None:
        condition = new.case.skip_if
        is_usual = "importorskip" in new.skip or _USUAL_CONDITION.search(condition)
        return "" if is_usual else new.skip
    was, now = old.case, new.case
    if _is_shut(old.side):
        return ""
    if not old.skip:
        return new.skip
    if was.skip_if and was.skip_if != now.skip_if:
        return new.skip  # it was skipped somewhere, and now elsewhere or everywhere
    return ""


def whole_skip(side: Side) -> str:
    """The mark that keeps the whole file from running."""
    return next((mark.text for mark in side.inventory.whole_skips), "")


def _is_newly_shut_in(old: Placed | None, new: Placed) -> bool:
    mark = whole_skip(new.side)
    if not mark:
        return False
    if old is None:
        return not _USUAL_CONDITION.search(mark)
    is_old = (old.skip and not _is_of_the_whole(old)) or _is_shut(old.side)
    return not is_old and whole_skip(old.side) != mark


def _is_shut(side: Side) -> bool:
    """Everywhere, and not only where the whole file cannot run."""
    mark = whole_skip(side)
    return bool(mark) and not _USUAL_CONDITION.search(mark)


def _has_lost_all_to_a_skip(reading: ChangeReading) -> bool:
    """Also where no test stands: what `conftest.py` says is for the tests beside it."""
    before, after = reading.before, reading.after
    if after is None or not after.is_read or not whole_skip(after) or after.inventory.cases:
        return False
    if whole_skip(after) == (whole_skip(before) if before else ""):
        return False
    return after.file.name == "conftest.py" or bool(before and before.inventory.cases)


def _of_whole(side: Side) -> Finding:
    mark = side.inventory.whole_skips[0]
    what = f"all of {side.path} is skipped now: {shown(mark.text)}"
    seen = digest(mark.text)
    return Finding(FindingKind.TEST_SKIPPED, what, side.path, mark.line, side.path, seen)
