"""The process table of a simulated machine: reused pids, boots, signals."""

import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from proof.simulation.timeline import SECOND_US, Timeline

PIDS = 400


@dataclass(slots=True, eq=False)
class Proc:
    pid: int
    started: int
    ppid: int
    role: str  # keeper, agent, child, foreign
    run_id: str = ""
    mark: str = ""
    deaf: bool = False
    dies_s: float = 0.1
    stuck_s: float = 0.0  # how long even SIGKILL takes
    paused: bool = False
    alive: bool = True
    asked_us: int | None = None
    born_us: int = 0
    ended_us: int | None = None
    on_signal: Callable[[int], None] | None = None
    on_end: Callable[[int | None, int | None], None] | None = None


@dataclass(slots=True)
class Table:
    timeline: Timeline
    complain: Callable[[str, str], None]
    boot: int = 1
    rows: dict[int, Proc] = field(default_factory=dict)
    gone: list[Proc] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)  # the marks whose keeper was asked to end
    _last: int = 100

    def boot_id(self) -> str:
        return f"boot-{self.boot}"

    def spawn(self, role: str, run_id: str, mark: str, parent: Proc | None) -> Proc:
        pid = self._last
        while pid in self.rows or pid == self._last:
            pid = 101 + (pid - 100) % PIDS
        self._last = pid
        started = self.timeline.now_us // 10_000
        proc = Proc(pid, started, parent.pid if parent else 1, role, run_id, mark)
        proc.born_us = self.timeline.now_us
        self.rows[pid] = proc
        return proc

    def imitate(self, dead: Proc, *, same_start: bool) -> None:
        """Give a foreign process the pid of a dead one; after a reboot perhaps its start time
        too.
        """
        if dead.pid not in self.rows:
            started = dead.started if same_start else self.timeline.now_us // 10_000 + 1
            self.rows[dead.pid] = Proc(dead.pid, started, 1, "foreign")

    def of_run(self, run_id: str) -> list[Proc]:
        """Return everything of a run that lives, except its keeper."""
        return [p for p in self.rows.values() if p.run_id == run_id and p.role != "keeper"]

    def ours(self) -> Iterator[Proc]:
        return (p for p in self.rows.values() if p.role != "foreign")

    # --- signals ---------------------------------------------------------------------------

    def signal(self, pid: int, number: int, mark: str | None) -> None:
        """Send a signal to a pid; the sender must know which process has it."""
        proc = self.rows.get(pid)
        if proc is None:
            return
        if proc.role == "foreign" or proc.mark != mark:
            whose = proc.run_id or "a stranger"
            self.complain("K7", f"signal {number} meant for {mark} went to {pid}, {whose}")
        elif proc.on_signal is not None:
            if number == signal.SIGTERM:
                self.asked.add(proc.mark)
            proc.on_signal(number)
        else:
            self._take(proc, number)

    def _take(self, proc: Proc, number: int) -> None:
        if number == signal.SIGKILL:
            if proc.asked_us is None and proc.mark not in self.asked:
                self.complain("K1", f"{proc.pid} of {proc.run_id} was killed and never asked")
            if proc.stuck_s:
                self.timeline.after(proc.stuck_s, lambda: self.end(proc, None, number))
            else:
                self.end(proc, None, number)
        elif number == signal.SIGTERM:
            proc.asked_us = proc.asked_us or self.timeline.now_us
            if not proc.deaf:
                self.timeline.after(proc.dies_s, lambda: self.end(proc, None, number))

    def end(self, proc: Proc, code: int | None, number: int | None) -> None:
        if not proc.alive:
            return
        proc.alive = False
        proc.ended_us = self.timeline.now_us
        self.rows.pop(proc.pid, None)
        self.gone.append(proc)
        del self.gone[:-50]
        for child in self.rows.values():
            if child.ppid == proc.pid:
                child.ppid = self._heir(child)
        if proc.on_end is not None:
            proc.on_end(code, None if number is None else int(number))

    def _heir(self, child: Proc) -> int:
        """Return an orphan's new parent: the keeper of its run, else process 1."""
        keepers = [p for p in self.rows.values() if p.role == "keeper" and p.mark == child.mark]
        return keepers[0].pid if keepers else 1

    def reboot(self) -> None:
        """Kill everything, and give old pids to foreign processes."""
        mine = list(self.ours())
        for proc in mine:
            proc.alive = False
            proc.ended_us = self.timeline.now_us
        self.rows = {}
        self.boot += 1
        for proc in mine:
            self.imitate(proc, same_start=True)

    def lived_s(self, proc: Proc) -> float:
        until_us = self.timeline.now_us if proc.ended_us is None else proc.ended_us
        return (until_us - proc.born_us) / SECOND_US
