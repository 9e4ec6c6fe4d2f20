"""The process that looks at a tree: runs check commands one by one and reads git.

It lives as long as its supervisor and takes one look after the other. When the supervisor goes,
or takes a look back, its end of the socket closes: the command under way is ended with its tree.
"""

import os
import shutil
import socket
from dataclasses import replace
from functools import cache
from pathlib import Path

from topkick.boards import safe
from topkick.core.agents import PLAIN, AgentExit, AgentReport, Ending
from topkick.core.errors import TopkickError
from topkick.core.model import CheckOutcome, CheckResult, Claim, Evidence, Ground
from topkick.outside.agents.listening import heard_all
from topkick.outside.ground import cgroups, crash_points, processes
from topkick.outside.ground.birth import Command
from topkick.outside.ground.claims import parse_claim, read_claim
from topkick.outside.ground.git_reading import Tree, read_tree
from topkick.outside.ground.looks import Look, from_line, to_line
from topkick.outside.ground.tree import Bell, Outcome, run_tree

HEAD_BYTES = 600
TAIL_BYTES = 1800
GRACE_S = 2.0


def main(fd: int) -> None:
    """Answer looks, one line each, until the asker is gone."""
    bell = Bell(stop_fd=fd)
    group = None if processes.portable() else cgroups.make(f"topkick-checks-{os.getpid()}")
    try:
        with socket.socket(fileno=fd) as line, line.makefile("rb") as asked:
            while not bell.stops_asked and (question := asked.readline()):
                _answer(line, question, group, bell)
    except ConnectionError:  # the asker is gone
        return
    finally:
        if group is not None:
            cgroups.remove(group)


def _answer(line: socket.socket, question: bytes, group: str | None, bell: Bell) -> None:
    look = from_line(question)
    assert isinstance(look, Look)
    try:
        found = _Looking(look, group, bell).look()
    except TopkickError as trouble:
        found = _cannot(look, str(trouble))
    if not bell.stops_asked:
        crash_points.here("checker.before-answer")
        line.sendall(to_line(found))
        crash_points.here("checker.after-answer")


def _cannot(look: Look, why: str) -> Ground | Evidence:
    """The tree cannot be looked at: nobody is charged, and a person is told."""
    result = CheckResult("read the repository", CheckOutcome.CANNOT_RUN, None, 0, why)
    return Ground(entry=(result,)) if look.before else Evidence(results=(result,))


class _Looking:
    """One look: the commands in their order, then git, so that what checks leave is seen."""

    def __init__(self, look: Look, group: str | None, bell: Bell) -> None:
        self._look = look
        self._group = group
        self._bell = bell

    def look(self) -> Ground | Evidence:
        look = self._look
        if look.before:
            ground = self._survey(look.entry, look.checks)
            return _standing_on(ground, read_tree(Path(look.directory), look.base))
        results = self._run_all(look.checks)
        always = self._run_all(look.always)
        ahead = None
        if look.ahead is not None and all(r.passed for r in (*results, *always)):
            ahead = self._survey(look.ahead.entry, look.ahead.exit)
        tree = read_tree(Path(look.directory), look.base)
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
        )

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
        kept = _Kept()
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
        excerpt = safe.redact(kept.excerpt(), self._look.secrets)
        return CheckResult(text, _judge(text, outcome), outcome.code, duration_ms, excerpt)


def _said(look: Look) -> tuple[Claim | None, AgentReport | None]:
    """What the agent said of its work, and what its program made known of how it ended."""
    if not look.output_of:
        return None, None
    run_dir = Path(look.output_of)
    if look.program is None or look.program.adapter == PLAIN:
        return read_claim(run_dir, look.secrets), None
    heard = heard_all(run_dir, look.program, look.resumed)
    lines = safe.redact(heard.last_said, look.secrets).strip().splitlines()
    claim = parse_claim(lines[-1]) if lines else None
    report = heard.report(look.ended or AgentExit(Ending.STOPPED))
    said = safe.redact(report.said, look.secrets)
    return claim, replace(report, said=said, usage=heard.usage)


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


class _Kept:
    """The beginning and the end of an output; the middle is not kept."""

    def __init__(self) -> None:
        self._head = b""
        self._tail = b""

    def write(self, data: bytes) -> None:
        room = HEAD_BYTES - len(self._head)
        self._head, rest = self._head + data[:room], data[room:]
        self._tail = (self._tail + rest)[-TAIL_BYTES:]

    def excerpt(self) -> str:
        whole = self._head + self._tail
        if len(whole) < HEAD_BYTES + TAIL_BYTES:
            return whole.decode("utf-8", "replace").strip()
        head = self._head.decode("utf-8", "replace")
        return f"{head}\n[...]\n{self._tail.decode('utf-8', 'replace')}".strip()
