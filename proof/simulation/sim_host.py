"""The simulated machine as one supervisor sees it: the `Host` that the real runner uses."""

import errno
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from proof.simulation.keeping import Keeper
from proof.simulation.processes import Proc
from proof.simulation.timeline import SECOND_US
from proof.simulation.yard import Files, Yard
from topkick.runner.host import AgentGone, KeeperMessage, LauncherGone, Life, Sign
from topkick.runner.process.processes import Identity
from topkick.runner.process.ps import Process
from topkick.runner.run_dir import Exit, How, Placement, RunClaim, RunDescription, RunLimits

Seam = Callable[[str], None]
AT_ONCE = ("ok", "slow", "never", "launcher dies", "refused")
FLOOD_BYTES_S = 50_000_000


@dataclass(slots=True)
class Ear:
    writers_ever: int


class SimHost:
    launcher_log = "launcher.log"

    def __init__(self, yard: Yard, seam: Seam, launching: Callable[[str], str]) -> None:
        self._yard = yard
        self._seam = seam
        self._launching = launching
        self._ears: dict[str, Ear] = {}
        self._followed: dict[str, Proc] = {}
        self._launcher_gone = False

    def monotonic_s(self) -> float:
        return self._yard.timeline.monotonic_s()

    def time_s(self) -> float:
        return self._yard.timeline.wall_us() / SECOND_US

    def boot_id(self) -> str:
        return self._yard.table.boot_id()

    # --- files of a run --------------------------------------------------------------------

    def _files(self, run_id: str) -> Files:
        return self._yard.files.setdefault(run_id, Files())

    def _write(self, name: str) -> None:
        self._seam(f"before {name}")
        if self._yard.is_full():
            raise OSError(errno.ENOSPC, "No space left on device")

    def prepare(self, run_id: str, placement: Placement) -> None:
        files = self._files(run_id)
        if files.order is None:
            self._write("prepare")
            files.mark = f"{run_id}-{self._yard.timeline.now_us}"
            files.order = placement
            self._seam("after prepare")

    def describe(self, run_id: str) -> RunDescription:
        self._seam("describe")
        files = self._files(run_id)
        claim = files.claim
        if files.exit is not None:
            return RunDescription("exited", files.exit, claim, files.agent)
        if claim is None:
            return RunDescription("absent")
        if claim.revoked is not None:
            return RunDescription("exited", Exit(claim.revoked, errno_text=claim.why), claim)
        if files.lock is not None:
            return RunDescription("running" if files.agent else "claimed", None, claim, files.agent)
        agent = files.agent if claim.keeper is not None else None
        if claim.boot_id == self.boot_id() and agent is not None and self.lives(agent):
            return RunDescription("orphaned", None, claim, agent)
        return RunDescription("lost", Exit("lost", started_at=claim.claimed_at), claim, agent)

    def claim(self, run_id: str) -> RunClaim | None:
        self._seam("read claim")
        return self._files(run_id).claim

    def limits(self, run_id: str) -> RunLimits | None:
        order = self._files(run_id).order
        return RunLimits(order.deadline_s, order.output_cap_bytes, order.grace_s) if order else None

    def has_output(self, run_id: str) -> bool:
        return self._life(run_id).output_bytes > 0

    def open_runs(self) -> list[str]:
        files = self._yard.files
        return sorted(i for i, f in files.items() if (f.order or f.claim) and f.exit is None)

    def revoke(self, run_id: str, how: How, why: str) -> bool:
        self._write("revoke")
        files = self._files(run_id)
        if files.claim is not None:
            return False
        boot = self._yard.table.boot_id()
        files.claim = RunClaim(None, boot, None, files.mark, self.time_s(), how, why)
        files.synced = True
        self._seam("after revoke")
        return True

    def write_stop(self, run_id: str, grace_s: float, why: str) -> None:
        self._write("write stop")
        self._files(run_id).stop_grace_s = grace_s
        self._seam("after write stop")

    def write_exit(self, run_id: str, ended: Exit) -> None:
        self._write("write exit")
        self._files(run_id).exit = ended
        self._seam("after write exit")

    # --- processes -------------------------------------------------------------------------

    def launch(self, run_id: str) -> bool:
        self._seam("before launch")
        fate = self._launching(run_id)
        if fate in AT_ONCE:
            self._yard.struck(f"launch {fate}")
        if fate == "refused":
            return False
        if fate == "launcher dies":
            self._launcher_gone = True
        elif fate != "never":
            keeper = Keeper(self._yard, run_id, fate)
            delay_s = 7.0 if fate == "slow" else 0.05
            boot = self._yard.table.boot
            self._yard.timeline.after(
                delay_s, lambda: keeper.begin() if self._yard.table.boot == boot else None
            )
        self._seam("after launch")
        return True

    def lives(self, agent: Identity) -> bool:
        proc = self._yard.table.rows.get(agent.pid)
        return proc is not None and proc.started == agent.started

    def members(self, found: RunDescription) -> list[Process]:
        self._seam("members")
        rows = self._yard.table.rows
        claim = found.claim
        assert claim is not None
        keeper = {p.pid for p in rows.values() if _is(p, claim.keeper)}
        pids = {p.pid for p in rows.values() if _is(p, found.agent)}
        pids |= {p.pid for p in rows.values() if p.ppid in keeper}
        if claim.mark:
            pids |= {p.pid for p in rows.values() if p.mark == claim.mark}
        pids |= {p.pid for p in rows.values() if p.ppid in pids}
        return [_row(rows[pid], claim.mark) for pid in sorted(pids - keeper)]

    def ask(self, members: Sequence[Process]) -> None:
        for process in members:
            self._yard.table.signal(process.pid, signal.SIGTERM, process.words)

    def kill(self, members: Sequence[Process], claim: RunClaim) -> None:
        for process in members:
            self._yard.table.signal(process.pid, signal.SIGKILL, process.words)
        self._seam("after kill")

    def strays(self) -> list[Process]:
        return []

    def kill_strays(self, strays: Sequence[Process]) -> None:
        return

    def signal_keeper(self, found: RunDescription, number: int) -> None:
        claim = found.claim
        if claim is not None and claim.keeper is not None:
            self._yard.table.signal(claim.keeper.pid, number, claim.mark)
        self._seam("after signal")

    def remove_group(self, claim: RunClaim) -> None:
        return

    def life(self, runs: Mapping[str, tuple[RunClaim | None, int]]) -> Mapping[str, Life]:
        return {run_id: self._life(run_id) for run_id in runs}

    def _life(self, run_id: str) -> Life:
        files = self._files(run_id)
        if files.agent_proc is None:
            return Life(0, 0.0)
        lived_s = self._yard.table.lived_s(files.agent_proc)
        match files.behaves.kind:
            case "hangs":
                return Life(0, 0.01)
            case "busy":
                return Life(5, lived_s)
            case "floods":
                cap = files.order.output_cap_bytes if files.order is not None else 0
                return Life(min(cap, int(lived_s * FLOOD_BYTES_S)), lived_s / 100)
            case "part":  # silent, but files change
                return Life(5, 0.01)
            case _:
                return Life(int(lived_s * 10), lived_s / 100)

    # --- notifications ---------------------------------------------------------------------

    def listen(self, run_id: str) -> bool:
        files = self._files(run_id)
        if files.order is None:
            return False
        if not files.wire.writers:  # a pipe's content is lost with its last open end
            files.wire.said.clear()
        self._ears[run_id] = Ear(files.wire.writers_ever)
        if files.wire.writers:
            self._ears[run_id].writers_ever -= 1
        return True

    def stop_listening(self, run_id: str) -> None:
        self._ears.pop(run_id, None)
        self._followed.pop(run_id, None)

    def follow(self, run_id: str, pid: int) -> None:
        proc = self._yard.table.rows.get(pid)
        if run_id not in self._followed and proc is not None:
            self._followed[run_id] = proc

    def readable(self) -> bool:
        return (
            self._launcher_gone
            or any(not p.alive for p in self._followed.values())
            or any(self._has_news(i, e) for i, e in self._ears.items())
        )

    def _has_news(self, run_id: str, ear: Ear) -> bool:
        wire = self._files(run_id).wire
        return bool(wire.said) or (not wire.writers and wire.writers_ever > ear.writers_ever)

    def signs(self) -> list[Sign]:
        found: list[Sign] = []
        if self._launcher_gone:
            self._launcher_gone = False
            found.append(LauncherGone())
        for run_id, proc in list(self._followed.items()):
            if not proc.alive:
                del self._followed[run_id]
                found.append(AgentGone(run_id))
        for run_id, ear in list(self._ears.items()):
            if self._has_news(run_id, ear):
                found.append(self._read(run_id))
        return found

    def _read(self, run_id: str) -> KeeperMessage:
        wire = self._files(run_id).wire
        said = bytes(wire.said)
        wire.said.clear()
        if not said:
            del self._ears[run_id]
        return KeeperMessage(run_id, said)

    def wait(self, timeout_s: float) -> None:
        """Let time pass, for `kill_everything`, which waits by itself."""
        self._yard.timeline.pass_s(timeout_s + 0.001)


def _is(proc: Proc, identity: Identity | None) -> bool:
    return identity is not None and (proc.pid, proc.started) == (identity.pid, identity.started)


def _row(proc: Proc, mark: str | None) -> Process:
    """Return a row that carries the intended mark, so that the table can check a signal's
    target.
    """
    row = Process(proc.pid, proc.ppid, proc.pid, proc.started, False, 0.0, 0.0)
    return row._replace(words=mark or "")


def forget_wholly(lost: Sequence[Files]) -> None:
    """Lose whole directories, after a disk that lied about its sync."""
    for found in lost:
        found.order = found.claim = found.agent = found.exit = None


def forget_unsynced(files: Mapping[str, Files], keep: Callable[[str], bool]) -> None:
    """Apply a power cut: unsynced data may be lost, and a claim may have lost its content."""
    for run_id, found in files.items():
        found.lock = None
        found.wire.said.clear()
        found.wire.writers = 0
        found.stop_grace_s = None if not keep(f"{run_id} stop") else found.stop_grace_s
        if found.agent is not None and not keep(f"{run_id} agent"):
            found.agent = None
        if found.claim is None or found.claim.revoked is not None:
            continue
        if not found.synced and not keep(f"{run_id} claim"):
            found.claim = None
        elif not keep(f"{run_id} content"):
            found.claim = replace(found.claim, keeper=None, boot_id="", claimed_at=0.0)
            found.agent = None
        if found.claim is None and not keep(f"{run_id} order"):
            found.order = None
