"""Run one command of a check: its own process tree, a time limit, and an excerpt (VF-05)."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from topkick.checks.build_slots import INSIDE, Slots, building
from topkick.checks.missing_tools import Missing, missing_in
from topkick.checks.model import CheckOutcome, CheckResult, Counts
from topkick.engine.io.files import read_plain
from topkick.inspection.test_counts.build_commands import builds
from topkick.inspection.test_counts.count_required import must_count, must_report
from topkick.inspection.test_counts.counts import OutputTally, junit_counts, junit_files
from topkick.runner.keeper.birth import LaunchCommand
from topkick.runner.process.tree import ProcessOutcome, SignalPipe, run_tree
from topkick.text import escape

# --- excerpts of output ------------------------------------------------------------------------
# Secrets are redacted even where the excerpt is cut.

HEAD_BYTES = 600
TAIL_BYTES = 1800
LONGEST_SECRET_BYTES = 1 << 14


class Excerpt:
    """The beginning and the end of an output; the middle is dropped.

    A little more is kept than is shown, so that a secret at the cut is still recognised. `paths`
    are directories that mean nothing to a reader, each with the text to show instead.
    """

    def __init__(self, secrets: tuple[str, ...], paths: tuple[tuple[str, str], ...] = ()) -> None:
        self._secrets = secrets
        self._paths = paths
        hidden = (*secrets, *(path for path, _ in paths))
        longest = max((len(os.fsencode(text)) for text in hidden), default=0)
        self._more = min(longest, LONGEST_SECRET_BYTES)
        self._head = b""
        self._tail = b""
        self._bytes = 0

    def write(self, data: bytes) -> None:
        self._bytes += len(data)
        room = HEAD_BYTES + self._more - len(self._head)
        self._head, rest = self._head + data[:room], data[room:]
        self._tail = (self._tail + rest)[-TAIL_BYTES - self._more :]

    def text(self) -> str:
        head = tail = self._without_secrets(self._head + self._tail)
        if len(self._head) + len(self._tail) < self._bytes:
            # The margin beyond the shown part may hold half a secret.
            head = self._without_secrets(self._head)
            tail = self._without_secrets(self._tail)
            head, tail = head[: len(head) - self._more], tail[self._more :]
        elif len(head) < HEAD_BYTES + TAIL_BYTES:
            return _decoded(head).strip()
        return f"{_decoded(head[:HEAD_BYTES])}\n[...]\n{_decoded(tail[-TAIL_BYTES:])}".strip()

    def _without_secrets(self, data: bytes) -> bytes:
        text = data.decode("utf-8", "surrogateescape")
        for path, shown in self._paths:
            text = text.replace(path, shown)
        return escape.redact(text, self._secrets).encode("utf-8", "surrogateescape")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


GRACE_S = 2.0
MOST_REPORT_BYTES = 1 << 24
PYTEST_OPTIONS = "PYTEST_ADDOPTS"


@dataclass(frozen=True, slots=True)
class Commands:
    """Runs commands in one directory, one after the other, until a stop is requested.

    `report` is the file that pytest is asked to write its results to. A build waits for one of the
    `slots`; the wait does not count as its time. With `behind`, that program runs the shell.
    `paths` of a tree for checks are replaced in the output. `promised` are words of the plan: what
    they name belongs to the work and is not a missing tool.
    """

    id: str
    cwd: Path
    env: Mapping[str, str]
    timeout_s: float
    secrets: tuple[str, ...]
    group: str | None
    bell: SignalPipe
    report: Path
    hidden_path: str = ""
    slots: Slots | None = None
    all_build: bool = False
    behind: tuple[str, ...] = ()
    paths: tuple[tuple[str, str], ...] = ()
    promised: frozenset[str] = frozenset()

    def run_all(self, commands: tuple[str, ...]) -> tuple[CheckResult, ...]:
        results = []
        for command in commands:
            if self.bell.stops_asked:
                break
            results.append(self.run(command))
        return tuple(results)

    def run(self, text: str) -> CheckResult:
        if self.slots is None or not (self.all_build or builds(text)):
            return self._run(text)
        with building(self.slots, self.bell, self._log) as slot:
            if slot is None:  # a stop was requested: the result is not used
                return CheckResult(text, CheckOutcome.FAILED, None, 0, "stopped before it began")
            return replace(self, env={**self.env, INSIDE: "1"})._run(text, slot)

    def _log(self, told: str) -> None:
        """Write to stderr, which is the supervisor's log."""
        sys.stderr.write(f"{self.id} {told}\n")
        sys.stderr.flush()

    def _run(self, text: str, slot: int | None = None) -> CheckResult:
        kept, tally = Excerpt(self.secrets, self.paths), OutputTally()

        def take(data: bytes) -> None:
            kept.write(data)
            tally.write(data)

        self.report.unlink(missing_ok=True)
        command = LaunchCommand(
            run_id=self.id,
            argv=[*self.behind, *_shell(self.env.get("PATH", os.defpath)), text],
            cwd=os.fspath(self.cwd),
            env={**self.env, **_asked_to_report(self.env, self.report)},
            deadline_s=self.timeout_s,
            grace_s=GRACE_S,
            group=self.group,
            keep_fd=slot,
        )
        outcome = run_tree(command, take, self.bell)
        duration_ms = round((outcome.ended_at - outcome.started_at) * 1000)
        named = (*junit_files(text), os.fspath(self.report))
        reported = self._reported(named, outcome.started_at)
        self.report.unlink(missing_ok=True)
        counts = _fewest(tally.counts(), reported)
        judged = _judge(text, outcome, counts, has_report=reported is not None)
        result = CheckResult(text, judged, outcome.code, duration_ms, kept.text(), counts)
        return self._explained(self._lacking(result))

    def _lacking(self, result: CheckResult) -> CheckResult:
        """Recognise a missing tool from the output: a wrapper prints it instead of exiting with
        127.

        A file or module that the work itself must bring is not a tool.
        """
        is_failure = result.outcome in {CheckOutcome.FAILED, CheckOutcome.CANNOT_RUN}
        ran = result.counts is not None and result.counts.ran
        if not is_failure or not result.code or ran:
            return result
        found = missing_in(result.command, result.excerpt, self.promised, self._holds)
        if found is None:
            return result
        if found.owed:
            return replace(result, outcome=CheckOutcome.FAILED)
        return _with_missing(result, found)

    def _holds(self, name: str) -> bool:
        """Return whether the tree has something that could be imported by this name."""
        nearest = [self.cwd, *(path for path in self.cwd.iterdir() if path.is_dir())]
        return any((p / name).is_dir() or (p / f"{name}.py").is_file() for p in nearest)

    def _reported(self, names: tuple[str, ...], started_at: float) -> Counts | None:
        """Return the counts from a report that this command has written."""
        for name in names:
            file = self.cwd / name
            try:
                stat = file.stat()
                if stat.st_mtime < started_at - 1 or stat.st_size > MOST_REPORT_BYTES:
                    continue
                counts = junit_counts(read_plain(file, MOST_REPORT_BYTES, follow_links=True))
                if counts is not None:
                    return counts
            except OSError:
                continue
        return None

    def _explained(self, result: CheckResult) -> CheckResult:
        """Explain a missing program that would be found in a directory that agents can write to."""
        if result.outcome is not CheckOutcome.CANNOT_RUN or not self.hidden_path:
            return result
        program = shutil.which(result.command.split(maxsplit=1)[0], path=self.hidden_path)
        if program is None:
            return result
        told = (
            f"{program} is in a place that agents can write to, so it is not used for checks.\n"
            "Write in topkick.toml how to make it in the tree for checks ([verify] prepare = "
            "[...]), or name it with its path in the criterion."
        )
        return replace(result, excerpt=f"{result.excerpt}\n{told}".strip())


def _with_missing(result: CheckResult, found: Missing) -> CheckResult:
    cannot = CheckOutcome.CANNOT_RUN
    return replace(result, outcome=cannot, missing=found.told, of_tree=found.of_tree)


def _asked_to_report(env: Mapping[str, str], report: Path) -> dict[str, str]:
    """Ask pytest for a report file, which it writes at its very end: an aborted run writes none."""
    given = env.get(PYTEST_OPTIONS, "")
    return {PYTEST_OPTIONS: f"--junitxml={shlex.quote(os.fspath(report))} {given}".strip()}


def _fewest(seen: Counts | None, reported: Counts | None) -> Counts | None:
    """Return the counts that claim less."""
    if seen is None or reported is None:
        return seen or reported
    return min(seen, reported, key=lambda c: (c.passed, -c.failed, -c.skipped))


@cache
def _shell(path: str) -> tuple[str, ...]:
    """Return bash, for which people write their criteria, or sh where there is no bash."""
    bash = shutil.which("bash", path=path)
    return (bash, "--noprofile", "--norc", "-c") if bash else ("/bin/sh", "-c")


def _judge(
    text: str, outcome: ProcessOutcome, counts: Counts | None, *, has_report: bool
) -> CheckOutcome:
    """Judge an outcome. 126 and 127 mean that the check cannot run here, unless it names a file of
    the tree.

    Whatever its exit code, a test command has not passed if it ran no test, did not report how many
    it ran, or reports failures.
    """
    match outcome.how, outcome.code:
        case "exited", 0 if counts is not None and counts.failed:
            return CheckOutcome.FAILED
        case "exited", 0 if counts is not None and counts.ran == 0:
            return CheckOutcome.RAN_NOTHING
        case "exited", 0 if must_report(text) and not has_report:
            return CheckOutcome.RAN_NOTHING
        case "exited", 0 if counts is None and must_count(text):
            return CheckOutcome.RAN_NOTHING
        case "exited", 0:
            return CheckOutcome.PASSED
        case "exited", 5 if must_report(text) and not (counts and (counts.ran or counts.failed)):
            return CheckOutcome.RAN_NOTHING
        case "deadline", _:
            return CheckOutcome.TIMED_OUT
        case "exited", 126 | 127 if "/" not in text.split(maxsplit=1)[0]:
            return CheckOutcome.CANNOT_RUN
        case "cannot_start", _:
            return CheckOutcome.CANNOT_RUN
        case _:
            return CheckOutcome.FAILED
