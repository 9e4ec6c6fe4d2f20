"""The interface between decisions about runs and the machine that agents run on.

It comes with the notices that a runner reports about its runs. One implementation is this machine;
the simulator's is made of numbers and virtual time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from topkick.runner.keeper.output import Chunk
from topkick.runner.process.processes import Identity
from topkick.runner.process.ps import Process
from topkick.runner.run_dir import Exit, How, Placement, RunClaim, RunDescription, RunLimits


@dataclass(frozen=True, slots=True)
class Active:
    """The agent has printed something or has lived for a second."""

    run_id: str


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is over and nothing of it lives, except the survivors that its exit names."""

    run_id: str
    exit: Exit


Notice = Active | RunEnded


@dataclass(frozen=True, slots=True)
class Life:
    """Signs of life: both numbers only grow."""

    output_bytes: int
    cpu_s: float


# --- the host ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KeeperMessage:
    """The bytes that a keeper wrote to its wire; empty when no keeper has the other end open."""

    run_id: str
    said: bytes


@dataclass(frozen=True, slots=True)
class AgentGone:
    """An agent that was followed without its keeper has ended."""

    run_id: str


@dataclass(frozen=True, slots=True)
class LauncherGone:
    """The launcher has died; keepers that it was asked for may never appear."""


Sign = KeeperMessage | AgentGone | LauncherGone


class Host(Protocol):
    """Reads and changes the machine without deciding anything; failures of the system are
    OSErrors.
    """

    def monotonic_s(self) -> float: ...
    def time_s(self) -> float: ...
    def boot_id(self) -> str: ...

    # files of a run
    def prepare(self, run_id: str, placement: Placement) -> None: ...
    def describe(self, run_id: str) -> RunDescription: ...
    def claim(self, run_id: str) -> RunClaim | None: ...
    def limits(self, run_id: str) -> RunLimits | None: ...
    def has_output(self, run_id: str) -> bool: ...
    def tail(self, run_id: str, cap_bytes: int, offset: int, limit_bytes: int) -> Chunk: ...
    def open_runs(self) -> Sequence[str]: ...
    def revoke(self, run_id: str, how: How, why: str) -> bool: ...
    def write_stop(self, run_id: str, grace_s: float, why: str) -> None: ...
    def write_exit(self, run_id: str, ended: Exit) -> None: ...

    # processes
    @property
    def launcher_log(self) -> str: ...
    def launch(self, run_id: str) -> bool: ...
    def lives(self, agent: Identity) -> bool: ...
    def members(self, found: RunDescription) -> list[Process]: ...
    def ask(self, members: Sequence[Process]) -> None: ...
    def kill(self, members: Sequence[Process], claim: RunClaim) -> None: ...
    def strays(self) -> list[Process]: ...
    def kill_strays(self, strays: Sequence[Process]) -> None: ...
    def signal_keeper(self, found: RunDescription, number: int) -> None: ...
    def remove_group(self, claim: RunClaim) -> None: ...
    def life(self, runs: Mapping[str, tuple[RunClaim | None, int]]) -> Mapping[str, Life]: ...

    # notifications
    def listen(self, run_id: str) -> bool: ...
    def stop_listening(self, run_id: str) -> None: ...
    def follow(self, run_id: str, pid: int) -> None: ...
    def signs(self) -> Sequence[Sign]: ...
    def wait(self, timeout_s: float) -> None: ...
