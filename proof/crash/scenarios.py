"""The scenarios in which all agents work in the project's own tree, and the list of all."""

from proof.crash.gated import GATED
from proof.crash.isolated import ISOLATED
from proof.crash.steps import (
    AGAIN,
    RESUME,
    START,
    Die,
    Done,
    Look,
    Open,
    Part,
    Recorded,
    Say,
    Scenario,
    Supervise,
    Until,
    part,
)

TWO = {"a": (part("a", 1, "wait gate"),), "b": (part("b", 1, "wait gate"),)}


def _stubborn(unit: str, *more: str) -> tuple[Part, ...]:
    """Return a part that leaves uncommitted work and a detached child that ignores SIGTERM."""
    script = ("write half.txt", "stage staged.txt", "orphan", *more, "hang")
    return (Part((f"test -f {unit}/done-1.txt",), script),)


SHARED = (
    Scenario(
        "start",
        {"a": (part("a", 1),)},
        (Supervise(START, aimed=False), Done(), Supervise(AGAIN), Done()),
        from_the_start=True,
    ),
    Scenario(
        "dispatch",
        {
            "a": (part("a", 1, "pause 0.4"),),
            "b": (part("b", 1, "pause 0.2"),),
            "c": (part("c", 1),),
        },
        (Supervise(START), Done()),
    ),
    Scenario(
        "complete",
        {"a": (part("a", 1), part("a", 2)), "b": (part("b", 1, "wait gate"),)},
        (Supervise(START), Recorded("SprintJudged", 2), Open("gate"), Done()),
    ),
    Scenario(
        "partial",
        {
            "a": (
                Part(
                    ("test -f a/one.txt", "test -f a/two.txt"),
                    ("pause 0.1", "next one.txt,two.txt"),
                ),
            )
        },
        (Supervise(START), Done()),
    ),
    Scenario(
        "fatal",
        {
            "a": (Part(("test -f a/done-1.txt",), ("pause 0.05", "fail 1")),),
            "b": (part("b", 1, "wait gate"),),
        },
        (Supervise(START), Recorded("SprintJudged", 3), Open("gate"), Done((3,))),
    ),
    Scenario(
        "gate",
        {
            "a": (part("a", 1, "pause 0.2"),),
            "b": (part("b", 1),),
            "c": (part("c", 1, "wait gate"),),
        },
        (Supervise(START), Recorded("SprintJudged", 2), Open("gate"), Done()),
        needs={"b": "a"},
    ),
    Scenario(
        "stop-drained",
        TWO | {"c": (part("c", 1),)},
        (
            Supervise(START),
            Until("waits", 2),
            Say(("stop",), aimed=True, once="Stop"),
            Open("gate"),
            Done((6,)),
            Supervise(RESUME, aimed=False),
            Done(),
        ),
        needs={"c": "a"},
    ),
    Scenario(
        "stop-forced",
        TWO,
        (
            Supervise(START),
            Until("waits", 2),
            Say(("stop",)),
            Say(("stop",), aimed=True),
            Done((6,)),
            Open("gate"),
            Supervise(RESUME, aimed=False),
            Done(),
        ),
        exact=False,
        spares=False,
    ),
    Scenario(
        "killall",
        {"a": _stubborn("a", "deaf"), "b": _stubborn("b")},
        (
            Supervise(START),
            Until("hangs", 2),
            Look(),
            Say(("killall",), aimed=True, settles=True),
            Done((6,)),
            Look(same=True),
        ),
        spares=False,
    ),
    Scenario(
        "resume",
        {"a": (part("a", 1, "wait gate"), part("a", 2)), "b": (part("b", 1, "pause 0.6"),)},
        (
            Supervise(START, aimed=False),
            Until("start", 2),
            Die(),
            Open("gate"),
            Supervise(RESUME),
            Done(),
        ),
        from_the_start=True,
    ),
    Scenario(
        "deferred",
        {
            "a": (Part(("test -f ../witness/it-is-time",), kind="deferred"), part("a", 2)),
            "b": (part("b", 1, "wait it-is-time"),),
        },
        (Supervise(START), Recorded("ConditionPolled", 2), Open("it-is-time"), Done()),
    ),
    Scenario(
        "second",
        {"a": (part("a", 1, "wait gate"),), "b": (part("b", 1, "wait gate"), part("b", 2))},
        (
            Supervise(START),
            Until("waits", 2),
            Say(RESUME, codes=(0, 4), aimed=True),
            Open("gate"),
            Done(),
        ),
        contenders=2,
    ),
    Scenario(
        "never-began",
        {"a": (part("a", 1),)},
        (
            Supervise(START, aimed=False, dies_at="launch.before-request"),
            Say(("killall",), aimed=True, settles=True),
            Supervise(RESUME),
            Done(),
        ),
        from_the_start=True,
    ),
)

SCENARIOS = (*SHARED, *ISOLATED, *GATED)
BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
