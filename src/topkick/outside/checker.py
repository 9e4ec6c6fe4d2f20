"""The process that looks at a tree: runs check commands one by one and reads git.

It lives as long as its supervisor and takes one look after the other. When the supervisor goes,
or takes a look back, its end of the socket closes: the command under way is ended with its tree.
"""

import gc
import os
import shutil
import signal
import socket
import traceback
from dataclasses import replace
from functools import cache
from pathlib import Path

import pygit2

from topkick.boards import safe
from topkick.core.agents import PLAIN, AgentExit, AgentReport, Ending
from topkick.core.errors import TopkickError
from topkick.core.model import CheckOutcome, CheckResult, Claim, Evidence, Ground, Integration
from topkick.outside.ground import cgroups, crash_points, processes
from topkick.outside.ground.birth import Command
from topkick.outside.ground.claims import parse_claim, read_claim
from topkick.outside.ground.excerpts import Excerpt
from topkick.outside.ground.git_reading import Tree, read_tree
from topkick.outside.ground.looks import Look, Merge, Question, from_line, to_line
from topkick.outside.ground.tree import Bell, Outcome, run_tree
from topkick.outside.trees.locks import free_clone
from topkick.outside.trees.readying import Trees
from topkick.outside.trees.watching import changed_in_main

GRACE_S = 2.0
LONG_SECRET_CHARS = 16


def lead(fd: int) -> None:
    """Fork a checker for each line that is handed over, until the asker is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # each tells by its own line that it is gone
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
    except OSError:  # no processes left: the asker finds the line closed and asks again
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
    """Answer looks, one line each, until the asker is gone."""
    bell = Bell(stop_fd=fd)
    group = None if processes.portable() else cgroups.make(f"topkick-checks-{os.getpid()}")
    try:
        with socket.socket(fileno=fd) as line, line.makefile("rb") as asked:
            me = processes.identify(os.getpid())
            line.sendall(b"%d %d %d\n" % (me.pid, me.started, me.portable))
            while not bell.stops_asked and (question := asked.readline()):
                _answer(line, question, group, bell)
            line.sendall(b"\n")
    except ConnectionError:  # the asker is gone
        return
    finally:
        if group is not None:
            cgroups.remove(group)


def _answer(line: socket.socket, question: bytes, group: str | None, bell: Bell) -> None:
    asked = from_line(question)
    assert isinstance(asked, Question)
    found = _merged(asked) if isinstance(asked, Merge) else _seen(asked, group, bell)
    if not bell.stops_asked:
        crash_points.here("checker.before-answer")
        line.sendall(to_line(found))
        crash_points.here("checker.after-answer")


def _seen(look: Look, group: str | None, bell: Bell) -> Ground | Evidence:
    try:
        return _Looking(look, group, bell).look()
    except (TopkickError, pygit2.GitError, OSError) as trouble:
        return _cannot(look, str(trouble))


def _merged(merge: Merge) -> Integration:
    try:
        return Trees(merge.ours).integrate(merge.directory, merge.commit, merge.told)
    except (TopkickError, pygit2.GitError, OSError) as trouble:
        return Integration(trouble=f"the work cannot be merged: {trouble}")


def _cannot(look: Look, why: str) -> Ground | Evidence:
    """The tree cannot be looked at: nobody is charged, and a person is told."""
    result = CheckResult("read the repository", CheckOutcome.CANNOT_RUN, None, 0, why)
    return Ground(entry=(result,)) if look.before else Evidence(results=(result,))


class NotSaved(TopkickError):
    """The next order could touch work that is nowhere else (N4)."""


class _Looking:
    """One look: the commands in their order, then git, so that what checks leave is seen."""

    def __init__(self, look: Look, group: str | None, bell: Bell) -> None:
        self._look = look
        self._group = group
        self._bell = bell
        self._trees = Trees(look.ours) if look.ours is not None else None

    def look(self) -> Ground | Evidence:
        look = self._look
        if self._trees is not None:
            self._trees.make_ready(look.setup, look.own_files, self._set_up)
        if look.before:
            return self._before()
        results = self._run_all(look.checks)
        always = self._run_all(look.always)
        ahead = None
        if look.ahead is not None and all(r.passed for r in (*results, *always)):
            ahead = self._survey(look.ahead.entry, look.ahead.exit)
        tree = read_tree(Path(look.directory), look.base, whole=look.whole)
        claim, report = _said(look)
        return Evidence(
            results=results,
            always=always,
            head=tree.head if tree is not None else None,
            commits=tree.commits if tree is not None else (),
            substance=tree is not None and tree.substance,
            uncommitted=tree.uncommitted if tree is not None else (),
            claim=claim,
            ahead=None if ahead is None else _standing_on(ahead, tree),
            report=report,
            salvaged=self._salvaged(tree),
            elsewhere=self._elsewhere(),
        )

    def _before(self) -> Ground:
        look = self._look
        for clone in self._trees.clones() if self._trees is not None else ():
            free_clone(clone.at / ".git")
        if self._trees is not None and look.catch_up:
            self._salvaged(read_tree(Path(look.directory), None))
            met = self._trees.catch_up()
            if met.conflicts:
                return Ground(conflicts=met.conflicts, tip=met.tip)
        ground = self._survey(look.entry, look.checks)
        tree = read_tree(Path(look.directory), look.base)
        return replace(_standing_on(ground, tree), salvaged=self._salvaged(tree))

    def _salvaged(self, tree: Tree | None) -> str:
        """What is uncommitted now may be gone after the next order (N4)."""
        if self._trees is None or tree is None or not tree.uncommitted:
            return ""
        if not self._look.salvage_as:
            return ""
        told = f"Uncommitted work in {self._look.inside}, seen by {self._look.id}"
        try:
            return self._trees.salvage(self._look.salvage_as, self._look.inside, told)
        except (pygit2.GitError, OSError) as trouble:
            raise NotSaved(
                f"Uncommitted work in {self._look.directory} cannot be saved: {trouble}.\n"
                "No order is given there before it is. Make room, or commit it, then resume."
            ) from trouble

    def _elsewhere(self) -> tuple[str, ...]:
        """A unit with clones of its own has no business in the user's checkout."""
        if self._look.ours is None or not self._look.since_us:
            return ()
        return changed_in_main(self._look.ours, self._look.since_us / 1e6)

    def _set_up(self, command: str) -> str:
        done = self._run(command)
        return "" if done.passed else done.excerpt or done.outcome.value

    def _survey(self, entry: tuple[str, ...], checks: tuple[str, ...]) -> Ground:
        """Entry criteria first; if one does not hold, nothing else needs to be known."""
        found = self._run_all(entry)
        held = any(not r.passed for r in found)
        results = self._run_all(() if held else checks)
        return Ground(entry=found, passing=tuple(r.command for r in results if r.passed))

    def _run_all(self, commands: tuple[str, ...]) -> tuple[CheckResult, ...]:
        results = []
        for command in commands:
            if self._bell.stops_asked:
                break
            results.append(self._run(command))
        return tuple(results)

    def _run(self, text: str) -> CheckResult:
        kept = Excerpt(self._look.secrets)
        command = Command(
            run_id=self._look.id,
            argv=[*_shell(self._look.env.get("PATH", os.defpath)), text],
            cwd=self._look.project,
            env=dict(self._look.env),
            deadline_s=self._look.timeout_s,
            grace_s=GRACE_S,
            group=self._group,
        )
        outcome = run_tree(command, kept.write, self._bell)
        duration_ms = round((outcome.ended_at - outcome.started_at) * 1000)
        judged = _judge(text, outcome)
        return CheckResult(text, judged, outcome.code, duration_ms, kept.text())


def _said(look: Look) -> tuple[Claim | None, AgentReport | None]:
    """What the agent said of its work, and what its program made known of how it ended."""
    if not look.output_of:
        return None, None
    run_dir = Path(look.output_of)
    if look.program is None or look.program.adapter == PLAIN:
        return read_claim(run_dir, look.secrets), None
    from topkick.outside.agents.listening import heard_all  # by those who need it: it takes time

    heard = heard_all(run_dir, look.program, look.resumed, _long(look.secrets))
    lines = safe.redact(heard.last_said, look.secrets).strip().splitlines()
    claim = parse_claim(lines[-1]) if lines else None
    report = heard.report(look.ended or AgentExit(Ending.STOPPED))
    said = safe.redact(report.said, look.secrets)
    denied = tuple(safe.redact(tool, look.secrets) for tool in report.denied)
    return claim, replace(report, said=said, denied=denied, usage=heard.usage)


def _long(secrets: tuple[str, ...]) -> tuple[str, ...]:
    """Those that no program uses as a word of its own: they can be hidden in the stream itself,
    before anything is shortened and a key cut in two."""
    return tuple(secret for secret in secrets if len(secret) >= LONG_SECRET_CHARS)


def _standing_on(ground: Ground, tree: Tree | None) -> Ground:
    if tree is None:
        return ground
    return replace(ground, head=tree.head, uncommitted=tree.uncommitted)


@cache
def _shell(path: str) -> tuple[str, ...]:
    """People write their criteria for bash; plain sh where there is none."""
    bash = shutil.which("bash", path=path)
    return (bash, "--noprofile", "--norc", "-c") if bash else ("/bin/sh", "-c")


def _judge(text: str, outcome: Outcome) -> CheckOutcome:
    """126 and 127 say that the check itself cannot run here, unless it names a file of the tree."""
    match outcome.how, outcome.code:
        case "exited", 0:
            return CheckOutcome.PASSED
        case "deadline", _:
            return CheckOutcome.TIMED_OUT
        case "exited", 126 | 127 if "/" not in text.split(maxsplit=1)[0]:
            return CheckOutcome.CANNOT_RUN
        case "cannot_start", _:
            return CheckOutcome.CANNOT_RUN
        case _:
            return CheckOutcome.FAILED
