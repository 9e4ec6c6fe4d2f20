"""The shared parts of keepers and agents: run directories, wires, and agents' behaviour."""

from collections.abc import Callable
from dataclasses import dataclass, field

from proof.simulation.processes import Proc, Table
from proof.simulation.schedule import Agent
from proof.simulation.timeline import Timeline
from topkick.runner.process.processes import Identity
from topkick.runner.run_dir import Exit, Placement, RunClaim


@dataclass(slots=True)
class Wire:
    """A FIFO: bytes for the first reader, and end of file once all writers are gone."""

    said: bytearray = field(default_factory=bytearray)
    writers: int = 0
    writers_ever: int = 0

    def connect(self) -> None:
        self.writers += 1
        self.writers_ever += 1


@dataclass(slots=True)
class Files:
    """A run's directory."""

    order: Placement | None = None
    mark: str = ""
    claim: RunClaim | None = None
    synced: bool = False
    lock: Proc | None = None
    agent: Identity | None = None
    stop_grace_s: float | None = None
    exit: Exit | None = None
    wire: Wire = field(default_factory=Wire)
    spoken: bool = False
    agent_proc: Proc | None = None
    released_us: int = 0
    behaves: Agent = field(default_factory=Agent)


@dataclass(slots=True)
class Yard:
    """The environment of keepers: the table, the files, the disk, and agents' behaviour."""

    timeline: Timeline
    table: Table
    files: dict[str, Files]
    is_full: Callable[[], bool]
    agent_for: Callable[[str], Agent]
    started: Callable[[str], None]
    work: Callable[[str, Agent], None]
    note: Callable[[str], None]
    struck: Callable[[str], None] = lambda _what: None
