"""The checker process: runs check commands one by one and reads git.

It lives as long as its supervisor and handles one question after the other. When the supervisor
dies, or dismisses the checker, its end of the socket closes: the running command is ended with its
tree.
"""

import gc
import os
import signal
import socket
import traceback

import pygit2

from topkick.core.errands import Came, Upshot
from topkick.core.errors import TopkickError
from topkick.core.evidence import CheckOutcome, CheckResult, Evidence, Ground, Integration
from topkick.core.gates import GateRun
from topkick.outside.checking.fenced import run_fenced
from topkick.outside.checking.gate import Gating
from topkick.outside.checking.looking import Looking
from topkick.outside.checking.said import heard
from topkick.outside.ground import cgroups, crash_points, processes
from topkick.outside.ground.looks import (
    Answer,
    Build,
    Heard,
    Look,
    Merge,
    Question,
    Trip,
    from_line,
    to_line,
)
from topkick.outside.ground.tree import Bell
from topkick.outside.trees.errands import go
from topkick.outside.trees.moved import BranchMoved
from topkick.outside.trees.readying import Trees


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
    bell = Bell(stop_fd=fd)
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


def _answer(line: socket.socket, question: bytes, group: str | None, bell: Bell) -> None:
    asked = from_line(question)
    assert isinstance(asked, Question)
    found = _found(asked, group, bell)
    if not bell.stops_asked:
        crash_points.here("checker.before-answer")
        line.sendall(to_line(found))
        crash_points.here("checker.after-answer")


def _found(asked: Question, group: str | None, bell: Bell) -> Answer:
    match asked:
        case Merge():
            return _merged(asked)
        case Build():
            return _built(asked, group, bell)
        case Trip():
            return _gone(asked)
        case Look():
            return _seen(asked, group, bell)


def _built(build: Build, group: str | None, bell: Bell) -> GateRun:
    try:
        return Gating(build, group, bell).run()
    except (TopkickError, pygit2.GitError, OSError) as trouble:
        return GateRun(build.order.units, trouble=str(trouble))


def _seen(look: Look, group: str | None, bell: Bell) -> Ground | Evidence | Heard:
    try:
        if look.listens:
            return heard(look)
        if look.bare:
            return run_fenced(look, group, bell)
        return Looking(look, group, bell).look()
    except (TopkickError, pygit2.GitError, OSError) as trouble:
        return _cannot(look, str(trouble))


def _merged(merge: Merge) -> Integration:
    try:
        return Trees(merge.ours).integrate(merge)
    except BranchMoved as moved:
        return Integration(trouble=str(moved))
    except (TopkickError, pygit2.GitError, OSError) as trouble:
        return Integration(trouble=f"the work cannot be merged: {trouble}")


def _gone(trip: Trip) -> Upshot:
    try:
        return go(trip)
    except (TopkickError, pygit2.GitError, OSError) as trouble:
        return Upshot(Came.FAILED, str(trouble))


def _cannot(look: Look, why: str) -> Ground | Evidence:
    """Return the answer for a tree that cannot be read: no unit is charged, and the user is
    asked.
    """
    result = CheckResult("read the repository", CheckOutcome.CANNOT_RUN, None, 0, why)
    return Ground(entry=(result,)) if look.before else Evidence(results=(result,))
