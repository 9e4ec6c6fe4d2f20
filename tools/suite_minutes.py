"""A pytest plugin: print at the end how many minutes each directory of tests took.

The minutes are those of the tests themselves, with their fixtures, summed over all workers: with
several workers they are more than the clock shows.
"""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

import pytest

Timed = tuple[str, str, float]
"""Node id, phase (setup, call, teardown) and seconds."""


def minutes_by_directory(timed: Iterable[Timed]) -> list[str]:
    """Return a line for each directory below tests/, the longest first, and one for all."""
    seconds: dict[str, float] = defaultdict(float)
    tests: dict[str, set[str]] = defaultdict(set)
    for node_id, _, duration_s in timed:
        directory = directory_of(node_id)
        seconds[directory] += duration_s
        tests[directory].add(node_id)
    rows = sorted(seconds.items(), key=lambda one: -one[1])
    lines = [_line(spent, len(tests[name]), name) for name, spent in rows]
    return [*lines, _line(sum(seconds.values()), sum(map(len, tests.values())), "all")]


def directory_of(node_id: str) -> str:
    """Return the directory of a test below tests/; files that are in tests/ itself share one."""
    parts = PurePosixPath(node_id.partition("::")[0]).parts
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def _line(seconds: float, tests: int, name: str) -> str:
    return f"{seconds / 60:7.1f} min {tests:6} tests  {name}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the minutes, unless the user asked for less output with -q."""
    reports = [
        report
        for found in terminalreporter.stats.values()
        for report in found
        if isinstance(report, pytest.TestReport)
    ]
    if reports and terminalreporter.verbosity >= 0:
        terminalreporter.section("minutes by directory")
        for line in minutes_by_directory((r.nodeid, r.when, r.duration) for r in reports):
            terminalreporter.write_line(line)
