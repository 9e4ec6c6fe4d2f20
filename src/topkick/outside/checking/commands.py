"""One command of a check: its own process tree, a limit of time, and what is kept of it (VF-05)."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from topkick.core.evidence import CheckOutcome, CheckResult, Counts
from topkick.inspection.counting.building import builds
from topkick.inspection.counting.counts import Tally, junit_counts, junit_files
from topkick.inspection.counting.telling import must_count, must_report
from topkick.inspection.machinery.missing_tools import Missing, missing_in
from topkick.outside.ground.birth import Command
from topkick.outside.ground.building import INSIDE, Slots, building
from topkick.outside.ground.excerpts import Excerpt
from topkick.outside.ground.files import read_plain
from topkick.outside.ground.tree import Bell, Outcome, run_tree

GRACE_S = 2.0
MOST_REPORT_BYTES = 1 << 24
PYTEST_OPTIONS = "PYTEST_ADDOPTS"


@dataclass(frozen=True, slots=True)
class Commands:
    """Runs commands in one place, one after the other, until it is asked to stop.

    `report` is where a runner that can is asked to tell how it went; what builds waits for one of
    the `slots`, and that is no time of its own. With `behind`, that program becomes the shell.
    `paths` of a tree that only checks use are replaced in what the commands print.
    `promised` are the words of the plan: what they name is the work's own, and no missing tool.
    """

    id: str
    cwd: Path
    env: Mapping[str, str]
    timeout_s: float
    secrets: tuple[str, ...]
    group: str | None
    bell: Bell
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
            if slot is None:  # asked to stop: nobody will read it
                return CheckResult(text, CheckOutcome.FAILED, None, 0, "stopped before it began")
            return replace(self, env={**self.env, INSIDE: "1"})._run(text, slot)

    def _log(self, told: str) -> None:
        """To the supervisor's log, which is where a checker's words go."""
        sys.stderr.write(f"{self.id} {told}\n")
        sys.stderr.flush()

    def _run(self, text: str, slot: int | None = None) -> CheckResult:
        kept, tally = Excerpt(self.secrets, self.paths), Tally()

        def take(data: bytes) -> None:
            kept.write(data)
            tally.write(data)

        self.report.unlink(missing_ok=True)
        command = Command(
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
        """A wrapper that lacks a tool says so in words, not by 127; what the work itself is to
        bring is no tool."""
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
        """Whether the tree has something that could be imported by this name."""
        nearest = [self.cwd, *(path for path in self.cwd.iterdir() if path.is_dir())]
        return any((p / name).is_dir() or (p / f"{name}.py").is_file() for p in nearest)

    def _reported(self, names: tuple[str, ...], started_at: float) -> Counts | None:
        """What a report says that this very command has written."""
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
        """A program that is missing here and was to be found where agents can write."""
        if result.outcome is not CheckOutcome.CANNOT_RUN or not self.hidden_path:
            return result
        program = shutil.which(result.command.split(maxsplit=1)[0], path=self.hidden_path)
        if program is None:
            return result
        told = (
            f"{program} is in a place that agents can write to, so it is not used for checks.\n"
            "Say how to make it in a tree of ours ([verify] prepare in topkick.toml), or name it "
            "with its path in the criterion."
        )
        return replace(result, excerpt=f"{result.excerpt}\n{told}".strip())


def _with_missing(result: CheckResult, found: Missing) -> CheckResult:
    cannot = CheckOutcome.CANNOT_RUN
    return replace(result, outcome=cannot, missing=found.told, of_tree=found.of_tree)


def _asked_to_report(env: Mapping[str, str], report: Path) -> dict[str, str]:
    """pytest tells at its very end how it went, in a file: a run that is cut short does not."""
    given = env.get(PYTEST_OPTIONS, "")
    return {PYTEST_OPTIONS: f"--junitxml={shlex.quote(os.fspath(report))} {given}".strip()}


def _fewest(seen: Counts | None, reported: Counts | None) -> Counts | None:
    """Of two tellings, the one that claims less."""
    if seen is None or reported is None:
        return seen or reported
    return min(seen, reported, key=lambda c: (c.passed, -c.failed, -c.skipped))


@cache
def _shell(path: str) -> tuple[str, ...]:
    """People write their criteria for bash; plain sh where there is none."""
    bash = shutil.which("bash", path=path)
    return (bash, "--noprofile", "--norc", "-c") if bash else ("/bin/sh", "-c")


def _judge(text: str, outcome: Outcome, counts: Counts | None, *, has_report: bool) -> CheckOutcome:
    """126 and 127 say that the check itself cannot run here, unless it names a file of the tree.

    A test command that ran no test, or did not come to the end where it tells how many, has not
    passed, whatever it ended with; nor has one that tells of failures.
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
