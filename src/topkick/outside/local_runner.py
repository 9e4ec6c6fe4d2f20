"""Runs agents on this machine, each under a keeper of its own that outlives the supervisor."""

import contextlib
import os
import selectors
import signal
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from topkick.outside.ground import cgroups, output, processes, run_dir, sweep
from topkick.outside.ground.launcher import Launcher, prefork_argv
from topkick.outside.ground.notices import Active, Ended, Life, Notice
from topkick.outside.ground.output import Chunk
from topkick.outside.ground.ps import Process
from topkick.outside.ground.run_dir import Claim, Description, Exit, How, Limits, Placement

__all__ = [
    "Active",
    "Chunk",
    "Description",
    "Ended",
    "Exit",
    "Killed",
    "Life",
    "LocalRunner",
    "Notice",
    "Placement",
    "resolve_program",
]

LAUNCH_LIMIT_S = 5.0
LAUNCHES = 3
STOP_SLACK_S = 5.0
RECORD_SLACK_S = 2.0  # how long a keeper whose tree we killed may take to say so
GIVE_UP_S = 10.0
ORPHAN_EVERY_S = 1.0
LEFTOVER_GRACE_S = 2.0
FIRST_SIGN_S = 1.5
_DEFAULT_CAP_BYTES = Placement((), "", {}).output_cap_bytes


@dataclass(frozen=True, slots=True)
class Killed:
    """A run that `kill_everything` ended, or tried to."""

    run_id: str
    exit: Exit


@dataclass(slots=True)
class _Ending:
    how: How
    kill_at: float


@dataclass(slots=True)
class _Watch:
    run_id: str
    path: Path
    look_at: float | None
    wire: int | None = None
    pidfd: int | None = None
    active: bool = False
    launches: int = 0
    pause_s: float = 0.01
    claim: Claim | None = None
    limits: Limits | None = None
    ending: _Ending | None = None


def resolve_program(name: str, path_env: str) -> str | None:
    """Where a program is found on the given PATH; None if it is not there."""
    places = [Path(name)] if "/" in name else [Path(d, name) for d in path_env.split(":")]
    return next((str(p) for p in places if p.is_file() and os.access(p, os.X_OK)), None)


class LocalRunner:
    """Five verbs (ensure, describe, tail, stop, forget) and `poll` for what has happened.

    Wait on `fileno()` for at most `wake_in_s()`, then `poll()`. Nothing here blocks, but for
    `kill_everything`. All that is known can be derived again from the run directories.
    """

    def __init__(self, runs: Path, launcher: Launcher | None = None) -> None:
        self._runs = runs
        self._launcher = launcher or Launcher(
            prefork_argv("topkick.outside.ground.keeper"), runs / "launcher.log"
        )
        self._launcher_fd: int | None = None
        self._selector = selectors.DefaultSelector()
        self._watches: dict[str, _Watch] = {}

    def close(self) -> None:
        """Stop watching; agents and keepers go on."""
        for run_id in list(self._watches):
            self.forget(run_id)
        self._drop_launcher()
        self._selector.close()

    def fileno(self) -> int:
        """Readable when `poll` has something to do."""
        return self._selector.fileno()

    @property
    def launcher_pid(self) -> int | None:
        """The prefork process, if one is running."""
        return self._launcher.pid

    def wake_in_s(self) -> float | None:
        """When to poll even if nothing is readable."""
        times = [w.look_at for w in self._watches.values() if w.look_at is not None]
        return max(0.0, min(times) - time.monotonic()) if times else None

    # -- the five verbs

    def ensure(self, run_id: str, placement: Placement) -> None:
        """See to it that this run happens once: start it, adopt it, or report its end."""
        if run_id in self._watches:
            return
        path = run_dir.path_of(self._runs, run_id)
        run_dir.prepare(path, run_id, placement)
        watch = self._watch(run_id)
        if run_dir.read_claim(path) is None:
            self._launch(watch)

    def describe(self, run_id: str) -> Description:
        """Where the run stands now."""
        return run_dir.describe(run_dir.path_of(self._runs, run_id))

    def tail(self, run_id: str, offset: int, limit_bytes: int) -> Chunk:
        """What the agent printed, from an offset on."""
        path = run_dir.path_of(self._runs, run_id)
        return output.read(path, self._cap_bytes(run_id, path), offset, limit_bytes)

    def stop(self, run_id: str, grace_s: float, why: str = "stop") -> None:
        """Have the run ended; `poll` reports it, at the latest some seconds after the grace."""
        watch = self._watch(run_id)
        found = run_dir.describe(watch.path)
        if found.state == "absent":
            if run_dir.revoke(watch.path, run_id, "stopped", "never started"):
                return
            found = run_dir.describe(watch.path)
        watch.claim = found.claim
        match found.state:
            case "claimed" | "running":
                self._ask_keeper(watch, found, grace_s, why)
            case "orphaned":
                self._end(watch, "stopped", grace_s)
                self._signal_tree(watch, found)
            case "absent" | "exited" | "lost":
                pass

    def forget(self, run_id: str) -> None:
        """Stop watching; the files stay."""
        watch = self._watches.pop(run_id, None)
        if watch is not None:
            self._close_wire(watch)
            self._close_pidfd(watch)

    # -- what has happened

    def poll(self) -> list[Notice]:
        """What has happened since the last call."""
        notices: list[Notice] = []
        for key, _ in self._selector.select(0):
            if key.fd == self._launcher_fd:
                self._launcher_died()
            elif isinstance(key.data, _Watch):
                self._hear(key.data, key.fd, notices)
        now = time.monotonic()
        for watch in list(self._watches.values()):
            if watch.look_at is not None and watch.look_at <= now:
                self._look(watch, notices)
        return notices

    def life(self, run_ids: Iterable[str]) -> Mapping[str, Life]:
        """Output and CPU time of many runs in one pass."""
        found: dict[str, Life] = {}
        rows: dict[int, Process] | None = None
        for run_id in run_ids:
            path = run_dir.path_of(self._runs, run_id)
            claim = self._claim(run_id, path)
            cpu_s = cgroups.cpu_s(claim.cgroup) if claim and claim.cgroup else None
            if cpu_s is None and claim and claim.keeper:
                rows = processes.table() if rows is None else rows
                cpu_s = processes.tree_cpu_s(claim.keeper.pid, rows)
            size = output.size_bytes(path, self._cap_bytes(run_id, path))
            found[run_id] = Life(size, cpu_s or 0.0)
        return found

    def kill_everything(self, grace_s: float) -> list[Killed]:
        """End every run of this project and wait for it; works without a supervisor."""
        killed: list[Killed] = []
        awaited = {run_id for run_id in self._open_runs() if self._begin_kill(run_id, grace_s)}
        limit_at = time.monotonic() + grace_s + STOP_SLACK_S + RECORD_SLACK_S + GIVE_UP_S
        while self._watches and time.monotonic() < limit_at:
            self._selector.select(min(self.wake_in_s() or 0.2, 0.2))
            ends = [notice for notice in self.poll() if isinstance(notice, Ended)]
            killed += [Killed(e.run_id, e.exit) for e in ends if e.run_id in awaited]
        return killed

    def _open_runs(self) -> list[str]:
        paths = sorted(self._runs.iterdir()) if self._runs.is_dir() else []
        begun = [p for p in paths if (p / "order.json").exists() or (p / "claim").exists()]
        return [p.name for p in begun if not (p / "exit.json").exists()]

    def _begin_kill(self, run_id: str, grace_s: float) -> bool:
        """Whether there was anything to end."""
        found = self.describe(run_id)
        if found.state == "exited" or (found.state == "lost" and not self._this_boot(found.claim)):
            return False
        with contextlib.suppress(OSError):  # one that resists must not save the others
            self.stop(run_id, grace_s, "killall")
        return found.state not in ("absent", "lost")

    # -- watching

    def _watch(self, run_id: str) -> _Watch:
        if run_id in self._watches:
            return self._watches[run_id]
        path = run_dir.path_of(self._runs, run_id)
        watch = _Watch(run_id, path, look_at=time.monotonic(), limits=run_dir.read_limits(path))
        self._watches[run_id] = watch
        with contextlib.suppress(FileNotFoundError):
            watch.wire = os.open(path / "wire", os.O_RDONLY | os.O_NONBLOCK)
            self._selector.register(watch.wire, selectors.EVENT_READ, watch)
        return watch

    def _hear(self, watch: _Watch, fd: int, notices: list[Notice]) -> None:
        if fd == watch.pidfd:
            self._close_pidfd(watch)
            watch.look_at = time.monotonic()
            return
        try:
            heard = os.read(fd, 64)
        except BlockingIOError:
            return
        if b"a" in heard:
            self._activate(watch, notices)
        if not heard or b"x" in heard:
            watch.look_at = time.monotonic()
        elif not watch.active and watch.ending is None:
            watch.look_at = time.monotonic() + FIRST_SIGN_S
        elif watch.ending is None:
            watch.look_at = None
        if not heard:
            self._close_wire(watch)

    def _activate(self, watch: _Watch, notices: list[Notice]) -> None:
        if not watch.active:
            watch.active = True
            notices.append(Active(watch.run_id))

    def _look(self, watch: _Watch, notices: list[Notice]) -> None:
        found = run_dir.describe(watch.path)
        watch.claim = found.claim
        watch.look_at = None
        match found.state:
            case "exited":
                assert found.exit is not None
                self._finish(watch, found.exit, notices)
            case "absent":
                self._launch(watch)
            case "claimed" | "running":
                self._look_kept(watch, found, notices)
            case "lost" | "orphaned":
                self._look_unkept(watch, found, notices)

    def _look_kept(self, watch: _Watch, found: Description, notices: list[Notice]) -> None:
        now = time.monotonic()
        if not watch.active and self._shows_life(watch):
            self._activate(watch, notices)
        if not watch.active:
            self._wake(watch, now + FIRST_SIGN_S)
        if watch.wire is None:  # its writer is gone: the lock follows in a moment
            self._wake(watch, now + watch.pause_s)
            watch.pause_s = min(watch.pause_s * 2, ORPHAN_EVERY_S)
        if watch.ending is not None:
            self._wake(watch, max(watch.ending.kill_at, now + 0.1))
            if now >= watch.ending.kill_at:
                self._force(watch, found, notices)

    def _shows_life(self, watch: _Watch) -> bool:
        claim = watch.claim
        if claim is not None and time.time() - claim.claimed_at >= FIRST_SIGN_S:
            return True
        with contextlib.suppress(FileNotFoundError):
            return (watch.path / "output").stat().st_size > 0
        return False

    def _look_unkept(self, watch: _Watch, found: Description, notices: list[Notice]) -> None:
        """No keeper: follow the agent while it lives, then see that nothing of it is left."""
        lost = found.exit or Exit("lost")
        if found.claim is None or self._other_boot(found.claim):
            self._finish(watch, lost, notices)
            return
        if watch.ending is None and found.agent is not None and self._lives(found):
            self._follow(watch, found.agent.pid)
            return
        members = self._members(found)
        how: How = watch.ending.how if watch.ending else "lost"
        if members is not None and not members:
            self._conclude(watch, Exit(how, started_at=found.claim.claimed_at), notices)
            return
        if watch.ending is None:
            self._end(watch, "lost", LEFTOVER_GRACE_S)
            sweep.ask(members or [])
        self._force(watch, found, notices)

    def _lives(self, found: Description) -> bool:
        try:
            return found.agent is not None and processes.alive(found.agent)
        except OSError:
            return True

    def _follow(self, watch: _Watch, pid: int) -> None:
        now = time.monotonic()
        limit_s = watch.limits.deadline_s if watch.limits else None
        if limit_s is not None and watch.claim and time.time() > watch.claim.claimed_at + limit_s:
            self._end(watch, "deadline", 0.0)
            return
        self._wake(watch, now + ORPHAN_EVERY_S)
        if watch.pidfd is None and not processes.portable():
            with contextlib.suppress(OSError):
                watch.pidfd = os.pidfd_open(pid)
                self._selector.register(watch.pidfd, selectors.EVENT_READ, watch)

    # -- ending

    def _ask_keeper(self, watch: _Watch, found: Description, grace_s: float, why: str) -> None:
        patience_s = grace_s + STOP_SLACK_S
        try:
            run_dir.write_stop(watch.path, grace_s, why)
        except OSError:  # a full or read-only disk: the keeper keeps its own grace, we do not
            patience_s = grace_s
        self._end(watch, "stopped", patience_s)
        self._signal_keeper(found, signal.SIGTERM)
        self._signal_keeper(found, signal.SIGCONT)

    def _signal_keeper(self, found: Description, number: int) -> None:
        """Only ever called while the claim is locked, which proves who has the pid."""
        keeper = found.claim.keeper if found.claim else None
        if keeper is None:
            return
        if keeper.portable:
            processes.kill(keeper.pid, number)
        else:
            processes.send(keeper, number)

    def _end(self, watch: _Watch, how: How, patience_s: float) -> None:
        kill_at = time.monotonic() + patience_s
        if watch.ending is None:
            watch.ending = _Ending(how, kill_at)
        watch.ending.kill_at = min(watch.ending.kill_at, kill_at)
        self._wake(watch, watch.ending.kill_at)

    def _signal_tree(self, watch: _Watch, found: Description) -> None:
        sweep.ask(self._members(found) or [])
        self._wake(watch, time.monotonic() + 0.1)

    def _force(self, watch: _Watch, found: Description, notices: list[Notice]) -> None:
        """One round of SIGKILL from outside, if it is time; the next one a moment later."""
        assert watch.ending is not None
        assert found.claim is not None
        now = time.monotonic()
        self._wake(watch, now + 0.1)
        if now < watch.ending.kill_at:
            return
        members = self._members(found) or []
        sweep.kill(members, found.claim)
        if found.state in ("claimed", "running"):
            overdue = now >= watch.ending.kill_at + RECORD_SLACK_S
            self._signal_keeper(found, signal.SIGKILL if overdue else signal.SIGCONT)
        if now >= watch.ending.kill_at + GIVE_UP_S:
            survivors = tuple(process.pid for process in members)
            self._conclude(watch, Exit(watch.ending.how, survivors=survivors), notices)

    def _members(self, found: Description) -> list[Process] | None:
        assert found.claim is not None
        try:
            return sweep.members(found.claim, found.agent)
        except OSError:
            return None

    def _conclude(self, watch: _Watch, ended: Exit, notices: list[Notice]) -> None:
        """Record an end that no keeper recorded; without room on the disk it is reported only."""
        if watch.claim and watch.claim.cgroup:
            cgroups.remove(watch.claim.cgroup)
        with contextlib.suppress(OSError):
            run_dir.write_exit(watch.path, ended)
        self._finish(watch, ended, notices)

    def _finish(self, watch: _Watch, ended: Exit, notices: list[Notice]) -> None:
        self.forget(watch.run_id)
        notices.append(Ended(watch.run_id, ended))

    # -- launching

    def _launch(self, watch: _Watch) -> None:
        """Ask for a keeper, again if none has claimed the run in time; at last give it up."""
        if watch.launches < LAUNCHES and self._launcher.launch(os.fspath(watch.path)):
            watch.launches += 1
            watch.look_at = time.monotonic() + LAUNCH_LIMIT_S
            self._register_launcher()
            return
        watch.look_at = time.monotonic() + 1.0
        with contextlib.suppress(OSError):
            why = f"no keeper could take it: see {self._runs / 'launcher.log'} and keeper.log"
            run_dir.revoke(watch.path, watch.run_id, "cannot_start", why)
            watch.look_at = time.monotonic()

    def _register_launcher(self) -> None:
        fd = self._launcher.fileno()
        if fd is None:
            return
        if self._launcher_fd is not None and self._launcher_fd != fd:
            with contextlib.suppress(KeyError):
                self._selector.unregister(self._launcher_fd)
        with contextlib.suppress(KeyError):
            self._selector.register(fd, selectors.EVENT_READ)
        self._launcher_fd = fd

    def _launcher_died(self) -> None:
        self._drop_launcher()
        for watch in self._watches.values():
            if watch.claim is None and watch.launches:
                watch.look_at = time.monotonic()

    def _drop_launcher(self) -> None:
        if self._launcher_fd is not None:
            with contextlib.suppress(KeyError):
                self._selector.unregister(self._launcher_fd)
            self._launcher_fd = None
        self._launcher.close()

    # -- small things

    def _wake(self, watch: _Watch, at: float) -> None:
        watch.look_at = at if watch.look_at is None else min(watch.look_at, at)

    def _close_wire(self, watch: _Watch) -> None:
        if watch.wire is not None:
            self._selector.unregister(watch.wire)
            os.close(watch.wire)
            watch.wire = None

    def _close_pidfd(self, watch: _Watch) -> None:
        if watch.pidfd is not None:
            self._selector.unregister(watch.pidfd)
            os.close(watch.pidfd)
            watch.pidfd = None

    def _claim(self, run_id: str, path: Path) -> Claim | None:
        watch = self._watches.get(run_id)
        if watch is None:
            return run_dir.read_claim(path)
        if watch.claim is None:
            watch.claim = run_dir.read_claim(path)
        return watch.claim

    def _cap_bytes(self, run_id: str, path: Path) -> int:
        watch = self._watches.get(run_id)
        limits = watch.limits if watch else run_dir.read_limits(path)
        return limits.output_cap_bytes if limits else _DEFAULT_CAP_BYTES

    def _this_boot(self, claim: Claim | None) -> bool:
        return claim is not None and not self._other_boot(claim)

    def _other_boot(self, claim: Claim) -> bool:
        """Certainly of another boot; a claim that cannot be read may be of this one."""
        return bool(claim.boot_id) and claim.boot_id != processes.boot_id()
