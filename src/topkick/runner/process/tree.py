"""Run one command with its whole process tree: start it, follow it, end it, leave nothing behind.

The hard part is that a command forks. Its children may outlive it, leave its process group, ignore
SIGTERM, or fork faster than a process table can be read. A pid alone names none of them for long,
because the kernel reuses pids.

Finding the tree. On Linux the caller becomes a subreaper: every orphan below it becomes its own
child, so the tree is dead when the caller has no children left and the control group, if there is
one, is empty. Elsewhere (and with TOPKICK_PORTABLE=1) the tree is what a look at the process table
finds: descendants, processes with the run's mark in their environment, processes seen in the tree
before (by pid and start time), and members of their process groups.

Starting. The forked child waits at a pipe, the gate, until `before_exec` has recorded its identity
on disk. If the caller is killed before that, the gate closes unopened and the child exits without
running the program: an agent that no record names never runs. If the caller is killed later, the
agent continues without a reader for its output, and `watch.py` finds it by the record, the mark or
the control group.

Ending. The program gets its stop signal, the others SIGTERM, all of them SIGCONT; after the grace
period SIGKILL follows, round after round, for at most KILL_LIMIT_S. Processes that are still alive
then are reported as survivors. A program that exits by itself may leave children: they are counted
as leftovers and ended in the same way, with a short grace.

The calling process must have no other children, because `wait4` reaps every child as part of the
tree.
"""

import ctypes
import fcntl
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import NamedTuple

from topkick.engine.io import crash_points
from topkick.runner.keeper.birth import HANDLED, LaunchCommand, become
from topkick.runner.process import cgroups, processes
from topkick.runner.process.processes import Identity
from topkick.runner.process.ps import Process

LEFTOVER_GRACE_S = 2.0
KILL_LIMIT_S = 10.0
FIRST_SIGN_S = 1.0
_CHUNK_BYTES = 1 << 18
_DRAIN_BYTES = 4 << 20
_PR_SET_CHILD_SUBREAPER = 36
_SCAN_EVERY_S = 0.1  # without a subreaper, a scan finds out that the tree has ended
_FIRST_CENSUS_S = 0.5  # scan for growth too: a process seen once is recognised later
_CENSUS_EVERY_S = 10.0
_HOLD_ROUNDS = 4
_BLIND_LOOKS = 10
_IGNORED_HERE = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)

Sink = Callable[[bytes], None]


class ProcessOutcome(NamedTuple):
    """The end of a tree; `how` is exited, signaled, deadline, stopped or cannot_start."""

    how: str
    code: int | None
    signal: int | None
    errno_text: str | None
    started_at: float
    ended_at: float
    cpu_s: float
    max_rss_kb: int
    survivors: list[int]
    leftovers: int


class SignalPipe:
    """Turns SIGCHLD and SIGTERM into a readable descriptor; SIGTERM asks for a stop.

    `stop_fd` asks for a stop too, as soon as it is readable: its other end has written or closed.
    """

    def __init__(self, stop_fd: int | None = None) -> None:
        self.stop_fd = stop_fd
        self.fd, self._ring = os.pipe()
        os.set_blocking(self.fd, False)
        os.set_blocking(self._ring, False)
        self.stops_asked = 0
        for number in _IGNORED_HERE:
            signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, self._stop_asked)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(self._ring, warn_on_full_buffer=False)

    def _stop_asked(self, _number: int, _frame: FrameType | None) -> None:
        self.stops_asked += 1

    def wait(self, timeout_s: float) -> None:
        select.select([self.fd], [], [], timeout_s)
        self.drain()

    def drain(self) -> None:
        try:
            while os.read(self.fd, 512):
                pass
        except BlockingIOError:
            return


def become_subreaper() -> bool:
    """Make this process inherit every orphan of the tree; return False where the system cannot."""
    if processes.portable() or not sys.platform.startswith("linux"):
        return False
    return bool(_LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


_LIBC = ctypes.CDLL(None)


def run_tree(
    command: LaunchCommand,
    sink: Sink,
    bell: SignalPipe,
    *,
    before_exec: Callable[[Identity], None] = lambda _identity: None,
    on_active: Callable[[], object] = lambda: None,
    stop_grace_s: Callable[[], float] | None = None,
) -> ProcessOutcome:
    """Run the command to its end and leave nothing of its tree alive.

    `before_exec` is called with the identity of the forked process; if it raises OSError, the
    program does not start. `on_active` is called at the first output or after a second.
    `stop_grace_s` is called when the bell asks for a stop, and returns the grace period.
    """
    tree = _Tree(command, sink, bell, on_active, stop_grace_s or (lambda: command.grace_s))
    tree.start(before_exec)
    return tree.run()


def _widen(pipe: int) -> None:
    """Enlarge the pipe where the system allows it, so that much output takes fewer reads."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        try:
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _CHUNK_BYTES)
        except OSError:
            return


class _Tree:
    def __init__(
        self,
        command: LaunchCommand,
        sink: Sink,
        bell: SignalPipe,
        on_active: Callable[[], object],
        stop_grace_s: Callable[[], float],
    ) -> None:
        self._command = command
        self._sink = sink
        self._bell = bell
        self._on_active = on_active
        self._stop_grace_s = stop_grace_s
        self._group = command.group
        self._seen: list[Process] = []
        self._blind_looks = 0
        self._reaper = become_subreaper()
        self._pid = 0
        self._status: int | None = None
        self._trouble = b""
        self._cpu_s = 0.0
        self._max_rss = 0
        self._childless = False
        self._gone = False
        self._heard = 0
        self._active = False
        self._scan_at = 0.0
        self._known: set[tuple[int, int]] = set()
        self._groups: set[int] = set()
        self._poller = select.poll()
        self._output = self._errors = -1
        self._started_at = time.time()
        self._born_at = time.monotonic()

    # -- start

    def start(self, before_exec: Callable[[Identity], None]) -> None:
        self._output, output = os.pipe()
        _widen(output)
        self._errors, errors = os.pipe()
        gate, opener = os.pipe()
        signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
        crash_points.here("tree.before-fork")
        self._pid = os.fork()
        if self._pid == 0:
            become(self._command, gate, output, errors)
        crash_points.here("tree.after-fork")
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
        for fd in (output, errors, gate):
            os.close(fd)
        for fd in (self._output, self._errors):
            os.set_blocking(fd, False)
            self._poller.register(fd, select.POLLIN)
        self._poller.register(self._bell.fd, select.POLLIN)
        if self._bell.stop_fd is not None:
            self._poller.register(self._bell.stop_fd, select.POLLIN)
        try:
            self._open_gate(opener, before_exec)
        finally:
            os.close(opener)

    def _open_gate(self, opener: int, before_exec: Callable[[Identity], None]) -> None:
        identity = processes.identify(self._pid)
        self._known.add((identity.pid, identity.started))
        self._groups.add(identity.pid)
        try:
            before_exec(identity)
        except OSError as error:
            self._trouble = f"{error.strerror}: the agent's start could not be recorded".encode()
            return
        try:
            crash_points.here("tree.before-gate")
            os.write(opener, b"g")
            crash_points.here("tree.after-gate")
        except BrokenPipeError:  # the child died at the gate; its end is reported like any other
            return

    # -- life

    def run(self) -> ProcessOutcome:
        why = self._watch()
        leftovers = 0
        if why is None:
            leftovers = 0 if self._nothing_left() else len(self._members_or_none())
            self._end(LEFTOVER_GRACE_S)
        else:
            self._end(self._patience_s() if why == "stopped" else self._command.grace_s)
        survivors = self._survivors()
        self._drain()
        return self._outcome(why, survivors, leftovers)

    def _survivors(self) -> list[int]:
        if self._nothing_left():
            return []
        members = self._members()
        if members is None:  # no process table: only the program's own state is known
            return [self._pid] if self._status is None else []
        return [process.pid for process in members]

    def _watch(self) -> str | None:
        """Wait until the program ends or must be ended; return why it must, or None."""
        limit = self._command.deadline_s
        deadline_at = None if limit is None else self._born_at + limit
        census_at = None if self._reaper else self._born_at + _FIRST_CENSUS_S
        while True:
            self._reap()
            now = time.monotonic()
            is_late = deadline_at is not None and now >= deadline_at
            if self._status is not None:
                return self._why_ended(self._status, is_late=is_late)
            if self._bell.stops_asked:
                return "stopped"
            if is_late:
                return "deadline"
            if not self._active and now >= self._born_at + FIRST_SIGN_S:
                self._show_life()
            if census_at is not None and now >= census_at:
                self._members()
                census_at = now + min(_CENSUS_EVERY_S, now - self._born_at)
            due = [at for at in (deadline_at, census_at) if at is not None]
            due += [] if self._active else [self._born_at + FIRST_SIGN_S]
            self._turn(min(due) - now if due else None)

    def _why_ended(self, status: int, *, is_late: bool) -> str | None:
        """Return why the program ended, given its wait status.

        If it was killed from outside while this process was asleep during a stop or past the
        deadline, the stop or the deadline counts as the reason.
        """
        if self._bell.stops_asked and status != 0:
            return "stopped"
        return "deadline" if is_late and os.WIFSIGNALED(status) else None

    def _turn(self, timeout_s: float | None) -> None:
        """Wait for a signal or for output, and read at most one chunk."""
        timeout_ms = None if timeout_s is None else max(0.0, timeout_s) * 1000 + 1
        for fd, _ in self._poller.poll(timeout_ms):
            if fd == self._bell.fd:
                self._bell.drain()
            elif fd == self._bell.stop_fd:
                self._bell.stops_asked += 1
                self._poller.unregister(fd)
            elif fd == self._output:
                self._pump()
            else:
                self._hear_trouble()
        self._reap()

    def _pump(self) -> int:
        try:
            data = os.read(self._output, _CHUNK_BYTES)
        except BlockingIOError:
            return 0
        if not data:
            self._poller.unregister(self._output)
            os.close(self._output)
            self._output = -1
            return 0
        self._sink(data)
        if not self._active:
            self._show_life()
        return len(data)

    def _show_life(self) -> None:
        self._active = True
        self._on_active()

    def _hear_trouble(self) -> None:
        """Read why the child could not execute the program; an empty pipe at its end means that it
        could.
        """
        if self._errors < 0:
            return
        try:
            data = os.read(self._errors, 4096)
        except BlockingIOError:
            return
        self._trouble += data
        if not data:
            self._poller.unregister(self._errors)
            os.close(self._errors)
            self._errors = -1

    def _drain(self) -> None:
        """Read the output written before the end, but only so much: a survivor may write
        forever.
        """
        taken = 0
        while self._output >= 0 and taken < _DRAIN_BYTES:
            count = self._pump()
            if count == 0:
                break
            taken += count
        self._hear_trouble()
        for fd in (self._output, self._errors):
            if fd >= 0:
                os.close(fd)

    def _reap(self) -> None:
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                self._childless = True
                return
            if pid == 0:
                return
            self._cpu_s += usage.ru_utime + usage.ru_stime
            self._max_rss = max(self._max_rss, usage.ru_maxrss)
            if pid == self._pid:
                self._status = status

    # -- end

    def _end(self, grace_s: float) -> None:
        """Ask the tree to end, wait for the grace period, then kill it; bounded in time."""
        if self._nothing_left():
            return
        crash_points.here("kill.before-ask")
        self._ask()
        crash_points.here("kill.after-ask")
        kill_at = time.monotonic() + grace_s
        while (now := time.monotonic()) < kill_at:
            self._turn(min(kill_at - now, _SCAN_EVERY_S if not self._reaper else 1.0))
            if self._nothing_left():
                return
            if self._bell.stops_asked > self._heard:  # a second stop may shorten the grace period
                kill_at = min(kill_at, time.monotonic() + self._patience_s())
        self._kill()

    def _ask(self) -> None:
        members = self._members() if self._reaper else self._held()
        if members is None and self._status is None:  # an unreaped child keeps its pid
            for number in (self._command.stop_signal, signal.SIGCONT):
                processes.kill(self._pid, number)
        program = [process for process in members or () if process.pid == self._pid]
        others = [process for process in members or () if process.pid != self._pid]
        processes.signal_each(program, self._command.stop_signal, signal.SIGCONT)
        processes.signal_each(others, signal.SIGTERM, signal.SIGCONT)

    def _held(self) -> list[Process] | None:
        """Stop the tree with SIGSTOP while it is listed, and return its members.

        Without a subreaper, an orphan that forks between two looks would be lost.
        """
        known: set[int] = set()
        members = self._members()
        for _ in range(_HOLD_ROUNDS):
            new = [process for process in members or () if process.pid not in known]
            if not new:
                break
            processes.signal_each(new, signal.SIGSTOP)
            known.update(process.pid for process in new)
            members = self._members()
        return members

    def _patience_s(self) -> float:
        """Return the grace period of the latest stop request; a later request is noticed as a new
        one.
        """
        self._heard = self._bell.stops_asked
        return self._stop_grace_s()

    def _kill(self) -> None:
        give_up_at = time.monotonic() + KILL_LIMIT_S
        pause_s = 0.002
        while True:  # at least one round, however late this process wakes
            crash_points.here("kill.before-round")
            self._kill_once()
            crash_points.here("kill.after-round")
            self._turn(pause_s)
            self._scan_at = 0.0
            if self._nothing_left() or time.monotonic() >= give_up_at:
                return
            processes.signal_groups(self._seen, signal.SIGKILL)
            pause_s = min(pause_s * 2, 0.1)

    def _kill_once(self) -> None:
        if self._group:
            cgroups.kill(self._group)
        if self._reaper:
            self._kill_children()
        elif self._status is None:  # works without a process table, which may be unavailable
            processes.kill_session(self._pid)
        members = self._members_or_none()
        processes.signal_each(members, signal.SIGKILL)
        processes.signal_groups(members, signal.SIGKILL)

    def _kill_children(self) -> None:
        """Kill direct children that fork and exit faster than a whole process table can be read.

        Each of their orphans becomes a child of this process, and the pid of a child that was not
        reaped cannot be reused.
        """
        for _ in range(64):
            children = processes.children_of_self()
            if not children:
                return
            for pid in children:
                processes.kill(pid, signal.SIGKILL)
            self._reap()

    def _nothing_left(self) -> bool:
        """Return whether the whole tree is dead; the answer never changes back."""
        self._gone = self._gone or self._look_around()
        return self._gone

    def _look_around(self) -> bool:
        self._reap()
        if self._reaper:
            return self._childless and not (self._group and cgroups.populated(self._group))
        if self._status is None or time.monotonic() < self._scan_at:
            return False
        members = self._members()
        self._seen = members or []
        self._scan_at = time.monotonic() + _SCAN_EVERY_S
        if members is None or members:
            self._blind_looks = 0
            return False
        if self._blind_looks < _BLIND_LOOKS and self._a_group_lives():
            self._blind_looks += 1
            self._scan_at = 0.0
            return False
        return True

    def _a_group_lives(self) -> bool:
        """Return whether a process group of the tree has members.

        A process that forks and exits all the time is missed by a listing, but its group is never
        empty. The caller asks only a few times, because zombies that are never reaped belong to a
        group too.
        """
        for group in self._groups:
            try:
                os.killpg(group, 0)
            except (ProcessLookupError, PermissionError):
                continue
            return True
        return False

    def _members_or_none(self) -> list[Process]:
        return self._members() or []

    def _members(self) -> list[Process] | None:
        """Return the living members of the tree, or None if the system does not answer."""
        try:
            rows = processes.table(with_words=not self._reaper)
            pids = processes.family([os.getpid()], rows)
            if self._group:
                pids |= cgroups.pids(self._group)
            if not self._reaper:
                pids |= processes.marked(self._command.mark, rows)
                pids |= {p.pid for p in rows.values() if (p.pid, p.started) in self._known}
                pids |= self._grouped(rows, pids)
                pids |= processes.family(pids, rows)
        except OSError:
            return None
        pids -= processes.ancestors(rows)
        members = [rows[pid] for pid in pids if pid in rows and not rows[pid].dead]
        self._known.update((p.pid, p.started) for p in members)
        self._groups.update({p.pgid for p in members} - {os.getpgid(0)})
        return members

    def _grouped(self, rows: dict[int, Process], ours: set[int]) -> set[int]:
        """Return the members of the tree's process groups, which no process from outside can join.

        If the pid of a group's leader now belongs to a process outside the tree, the group does
        too.
        """
        groups = {g for g in self._groups if g not in rows or g in ours}
        return {p.pid for p in rows.values() if p.pgid in groups}

    def _outcome(self, why: str | None, survivors: list[int], leftovers: int) -> ProcessOutcome:
        status = self._status
        code = os.waitstatus_to_exitcode(status) if status is not None else None
        how = why or ("signaled" if code is not None and code < 0 else "exited")
        trouble = self._trouble.decode("utf-8", "replace") or None
        if trouble and why is None:
            how, code = "cannot_start", None
        in_group_s = cgroups.cpu_s(self._group) if self._group else None
        return ProcessOutcome(
            how=how,
            code=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            errno_text=trouble,
            started_at=self._started_at,
            ended_at=time.time(),
            cpu_s=round(max(self._cpu_s, in_group_s or 0.0), 6),
            max_rss_kb=self._max_rss // (1024 if sys.platform == "darwin" else 1),
            survivors=survivors,
            leftovers=leftovers,
        )
