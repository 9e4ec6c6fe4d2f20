"""The process table as `ps` prints it, for systems without /proc."""

import contextlib
import errno
import os
import sys
from typing import NamedTuple

_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"
_ENVIRONMENT = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C", "TZ": "UTC"}
_FIELDS = "pid=,ppid=,pgid=,stat=,time=,lstart=,command="


class Process(NamedTuple):
    """One row of the process table; `started` is in ticks since boot, in portable mode in
    seconds.
    """

    pid: int
    ppid: int
    pgid: int
    started: int
    dead: bool
    cpu_s: float
    children_cpu_s: float
    words: str = ""


def marked(needle: str, processes: dict[int, Process], *, whole: bool = True) -> set[int]:
    """Return processes with this word in their environment; with `whole=False`, a word with this
    prefix.
    """

    def has_it(words: str) -> bool:
        found = words.split()
        return needle in found if whole else any(word.startswith(needle) for word in found)

    candidates = {p.pid: p for p in processes.values() if has_it(p.words)}
    if not candidates:
        return set()
    # The mark counts in the environment only: a command line may contain it in a search.
    pids = ",".join(map(str, [os.getpid(), *candidates]))
    commands = table(["ww", "-p", pids])
    found: set[int] = set()
    for pid, process in candidates.items():
        if pid not in commands or commands[pid].dead:  # it may have a child with the mark
            found.add(pid)
            continue
        command = commands[pid].words
        if process.words.startswith(command):
            found.update({pid} if has_it(process.words[len(command) :]) else ())
    return found


def table(options: list[str]) -> dict[int, Process]:
    """Return the rows that `ps` prints for these options, which must include this process."""
    if sys.platform == "darwin":
        options = [option.replace("axeww", "-axEww") for option in options]
    found: dict[int, Process] = {}
    own_pid, text = capture(["ps", *options, "-o", _FIELDS])
    for line in text.split("\n"):
        fields = line.split(None, 10)
        if len(fields) >= 10 and fields[0].isdigit():
            process = _row(fields)
            found[process.pid] = process
    found.pop(own_pid, None)  # the `ps` process itself belongs to no tree
    if os.getpid() not in found:  # an empty answer must not read as "all are dead"
        raise OSError(errno.EAGAIN, "ps gave no answer")
    return found


def _row(fields: list[str]) -> Process:
    pid, ppid, pgid = (int(field) for field in fields[:3])
    words = fields[10] if len(fields) > 10 else ""
    # A thread group leader that ended before its threads shows as a zombie with threads ("l"); it
    # is not dead.
    dead = fields[3].startswith(("Z", "X")) and "l" not in fields[3]
    return Process(pid, ppid, pgid, _seconds(fields[5:10]), dead, _cpu_s(fields[4]), 0.0, words)


def _seconds(lstart: list[str]) -> int:
    """Convert `Sun Nov 15 20:46:50 2026` (UTC) to seconds since the epoch."""
    _, month, day, clock, year = lstart
    hour, minute, second = (int(part) for part in clock.split(":"))
    months = _MONTHS.index(month) // 3 + 1
    shifted = int(year) - (months <= 2)
    day_of_year = (153 * ((months + 9) % 12) + 2) // 5 + int(day) - 1
    days = shifted * 365 + shifted // 4 - shifted // 100 + shifted // 400 + day_of_year - 719468
    return ((days * 24 + hour) * 60 + minute) * 60 + second


def _cpu_s(text: str) -> float:
    """Convert `[days-][hours:]minutes:seconds` to seconds."""
    days, _, clock = text.rpartition("-")
    total = 0.0
    for part in clock.split(":"):
        total = total * 60 + float(part)
    return total + int(days or 0) * 86400


def capture(argv: list[str]) -> tuple[int, str]:
    """Run a system tool; return its pid and output, which is empty if it cannot be run."""
    read_end, write_end = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, write_end, 1), (os.POSIX_SPAWN_CLOSE, read_end)]
    try:
        pid = os.posix_spawnp(argv[0], argv, _ENVIRONMENT, file_actions=actions)
    except OSError:
        os.close(read_end)
        return 0, ""
    finally:
        os.close(write_end)
    chunks = []
    while chunk := os.read(read_end, 1 << 16):
        chunks.append(chunk)
    os.close(read_end)
    with contextlib.suppress(ChildProcessError):  # where SIGCHLD is ignored, the kernel reaps them
        os.waitpid(pid, 0)
    return pid, b"".join(chunks).decode("utf-8", "replace")
