"""Planted bugs in keepers or the runner, each of which must be found."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from topkick.runner import run_dir
from topkick.runner.keeper import keeper
from topkick.runner.keeper.prefork_client import Launcher
from topkick.runner.process import processes, sweep, tree
from topkick.runner.process.processes import Identity
from topkick.runner.process.ps import Process

_ROOT = Path(__file__).resolve().parents[2]
_BOOT = (
    "import sys; sys.path[:0] = sys.argv[1:3]; "
    "from proof.processes.planted import main; main(sys.argv[3], int(sys.argv[4]))"
)


def launcher_for(plant: str, runs: Path) -> Launcher | None:
    """Return a launcher whose keepers have the bug; None for the real one."""
    if not plant:
        return None
    words = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT]
    return Launcher([*words, str(_ROOT), str(_ROOT / "src"), plant], runs / "launcher.log")


def main(plant: str, fd: int) -> None:
    KEEPER_BUGS.get(plant, _nothing)()
    keeper.main(fd)


def spoil_runner(plant: str) -> None:
    RUNNER_BUGS.get(plant, _nothing)()


def _nothing() -> None:
    return


# --- in the keeper -------------------------------------------------------------------------


def _group_only() -> None:
    """Signal only the process group, the usual way, and stop when the agent is gone."""

    def end(self: tree._Tree, _grace_s: float) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._pid, number)
            except ProcessLookupError:
                return
        while self._status is None:
            self._turn(0.01)

    tree._Tree._end = end  # type: ignore[method-assign]
    tree._Tree._nothing_left = lambda self: self._status is not None  # type: ignore[method-assign]


def _asks_only() -> None:
    """Never send more than SIGTERM."""
    tree._Tree._kill = lambda _self: None  # type: ignore[method-assign]


def _no_reaper() -> None:
    """Let orphans go to init, and look only for the remaining family."""
    tree.become_subreaper = lambda: False
    processes.marked = lambda _mark, _rows: set()
    keeper._make_group = lambda _run_id: None


def _by_name() -> None:
    """End every process of the same program, in this batch alone."""

    def members(self: tree._Tree) -> list[Process]:
        rows = processes.table()
        name = Path(self._command.argv[0]).name
        alike = {p for p in rows if name in _words(p) and self._command.cwd in _words(p)}
        pids = (alike | processes.family([os.getpid()], rows)) - processes.ancestors(rows)
        return [rows[pid] for pid in pids if not rows[pid].dead]

    tree._Tree._members = members  # type: ignore[method-assign]
    processes.signal_groups = lambda _members, _number: None


def _words(pid: int) -> str:
    return processes._read(f"/proc/{pid}/cmdline")


# --- in the runner -------------------------------------------------------------------------


def _no_start_time() -> None:
    """Trust that a pid is the same process."""

    def found(rows: dict[int, Process], identity: Identity | None) -> set[int]:
        return {identity.pid} & set(rows) if identity else set()

    def alive(identity: Identity) -> bool:
        return os.path.exists(f"/proc/{identity.pid}")

    sweep._in = found
    processes.alive = alive
    processes.signal_process = lambda pid, _started, number: processes.kill(pid, number)


def _believes_records() -> None:
    """Take a run as ended because a record says so."""

    def ended(
        _path: Path, said: run_dir.Exit, claim: run_dir.RunClaim | None, agent: Identity | None
    ) -> run_dir.RunDescription:
        return run_dir.RunDescription("exited", said, claim, agent)

    run_dir._ended = ended


KEEPER_BUGS: dict[str, Callable[[], None]] = {
    "group-only": _group_only,
    "asks-only": _asks_only,
    "no-reaper": _no_reaper,
    "by-name": _by_name,
}
RUNNER_BUGS: dict[str, Callable[[], None]] = {
    "no-start-time": _no_start_time,
    "believes-records": _believes_records,
}
SHOWN_BY = {"no-start-time": "unkept", "believes-records": "forged"}
"""The way of ending in which a bug shows, where that is not a stop."""
PLANTS = (*KEEPER_BUGS, *RUNNER_BUGS)
