"""A machine that supervises the file: its processes, its run directories, its journal."""

from dataclasses import dataclass
from pathlib import Path

from proof.simulation.processes import Table
from proof.simulation.sim_host import SimHost
from proof.simulation.yard import Yard
from topkick.engine.codec.chain import Head


@dataclass(slots=True)
class Host:
    name: str
    state: Path
    table: Table
    yard: Yard
    anchor: Head | None = None

    @property
    def journal(self) -> Path:
        return self.state / "journal.db"

    def state_of(self, run_id: str) -> tuple[str, int]:
        """Return a run's state here and its last output, as `app.assemble` does."""
        if run_id not in self.yard.files:
            return "absent", 0
        found = SimHost(self.yard, lambda _name: None, lambda _id: "never").describe(run_id)
        return found.state, self._printed_us(run_id)

    def _printed_us(self, run_id: str) -> int:
        files = self.yard.files[run_id]
        proc = files.agent_proc
        if proc is None:
            return 0
        now_us = self.yard.timeline.now_us
        last_us = proc.born_us if files.behaves.kind == "hangs" else (proc.ended_us or now_us)
        return self.yard.timeline.wall_us() - (now_us - last_us)

    def alive(self, run_id: str) -> bool:
        return any(p.run_id == run_id and p.role == "agent" for p in self.table.ours())

    def end_silent(self, run_id: str) -> None:
        """Kill a worker that hangs or whose keeper does nothing, as `killall` does."""
        mine = [p for p in self.table.ours() if p.run_id == run_id]
        files = self.yard.files.get(run_id)
        hangs = files is not None and files.behaves.kind == "hangs"
        if hangs or not any(p.role == "agent" for p in mine):
            for proc in mine:
                self.table.end(proc, None, 9)

    def reboot(self) -> None:
        """Reboot: synced data stays, and no process survives."""
        self.table.reboot()
        for files in self.yard.files.values():
            files.lock = None
            files.wire.said.clear()
            files.wire.writers = 0
