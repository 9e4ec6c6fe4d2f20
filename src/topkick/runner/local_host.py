"""The host for runs on this machine: run directories, wires, launcher, process tables, signals."""

import contextlib
import os
import selectors
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from topkick.runner import run_dir
from topkick.runner.host import AgentGone, KeeperMessage, LauncherGone, Life, Sign
from topkick.runner.keeper import output
from topkick.runner.keeper.output import Chunk
from topkick.runner.keeper.prefork_client import Launcher, prefork_argv
from topkick.runner.process import cgroups, processes, sweep
from topkick.runner.process.processes import Identity
from topkick.runner.process.ps import Process
from topkick.runner.run_dir import Exit, How, Placement, RunClaim, RunDescription, RunLimits


@dataclass(frozen=True, slots=True)
class _Ear:
    """The run and the kind of a registered descriptor."""

    run_id: str
    is_wire: bool


class LocalHost:
    def __init__(
        self,
        runs: Path,
        launcher: Launcher | None = None,
        project: str = "",
        spared: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self._runs = runs
        self._project = project
        self._spared = spared
        self._launcher = launcher or Launcher(
            prefork_argv("topkick.runner.keeper.keeper"), runs / "launcher.log"
        )
        self._launcher_fd: int | None = None
        self._asked: dict[str, int | None] = {}
        self._secrets: dict[str, Mapping[str, str]] = {}
        self._selector = selectors.DefaultSelector()
        self._wires: dict[str, int] = {}
        self._pidfds: dict[str, int] = {}

    def close(self) -> None:
        for run_id in {*self._wires, *self._pidfds}:
            self.stop_listening(run_id)
        self._drop_launcher()
        self._launcher.end()
        self._selector.close()

    def fileno(self) -> int:
        return self._selector.fileno()

    def begin_launcher(self, spares: int) -> None:
        self._launcher.begin(spares)

    @property
    def launcher_pid(self) -> int | None:
        return self._launcher.pid

    def monotonic_s(self) -> float:
        return time.monotonic()

    def time_s(self) -> float:
        return time.time()

    def boot_id(self) -> str:
        return processes.boot_id()

    # -- files of a run

    def prepare(self, run_id: str, placement: Placement) -> None:
        self._secrets[run_id] = placement.secrets
        run_dir.prepare(self._path(run_id), run_id, placement, self._project)

    def describe(self, run_id: str) -> RunDescription:
        """Return the run's state; a run whose agent deleted the files is found by its mark."""
        found = run_dir.describe(self._path(run_id))
        if found.state != "absent" or not self._project:
            return found
        claim = sweep.claim_by_mark(self._project, run_id)
        return RunDescription("orphaned", None, claim) if claim is not None else found

    def claim(self, run_id: str) -> RunClaim | None:
        return run_dir.read_claim(self._path(run_id))

    def limits(self, run_id: str) -> RunLimits | None:
        return run_dir.read_limits(self._path(run_id))

    def has_output(self, run_id: str) -> bool:
        with contextlib.suppress(FileNotFoundError):
            return (self._path(run_id) / "output").stat().st_size > 0
        return False

    def open_runs(self) -> list[str]:
        try:
            paths = sorted(self._runs.iterdir())
        except FileNotFoundError:  # no run was ever started; anything else must not hide runs
            return []
        return [p.name for p in paths if run_dir.is_run_id(p.name) and run_dir.is_open(p)]

    def revoke(self, run_id: str, how: How, why: str) -> bool:
        return run_dir.revoke(self._path(run_id), run_id, how, why)

    def write_stop(self, run_id: str, grace_s: float, why: str) -> None:
        run_dir.write_stop(self._path(run_id), grace_s, why)

    def write_exit(self, run_id: str, ended: Exit) -> None:
        run_dir.write_exit(self._path(run_id), ended)

    def tail(self, run_id: str, cap_bytes: int, offset: int, limit_bytes: int) -> Chunk:
        return output.read(self._path(run_id), cap_bytes, offset, limit_bytes)

    # -- processes

    def lives(self, agent: Identity) -> bool:
        return processes.alive(agent)

    def members(self, found: RunDescription) -> list[Process]:
        assert found.claim is not None
        return sweep.members(found.claim, found.agent)

    def ask(self, members: Sequence[Process]) -> None:
        sweep.ask(list(members))

    def kill(self, members: Sequence[Process], claim: RunClaim) -> None:
        sweep.kill(list(members), claim)

    def strays(self) -> list[Process]:
        return sweep.of_project(self._project, self._spared) if self._project else []

    def kill_strays(self, strays: Sequence[Process]) -> None:
        sweep.kill_project(list(strays), self._project, self._spared)

    def signal_keeper(self, found: RunDescription, number: int) -> None:
        """Signal the keeper; called only while the claim is locked, which proves that the pid is
        its own.
        """
        keeper = found.claim.keeper if found.claim else None
        if keeper is None:
            return
        if keeper.portable:
            processes.kill(keeper.pid, number)
        else:
            processes.send(keeper, number)

    def remove_group(self, claim: RunClaim) -> None:
        if claim.cgroup:
            cgroups.remove(claim.cgroup)

    def life(self, runs: Mapping[str, tuple[RunClaim | None, int]]) -> Mapping[str, Life]:
        found: dict[str, Life] = {}
        rows: dict[int, Process] | None = None
        for run_id, (claim, cap_bytes) in runs.items():
            cpu_s = cgroups.cpu_s(claim.cgroup) if claim and claim.cgroup else None
            if cpu_s is None and claim and claim.keeper:
                rows = processes.table() if rows is None else rows
                cpu_s = processes.tree_cpu_s(claim.keeper.pid, rows)
            size = output.size_bytes(self._path(run_id), cap_bytes)
            found[run_id] = Life(size, cpu_s or 0.0)
        return found

    # -- launching

    @property
    def launcher_log(self) -> str:
        return str(self._runs / "launcher.log")

    def launch(self, run_id: str) -> bool:
        pid = self._launcher.pid
        if pid is not None and self._asked.get(run_id) == pid:  # asked once already: it hangs
            self._drop_launcher(patience_s=0.1)
        secrets = self._secrets.get(run_id, {})
        self._unregister_launcher()
        if not self._launcher.launch(os.fspath(self._path(run_id)), secrets):
            return False
        self._asked[run_id] = self._launcher.pid
        self._register_launcher()
        return True

    def _register_launcher(self) -> None:
        self._launcher_fd = self._launcher.fileno()
        if self._launcher_fd is not None:
            self._selector.register(self._launcher_fd, selectors.EVENT_READ)

    def _unregister_launcher(self) -> None:
        """Unregister the launcher before it is replaced: a new one may get the same descriptor
        number.
        """
        if self._launcher_fd is not None:
            self._selector.unregister(self._launcher_fd)
            self._launcher_fd = None

    def _drop_launcher(self, patience_s: float = 1.0) -> None:
        self._unregister_launcher()
        self._launcher.close(patience_s)

    # -- notifications

    def listen(self, run_id: str) -> bool:
        try:
            fd = os.open(self._path(run_id) / "wire", os.O_RDONLY | os.O_NONBLOCK)
        except OSError:  # none yet, or unreadable: the run is polled instead
            return False
        self._wires[run_id] = fd
        self._selector.register(fd, selectors.EVENT_READ, _Ear(run_id, is_wire=True))
        return True

    def follow(self, run_id: str, pid: int) -> None:
        if run_id in self._pidfds or processes.portable():
            return
        with contextlib.suppress(OSError):
            fd = os.pidfd_open(pid)
            self._pidfds[run_id] = fd
            self._selector.register(fd, selectors.EVENT_READ, _Ear(run_id, is_wire=False))

    def stop_listening(self, run_id: str) -> None:
        self._asked.pop(run_id, None)
        self._secrets.pop(run_id, None)
        self._close(self._wires, run_id)
        self._close(self._pidfds, run_id)

    def signs(self) -> list[Sign]:
        heard = [self._sign(key) for key, _ in self._selector.select(0)]
        return [sign for sign in heard if sign is not None]

    def _sign(self, key: selectors.SelectorKey) -> Sign | None:
        if key.fd == self._launcher_fd:
            self._drop_launcher()
            return LauncherGone()
        match key.data:
            case _Ear(run_id, is_wire=True):
                return self._read_wire(run_id, key.fd)
            case _Ear(run_id):
                self._close(self._pidfds, run_id)
                return AgentGone(run_id)
            case _:
                return None

    def _read_wire(self, run_id: str, fd: int) -> KeeperMessage | None:
        try:
            said = os.read(fd, 64)
        except BlockingIOError:
            return None
        self._asked.pop(run_id, None)  # a keeper exists, so this launcher works
        if not said:
            self._close(self._wires, run_id)
        return KeeperMessage(run_id, said)

    def wait(self, timeout_s: float) -> None:
        self._selector.select(timeout_s)

    # -- small things

    def _path(self, run_id: str) -> Path:
        return run_dir.path_of(self._runs, run_id)

    def _close(self, descriptors: dict[str, int], run_id: str) -> None:
        fd = descriptors.pop(run_id, None)
        if fd is not None:
            self._selector.unregister(fd)
            os.close(fd)
