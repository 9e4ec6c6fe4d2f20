"""All cases, by their names."""

from proof.liars import (
    honest_code,
    honest_looks,
    honest_tests,
    lies_absent,
    lies_bombs,
    lies_checks,
    lies_git,
    lies_history,
    lies_marks,
    lies_runs,
    lies_selection,
    lies_skips,
    lies_stubs,
    lies_tests,
    lies_thresholds,
    lies_tools,
    lies_words,
)
from proof.liars.cases import HONEST, LIARS, Case, Trial

THEIR_HOMES = (
    honest_code,
    honest_looks,
    honest_tests,
    lies_absent,
    lies_bombs,
    lies_checks,
    lies_git,
    lies_history,
    lies_marks,
    lies_runs,
    lies_selection,
    lies_skips,
    lies_stubs,
    lies_tests,
    lies_thresholds,
    lies_tools,
    lies_words,
)
"""They name themselves when they are imported."""


def case_named(name: str) -> Case:
    return next(case for case in (*LIARS, *HONEST) if case.name == name)


def trial_named(name: str) -> Trial:
    """As the table shows it: `07-skip/pytest/clone/1`."""
    case, language, *where, seed = name.split("/")
    return Trial(case_named(case), language, where[0] if where else "shared", int(seed))
