"""The notices that a runner reports about its runs."""

from dataclasses import dataclass

from topkick.runner.run_dir import Exit


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
