"""The code before and after: stubs, silenced complaints, code that knows that it is tested, and
changes to the test framework itself."""

import re
from collections.abc import Iterator, Sequence

from topkick.core.evidence import Finding, FindingKind
from topkick.inspection.change import Asked
from topkick.inspection.comparing.reading import Reading, Side, digest, newly_there, shown
from topkick.inspection.comparing.stubs_compared import stubs_among
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


def compare_code(readings: Sequence[Reading], asked: Asked) -> tuple[Finding, ...]:
    return (
        *stubs_among(readings, asked),
        *_suppressions(readings, asked),
        *_conditions(readings),
        *_patches(readings),
    )


def _suppressions(readings: Sequence[Reading], asked: Asked) -> Iterator[Finding]:
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


def _conditions(readings: Sequence[Reading]) -> Iterator[Finding]:
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


def _patches(readings: Sequence[Reading]) -> Iterator[Finding]:
    for at in newly_there(readings, lambda it: it.patches, key=_plain):
        what = f"{at.side.path} changes how tests are run: {shown(at.mark.text)}"
        subject = at.mark.name or shown(at.mark.text, 40)
        seen = digest(_plain(at.mark))
        kind = FindingKind.CHECK_CHANGED
        yield Finding(kind, what, at.side.path, at.mark.line, subject, seen)
