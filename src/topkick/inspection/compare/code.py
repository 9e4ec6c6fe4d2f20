"""The code before and after: stubs, silenced complaints, code that knows that it is tested, and
changes to the test framework itself."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from topkick.checks.model import Finding, FindingKind
from topkick.inspection.change import AcceptedText
from topkick.inspection.compare.cases import literals
from topkick.inspection.compare.match import Matching
from topkick.inspection.compare.reader import (
    ChangeReading,
    Placed,
    Side,
    digest,
    folder,
    newly_there,
    shown,
)
from topkick.inspection.compare.skips import whole_skip
from topkick.inspection.compare.stubs import stubs_among
from topkick.inspection.inventory import Inventory, Mark

_ALL = r"|pre-commit|tox|nox|(?:make|just|task|run|yarn|pnpm) (?:check|ci|verify|all))\b"
_LINTERS = r"\b(?:lint\w*" + _ALL
_TYPERS = r"\b(?:types?|typecheck|type-check" + _ALL
# (what a mark looks like, what a criterion that runs the tool looks like)
_TOOLS = (
    (r"noqa|ruff|flake8|isort|black|fmt:", r"\b(?:ruff|flake8|isort|black)\b|" + _LINTERS),
    (r"pylint", r"\bpylint\b|" + _LINTERS),
    (r"type-?:? ?ignore|mypy|pyright|pyre", r"\b(?:mypy|pyright|pyre|ty|pytype)\b|" + _TYPERS),
    (r"eslint|biome|tslint", r"\b(?:eslint|biome|tslint|xo|standard)\b|" + _LINTERS),
    (r"ts-(?:ignore|expect-error|nocheck)|typescript", r"\b(?:tsc|vue-tsc)\b|" + _TYPERS),
    (
        r"no ?-?cover|coverage|istanbul|c8|v8 ignore|tarpaulin|cov",
        r"\bcoverage\b|--cov|\bcover\w*\b|\bnyc\b|\bc8\b|tarpaulin|llvm-cov|fail[-_]under",
    ),
    (r"nolint|golangci|staticcheck|lint:", r"\b(?:golangci-lint|staticcheck)\b|" + _LINTERS),
    (r"swiftlint", r"\bswiftlint\b|" + _LINTERS),
    (r"clippy|allow|expect", r"\bclippy\b|-D ?warnings|" + _LINTERS),
    (r"nosec|bandit|semgrep", r"\b(?:bandit|semgrep)\b|" + _LINTERS),
)
_TOOL_PATTERNS = tuple(
    (re.compile(mark, re.IGNORECASE), re.compile(run, re.IGNORECASE)) for mark, run in _TOOLS
)


def compare_code(readings: Sequence[ChangeReading], asked: AcceptedText) -> tuple[Finding, ...]:
    return (
        *stubs_among(readings, asked),
        *_suppressions(readings, asked),
        *_conditions(readings),
        *_patches(readings),
    )


def _suppressions(readings: Sequence[ChangeReading], asked: AcceptedText) -> Iterator[Finding]:
    criteria = "\n".join(asked.criteria)
    for at in newly_there(readings, _suppressed, key=_tool_of):
        if not at.mark.name.endswith("-file") and not _is_run(at.mark, criteria):
            continue
        what = f"{at.side.path} silences a complaint: {shown(at.mark.text)}"
        subject = at.mark.name or shown(at.mark.text, 40)
        seen = digest(at.mark.text)
        kind = FindingKind.COMPLAINT_SUPPRESSED
        yield Finding(kind, what, at.side.path, at.mark.line, subject, seen)


def _suppressed(inventory: Inventory) -> tuple[Mark, ...]:
    return inventory.suppressions


def _tool_of(mark: Mark) -> str:
    return mark.name or " ".join(mark.text.split())


def _is_run(mark: Mark, criteria: str) -> bool:
    said = f"{mark.name} {mark.text}" if mark.name else mark.text
    for looks, runs in _TOOL_PATTERNS:
        if looks.search(mark.name) or (not mark.name and looks.search(said)):
            return bool(runs.search(criteria))
    return False


def _conditions(readings: Sequence[ChangeReading]) -> Iterator[Finding]:
    for at in newly_there(readings, lambda it: it.conditions, key=_plain):
        if _is_a_skip(at.side, at.mark):
            continue
        what = f"{at.side.path} behaves otherwise when tested: {shown(at.mark.text)}"
        subject = at.mark.name or shown(at.mark.text, 40)
        seen = digest(_plain(at.mark))
        kind = FindingKind.KNOWS_IT_IS_TESTED
        yield Finding(kind, what, at.side.path, at.mark.line, subject, seen)


def _is_a_skip(side: Side, mark: Mark) -> bool:
    """A condition to skip on is a finding of its own, once."""
    if any(mark.line == it.line for it in side.inventory.whole_skips):
        return True
    text = _bare(mark.text)
    said = {_bare(case.skip_if or case.skip) for case in side.inventory.cases}
    said |= {_bare(it.text) for it in side.inventory.whole_skips}
    return any(it and (it in text or text in it) for it in said)


def _bare(text: str) -> str:
    return "".join(text.split()).replace("'", '"')


def _plain(mark: Mark) -> str:
    return " ".join(mark.text.split())


def _patches(readings: Sequence[ChangeReading]) -> Iterator[Finding]:
    for at in newly_there(readings, lambda it: it.patches, key=_plain):
        what = f"{at.side.path} changes how tests are run: {shown(at.mark.text)}"
        subject = at.mark.name or shown(at.mark.text, 40)
        seen = digest(_plain(at.mark))
        kind = FindingKind.CHECK_CHANGED
        yield Finding(kind, what, at.side.path, at.mark.line, subject, seen)


# --- Whether other tests came in the place of those that are gone, so that it may have been
# honest.

_ROWS = re.compile(r"\bparametrize\b|\.each\b|\brange\b|\bsubTest\b|\brstest\b|\bcase\(|\bfor\b")


class Replacements:
    """As many real tests with as many assertions came in the same file or in the same folder; or
    what a test asked is a row of another test of its file now."""

    def __init__(self, matching: Matching) -> None:
        self._tests: Counter[int | str] = Counter()
        self._assertions: Counter[int | str] = Counter()
        self._rows: dict[int, Counter[str]] = defaultdict(Counter)
        for at in matching.gone:
            self._count(at, -1)
        for at in matching.fresh:
            if _is_real(at):
                self._count(at, 1)
                self._add_rows(at, ())
        for old, new in matching.pairs:
            if _is_real(new) and old.case.essence != new.case.essence:
                self._add_rows(new, literals(old.case.essence))

    def _count(self, at: Placed, by: int) -> None:
        for place in self._places(at):
            self._tests[place] += by
            self._assertions[place] += by * len(at.case.assertions)

    def _add_rows(self, at: Placed, known: Iterable[str]) -> None:
        if _ROWS.search(at.case.essence):
            fresh = Counter(literals(at.case.essence)) - Counter(known)
            self._rows[at.number].update(fresh)

    def _places(self, at: Placed) -> tuple[int, str]:
        return at.number, folder(at.side.path)

    def has(self, at: Placed) -> bool:
        if any(
            self._tests[place] >= 0 and self._assertions[place] >= 0 for place in self._places(at)
        ):
            return True
        rows, asked = self._rows[at.number], set(literals(at.case.essence))
        return bool(asked) and all(rows[it] > 0 for it in asked)


def _is_real(at: Placed) -> bool:
    return bool(at.case.assertions) and not at.skip and not whole_skip(at.side)
