"""Run the judge of a checkpoint at a gate, on the user's session and the merged work.

Artifacts come from the commit. Files that only the user's directory has are copied, and so is the
session's memory, which is newer there: its bus, its wisdom and its reports. What the judge adds to
these is copied back.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from topkick.core.checkpoints import ROLE_SPEC, CheckpointPlan
from topkick.core.evidence import CheckResult
from topkick.outside.checking.commands import Commands
from topkick.outside.ground.files import append_durably, read_plain, replace_atomically
from topkick.outside.trees.composing import NotComposed

MOST_FILES = 5_000
LONGEST_BYTES = 1 << 20
BUS, WISDOM, ARTIFACTS, REPORT = ".msg", "wisdom", "artifacts", "CHECKPOINT-"


def judged(checkpoint: CheckpointPlan, commands: Commands, root: Path) -> CheckResult:
    """Run the judge; `root` is the user's project, of which the commands may use a tree of their
    own.

    Committed code must not be imported as the program (-P) nor change the checks: the role spec is
    the user's.
    """
    here, home = commands.cwd / checkpoint.session, root / checkpoint.session
    home.mkdir(parents=True, exist_ok=True)
    if here.resolve() == home.resolve():
        return _run(checkpoint, commands, root)
    if not here.resolve().is_relative_to(commands.cwd.resolve()):
        raise NotComposed(f"{checkpoint.session} leads out of the project by a link")
    bring(home, here)
    before = wisdom_of(here)
    result = _run(checkpoint, commands, root)
    take_home(here, home, before)
    return result


def _run(checkpoint: CheckpointPlan, commands: Commands, root: Path) -> CheckResult:
    spec = checkpoint.role_spec
    own_spec = spec if spec == ROLE_SPEC else os.fspath(root / spec)
    words = replace(checkpoint, role_spec=own_spec).words
    result = commands.run(shlex.join((sys.executable, "-P", "-m", "topkick", *words)))
    return replace(result, command=checkpoint.command)


def bring(home: Path, here: Path) -> None:
    here.mkdir(parents=True, exist_ok=True)
    for name in _files(home):
        target = here / name
        if _is_memory(name) or not os.path.lexists(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copy2(home / name, target, follow_symlinks=False)


def _is_memory(name: str) -> bool:
    first, _, rest = name.partition("/")
    return first in {BUS, WISDOM} or (first == ARTIFACTS and rest.startswith(REPORT))


def _files(top: Path) -> Iterator[str]:
    """Yield plain files in a fixed order, at most MOST_FILES."""
    left = MOST_FILES
    for directory, below, names in os.walk(top):
        below[:] = sorted(name for name in below if name != ".git")
        for name in sorted(names)[:left]:
            path = Path(directory) / name
            if path.is_file() and not path.is_symlink():
                left -= 1
                yield path.relative_to(top).as_posix()


# --- what the judge added ----------------------------------------------------------------------


def wisdom_of(session: Path) -> Mapping[str, bytes]:
    return {path.name: _read(path) for path in sorted((session / WISDOM).glob("*.md"))}


def take_home(here: Path, home: Path, before: Mapping[str, bytes]) -> None:
    """Copy back what the judge added, wisdom first: a report says that all was done. Nothing is
    added twice.
    """
    for name, now in wisdom_of(here).items():
        added = now.removeprefix(before.get(name, b""))
        if added not in _read(home / WISDOM / name):
            (home / WISDOM).mkdir(exist_ok=True)
            append_durably(home / WISDOM / name, added)
    for path in sorted((here / ARTIFACTS).glob(f"{REPORT}*-report.md")):
        target = home / ARTIFACTS / path.name
        if not os.path.lexists(target):
            target.parent.mkdir(exist_ok=True)
            replace_atomically(target, _read(path), mode=0o644)


def _read(path: Path) -> bytes:
    try:
        return read_plain(path, LONGEST_BYTES)
    except FileNotFoundError:
        return b""
