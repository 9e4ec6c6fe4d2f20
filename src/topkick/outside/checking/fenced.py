"""Run commands that may read everything and write only in their own scratch directory (CK-23)."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from topkick.core.evidence import CheckOutcome, CheckResult, Evidence
from topkick.outside.checking.commands import Commands
from topkick.outside.checking.places import commands_for
from topkick.outside.ground import fence
from topkick.outside.ground.looks import Look
from topkick.outside.ground.tree import Bell

BUS = ".msg"
MOST_FILES = 20_000
TOLD = 3
_REFUSED = ("permission denied", "read-only file system", "errno 13", "eacces")
_RULE = "A check may read everything, and write only in $TMPDIR."

Stamp = tuple[int, int, int]


def run_fenced(look: Look, group: str | None, bell: Bell) -> Evidence:
    """Run the checks in the look's directory, with a scratch directory of their own."""
    Path(look.scratch_in).mkdir(parents=True, exist_ok=True)
    scratch = tempfile.mkdtemp(prefix="scratch-", dir=look.scratch_in)
    try:
        commands = commands_for(look, Path(look.directory), group, bell, reports_in=scratch)
        commands = replace(
            commands,
            env={**commands.env, "TMPDIR": scratch, "TOPKICK_SESSION": look.directory},
            behind=_behind(scratch),
        )
        return Evidence(results=tuple(_results(look, commands, bell)))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _behind(scratch: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", fence.__file__, scratch) if fence.is_there() else ()


def _results(look: Look, commands: Commands, bell: Bell) -> Iterator[CheckResult]:
    for command in look.checks:
        if bell.stops_asked:
            return
        before = _standing(commands)
        result = commands.run(command)
        changed = _changed(before, _standing(commands))
        yield _with_change(result, changed) if changed else _explained(result)


def _standing(commands: Commands) -> Mapping[str, Stamp]:
    """Return stamps of all files, if no sandbox protects them."""
    return {} if commands.behind else dict(_stamps(commands.cwd))


def _stamps(top: Path) -> Iterator[tuple[str, Stamp]]:
    left = MOST_FILES
    for directory, below, names in os.walk(top):
        below[:] = sorted(name for name in below if name not in (BUS, ".git"))
        for name in sorted(names)[:left]:
            path = Path(directory) / name
            try:
                found = path.lstat()
            except OSError:
                continue
            left -= 1
            yield os.path.relpath(path, top), (found.st_ino, found.st_size, found.st_ctime_ns)


def _changed(before: Mapping[str, Stamp], after: Mapping[str, Stamp]) -> tuple[str, ...]:
    names = before.keys() | after.keys()
    return tuple(sorted(name for name in names if before.get(name) != after.get(name)))


def _with_change(result: CheckResult, changed: tuple[str, ...]) -> CheckResult:
    more = f" and {len(changed) - TOLD} more" if len(changed) > TOLD else ""
    told = f"It changed {', '.join(changed[:TOLD])}{more}. {_RULE}"
    failed = replace(result, outcome=CheckOutcome.FAILED)
    return replace(failed, excerpt=f"{result.excerpt}\n{told}".strip())


def _explained(result: CheckResult) -> CheckResult:
    refused = any(word in result.excerpt.casefold() for word in _REFUSED)
    if result.passed or not refused:
        return result
    return replace(result, excerpt=f"{result.excerpt}\n{_RULE}")
