"""Functions that do nothing where something was asked for."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from topkick.checks.model import Finding, FindingKind
from topkick.inspection.change import AcceptedText
from topkick.inspection.compare.reader import (
    ChangeReading,
    Side,
    digest,
    is_among_tests,
    short_name,
    shown,
    sides,
    words,
)
from topkick.inspection.inventory import Function

_LITERAL_RETURN = re.compile(r"(?:return\s+)?(?P<value>[\"'\d\[({\-.].*|\w+)\Z", re.DOTALL)
_CALL = re.compile(
    r"(?!(?:pub |export |default |async |public |static |private |override |final )*"
    r"(?:def|func|fn|function|class|return|raise|throw|panic|todo|import|from|use|package)\b)"
    r".*\w\("
)
_IN_TESTS = re.compile(r"tests?::")  # Rust has its tests below the code
_TRUTHS = frozenset({"true", "false", "none", "nil", "null", "undefined"})
_NO_BODY = frozenset({"", "pass", "...", "return", "empty", "{}", "return none", "return nil"})
_COMPARISONS = words("__eq__ __bool__ __contains__ equals isEqual eq Equal Equals ==")
_HOOK = re.compile(
    r"(?:on|handle|before|after|visit|leave|enter|pre|post|did|will|setup|teardown|hook)(?:_|(?=[A-Z])|$)"
    r"|set_?[uU]p$|tear_?[dD]own$|(?:On|Handle|Before|After|Visit)(?=[A-Z])"
)
_LATER = re.compile(
    r"\b(?:later|next sprint|another sprint|a following sprint|stays?|remains?|untouched|unchanged"
    r"|as (?:it|they) (?:is|are)|out of scope|not part of|not yet)\b",
    re.IGNORECASE,
)
_PIECE = re.compile(r"\n|(?<=[.!?;])\s")
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


def stubs_among(readings: Sequence[ChangeReading], asked: AcceptedText) -> Iterator[Finding]:
    sources = [it for it in readings if not it.is_test and not _is_among_tests(it)]
    fresh = list(_newly_stubs(sources))
    nothing_else = bool(fresh) and _adds_nothing_else(sources, len(fresh))
    real = {
        f.name for side in sides(sources, False) for f in side.inventory.functions if not f.stub
    }
    for side, function in fresh:
        is_asked_for = _is_asked_for(_short(function), asked.text)
        is_asked_for = is_asked_for and not _is_an_answer(function, asked.text)
        is_dropped = function.unused and function.name in real
        is_all = nothing_else and _does_nothing(function) and not _is_hook(function)
        if function.loud or is_asked_for or is_dropped or is_all:
            yield _finding(side, function, f"is a stub: {shown(function.stub, 40)}")
        elif _equals_everything(function):
            yield _finding(side, function, "answers the same whatever it is compared with")
    for side, function in _still_stubs(sources, asked.text):
        yield _finding(side, function, f"is still a stub: {shown(function.stub, 40)}")


def _finding(side: Side, function: Function, what: str) -> Finding:
    told, seen = f"{function.name} {what}", digest(function.stub)
    return Finding(FindingKind.STUB, told, side.path, function.line, function.name, seen)


def _short(function: Function) -> str:
    return short_name(function.name).rpartition(".")[2]


def _does_nothing(function: Function) -> bool:
    return function.unused or function.stub.lower() in _NO_BODY


def _is_hook(function: Function) -> bool:
    """A method that is there to be overridden."""
    is_method = "." in function.name or "::" in function.name
    return is_method and bool(_HOOK.match(_short(function)))


def _equals_everything(function: Function) -> bool:
    stub = function.stub.lower().rstrip(";")
    if _short(function) in ("__ne__", "!="):
        return stub in ("return true", "return false")
    return _short(function) in _COMPARISONS and stub == "return true"


def _still_stubs(sources: Sequence[ChangeReading], text: str) -> Iterator[tuple[Side, Function]]:
    """What the sprint names and was a stub before: another one now, or one that says so itself."""
    done = {
        _short(f) for side in sides(sources, True) for f in side.inventory.functions if _is_real(f)
    }
    for reading in sources:
        before, after = reading.before, reading.after
        if before is None or after is None or before.file == after.file:
            continue
        was = {it.name: it.stub for it in before.inventory.functions if it.stub}
        for function in after.inventory.functions:
            if function.name not in was or not function.stub or function.is_abstract:
                continue
            is_other = was[function.name] != function.stub
            if not is_other and (not function.loud or _short(function) in done):
                continue
            is_wanted = _is_asked_now(_short(function), text)
            if is_wanted and not _is_an_answer(function, text):
                yield after, function


def _is_real(function: Function) -> bool:
    return not function.stub and not function.is_abstract


def _is_asked_now(name: str, text: str) -> bool:
    """Somewhere it is not said that this comes later, or stays as it is."""
    if not _is_asked_for(name, text):
        return False
    return any(_is_asked_for(name, it) and not _LATER.search(it) for it in _PIECE.split(text))


def _is_among_tests(reading: ChangeReading) -> bool:
    return any(
        side is not None and is_among_tests(side.path) for side in (reading.before, reading.after)
    )


def _newly_stubs(sources: Sequence[ChangeReading]) -> Iterator[tuple[Side, Function]]:
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


def _adds_nothing_else(sources: Sequence[ChangeReading], stubs: int) -> bool:
    """Every function that came is a stub, and little came beside them."""
    before = Counter(f.name for side in sides(sources, False) for f in side.inventory.functions)
    empty = {f.name for side in sides(sources, False) for f in side.inventory.functions if f.stub}
    for side in sides(sources, True):
        for function in side.inventory.functions:
            before[function.name] -= 1
            is_new = before[function.name] < 0 or function.name in empty
            if is_new and _is_real(function):
                return False
    lines = _lines(sources, True) - _lines(sources, False)
    return lines.total() <= 4 * stubs and not any(_CALL.match(line) for line in lines)


def _lines(sources: Sequence[ChangeReading], is_after: bool) -> Counter[str]:
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
