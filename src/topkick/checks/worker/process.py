"""The checker process: runs check commands one by one and reads git.

It lives as long as its supervisor and handles one question after the other. When the supervisor
dies, or dismisses the checker, its end of the socket closes: the running command is ended with its
tree.
"""

import gc
import os
import shutil
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pygit2

from topkick.checks.model import CheckOutcome, CheckResult, Evidence, Ground, Integration
from topkick.checks.request import (
    Answer,
    Build,
    LastWords,
    LookRequest,
    MergeRequest,
    Question,
    Trip,
    from_line,
    to_line,
)
from topkick.checks.worker.agent_output import heard
from topkick.checks.worker.commands import Commands
from topkick.checks.worker.gate import Gating
from topkick.checks.worker.look import Looking
from topkick.checks.worker.places import commands_for
from topkick.engine.effects import Came, Propose, Share, Upshot
from topkick.engine.errors import TopkickError
from topkick.engine.io import crash_points
from topkick.git.clone.unit_tree import Trees
from topkick.git.landing.moved_branch import BranchMoved
from topkick.git.remote.pull_request import open_pull_request
from topkick.git.remote.shared_files import share_files
from topkick.runner import sandbox
from topkick.runner.process import cgroups, processes
from topkick.runner.process.tree import SignalPipe
from topkick.sprint.gates.model import GateRun

# --- checks that may write only in a scratch directory -----------------------------------------
# They may read everything (CK-23).

BUS = ".msg"
MOST_FILES = 20_000
TOLD = 3
_REFUSED = ("permission denied", "read-only file system", "errno 13", "eacces")
_RULE = "A check may read everything, but write only in $TMPDIR."

Stamp = tuple[int, int, int]


def run_fenced(look: LookRequest, group: str | None, bell: SignalPipe) -> Evidence:
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
    return (sys.executable, "-I", "-S", sandbox.__file__, scratch) if sandbox.is_there() else ()


def _results(look: LookRequest, commands: Commands, bell: SignalPipe) -> Iterator[CheckResult]:
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
    told = f"The check changed {', '.join(changed[:TOLD])}{more}. {_RULE}"
    failed = replace(result, outcome=CheckOutcome.FAILED)
    return replace(failed, excerpt=f"{result.excerpt}\n{told}".strip())


def _explained(result: CheckResult) -> CheckResult:
    refused = any(word in result.excerpt.casefold() for word in _REFUSED)
    if result.passed or not refused:
        return result
    return replace(result, excerpt=f"{result.excerpt}\n{_RULE}")


def lead(fd: int) -> None:
    """Fork a checker for each socket that arrives, until the supervisor is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # each checker's socket shows its end
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=fd) as asker:
        while True:
            asked, lines, _, _ = socket.recv_fds(asker, 1, 1)
            if not asked:
                return
            for line in lines:
                _fork(asker, line)
                os.close(line)


def _fork(asker: socket.socket, line: int) -> None:
    try:
        pid = os.fork()
    except OSError:  # no process slots: the supervisor sees the socket close and asks again
        return
    if pid == 0:
        code = 1
        try:
            asker.close()
            os.setsid()
            main(line)
            code = 0
        finally:
            if code:
                traceback.print_exc()
            os._exit(code)


def main(fd: int) -> None:
    """Answer questions, one line each, until the supervisor is gone."""
    bell = SignalPipe(stop_fd=fd)
    group = None if processes.portable() else cgroups.make(f"topkick-checks-{os.getpid()}")
    try:
        with socket.socket(fileno=fd) as line, line.makefile("rb") as asked:
            me = processes.identify(os.getpid())
            line.sendall(b"%d %d %d\n" % (me.pid, me.started, me.portable))
            while not bell.stops_asked and (question := asked.readline()):
                _answer(line, question, group, bell)
            line.sendall(b"\n")
    except ConnectionError:  # the supervisor is gone
        return
    finally:
        if group is not None:
            cgroups.remove(group)


def _answer(line: socket.socket, question: bytes, group: str | None, bell: SignalPipe) -> None:
    asked = from_line(question)
    assert isinstance(asked, Question)
    found = _found(asked, group, bell)
    if not bell.stops_asked:
        crash_points.here("checker.before-answer")
        line.sendall(to_line(found))
        crash_points.here("checker.after-answer")


def _found(asked: Question, group: str | None, bell: SignalPipe) -> Answer:
    match asked:
        case MergeRequest():
            return _merged(asked)
        case Build():
            return _built(asked, group, bell)
        case Trip():
            return _gone(asked)
        case LookRequest():
            return _seen(asked, group, bell)


def _built(build: Build, group: str | None, bell: SignalPipe) -> GateRun:
    try:
        return Gating(build, group, bell).run()
    except (TopkickError, pygit2.GitError, OSError) as trouble:
        return GateRun(build.order.units, trouble=str(trouble))


def _seen(look: LookRequest, group: str | None, bell: SignalPipe) -> Ground | Evidence | LastWords:
    try:
        if look.listens:
            return heard(look)
        if look.bare:
            return run_fenced(look, group, bell)
        return Looking(look, group, bell).look()
    except (TopkickError, pygit2.GitError, OSError) as trouble:
        return _cannot(look, str(trouble))


def _merged(merge: MergeRequest) -> Integration:
    try:
        return Trees(merge.ours).integrate(merge)
    except BranchMoved as moved:
        return Integration(trouble=str(moved))
    except (TopkickError, pygit2.GitError, OSError) as trouble:
        return Integration(trouble=f"the work cannot be merged: {trouble}")


def _gone(trip: Trip) -> Upshot:
    try:
        match trip.errand:
            case Share():
                return share_files(trip)
            case Propose():
                return open_pull_request(trip)
    except (TopkickError, pygit2.GitError, OSError) as trouble:
        return Upshot(Came.FAILED, str(trouble))


def _cannot(look: LookRequest, why: str) -> Ground | Evidence:
    """Return the answer for a tree that cannot be read: no unit is charged, and the user is
    asked.
    """
    result = CheckResult("read the repository", CheckOutcome.CANNOT_RUN, None, 0, why)
    return Ground(entry=(result,)) if look.before else Evidence(results=(result,))
