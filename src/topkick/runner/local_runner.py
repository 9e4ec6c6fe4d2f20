"""Run agents on this machine, each under a keeper that outlives the supervisor."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from topkick.runner import watch
from topkick.runner.host import (
    Active,
    AgentGone,
    Host,
    KeeperMessage,
    LauncherGone,
    Life,
    Notice,
    RunEnded,
)
from topkick.runner.keeper.output import Chunk
from topkick.runner.keeper.prefork_client import Launcher
from topkick.runner.local_host import LocalHost
from topkick.runner.process.ps import Process
from topkick.runner.run_dir import Exit, Placement, RunClaim, RunDescription
from topkick.runner.watch import Watch, is_of_another_boot

__all__ = [
    "Active",
    "BaseRunner",
    "Chunk",
    "Exit",
    "Killed",
    "Life",
    "LocalRunner",
    "Notice",
    "Placement",
    "RunDescription",
    "RunEnded",
]

_DEFAULT_CAP_BYTES = Placement((), "", {}).output_cap_bytes


@dataclass(frozen=True, slots=True)
class Killed:
    """A run that `kill_everything` ended, or tried to.

    `run_id` is empty for processes without a record that were found by their mark: `pids` names
    them. `trouble` says why it is unknown whether they are dead.
    """

    run_id: str
    exit: Exit
    trouble: str = ""
    pids: tuple[int, ...] = ()


class BaseRunner:
    """Ensures, describes, stops and forgets runs; `poll` returns what has happened.

    Nothing here blocks except `kill_everything`. All knowledge can be derived again from the host.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._watches: dict[str, Watch] = {}

    def wake_in_s(self) -> float | None:
        """Return when to poll even if no descriptor is readable."""
        times = [w.look_at for w in self._watches.values() if w.look_at is not None]
        return max(0.0, min(times) - self._host.monotonic_s()) if times else None

    # -- the verbs

    def ensure(self, run_id: str, placement: Placement) -> None:
        """Make sure that this run happens once: start it, adopt it, or report its end."""
        if run_id in self._watches:
            return
        self._watches[run_id] = Watch(self._host, run_id, placement)
        self._watches[run_id].begin()

    def describe(self, run_id: str) -> RunDescription:
        """Return the state of the run."""
        return self._host.describe(run_id)

    def stop(self, run_id: str, grace_s: float, why: str = "stop") -> None:
        """End the run; `poll` reports its end, at the latest some seconds after the grace
        period.
        """
        self._watch(run_id).stop(grace_s, why)

    def forget(self, run_id: str) -> None:
        """Stop watching; the files stay."""
        if self._watches.pop(run_id, None) is not None:
            self._host.stop_listening(run_id)

    def trouble(self, run_id: str) -> str:
        """Return what holds the run up, as long as something does."""
        watched = self._watches.get(run_id)
        return watched.trouble if watched else ""

    # -- what has happened

    def poll(self) -> list[Notice]:
        """Return what has happened since the last call."""
        notices = self._hear()
        for watched in self._due():
            notices += self._look(watched)
        return notices

    def _hear(self) -> list[Notice]:
        notices: list[Notice] = []
        for sign in self._host.signs():
            match sign:
                case LauncherGone():
                    for watched in self._watches.values():
                        watched.launcher_died()
                case AgentGone(run_id) if run_id in self._watches:
                    self._watches[run_id].look_now()
                case KeeperMessage(run_id, said) if run_id in self._watches:
                    notices += self._watches[run_id].hear(said)
        return notices

    def _due(self) -> list[Watch]:
        now = self._host.monotonic_s()
        return [w for w in self._watches.values() if w.look_at is not None and w.look_at <= now]

    def _look(self, watched: Watch) -> list[Notice]:
        notices = watched.look()
        if any(isinstance(notice, RunEnded) for notice in notices):
            self.forget(watched.run_id)
        return notices

    def life(self, run_ids: Iterable[str]) -> Mapping[str, Life]:
        """Return output size and CPU time of many runs in one pass."""
        return self._host.life({i: (self._claim(i), self._cap_bytes(i)) for i in run_ids})

    def kill_everything(self, grace_s: float) -> list[Killed]:
        """End every run of this project and wait for it; works without a supervisor.

        A run that cannot be looked at must not save the others: its trouble is among the results.
        At last every process with the project's mark is ended, whatever the records say.
        """
        troubles: dict[str, OSError] = {}
        awaited = {i for i in self._host.open_runs() if self._begin_kill(i, grace_s, troubles)}
        slack_s = watch.STOP_SLACK_S + watch.RECORD_SLACK_S + watch.GIVE_UP_S
        limit_at = self._host.monotonic_s() + grace_s + slack_s
        ends: list[RunEnded] = []
        while self._watches and self._host.monotonic_s() < limit_at:
            self._host.wait(min(self.wake_in_s() or 0.2, 0.2))
            ends += [notice for notice in self._poll_each(troubles) if isinstance(notice, RunEnded)]
        for ended in ends:
            troubles.pop(ended.run_id, None)
        killed = [Killed(e.run_id, e.exit) for e in ends if e.run_id in awaited]
        killed += [Killed(i, Exit("lost"), _told(t)) for i, t in troubles.items()]
        return killed + self.kill_strays(grace_s)

    def kill_strays(self, grace_s: float) -> list[Killed]:
        """End every process with the project's mark: SIGTERM, grace period, SIGKILL; bounded in
        time.
        """
        try:
            strays = self._host.strays()
            if not strays:
                return []
            self._host.ask(strays)
            left = self._outlast(grace_s)
        except OSError as trouble:
            return [Killed("", Exit("lost"), _told(trouble))]
        return [_ended_tree(tree, left) for tree in _trees([*strays, *left])]

    def _outlast(self, grace_s: float) -> list[Process]:
        """Return the processes that live even after SIGKILL."""
        kill_at = self._host.monotonic_s() + grace_s
        while left := self._host.strays():
            now = self._host.monotonic_s()
            if now >= kill_at:
                self._host.kill_strays(left)
            if now >= kill_at + watch.GIVE_UP_S:
                break
            self._host.wait(watch.AGAIN_S)
        return left

    def _begin_kill(self, run_id: str, grace_s: float, troubles: dict[str, OSError]) -> bool:
        """Start to end the run; return whether there was anything to end."""
        try:
            found = self.describe(run_id)
            if found.state == "exited":
                return False
            if found.state == "lost" and not self._this_boot(found.claim):
                return False
            self.stop(run_id, grace_s, "killall")
        except OSError as trouble:
            troubles[run_id] = trouble
            return True
        return found.state not in ("absent", "lost")

    def _poll_each(self, troubles: dict[str, OSError]) -> list[Notice]:
        notices = self._hear()
        for watched in self._due():
            try:
                notices += self._look(watched)
            except OSError as trouble:
                troubles.setdefault(watched.run_id, trouble)
                watched.look_now()
        return notices

    def tail(self, run_id: str, offset: int, limit_bytes: int) -> Chunk:
        """Return the agent's output from an offset on."""
        return self._host.tail(run_id, self._cap_bytes(run_id), offset, limit_bytes)

    # -- small things

    def _watch(self, run_id: str) -> Watch:
        if run_id not in self._watches:
            self._watches[run_id] = Watch(self._host, run_id)
        return self._watches[run_id]

    def _claim(self, run_id: str) -> RunClaim | None:
        watched = self._watches.get(run_id)
        if watched is None:
            return self._host.claim(run_id)
        if watched.claim is None:
            watched.claim = self._host.claim(run_id)
        return watched.claim

    def _cap_bytes(self, run_id: str) -> int:
        watched = self._watches.get(run_id)
        limits = watched.limits if watched else self._host.limits(run_id)
        return limits.output_cap_bytes if limits else _DEFAULT_CAP_BYTES

    def _this_boot(self, claim: RunClaim | None) -> bool:
        return claim is not None and not is_of_another_boot(self._host, claim)


def _trees(strays: Sequence[Process]) -> list[tuple[int, ...]]:
    """Return the pids of each process tree among the strays: an agent with what it started."""
    parents = {p.pid: p.ppid for p in strays}
    trees: dict[int, list[int]] = {}
    for pid in parents:
        root, seen = pid, {pid}
        while (parent := parents[root]) in parents and parent not in seen:
            root = parent
            seen.add(root)
        trees.setdefault(root, []).append(pid)
    return [tuple(sorted(tree)) for tree in trees.values()]


def _ended_tree(tree: tuple[int, ...], left: Sequence[Process]) -> Killed:
    survivors = tuple(p.pid for p in left if p.pid in tree)
    return Killed("", Exit("stopped", survivors=survivors), pids=tree)


def _told(trouble: OSError) -> str:
    return f"{trouble.filename or 'the process table'}: {trouble.strerror}"


class LocalRunner(BaseRunner):
    """The runner of this machine: wait on `fileno()` for at most `wake_in_s()`, then `poll()`.

    `project` is the token of `Project.token`: marks of agents begin with it. `spared` are runs that
    a sweep by the token leaves alone.
    """

    def __init__(
        self,
        runs: Path,
        launcher: Launcher | None = None,
        project: str = "",
        spared: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self._machine = LocalHost(runs, launcher, project, spared)
        super().__init__(self._machine)

    def close(self) -> None:
        """Stop watching; agents and keepers continue."""
        self._watches.clear()
        self._machine.close()

    def fileno(self) -> int:
        """Return a descriptor that is readable when `poll` has something to do."""
        return self._machine.fileno()

    def make_ready(self, spares: int) -> None:
        """Start the prefork server and its spares now; no more are started later."""
        self._machine.begin_launcher(spares)

    @property
    def launcher_pid(self) -> int | None:
        """The pid of the prefork server, if one is running."""
        return self._machine.launcher_pid
