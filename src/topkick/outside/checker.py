"""The process that looks at a tree: runs check commands one by one and reads git.

Forked ready-made, one for each look; it claims and records like a keeper, so that a look is
never done twice at once and can be ended like an agent.
"""

import os
import shutil
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from topkick.core.model import CheckOutcome, CheckResult, Evidence, Ground
from topkick.outside.ground import cgroups, keeper, processes
from topkick.outside.ground.birth import Command
from topkick.outside.ground.claims import read_claim
from topkick.outside.ground.files import replace_atomically
from topkick.outside.ground.git_reading import Tree, read_tree
from topkick.outside.ground.looks import FINDINGS, LOOKS, Look
from topkick.outside.ground.prefork import launch_loop
from topkick.outside.ground.tree import Bell, Outcome, run_tree

HEAD_BYTES = 600
TAIL_BYTES = 1800


def main(fd: int) -> None:
    """Serve requests, each the path of a run directory that holds a Look."""
    processes.boot_id()
    cgroups.base()
    launch_loop(fd, look)


def look(run_dir: str) -> None:
    keeper.keep(run_dir, run=_look)


def _look(
    run_dir: str,
    order: dict[str, Any],
    group: str | None,
    output: keeper.CappedOutput,
    bell: Bell,
    wire: int,
) -> Outcome:
    del output, wire
    started_at = time.time()
    looking = _Looking(order, group, bell)
    found = looking.at(_read_look(order["stdin_file"]))
    how = "stopped" if bell.stops_asked else "exited"
    if how == "exited":
        kind, body = FINDINGS.encode(found)
        text = f"{kind}\n{body}".encode("utf-8", "surrogatepass")
        replace_atomically(Path(run_dir, "found"), text, durable=False)
    return Outcome(how, 0, None, None, started_at, time.time(), 0.0, 0, [], 0)


def _read_look(path: str) -> Look:
    found = LOOKS.decode("Look", Path(path).read_text("utf-8"))
    assert isinstance(found, Look)
    return found


class _Looking:
    """One look: the commands in their order, then git, so that what checks leave is seen."""

    def __init__(self, order: dict[str, Any], group: str | None, bell: Bell) -> None:
        self._order = order
        self._group = group
        self._bell = bell

    def at(self, look: Look) -> Ground | Evidence:
        if look.before:
            ground = self._survey(look, look.entry, look.checks)
            return _standing_on(ground, read_tree(Path(look.directory), look.base))
        results = self._run_all(look, look.checks)
        always = self._run_all(look, look.always)
        ahead = None
        if look.ahead is not None and all(r.passed for r in (*results, *always)):
            ahead = self._survey(look, look.ahead.entry, look.ahead.exit)
        tree = read_tree(Path(look.directory), look.base)
        return Evidence(
            results=results,
            always=always,
            head=tree.head if tree is not None else None,
            commits=tree.commits if tree is not None else (),
            substance=tree is not None and tree.substance,
            uncommitted=tree.uncommitted if tree is not None else (),
            claim=read_claim(Path(look.output_of)) if look.output_of else None,
            ahead=None if ahead is None else _standing_on(ahead, tree),
        )

    def _survey(self, look: Look, entry: tuple[str, ...], checks: tuple[str, ...]) -> Ground:
        """Entry criteria first; if one does not hold, nothing else needs to be known."""
        found = self._run_all(look, entry)
        held = any(not r.passed for r in found)
        results = self._run_all(look, () if held else checks)
        return Ground(entry=found, passing=tuple(r.command for r in results if r.passed))

    def _run_all(self, look: Look, commands: tuple[str, ...]) -> tuple[CheckResult, ...]:
        results = []
        for command in commands:
            if self._bell.stops_asked:
                break
            results.append(self._run(look, command))
        return tuple(results)

    def _run(self, look: Look, text: str) -> CheckResult:
        kept = _Kept()
        command = Command(
            run_id=self._order["run_id"],
            argv=[*_shell(self._order["env"].get("PATH", os.defpath)), text],
            cwd=look.project,
            env=self._order["env"],
            deadline_s=look.timeout_s,
            grace_s=2.0,
            group=self._group,
        )
        outcome = run_tree(command, kept.write, self._bell)
        return _result(text, outcome, kept.excerpt())


def _standing_on(ground: Ground, tree: Tree | None) -> Ground:
    if tree is None:
        return ground
    return replace(ground, head=tree.head, uncommitted=tree.uncommitted)


@cache
def _shell(path: str) -> tuple[str, ...]:
    """People write their criteria for bash; plain sh where there is none."""
    bash = shutil.which("bash", path=path)
    return (bash, "--noprofile", "--norc", "-c") if bash else ("/bin/sh", "-c")


def _result(text: str, outcome: Outcome, excerpt: str) -> CheckResult:
    duration_ms = round((outcome.ended_at - outcome.started_at) * 1000)
    return CheckResult(text, _judge(text, outcome), outcome.code, duration_ms, excerpt)


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
