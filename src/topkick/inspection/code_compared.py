"""The code before and after: stubs, silenced complaints, code that knows that it is tested, and
changes to the test framework itself."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from topkick.core.model import Finding, FindingKind
from topkick.inspection.change import Asked
from topkick.inspection.inventory import Function, Inventory, Mark
from topkick.inspection.reading import (
    Reading,
    Side,
    digest,
    is_among_tests,
    newly_there,
    short_name,
    shown,
    sides,
    words,
)

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
_LITERAL_RETURN = re.compile(r"(?:return\s+)?(?P<value>[\"'\d\[({\-.].*|\w+)\Z", re.DOTALL)
_CALL = re.compile(
    r"(?!(?:pub |export |default |async |public |static |private |override |final )*"
    r"(?:def|func|fn|function|class|return|raise|throw|panic|todo|import|from|use|package)\b)"
    r".*\w\("
)
_IN_TESTS = re.compile(r"tests?::")  # Rust has its tests below the code
_TRUTHS = frozenset({"true", "false", "none", "nil", "null", "undefined"})
_NO_BODY = frozenset({"", "pass", "...", "return", "empty", "{}", "return none", "return nil"})
_COMMON_WORDS = words(
    """
    add all and any apply as at build call check clean clear close code count create data delete
    do done each end error exit file find first for get go handle has hash help id in index init
    input is item items key keys last len length line list load log main make map match max min
    name new next not of on open or order out output parse pass path pop print process push put
    read remove render replace report reset result return run save score send set size sort start
    state status stop string submit sum summary test text the time to token tokens total type
    update use user validate value values version view walk when with write
    """
)


def compare_code(readings: Sequence[Reading], asked: Asked) -> tuple[Finding, ...]:
    return (
        *_stubs(readings, asked),
        *_suppressions(readings, asked),
        *_conditions(readings),
        *_patches(readings),
    )


# Stubs -----------------------------------------------------------------------------------------


def _stubs(readings: Sequence[Reading], asked: Asked) -> Iterator[Finding]:
    sources = [it for it in readings if not it.is_test and not _is_among_tests(it)]
    fresh = list(_newly_stubs(sources))
    nothing_else = bool(fresh) and _adds_nothing_else(sources, len(fresh))
    real = {
        f.name for side in sides(sources, False) for f in side.inventory.functions if not f.stub
    }
    for side, function in fresh:
        name = short_name(function.name).rpartition(".")[2]
        is_asked_for = _is_asked_for(name, asked.text) and not _is_an_answer(function, asked.text)
        does_nothing = function.unused or function.stub.lower() in _NO_BODY
        is_dropped = function.unused and function.name in real
        if not (function.loud or is_asked_for or is_dropped or (nothing_else and does_nothing)):
            continue
        what = f"{function.name} is a stub: {shown(function.stub, 40)}"
        seen = digest(function.stub)
        yield Finding(FindingKind.STUB, what, side.path, function.line, function.name, seen)


def _is_among_tests(reading: Reading) -> bool:
    return any(
        side is not None and is_among_tests(side.path) for side in (reading.before, reading.after)
    )


def _newly_stubs(sources: Sequence[Reading]) -> Iterator[tuple[Side, Function]]:
    """Functions that were no stubs or not there; a stub that was moved is an old one."""
    known = Counter(
        function.name
        for side in sides(sources, False)
        for function in side.inventory.functions
        if function.stub
    )
    for side in sides(sources, True):
        for function in side.inventory.functions:
            if not function.stub or function.is_abstract or _IN_TESTS.match(function.name):
                continue
            known[function.name] -= 1
            if known[function.name] < 0:
                yield side, function


def _adds_nothing_else(sources: Sequence[Reading], stubs: int) -> bool:
    """Every function that came is a stub, and little came beside them."""
    before = Counter(f.name for side in sides(sources, False) for f in side.inventory.functions)
    for side in sides(sources, True):
        for function in side.inventory.functions:
            before[function.name] -= 1
            if before[function.name] < 0 and not function.stub and not function.is_abstract:
                return False
    lines = _lines(sources, True) - _lines(sources, False)
    return lines.total() <= 4 * stubs and not any(_CALL.match(line) for line in lines)


def _lines(sources: Sequence[Reading], is_after: bool) -> Counter[str]:
    counted: Counter[str] = Counter()
    for side in sides(sources, is_after):
        if side.is_read:
            lines = (line.strip() for line in side.file.text.split("\n"))
            counted.update(
                it for it in lines if any(map(str.isalnum, it)) and it[0] not in "#/*\"'@"
            )
    return counted


def _is_asked_for(name: str, text: str) -> bool:
    """A word that people use anyway is a function's name only where it looks like one."""
    if not name or name not in text:
        return False
    escaped = re.escape(name)
    if name.lower() in _COMMON_WORDS or (len(name) < 4 and name.isalpha()):
        return bool(re.search(rf"(?<!\w){escaped}\(|`[^`\n]*(?<!\w){escaped}(?!\w)[^`\n]*`", text))
    return bool(re.search(rf"(?<!\w){escaped}(?!\w)", text))


def _is_an_answer(function: Function, text: str) -> bool:
    """A function without parameters may answer with a constant that it was asked to answer."""
    stub = function.stub.strip().rstrip(";")
    if function.unused or stub.lower() in _NO_BODY:
        return False
    found = _LITERAL_RETURN.match(stub)
    if found is None:
        return False
    value = found["value"].strip("\"'`")
    return len(value) > 0 and value.lower() not in _TRUTHS and value in text


# Silenced complaints, conditions, patches ------------------------------------------------------


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
