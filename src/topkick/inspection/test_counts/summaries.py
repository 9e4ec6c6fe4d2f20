"""Runners that sum up once a run, on lines of their own. Of several sums the smallest counts."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from topkick.checks.model import Counts

_PASSED = frozenset({"passed", "pass", "passing", "xpassed", "ok"})
_FAILED = frozenset(
    {"failed", "fail", "failing", "failure", "failures", "error", "errors", "cancelled"}
    | {"unexpected successes", "incomplete", "timed out", "exec failed", "leaky"}
)
_SKIPPED = frozenset(
    {"skipped", "skip", "skips", "xfailed", "todo", "pending", "ignored", "disabled", "excluded"}
    | {"expected failures", "expected fail", "invalid", "did not run"}
)
_NUMBER_FIRST = re.compile(r"(\d{1,9}) (expected fail|did not run|timed out|exec failed|[a-z]+)")
_NAME_FIRST = re.compile(r"([A-Za-z][A-Za-z ]{0,24})[=:] *(\d{1,9})")


@dataclass(slots=True)
class Least:
    """Of several sums: the fewest passed, the most failed and the most skipped."""

    passed: int | None = None
    failed: int = 0
    skipped: int = 0

    def add(self, counts: Counts) -> None:
        passed = counts.passed
        self.passed = passed if self.passed is None else min(self.passed, passed)
        self.fear(counts)

    def fear(self, counts: Counts) -> None:
        """Takes only what is bad of it."""
        self.failed = max(self.failed, counts.failed)
        self.skipped = max(self.skipped, counts.skipped)

    def counts(self) -> Counts | None:
        return None if self.passed is None else Counts(self.passed, self.failed, self.skipped)


def _by_fate(pairs: list[tuple[str, int]]) -> Counts:
    sums = [0, 0, 0]
    for name, number in pairs:
        for place, names in enumerate((_PASSED, _FAILED, _SKIPPED)):
            sums[place] += number if name in names else 0
    return Counts(*sums)


def number_first(text: str) -> Counts:
    """`1 failed, 2 passed`."""
    return _by_fate([(name, int(number)) for number, name in _NUMBER_FIRST.findall(text)])


def name_first(text: str) -> Counts:
    """`failures=1, skipped=2` and `Failed: 1, Passed: 2`."""
    found = _NAME_FIRST.findall(text)
    return _by_fate([(name.strip().lower(), int(number)) for name, number in found])


def _of_total(text: str) -> Counts:
    """`3 examples, 1 failure, 1 pending`: what is not told of has passed."""
    told = number_first(text)
    total = int(re.match(r"\D*(\d+)", text)[1])  # type: ignore[index]  # the shape has a number
    return Counts(max(0, total - told.failed - told.skipped), told.failed, told.skipped)


def _of_named_total(text: str) -> Counts:
    told = name_first(text)
    total = int(re.match(r"\D*(\d+)", text)[1])  # type: ignore[index]  # the shape has a number
    return Counts(max(0, total - told.failed - told.skipped), told.failed, told.skipped)


def _ctest(text: str) -> Counts:
    failed, total = (int(n) for n in re.findall(r"(\d+)(?= tests? failed|$)", text)[:2])
    return Counts(max(0, total - failed), failed)


def _none(_text: str) -> Counts:
    return Counts()


@dataclass(frozen=True, slots=True)
class _Shape:
    runner: str
    pattern: re.Pattern[str]
    read: Callable[[str], Counts]


_PYTEST_WORD = (
    r"\d{1,9} (?:passed|failed|skipped|xfailed|xpassed|errors?|deselected|warnings?|rerun"
    r"|subtests passed|subtests failed|subtests skipped)"
)
_PYTEST = (
    rf"(?:{_PYTEST_WORD}(?:, {_PYTEST_WORD})*|no tests ran"
    r"|no tests collected(?: \(\d+ deselected\))?"
    r"|\d+(?:/\d+)? tests? collected(?: \(\d+ deselected\))?(?:, \d+ errors?)?)"
    r" in \d+(?:\.\d+)?s(?: \(\d+:\d+:\d+\))?"
)
_N = r"\d{1,9}"
_SHAPES = tuple(
    _Shape(runner, re.compile(pattern), read)
    for runner, pattern, read in (
        ("pytest", rf"=+ {_PYTEST} =+", number_first),
        ("pytest", _PYTEST, number_first),
        ("jest", rf"Tests: +{_N} \w+(?:, {_N} \w+)*, {_N} total|Tests: +{_N} total", number_first),
        ("jest", r"No tests found(?:, exiting with code \d+| related to files changed.*)", _none),
        ("vitest", rf" *Tests  {_N} [a-z ]+(?: \| {_N} [a-z ]+)* \({_N}\)", number_first),
        ("vitest", r" *Tests  no tests", _none),
        ("vitest", r"(?:include: .*)?No test files found(?:, exiting with code \d+)?", _none),
        (
            "rspec",
            rf"{_N} examples?, {_N} failures?(?:, {_N} (?:pending|errors?[a-z ]*))*",
            _of_total,
        ),
        ("phpunit", rf"OK \({_N} tests?, {_N} assertions?\)", lambda t: _of_total(t[3:])),
        ("phpunit", rf"Tests: {_N}, Assertions: {_N}(?:, [A-Za-z ]+: {_N})*\.", _of_named_total),
        ("phpunit", r"No tests executed!", _none),
        (
            "dotnet",
            rf" *(?:Passed|Failed|Skipped)! +- Failed: +{_N}, Passed: +{_N}, Skipped: +{_N},"
            rf" Total: +{_N}.*",
            name_first,
        ),
        ("ctest", rf"\d{{1,3}}% tests passed, {_N} tests? failed out of {_N}", _ctest),
        ("ctest", r"No tests were found!!!", _none),
        (
            "minitest",
            rf"{_N} (?:runs|tests), {_N} assertions, {_N} failures, {_N} errors, {_N} \w+.*",
            _of_total,
        ),
        ("exunit", rf"(?:{_N} \w+, )*{_N} tests?, {_N} failures?(?:, {_N} \w+)*", _of_total),
        ("deno", rf"(?:ok|FAILED) \| {_N} passed.*\| {_N} failed.*", number_first),
    )
)


@dataclass(slots=True)
class OneLine:
    """Every runner that says all on one line."""

    _found: dict[str, Least] = field(default_factory=dict)

    def line(self, text: str) -> None:
        for shape in _SHAPES:
            if shape.pattern.fullmatch(text):
                self._found.setdefault(shape.runner, Least()).add(shape.read(text))

    def all_counts(self) -> tuple[Counts, ...]:
        return tuple(counts for least in self._found.values() if (counts := least.counts()))


_RAN = re.compile(r"Ran (\d{1,9}) tests? in \d+(?:\.\d+)?s")
_OUTCOME = re.compile(r"(?:OK|FAILED) \(((?:[a-z ]+=\d{1,9}(?:, )?)+)\)")


@dataclass(slots=True)
class Unittest:
    """`Ran 3 tests in 0.1s`, and below it `OK (skipped=1)`."""

    _ran: int | None = None
    _told: Least = field(default_factory=Least)

    def line(self, text: str) -> None:
        if match := _RAN.fullmatch(text):
            number = int(match[1])
            self._ran = number if self._ran is None else min(self._ran, number)
        elif match := _OUTCOME.fullmatch(text):
            self._told.fear(name_first(match[1]))

    def counts(self) -> Counts | None:
        if self._ran is None:
            return None
        failed, skipped = self._told.failed, self._told.skipped
        return Counts(max(0, self._ran - failed - skipped), failed, skipped)


@dataclass(slots=True)
class Tallied:
    """A runner that gives each fate a line: the least passed, the most of the others.

    It is told from others by the lines that it always prints.
    """

    pattern: re.Pattern[str]
    always: frozenset[str]
    _seen: dict[str, int] = field(default_factory=dict)

    def line(self, text: str) -> None:
        if match := self.pattern.fullmatch(text):
            name, number = match["name"], int(match["number"])
            least = name in _PASSED
            old = self._seen.get(name, number)
            self._seen[name] = min(old, number) if least else max(old, number)

    def counts(self) -> Counts | None:
        if not self.always <= self._seen.keys():
            return None
        return _by_fate(list(self._seen.items()))

    def most(self, name: str) -> int:
        return self._seen.get(name, 0)


def mocha() -> Tallied:
    pattern = rf" *(?P<number>{_N}) (?P<name>passing(?= \()|pending$|failing$)(?: \(\d+[a-z]+\))?"
    return Tallied(re.compile(pattern), frozenset({"passing"}))


def playwright() -> Tallied:
    names = r"passed(?= \()|failed$|skipped$|interrupted$|did not run$|flaky$"
    pattern = rf"  (?P<number>{_N}) (?P<name>{names})(?: \([\d.]+[a-z]+\))?"
    return Tallied(re.compile(pattern), frozenset({"passed"}))


def bun() -> Tallied:
    pattern = (
        rf"(?: (?=\d)|(?=Ran \d))(?:Ran )?(?P<number>{_N})"
        r" (?P<name>pass|fail|skip|todo|tests across \d+ files?)(?:\.? \[.*\])?"
    )
    return Tallied(re.compile(pattern), frozenset({"pass", "fail"}))


def node() -> Tallied:
    names = "tests|suites|pass|fail|cancelled|skipped|todo"
    pattern = rf"(?:# |\u2139 )(?P<name>{names}) (?P<number>{_N})"
    return Tallied(re.compile(pattern), frozenset(names.split("|")) - {"cancelled"})
