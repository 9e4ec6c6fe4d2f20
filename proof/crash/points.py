"""Where to die: a point's name, and how a process is made to die there.

Measured with strace 6.1: an injected SIGKILL strikes on entry, before the call takes effect, so
the point before a call is the moment after the call before it. `when=N` counts each system call
by its own name. Without -f only the process itself is counted; with -f every process has counts
of its own, from its fork on, and `-b execve` lets go of those that become another program. So a
keeper is reached through the launcher that forks it, while its agent runs free. When one keeper
has died the tracer is killed, which lets its processes go, or the next would die too.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from topkick.engine.io.crash_points import AT, NAMES, TRACE

CALLS = frozenset(
    (
        *("write", "writev", "pwrite64", "pwritev", "fdatasync", "fsync", "ftruncate"),
        *("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat"),
        *("mkdir", "mkdirat", "mknod", "mknodat", "sendto", "sendmsg"),
        *("clone", "clone3", "fork", "vfork"),
        *("kill", "tgkill", "pidfd_send_signal"),
    )
)
LATE = Path(__file__).with_name("late.py")
PROCESSES = ("sup", "cmd", "keep", "look")
OPENING = 40
"""Calls in which the supervisor records that a gate is opened, before it runs."""
_WITHOUT_FILES = frozenset(("clone", "clone3", "fork", "vfork", "sendto", "sendmsg"))
_LINE = re.compile(r"^(?:(\d+) +)?(\w+)\(")
_TOOK_EFFECT = re.compile(r"= \d+$")
_KILLED = re.compile(rb"^(?:\d+ +)?\+\+\+ killed by SIGKILL", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Point:
    """`kind` is a process and its call (`sup.rename`, `cmd.write`, `keep.link`, `look.link`), or a
    name; `look` is a checker, which also clones, merges and saves.

    `again` is the call at which the first recovery dies too (`write.3`).
    """

    scenario: str
    kind: str
    number: int
    again: str = ""

    def __str__(self) -> str:
        again = f"+{self.again}" if self.again else ""
        return f"{self.scenario}:{self.kind}:{self.number}{again}"

    @property
    def is_named(self) -> bool:
        return self.kind in NAMES

    @property
    def process(self) -> str:
        """The process: sup, cmd, keep or look; empty for a name, which any process may pass."""
        return "" if self.is_named else self.kind.partition(".")[0]

    @property
    def call(self) -> str:
        """The system call and its number, in strace's form."""
        return f"{self.kind.partition('.')[2]}.{self.number}"

    @property
    def slug(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", str(self))


def parse(text: str) -> Point:
    scenario, kind, number = text.split(":")
    process, _, call = kind.partition(".")
    if kind not in NAMES and (process not in PROCESSES or call not in CALLS):
        known = ", ".join(PROCESSES)
        raise ValueError(f"{kind} is neither a crash point nor one of {known} and a call")
    first, _, again = number.partition("+")
    return Point(scenario, kind, int(first), again)


# --- killing a process ---------------------------------------------------------------------


def traced(argv: Sequence[str], log: Path, call: str, *, threads: bool = False) -> list[str]:
    """Return the command under strace; it dies at this call, or is only counted.

    With `threads` it dies when any of its threads has come so far.
    """
    return [*_strace(log, call, threads=threads), *argv]


def traced_late(argv: Sequence[str], loads: Iterable[str], log: Path, call: str) -> list[str]:
    """Return the same for an interpreter, traced only after it has loaded these modules."""
    python, *words = argv
    return [python, str(LATE), ",".join(loads), *_strace(log, call), "--", *words]


def _strace(log: Path, call: str, *, threads: bool = False) -> list[str]:
    follow = ["-f", "-b", "execve"] if threads else []
    counting = [] if call else ["-y"]  # with the path of each descriptor
    return ["strace", *follow, *counting, "-qq", "-o", str(log), *_injection(call)]


def _injection(call: str) -> list[str]:
    name, _, number = call.partition(".")
    kill = [f"--inject={name}:signal=SIGKILL:when={number}"] if call else []
    return [f"--trace=execve,{','.join(sorted(CALLS))}", *kill]


FORKING = {"keep": "keeper.keeper", "look": "checks.worker"}
"""The word in a command that identifies the process that a kind is forked from."""


def write_launcher(path: Path, python: str, logs: Mapping[str, tuple[Path, str]]) -> None:
    """Write an interpreter that starts the first launcher of a kind under strace, and all else as
    is.
    """
    lines = ["#!/bin/sh", 'case "$*" in']
    for process, (log, call) in logs.items():
        options = " ".join(["-D", "-f", "-b", "execve", "-qq", "-o", str(log), *_injection(call)])
        traced_ = f'[ -e {log} ] || exec strace {options} {python} "$@"'
        lines.append(f"*{FORKING[process]}*) {traced_} ;;")
    path.write_text("\n".join([*lines, "esac", f'exec {python} "$@"', ""]))
    path.chmod(0o755)


def named(point: Point | None, trace: Path) -> Mapping[str, str]:
    at = {AT: f"{point.kind}:{point.number}"} if point is not None and point.is_named else {}
    return {**at, TRACE: str(trace)}


def sooner(again: str) -> Iterator[str]:
    """Yield earlier calls, for a recovery that has less to do."""
    call, _, number = again.partition(".")
    left = int(number or 0)
    while left := left // 4:
        yield f"{call}.{left}"
    if again:
        yield "write.1"


def was_killed(log: Path) -> bool:
    return killed(log) > 0


def killed(log: Path) -> int:
    return len(_KILLED.findall(log.read_bytes())) if log.exists() else 0


def where(log: Path) -> str:
    """Return the call at which the traced process died."""
    if not log.exists():
        return ""
    lines = _lines(log)
    return lines[-1][:100] if lines and was_killed(log) else ""


# --- counting ------------------------------------------------------------------------------


class Counts(NamedTuple):
    """The number of each system call and of each name's passings.

    `before`: until the supervisor is in control, or is about to build; `look_before`: until the
    checker with the fewest calls builds; `per_event`: calls of the supervisor that are as many at
    any pace.
    """

    sup: Mapping[str, int]
    before: Mapping[str, int]
    cmd: Mapping[str, int]
    keep: Mapping[str, int]
    names: Mapping[str, int]
    look: Mapping[str, int] = MappingProxyType({})
    look_before: Mapping[str, int] = MappingProxyType({})
    per_event: Mapping[str, int] = MappingProxyType({})


def count(log: Callable[[str], Path], *, builds: bool = False) -> Counts:
    """Count the calls; `log` returns the log of a process, or of the names.

    In scenarios with builds only the build counts: the rest is covered by other scenarios.
    """
    lines, looks, trace = _lines(log("sup")), _lines(log("look")), log("names")
    names = Counter(trace.read_text().split()) if trace.exists() else Counter()
    leads = _first(lines, "took over")
    opened = max(leads, _first(lines, '"Build {') - OPENING)
    return Counts(
        _most(lines),
        _by_call(lines[: opened if builds else leads]),
        _by_call(_lines(log("cmd"))),
        _longest(log("keep")),
        names,
        _most(looks),
        _fewest(looks, _first(looks, "/cold-")) if builds else {},
    )


def per_event(log: Path, state: Path, for_people: Sequence[str]) -> Counter[str]:
    """Count the calls of a supervisor that are as many on a slow machine as on a quick one.

    They took effect and belong to an event: files of the state, processes started, questions to
    checkers. A call that only waits, such as another try for the lock, fails. Files `for_people`
    are rewritten as often as there is time for it, and modules that are loaded for the first time
    leave bytecode.
    """
    done = [line for line in _lines(log) if _TOOK_EFFECT.search(line)]
    kept = [line for line in done if not any(name in line for name in for_people)]
    return _most(
        line
        for line in kept
        if f"{state}/" in line or ((match := _LINE.match(line)) and match[2] in _WITHOUT_FILES)
    )


def calls_in(log: Path) -> Counter[str]:
    """Return how often one process has made each call."""
    return _by_call(_lines(log))


def _first(lines: Sequence[str], word: str) -> int:
    return next((n for n, line in enumerate(lines) if word in line), 0)


def _lines(log: Path) -> list[str]:
    """Return one line for each call that was begun."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return [line for line in lines if (m := _LINE.match(line)) and m[2] in CALLS]


def _by_call(lines: Iterable[str]) -> Counter[str]:
    return Counter(match[2] for line in lines if (match := _LINE.match(line)))


def _most(lines: Iterable[str]) -> Counter[str]:
    """Return for each call the most that any one thread made."""
    most: Counter[str] = Counter()
    for own in _by_thread(lines).values():
        most |= _by_call(own)
    return most


def _fewest(lines: Sequence[str], until: int) -> Counter[str]:
    """Return for each call the fewest that any continuing process has made; new ones are
    children.
    """
    before, after = _by_thread(lines[:until]), _by_thread(lines[until:])
    counts = [_by_call(own) for thread, own in before.items() if thread in after]
    return Counter({call: min(c[call] for c in counts) for call in CALLS}) if counts else Counter()


def _longest(log: Path) -> Counter[str]:
    """Return the calls of the keeper that made the most; the launcher itself makes few."""
    by_pid = _by_thread(_lines(log))
    longest = max(by_pid, key=lambda pid: len(by_pid[pid]), default="")
    return _by_call(by_pid.get(longest, ()))


def _by_thread(lines: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in lines:
        match = _LINE.match(line)
        found.setdefault((match and match[1]) or "", []).append(line)
    return found
