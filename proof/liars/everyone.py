"""All cases, by their names."""

from importlib import import_module

from proof.liars.cases import HONEST, LIARS, Case, Trial

HOMES = (
    *(f"honest_{name}" for name in ("code", "looks", "tests")),
    *(f"lies_{name}" for name in ("absent", "bombs", "checks", "git", "history", "marks", "runs")),
    *(f"lies_{name}" for name in ("selection", "skips", "stubs", "tests", "thresholds", "tools")),
    "lies_words",
)
for _home in HOMES:
    import_module(f"proof.liars.{_home}")  # cases register themselves when they are imported


def case_named(name: str) -> Case:
    return next(case for case in (*LIARS, *HONEST) if case.name == name)


def trial_named(name: str) -> Trial:
    """Return the trial for a name as the table shows it: `07-skip/pytest/clone/1`."""
    case, language, *where, seed = name.split("/")
    return Trial(case_named(case), language, where[0] if where else "shared", int(seed))
