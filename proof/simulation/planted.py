"""All planted bugs."""

from proof.simulation.mutant import Mutant
from proof.simulation.planted_kernel import KERNEL_BUGS
from proof.simulation.planted_outside import LOOP_BUGS, RUNNER_BUGS

__all__ = ["MUTANTS", "Mutant"]

MUTANTS = (*KERNEL_BUGS, *LOOP_BUGS, *RUNNER_BUGS)
