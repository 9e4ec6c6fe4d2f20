"""All planted bugs, and those that were removed because no check could ever notice them."""

from proof.simulation.mutant import Mutant
from proof.simulation.planted_files import BOARD_BUGS, EPIC_BUGS
from proof.simulation.planted_gates import GATE_BUGS
from proof.simulation.planted_kernel import KERNEL_BUGS
from proof.simulation.planted_outside import LOOP_BUGS, RUNNER_BUGS

__all__ = ["ELSEWHERE", "EQUIVALENT", "MUTANTS", "UNDECIDED", "Mutant"]

MUTANTS = (*KERNEL_BUGS, *GATE_BUGS, *LOOP_BUGS, *RUNNER_BUGS, *BOARD_BUGS, *EPIC_BUGS)

ELSEWHERE = {
    "a stop gives no grace": "tests/runner/test_local_runner.py::test_stop_asks_first",
    "a keeper is signalled after its death": (
        "tests/proof/test_processes.py::"
        "test_a_stranger_with_the_pid_of_a_dead_keeper_is_never_signalled[portable]"
    ),
}
"""Bugs about real processes, which simulated ones do not show: the test that catches each."""

EQUIVALENT = {
    "facts of this turn are lost when somebody speaks": (
        "benches say what is, not what changed: an end or an answer that was dropped is found "
        "again in the next turn, and a lost first sign of life leads along another edge"
    ),
    "a check that was not run is met": (
        "the simulated bench answers for every check it is asked for, so the guard is not reached; "
        "tests/sprint/test_verdict.py holds it"
    ),
    "another boot's processes are taken for ours": (
        "a claim of another boot is described as lost before the watch asks for its boot"
    ),
    "a dead launcher is not noticed": (
        "whoever launches next notices it, and the watch looks at every run again anyway"
    ),
}
"""Changes that break no rule here, each with the reason; none of them is counted."""

UNDECIDED = (
    "an ended agent is watched on",
    "a background process of an earlier supervisor is taken for an agent",
    "what was asked for before a stop is launched after it",
    "the present content of a file was changed by others",
)
"""Changes that no check has shown so far, without a proof that none can; none of them is
counted.
"""
