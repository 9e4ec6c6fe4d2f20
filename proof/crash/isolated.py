"""The scenarios in which each unit works in a clone of its own."""

from proof.crash.steps import (
    RESUME,
    START,
    Done,
    Look,
    Meanwhile,
    Open,
    Part,
    Recorded,
    Say,
    Scenario,
    Supervise,
    Until,
    part,
)

LAND = ("land", "--yes")
CLEAN = ("clean", "--yes")
_BOTH = "test -f a/done-2.txt -a -f b/done-1.txt"
_ALL = f"{_BOTH} -a -f b/done-2.txt -a -f c/done-1.txt"
SMALL = {"a": (part("a", 1),), "b": (part("b", 1),)}


def _shared(unit: str, *script: str) -> Part:
    """Return a part that writes a file which the other unit writes too."""
    return Part((f"test -f {unit}/done-1.txt",), (*script, "share both.txt", "commit done-1.txt"))


def _leaving(unit: str, how: str, *before: str) -> Part:
    """Return a part whose first agent leaves work uncommitted; the next one overwrites it."""
    script = (*before, "write half.txt", "stage staged.txt", f"leave-once {how}")
    commits = ("commit half.txt", "commit staged.txt", "commit done-1.txt")
    return Part((f"test -f {unit}/done-1.txt",), (*script, *commits))


ISOLATED = (
    Scenario(
        "isolated",
        {
            "a": (part("a", 1), Part((_BOTH,), ("commit done-2.txt",), after="b Sprint 1")),
            "b": (part("b", 1, "wait gate"), part("b", 2)),
            "c": (Part((_ALL,), ("commit done-1.txt",)),),
        },
        (
            Look(),
            Supervise(START),
            Recorded("SprintJudged", 1),
            Open("gate"),
            Done(),
            Look(same=True),
        ),
        needs={"c": "a, b"},
        isolated=True,
    ),
    Scenario(
        "conflict",
        {"a": (_shared("a"),), "b": (_shared("b", "wait gate"),)},
        (
            Look(),
            Supervise(START),
            Recorded("UnitIntegrated", 1),
            Open("gate"),
            Done(),
            Look(same=True),
        ),
        isolated=True,
        generated={"b.merge-1": ("merge both.txt",)},
    ),
    Scenario(
        "salvage",
        {"a": (_leaving("a", "hanging"),), "b": (_leaving("b", "failing", "wait gate"),)},
        (
            Look(),
            Supervise(START, aimed=False),
            Until("hangs", 1),
            Until("waits", 1),
            Say(("killall",)),
            Done((6,)),
            Open("gate"),
            Supervise(RESUME),
            Done(),
            Look(same=True),
        ),
        exact=False,
        spares=False,
        from_the_start=True,
        isolated=True,
    ),
    Scenario(
        "land",
        SMALL,
        (
            Look(),
            Supervise(START, aimed=False),
            Done(),
            Look(same=True),
            Meanwhile(),
            Say(LAND, aimed=True, insists=True),
        ),
        isolated=True,
    ),
    Scenario(
        "land-forward",
        SMALL,
        (Supervise(START, aimed=False), Done(), Say(LAND, aimed=True, insists=True)),
        isolated=True,
    ),
    Scenario(
        "clean",
        SMALL,
        (
            Supervise(START, aimed=False),
            Done(),
            Say(LAND, insists=True),
            Say(CLEAN, aimed=True, insists=True),
        ),
        isolated=True,
    ),
)
