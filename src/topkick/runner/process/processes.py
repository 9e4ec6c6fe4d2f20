"""The host's processes: tables, identities that survive pid reuse, and signals.

Standard library only and small, because every keeper imports it.
"""

# Keepers avoid pathlib, which would double what they import.
# ruff: noqa: PTH110, PTH115, PTH208

import errno
import os
import signal
import sys
import time
from collections.abc import Iterable
from typing import NamedTuple

from topkick.runner.process import ps
from topkick.runner.process.ps import Process

MARKER = "TOPKICK_RUN"
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PORTABLE_SLACK_S = 2  # ps derives start times from a clock that may be adjusted


class Identity(NamedTuple):
    """A process, identified so that no later process with its pid can be mistaken for it."""

    pid: int
    started: int
    portable: bool


def portable() -> bool:
    """Return whether to do without /proc, pidfd, cgroups and the subreaper."""
    return os.environ.get("TOPKICK_PORTABLE") == "1" or not os.path.exists("/proc/self/stat")


_boot_ids: dict[bool, str] = {}


def boot_id() -> str:
    """Return a text that differs after every boot; empty if the system has none."""
    mode = portable()
    if not _boot_ids.get(mode):  # a failed read may succeed later
        _boot_ids[mode] = _portable_boot_id() if mode else _read("/proc/sys/kernel/random/boot_id")
    return _boot_ids[mode]


def _portable_boot_id() -> str:
    name = "kern.bootsessionuuid" if sys.platform == "darwin" else "kernel.random.boot_id"
    return ps.capture(["sysctl", "-n", name])[1].strip()


def identify(pid: int) -> Identity:
    """Return the identity of this process or of a child that was just started."""
    if portable():
        return Identity(pid, int(time.time()), portable=True)
    process = look(pid)
    return Identity(pid, process.started if process else 0, portable=False)


def alive(identity: Identity) -> bool:
    """Return whether exactly this process lives; a zombie does not."""
    process = _find(identity)
    return process is not None and not process.dead


def send(identity: Identity, number: int) -> bool:
    """Signal exactly this process; return False if it is gone or may not be signalled."""
    if identity.portable:
        found = _find(identity)
        return found is not None and not found.dead and kill(identity.pid, number)
    return signal_process(identity.pid, identity.started, number)


def _find(identity: Identity) -> Process | None:
    if not identity.portable:
        process = look(identity.pid)
        return process if process and process.started == identity.started else None
    process = ps.table(["-p", f"{identity.pid},{os.getpid()}"]).get(identity.pid)
    if process is None or abs(process.started - identity.started) > _PORTABLE_SLACK_S:
        return None
    return process


def look(pid: int) -> Process | None:
    """Read one process from /proc."""
    text = _read(f"/proc/{pid}/stat")
    fields = text[text.rfind(")") + 2 :].split()
    if len(fields) < 20:
        return None
    # A thread group leader that ended before its threads shows as a zombie and is not dead.
    dead = fields[0] in "ZXx" and int(fields[17]) <= 1
    user, system, children_user, children_system = (int(n) / _TICKS_PER_S for n in fields[11:15])
    return Process(
        pid,
        int(fields[1]),
        int(fields[2]),
        int(fields[19]),
        dead,
        user + system,
        children_user + children_system,
    )


def table(*, with_words: bool = False) -> dict[int, Process]:
    """Return every process of the host; `with_words` adds command and environment in portable
    mode.
    """
    if portable():
        return ps.table(["axeww" if with_words else "ax"])
    found: dict[int, Process] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (process := look(int(name))):
            found[process.pid] = process
    if os.getpid() not in found:
        raise OSError(errno.EAGAIN, "/proc gave no answer")
    return found


def family(roots: Iterable[int], processes: dict[int, Process]) -> set[int]:
    """Return all descendants of the roots, without the roots."""
    children: dict[int, list[int]] = {}
    for process in processes.values():
        children.setdefault(process.ppid, []).append(process.pid)
    found: set[int] = set()
    todo = list(roots)
    while todo:
        new = [pid for pid in children.get(todo.pop(), ()) if pid not in found]
        found.update(new)
        todo.extend(new)
    return found


def ancestors(processes: dict[int, Process]) -> set[int]:
    """Return this process and all processes above it, which must never be signalled."""
    found = {0, 1}
    pid = os.getpid()
    while pid not in found:
        found.add(pid)
        process = processes.get(pid)
        pid = process.ppid if process else 1
    return found


def new_mark(run_id: str, project: str = "") -> str:
    """Return a mark that is unique on this host: other projects may use the same run ids.

    It begins with the project's token, by which the project's agents are found without any record.
    """
    return f"{project_prefix(project)}{run_id}-{os.urandom(6).hex()}"


def project_prefix(project: str) -> str:
    return f"{project}." if project else ""


def marked(mark: str, processes: dict[int, Process], *, whole: bool = True) -> set[int]:
    """Return processes with the run's mark in their environment; with `whole=False`, a mark with
    this prefix.
    """
    if portable():
        return ps.marked(f"{MARKER}={mark}", processes, whole=whole)
    needle = f"\0{MARKER}={mark}".encode() + (b"\0" if whole else b"")
    return {pid for pid in processes if needle in b"\0" + _read_bytes(f"/proc/{pid}/environ")}


def is_in_own_namespace(pid: int) -> bool:
    """Return False for a process of another container; True where the system does not say."""
    try:
        return os.readlink(f"/proc/{pid}/ns/pid") == os.readlink("/proc/self/ns/pid")
    except OSError:
        return True


def signal_process(pid: int, started: int, number: int) -> bool:
    """Signal a process through a pidfd, so that no other process can be hit."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    except OSError:  # an old kernel or no descriptors left: check, then signal
        process = look(pid)
        return process is not None and process.started == started and kill(pid, number)
    try:
        process = look(pid)
        if process is None or process.started != started:
            return False
        signal.pidfd_send_signal(fd, number)
    except (ProcessLookupError, PermissionError):
        return False
    finally:
        os.close(fd)
    return True


def signal_each(targets: Iterable[Process], *numbers: int) -> None:
    """Signal processes that were looked up a moment ago."""
    mode = portable()
    for process in targets:
        for number in numbers:
            if mode:
                kill(process.pid, number)
            else:
                signal_process(process.pid, process.started, number)


def signal_groups(targets: Iterable[Process], number: int) -> None:
    """Also signal the process groups of processes that belong to the tree.

    A fork cannot outrun a group signal. Every member of such a group descends from the agent: the
    agent began its own session, and groups do not cross sessions.
    """
    groups = {process.pgid for process in targets if _is_still(process)}
    for group in groups - {0, 1, os.getpgid(0)}:
        try:
            os.killpg(group, number)
        except (ProcessLookupError, PermissionError):
            continue


def _is_still(process: Process) -> bool:
    """Look at the process again, as the number of an empty group may have a new owner."""
    if portable():
        return True
    now = look(process.pid)
    return now is not None and (now.started, now.pgid) == (process.started, process.pgid)


def kill_session(leader: int) -> None:
    """Send SIGKILL to an unreaped child of this process and to its process group."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # it has no group of its own yet
        kill(leader, signal.SIGKILL)


def kill(pid: int, number: int) -> bool:
    """Send a signal by pid alone, for pids whose owner is beyond doubt."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _read(path: str) -> str:
    return _read_bytes(path).decode("utf-8", "replace").strip()


def _read_bytes(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        chunks = []
        while chunk := os.read(fd, 1 << 16):
            chunks.append(chunk)
        return b"".join(chunks)
    except OSError:  # the process went away while we read
        return b""
    finally:
        os.close(fd)


def children_of_self() -> list[int]:
    """Return the direct children of this process as the kernel lists them; empty where it does
    not.
    """
    me = os.getpid()
    return [int(pid) for pid in _read(f"/proc/{me}/task/{me}/children").split()]


def tree_cpu_s(keeper_pid: int, processes: dict[int, Process]) -> float:
    """Return the CPU time of a keeper's tree: of living processes and of reaped ones."""
    keeper = processes.get(keeper_pid)
    pids = family([keeper_pid], processes)
    alive_s = sum(processes[pid].cpu_s + processes[pid].children_cpu_s for pid in pids)
    return alive_s + (keeper.children_cpu_s if keeper else 0.0)
