"""What stands around the tests of a file: whether they still meet the code they were written for,
or something that only bears its name."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from topkick.checks.model import Finding, FindingKind
from topkick.inspection.compare.match import Matching
from topkick.inspection.compare.reader import ChangeReading, Side, digest

_DEFINED = re.compile(
    r"\b(?:def|class|func|fn|function|const|let|var|struct|enum)\s+(\w+)|^(\w+)\s*=(?!=)",
    re.MULTILINE,
)
_WORD = re.compile(r"\w+")
_FAKE = re.compile(
    r"\b(?:(?:jest|vi)\.(?:mock|doMock|spyOn|fn)|sinon\.(?:stub|fake|replace)|MagicMock|AsyncMock|Mock"
    r"|patch(?:\.\w{1,40}){0,3}|monkeypatch\.\w{1,40}|mocker\.\w{1,40})\("
)


def other_surroundings(
    readings: Sequence[ChangeReading], matching: Matching
) -> Iterator[tuple[Finding, str]]:
    """Findings of files whose old tests may meet a fake now, with the paths before the change."""
    used: dict[int, set[str]] = defaultdict(set)
    fakes_in_new_tests: Counter[int] = Counter()
    for old, new in matching.pairs:
        if old.number == new.number:
            used[new.number].update(_WORD.findall(old.case.essence))
    for new in matching.fresh:
        fakes_in_new_tests[new.number] += _fakes(new.case.essence)
    for number, names in used.items():
        before, after = readings[number].before, readings[number].after
        if before is None or after is None:
            continue
        reason = _reason(_around(before), _around(after), names, fakes_in_new_tests[number])
        if reason:
            what = f"the tests in {after.path} may ask something else now: {reason}"
            seen = digest(after.inventory.essence)
            kind = FindingKind.TEST_REWRITTEN
            yield Finding(kind, what, after.path, 0, after.path, seen), before.path


def _reason(before: str, after: str, used: Iterable[str], expected_fakes: int) -> str:
    if before == after:
        return ""
    taken = (_defined(after) - _defined(before)).intersection(used)
    if taken:
        return f"{min(taken)} is defined in the file itself"
    if _fakes(after) - expected_fakes > _fakes(before):
        return "it uses more mocks than before"
    return ""


def _around(side: Side) -> str:
    """Rust has its tests below the code."""
    inventory = side.inventory
    if inventory.language == "rust" and not side.is_test:
        return inventory.essence.partition("cfg(test)")[2]
    return inventory.essence


def _defined(essence: str) -> set[str]:
    return {one or other for one, other in _DEFINED.findall(essence)}


def _fakes(essence: str) -> int:
    return len(_FAKE.findall(essence))
