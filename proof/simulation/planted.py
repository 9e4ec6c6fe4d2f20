"""All planted bugs, and those that were taken out because nobody could ever tell them."""

from proof.simulation.mutant import Mutant
from proof.simulation.planted_kernel import KERNEL_BUGS
from proof.simulation.planted_outside import LOOP_BUGS, RUNNER_BUGS

__all__ = ["EQUIVALENT", "MUTANTS", "Mutant"]

MUTANTS = (*KERNEL_BUGS, *LOOP_BUGS, *RUNNER_BUGS)

EQUIVALENT = {
    "facts of this turn are lost when somebody speaks": (
        "benches say what is, not what changed: an end or an answer that was dropped is found "
        "again in the next turn, and a lost first sign of life leads along another edge"
    ),
    "a check that was not run is met": (
        "the simulated bench answers for every check it is asked for, so the guard is not reached; "
        "tests/core/test_verdict.py holds it"
    ),
}
"""Changes that break no rule here, each with the reason; none of them is counted."""
