"""Errors from the system at every relevant call, injected by strace into the real program."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from proof.bug_signs import bug_in
from proof.storage.stage import Said, Scene, board_is_current, is_at_work, scratch, wait_for
from topkick.engine.io.files import read_plain

SYSCALLS = {
    "pwrite64": ("ENOSPC", "EIO", "EDQUOT"),
    "pread64": ("EIO",),
    "write": ("ENOSPC", "EROFS"),
    "fsync": ("EIO", "ENOSPC"),
    "fdatasync": ("EIO", "EDQUOT"),
    "openat": ("EMFILE", "EROFS", "EIO"),
    "rename": ("ENOSPC", "EROFS"),
    "link": ("ENOSPC",),
    "linkat": ("EDQUOT",),
    "mkdir": ("ENOSPC", "EROFS"),
    "mknodat": ("EROFS",),
    "ftruncate": ("ENOSPC", "EIO"),
    "unlink": ("EROFS", "EIO"),
}
COMMANDS = {
    "start": ("start", "--yes", "--foreground"),
    "resume": ("resume", "--yes", "--foreground"),
    "stop": ("stop",),
    "killall": ("killall",),
    "status": ("status",),
    "check": ("journal", "check"),
}
DOCUMENTED = frozenset({0, 1, 2, 3, 4, 5, 6})
NOTHING_CAN_BE_SAID = 120
HUNG = -1
END_LIMIT_S = 120.0
QUIET_S = 15.0
WAITS = (b"cannot be used now", b"cannot be written to disk")
FINE, SAID, HELD_OUT, UNFIRED = "not felt", "said", "waited", "never fired"
INJECTED = "(INJECTED)"
SEEN_OUT = frozenset({0, 2, 3, 4, 6})
"""The possible exits of a resume before the last one: interrupted work ends first."""
FOLLOWED = ("start", "resume")
LOADING = {"openat", "pread64"}
"""Each process counts separately, and its first calls are those of the loader."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault; `onward`: this call and every later one. `everyone`: each process counts separately,
    also launcher, keepers, checkers and agents.
    """

    command: str
    syscall: str
    error: str
    number: int
    onward: bool
    everyone: bool = False

    def __str__(self) -> str:
        more = "+" if self.onward else ""
        whose = " of everyone" if self.everyone else ""
        return f"{self.command}: {self.syscall}:{self.error}:when={self.number}{more}{whose}"


@dataclass(frozen=True, slots=True)
class Verdict:
    fault: Fault
    name: str
    problems: tuple[str, ...]
    said: str
    fired: bool


# --- the scene before each command ---------------------------------------------------------


def half_way(place: Path) -> Scene:
    """Return a scene: the supervisor is dead, its state file is current, and its agent has ended
    since.
    """
    scene = at_work(place)
    scene.let_go()
    wait_for(lambda: not scene.processes())
    return scene


def at_work(place: Path) -> Scene:
    """Return a scene: the supervisor is dead and its agent at work."""
    scene = Scene(place).make()
    scene.hold(1)
    supervisor = scene.begin("start", "--yes", "--foreground")
    wait_for(scene.starts)
    wait_for(lambda: is_at_work(scene) and board_is_current(scene))
    supervisor.kill()
    supervisor.communicate()
    return scene


def scene_for(command: str, place: Path, template: Path) -> Scene:
    if command == "start":
        return Scene(place).make()
    if command == "killall":
        return at_work(place)
    return moved(template, place)


def moved(template: Path, place: Path) -> Scene:
    """Return a copy of the scene that does not know that it is one."""
    subprocess.run(["cp", "-a", template, place], check=True)
    (place / "project/.git/topkick/main/home.json").unlink(missing_ok=True)
    return Scene(place)


# --- calls ---------------------------------------------------------------------------------


def count_calls(
    command: str, place: Path, template: Path, *, everyone: bool = False
) -> dict[str, list[int]]:
    """Return by system call which calls, in order, concern the project's own files."""
    scene = scene_for(command, place, template)
    log = place.parent / f"{command}.strace"
    try:
        wrap = ("strace", "-y", "-o", str(log), "-e", f"trace={','.join(SYSCALLS)}")
        scene.run(*COMMANDS[command], wrap=(*wrap, "-f") if everyone else wrap)
    finally:
        scene.close()
    found = numbered(log.read_text(errors="replace"), str(scene.root))
    first, *children = found.values()
    if not everyone:
        return first
    names = sorted({name for child in children for name in child} - LOADING)
    return {n: sorted({x for child in children for x in child.get(n, [])}) for n in names}


def numbered(log: str, root: str) -> dict[str, dict[str, list[int]]]:
    """Return the calls by process, in order; strace names the process if it follows several."""
    seen: Counter[tuple[str, str]] = Counter()
    found: dict[str, dict[str, list[int]]] = {}
    for line in log.split("\n"):
        match = re.match(r"(\d+ +)?([a-z0-9]+)\(", line)
        if match is None:
            continue
        who, call = match[1] or "", match[2]
        seen[who, call] += 1
        calls = found.setdefault(who, {})
        if root in line.replace(f"AT_FDCWD<{root}>", ""):
            calls.setdefault(call, []).append(seen[who, call])
    return found


def all_faults(
    calls: dict[str, dict[str, list[int]]], every: int, *, everyone: bool = False
) -> Iterator[Fault]:
    turn = 0
    for command, by_syscall in calls.items():
        for syscall, numbers in by_syscall.items():
            for number in numbers:
                for onward in (False, True):
                    turn += 1
                    errors = SYSCALLS[syscall]
                    if turn % every == 0:
                        error = errors[turn // every % len(errors)]
                        yield Fault(command, syscall, error, number, onward, everyone)


# --- one fault -----------------------------------------------------------------------------


def try_out(fault: Fault, place: Path, template: Path) -> Verdict:
    scene = scene_for(fault.command, place, template)
    try:
        said, waited = run_with_fault(scene, fault)
        fired = INJECTED in log_of(scene).read_text(errors="replace")
        problems = list(judge(scene, fault, said))
    finally:
        scene.close()
    name = HELD_OUT if waited else FINE if said.code in (0, 3) else SAID
    return Verdict(fault, name if fired else UNFIRED, tuple(problems), said.text, fired)


def log_of(scene: Scene) -> Path:
    return scene.place / "fault.strace"


def run_with_fault(scene: Scene, fault: Fault) -> tuple[Said, bool]:
    """Run with the fault; a supervisor that waits for its disk is told to leave."""
    more = "+" if fault.onward else ""
    inject = f"inject={fault.syscall}:error={fault.error}:when={fault.number}{more}"
    whose = ("-f",) if fault.everyone else ()
    log = ("-o", str(log_of(scene)), "-e", f"trace={fault.syscall}")
    wrap = ("strace", *whose, *log, "-e", inject)
    process = scene.begin(*COMMANDS[fault.command], wrap=wrap)
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    said, waited = b"", False
    quiet_since_s = time.monotonic()
    ends_at_s = quiet_since_s + END_LIMIT_S
    while process.poll() is None and time.monotonic() < ends_at_s:
        news = process.stdout.read() or b""
        said += news
        if news:
            quiet_since_s = time.monotonic()
        patience_s = 0.0 if any(words in said for words in WAITS) else QUIET_S
        is_quiet = time.monotonic() - quiet_since_s > patience_s
        if not waited and is_quiet and b"took over" in said:  # from there on it handles signals
            waited = True
            _ask_to_leave(process)
        time.sleep(0.05)
    hung = process.poll() is None
    if hung:
        scene.kill_all()
    code = process.wait()
    if waited and code == -signal.SIGTERM:  # its last output looked like waiting
        code = 6
    os.set_blocking(process.stdout.fileno(), False)
    said += process.stdout.read() or b""
    process.stdout.close()
    return Said(HUNG if hung else code, said.decode("utf-8", "replace")), waited


def _ask_to_leave(tracer: subprocess.Popen[bytes]) -> None:
    for child in psutil.Process(tracer.pid).children():
        with suppress(psutil.Error):
            child.terminate()


def judge(scene: Scene, fault: Fault, said: Said) -> Iterator[str]:
    if said.code == HUNG:
        yield "it hung"
    is_mute = said.code == NOTHING_CAN_BE_SAID and (fault.syscall, fault.onward) == ("write", True)
    if said.code not in DOCUMENTED | {HUNG} and not is_mute:  # its output uses the same call
        yield f"exit code {said.code} is not documented"
    yield from tracebacks(scene, said)
    if fault.command == "killall":
        left = [" ".join(p.cmdline())[:80] for p in scene.processes()]
        if left and "may still be alive" not in said.text and not is_mute:
            yield f"killall left {left}"
    yield from goes_on(scene, said, blocked_is_fine=fault.everyone)


def tracebacks(scene: Scene, said: Said) -> Iterator[str]:
    if bug := bug_in(said.text):
        yield f"a bug:\n{bug[-1500:]}"
    for log in (scene.root / ".git/topkick").rglob("*.log"):
        with suppress(OSError):
            text = read_plain(log, 64 << 20).decode("utf-8", "replace")
            if bug_in(text):
                yield f"a bug in {log.name}:\n{text[-1500:]}"


def goes_on(scene: Scene, said: Said, *, blocked_is_fine: bool = False) -> Iterator[str]:
    """Check that without the fault the plan ends, each order was given once, and nothing is lost.

    Agents that had the fault too have failed, and may have used up their tries.
    """
    before = told(said.text)
    scene.let_go()
    again, words = Said(0, ""), ("--yes", "--foreground")
    for _ in range(3):  # a stop under way is finished first
        again = scene.run("resume", *words)
        if again.code == 2 and "no run here yet" in again.text:
            again = scene.run("start", "--yes", "--foreground")
        if again.code not in SEEN_OUT or bug_in(again.text):
            yield f"without the fault it ended with {again.code}:\n{again.text[-1500:]}"
        if again.code == 0:
            break
        if again.code == 3 and blocked_is_fine:
            words = ("--yes", "--foreground", "--retry-blocked")
    if again.code != 0:
        yield f"resume without the fault ended with {again.code}:\n{again.text[-1500:]}"
        return
    starts = scene.starts()
    if len(starts) != len(set(starts)):
        yield f"an order was carried out twice: {starts}"
    shown = {_what(line) for line in told(scene.run("journal", "show").text)}
    forgotten = [line for line in before if _what(line) not in shown]
    if forgotten:
        yield f"said and then forgotten: {forgotten}"
    checked = scene.run("journal", "check")
    if checked.code != 0:
        yield f"journal check: {checked.text[-800:]}"


def told(text: str) -> list[str]:
    """Return the lines of the story, without their times."""
    found = re.findall(
        r"^(?: *\d+ )?(?:\d{4}-\d\d-\d\d |\d\d-\d\d )?\d\d:\d\d:\d\d (.*)$", text, re.MULTILINE
    )
    return [line.strip() for line in found if not line.startswith("supervisor ")]


def _what(line: str) -> str:
    """Return the line without its subject: a finished run gets its sprint's name later."""
    return line.partition(": ")[2] or line


# --- the campaign --------------------------------------------------------------------------


def run(jobs: int, every: int, commands: list[str]) -> int:
    with scratch() as place:
        template = half_way(place / "template")
        calls = {c: count_calls(c, place / f"count-{c}", template.place) for c in commands}
        for command, found in calls.items():
            print(f"{command}: " + ", ".join(f"{len(n)} {s}" for s, n in sorted(found.items())))
        faults = list(all_faults(calls, every))
        followed = {
            c: count_calls(c, place / f"follow-{c}", template.place, everyone=True)
            for c in commands
            if c in FOLLOWED
        }
        faults += all_faults(followed, every * 8, everyone=True)
        verdicts: list[Verdict] = []

        def one(numbered_fault: tuple[int, Fault]) -> Verdict:
            number, fault = numbered_fault
            here = place / f"case-{number}"
            try:
                return try_out(fault, here, template.place)
            finally:
                shutil.rmtree(here, ignore_errors=True)

        with ThreadPoolExecutor(jobs) as pool:
            for verdict in pool.map(one, enumerate(faults)):
                verdicts.append(verdict)
                if verdict.problems:
                    print(f"\n{verdict.fault}\n  " + "\n  ".join(verdict.problems), flush=True)
                sys.stderr.write(f"\r{len(verdicts)}/{len(faults)} faults ")
                sys.stderr.flush()
    bad = sum(bool(v.problems) for v in verdicts)
    how = Counter(v.name for v in verdicts)
    print(f"\nfaults: {len(verdicts)} injected, {dict(how)}; {bad} bad")
    return bad
