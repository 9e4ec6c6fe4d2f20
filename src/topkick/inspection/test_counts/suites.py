"""Runners that print a sum for each package, binary or suite: these are added up, with care.

A sum that stands where the runner would print none counts for nothing but its failures.
"""

import json
import re
from dataclasses import dataclass, field

from topkick.checks.model import Counts
from topkick.inspection.test_counts.summaries import Least, name_first, number_first

_N = r"\d{1,9}"


@dataclass(slots=True)
class _Blocks:
    """Sums under headings of their own: under one heading, the smallest; of all, the total."""

    headings: int = 0
    _now: Least | None = None
    _stray: Least = field(default_factory=Least)
    _closed: int = 0
    _passed: int = 0
    _failed: int = 0
    _skipped: int = 0
    _smallest: int | None = None

    def open(self) -> None:
        self._close()
        self.headings += 1
        self._now = Least()

    def add(self, counts: Counts) -> None:
        if self._now is None:
            self._stray.fear(counts)
        else:
            self._now.add(counts)

    def _close(self) -> None:
        if self._now is None or (counts := self._now.counts()) is None:
            return
        self._closed += 1
        self._passed += counts.passed
        self._failed += counts.failed
        self._skipped += counts.skipped
        least = counts.passed if self._smallest is None else min(self._smallest, counts.passed)
        self._smallest, self._now = least, None

    def counts(self, most: int) -> Counts | None:
        """With more headings than there can be, somebody forges: then the smallest sum."""
        self._close()
        if self._closed == 0:
            return None
        passed = self._passed if self.headings <= most else self._smallest or 0
        failed = max(self._failed, self._stray.failed)
        return Counts(passed, failed, max(self._skipped, self._stray.skipped))


_RESULT = re.compile(
    rf"test result: (?:ok|FAILED)\. ({_N} passed; {_N} failed; {_N} ignored); {_N} measured;"
    rf" {_N} filtered out(?:; finished in [\d.]+s)?"
)
_NEXTEST = re.compile(rf" *Summary \[ *[\d.]+s\] +{_N}(?:/{_N})? tests? run: ({_N} .*)")


@dataclass(slots=True)
class Cargo:
    """One block a binary; cargo names each binary on the way. nextest has one sum for all."""

    _blocks: _Blocks = field(default_factory=_Blocks)
    _binaries: int = 0
    _nextest: Least = field(default_factory=Least)

    def line(self, text: str) -> None:
        if re.fullmatch(rf"running {_N} tests?", text):
            self._blocks.open()
        elif match := _RESULT.fullmatch(text):
            self._blocks.add(number_first(match[1]))
        elif re.match(r" +(?:Running (?:unittests |tests/|benches/|\S+ \()|Doc-tests \S)", text):
            self._binaries += 1
        elif match := _NEXTEST.fullmatch(text):
            self._nextest.add(number_first(match[1]))

    def counts(self) -> Counts | None:
        blocks = self._blocks.counts(self._binaries or self._blocks.headings)
        return _sum(blocks, self._nextest.counts())


_SUREFIRE = re.compile(
    rf"(?:\[(?:INFO|WARNING|ERROR)\] )?Tests run: {_N}, Failures: {_N}, Errors: {_N}, Skipped: {_N}"
)


@dataclass(slots=True)
class Surefire:
    """One sum a module, below `Results:`."""

    _blocks: _Blocks = field(default_factory=_Blocks)

    def line(self, text: str) -> None:
        if re.fullmatch(r"(?:\[INFO\] )?Results *:", text):
            self._blocks.open()
        elif _SUREFIRE.fullmatch(text):
            told = name_first(text.partition(",")[2])
            total = int(text.partition(",")[0].rpartition(" ")[2])
            passed = max(0, total - told.failed - told.skipped)
            self._blocks.add(Counts(passed, told.failed, told.skipped))

    def counts(self) -> Counts | None:
        return self._blocks.counts(self._blocks.headings)


_GO_RESULT = re.compile(r"( *)--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)")
_GO_STEP = re.compile(r"=== (RUN|PAUSE) +(\S+)")
_GO_PACKAGE = re.compile(r"(ok  |FAIL|\?   )\t(\S+)(?:\t(.*))?|testing: warning: no tests to run")


@dataclass(slots=True)
class Go:
    """Told by its tests with -v, by its packages without: then each is one test at least."""

    _known: bool = False
    _running: str = ""
    _disorder: bool = False
    _runs: int = 0
    _fates: dict[str, int] = field(default_factory=lambda: {"PASS": 0, "FAIL": 0, "SKIP": 0})
    _inner_skips: int = 0
    _good: int = 0
    _bad: int = 0

    def line(self, text: str) -> None:
        if match := _GO_STEP.fullmatch(text):
            self._step(match[1], match[2])
        elif match := _GO_RESULT.fullmatch(text):
            self._result(match[1], match[2], match[3])
        elif match := _GO_PACKAGE.fullmatch(text):
            self._known = True
            self._good += match[1] == "ok  " and "[no tests to run]" not in (match[3] or "")
            self._bad += match[1] == "FAIL"

    def _step(self, verb: str, name: str) -> None:
        if "/" in name:
            return
        if verb == "PAUSE":
            self._running = "" if self._running == name else self._running
            return
        self._runs += 1
        self._disorder |= self._running != ""  # a test that prints what only the runner prints
        self._running = name

    def _result(self, indent: str, fate: str, name: str) -> None:
        if indent:
            self._inner_skips += fate == "SKIP"
            return
        self._known = True
        self._fates[fate] += 1
        self._running = "" if self._running == name else self._running

    def counts(self) -> Counts | None:
        if not self._known:
            return None
        failed = max(self._fates["FAIL"], self._bad)
        skipped = self._fates["SKIP"] + self._inner_skips
        if self._runs == 0:
            return Counts(self._good, failed, skipped)
        most = self._runs - self._fates["FAIL"] - self._fates["SKIP"]
        passed = 0 if self._disorder else max(0, min(self._fates["PASS"], most))
        return Counts(passed, failed, skipped)


@dataclass(slots=True)
class GoJson:
    """The events of `go test -json`."""

    _known: bool = False
    _told: dict[str, int] = field(default_factory=dict)

    def line(self, text: str) -> None:
        if not text.startswith("{") or '"Action"' not in text:
            return
        try:
            event = json.loads(text)
        except (ValueError, RecursionError):
            return
        if not isinstance(event, dict) or not isinstance(event.get("Package"), str):
            return
        self._known = True
        action, test = event.get("Action"), event.get("Test")
        if isinstance(action, str) and isinstance(test, str) and test and "/" not in test:
            if action in ("run", "pass", "fail", "skip"):
                self._told[action] = self._told.get(action, 0) + 1
        elif action == "skip" and test:
            self._told["inner"] = self._told.get("inner", 0) + 1

    def counts(self) -> Counts | None:
        if not self._known:
            return None
        run, good, bad, skipped = (self._told.get(k, 0) for k in ("run", "pass", "fail", "skip"))
        passed = max(0, min(good, run - bad - skipped))
        return Counts(passed, bad, skipped + self._told.get("inner", 0))


_SUITE = re.compile(r"Test Suite '(.*)' (started|passed|failed) at .*")
_EXECUTED = re.compile(
    rf"\s*Executed ({_N}) tests?, with (?:({_N}) tests? skipped and )?({_N}) failures?"
    rf" \({_N} unexpected\) in .*"
)
_TEST_RUN = re.compile(rf"\S+ +Test run with ({_N}) tests?(?: in {_N} suites?)? (passed|failed) .*")
_SWIFT_CASE = re.compile(r"\S+ +Test \S.* (skipped|failed after .*)\.?")


@dataclass(slots=True)
class Swift:
    """XCTest sums up every suite and then all; swift-testing sums up once; both may have run."""

    _in_total: bool = False
    _suites: Least = field(default_factory=Least)
    _total: Least = field(default_factory=Least)
    _testing: Least = field(default_factory=Least)
    _cases: dict[str, int] = field(default_factory=lambda: {"skipped": 0, "failed": 0})

    def line(self, text: str) -> None:
        if match := _SUITE.fullmatch(text):
            named = match[1] in ("All tests", "Selected tests") or match[1].endswith(".xctest'")
            self._in_total = named and match[2] != "started"
        elif match := _EXECUTED.fullmatch(text):
            skipped, failed = int(match[2] or 0), int(match[3])
            counts = Counts(max(0, int(match[1]) - skipped - failed), failed, skipped)
            self._suites.add(counts)
            if self._in_total:
                self._total.add(counts)
        elif match := _TEST_RUN.fullmatch(text):
            self._testing.add(Counts(int(match[1]), int(match[2] == "failed")))
        elif match := _SWIFT_CASE.fullmatch(text):
            self._cases["skipped" if match[1] == "skipped" else "failed"] += 1

    def counts(self) -> Counts | None:
        older = self._total.counts() or self._suites.counts()
        if older:
            older = Counts(older.passed, self._suites.failed, self._suites.skipped)
        newer = self._testing.counts()
        if newer:
            failed = max(newer.failed, self._cases["failed"])
            passed = max(0, newer.passed - failed)
            newer = Counts(passed, failed, self._cases["skipped"])
        return _sum(older, newer)


_TAP_CASE = re.compile(r"(not )?ok(?: \d+)?(?: .*)?")
_TAP_MARK = re.compile(r"# *(?:skip|todo)", re.IGNORECASE)
_TAP_PLAN = re.compile(rf"1\.\.({_N})(?: *#.*)?")


@dataclass(slots=True)
class Tap:
    """The Test Anything Protocol, at the outermost level and within its plan."""

    _plan: int | None = None
    _good: int = 0
    _bad: int = 0
    _marked: int = 0

    def line(self, text: str) -> None:
        if match := _TAP_PLAN.fullmatch(text):
            number = int(match[1])
            self._plan = number if self._plan is None else min(self._plan, number)
        elif match := _TAP_CASE.fullmatch(text):
            if _TAP_MARK.search(text):
                self._marked += 1
            elif match[1]:
                self._bad += 1
            else:
                self._good += 1
        elif text.startswith("Bail out!"):
            self._bad += 1

    def counts(self) -> Counts | None:
        if self._plan is None:
            return None
        passed = max(0, min(self._good, self._plan - self._bad - self._marked))
        return Counts(passed, self._bad, self._marked)


def _sum(one: Counts | None, other: Counts | None) -> Counts | None:
    if one is None or other is None:
        return one or other
    passed, failed = one.passed + other.passed, one.failed + other.failed
    return Counts(passed, failed, one.skipped + other.skipped)
