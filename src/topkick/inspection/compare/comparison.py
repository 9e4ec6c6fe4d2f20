"""Everything that speaks against a claim of success in a change: the whole inspection."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from topkick.checks.model import Finding
from topkick.inspection.change import MOST_BYTES, SYMLINK_MODE, AcceptedText, File, FileChange
from topkick.inspection.compare.code import compare_code
from topkick.inspection.compare.permission import permitted
from topkick.inspection.compare.reader import ChangeReading, Side, is_foreign, shown, words
from topkick.inspection.compare.suites import (
    Suspicion,
    compare_tests,
    is_other,
    other_tests_removed,
    other_tests_rewritten,
    other_tests_skipped,
)
from topkick.inspection.inventory import Inventory
from topkick.inspection.languages.common.reader import read
from topkick.inspection.languages.common.testfiles import is_collected, is_test_file
from topkick.inspection.languages.plain import read_plainly
from topkick.inspection.languages.shell import is_shell, read_shell
from topkick.inspection.settings.loosened import loosened
from topkick.inspection.tampering.findings import tampered

MOST_FINDINGS = 200
MOST_JUDGED = 2000
_NO_CODE = words(
    """
    adoc cfg conf css csv gif html ico ini jpeg jpg json lock log markdown md mdx pdf png po rst
    scss sum svg toml tsv txt webp xml yaml yml
    """
)


@dataclass(frozen=True, slots=True)
class Inspection:
    """`suspicions` become findings if the test files `replaced` (their paths before the change)
    fail as they were against the new code, or cannot be run. `unread` are test files in languages
    that are compared by their lines only."""

    findings: tuple[Finding, ...] = ()
    suspicions: tuple[Finding, ...] = ()
    replaced: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def inspect(changes: Sequence[FileChange], asked: AcceptedText) -> Inspection:
    readings = [_read(change) for change in changes if change.before or change.after]
    tests = compare_tests(readings, asked)
    suspicions = [
        *tests.suspicions,
        *(Suspicion(finding, path) for finding, path in other_tests_rewritten(readings)),
    ]
    judged = [replace(it, finding=_judged(it.finding, asked)) for it in _few(suspicions)]
    findings = [
        *tests.findings,
        *other_tests_removed(readings),
        *other_tests_skipped(readings),
        *compare_code(readings, asked),
        *loosened(changes),
        *tampered(changes, asked),
    ]
    clear = [_judged(it, asked) for it in sorted(findings, key=_place)[:MOST_JUDGED]]
    open_ones = [it for it in judged if not it.finding.permitted]
    return Inspection(
        _in_order([*clear, *(it.finding for it in judged if it.finding.permitted)]),
        _in_order(it.finding for it in open_ones),
        tuple(sorted({it.path for it in open_ones})),
        tuple(sorted({path for reading in readings for path in _unread(reading)})),
    )


def _place(finding: Finding) -> tuple[str, int, str]:
    return finding.file, finding.line, finding.kind


def _few(suspicions: Iterable[Suspicion]) -> list[Suspicion]:
    return sorted(suspicions, key=lambda it: _place(it.finding))[:MOST_JUDGED]


def _judged(finding: Finding, asked: AcceptedText) -> Finding:
    allowance = permitted(finding, asked)
    return replace(finding, permitted=allowance) if allowance else finding


def _in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each once; where there are too many, those that nobody permitted stay."""
    once = {(it.id, it.line): it for it in sorted(findings, key=_place)}.values()
    kept = sorted(once, key=lambda it: bool(it.permitted))[:MOST_FINDINGS]
    return tuple(sorted(kept, key=_place))


def _unread(reading: ChangeReading) -> tuple[str, ...]:
    return tuple(it.path for it in (reading.before, reading.after) if it and is_other(it))[-1:]


def _read(change: FileChange) -> ChangeReading:
    if change.before == change.after:
        return ChangeReading(change, None, None)
    return ChangeReading(change, _side(change.before), _side(change.after))


def _side(file: File | None) -> Side | None:
    if file is None or is_foreign(file.path):
        return None
    shut = _shut(file)
    inventory = None
    if not shut and len(file.data) <= MOST_BYTES:
        inventory = read(file.path, file.text)
    is_test = is_test_file(file.path)
    return Side(
        file,
        inventory or (Inventory("") if shut else _plainly(file, is_test)),
        is_read=inventory is not None,
        is_test=is_test,
        is_collected=is_collected(file.path),
        shut=shut,
    )


def _plainly(file: File, is_test: bool) -> Inventory:
    is_code = "." in file.name and file.name.rpartition(".")[2].lower() not in _NO_CODE
    if is_shell(file.path):
        return read_shell(file.path, file.text[:MOST_BYTES])
    return read_plainly(file.text[:MOST_BYTES]) if is_test or is_code else Inventory("")


def _shut(file: File) -> str:
    if file.mode == SYMLINK_MODE:
        return f"a symbolic link to {shown(file.text, 60)}"
    if not file.is_plain:
        return "a submodule"
    return "binary" if b"\0" in file.data else ""
