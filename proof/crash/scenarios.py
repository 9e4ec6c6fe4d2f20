"""The scenarios: a plan, what its agents do, and what people do meanwhile."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Supervise:
    """Start the long-running program; `aimed` says that this one is to die.

    One that `dies_at` a named point does so in every try: what follows is a recovery.
    """

    words: tuple[str, ...]
    aimed: bool = True
    dies_at: str = ""


@dataclass(frozen=True, slots=True)
class Say:
    """A command from another terminal, run to its end. `settles` ends the need for a supervisor.

    One that was killed is given again, unless it is one to give `once` and its letter is in the
    inbox: a second stop is another order than the first.
    """

    words: tuple[str, ...]
    codes: tuple[int, ...] = (0,)
    aimed: bool = False
    settles: bool = False
    once: str = ""


@dataclass(frozen=True, slots=True)
class Until:
    """Agents noted this word so many times."""

    word: str
    count: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """The program's journal has so many records of a kind."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Open:
    gate: str


@dataclass(frozen=True, slots=True)
class Die:
    """SIGKILL to the supervisor, by hand: what follows is a recovery."""


@dataclass(frozen=True, slots=True)
class Done:
    """The supervisor ends by itself, with one of these codes."""

    codes: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class Look:
    """Take a picture of the tree, or (`same`) compare it with the one taken."""

    same: bool = False


Step = Supervise | Say | Until | Recorded | Open | Die | Done | Look


@dataclass(frozen=True, slots=True)
class Part:
    """One sprint: its checks, what its agent does, and its type."""

    checks: tuple[str, ...]
    script: tuple[str, ...] = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """`exact`: a crash of the supervisor changes nothing in how often agents are started.

    `spares`: agents that live at the crash are to be found again, not ended.
    """

    name: str
    units: Mapping[str, tuple[Part, ...]]
    steps: tuple[Step, ...]
    needs: Mapping[str, str] = field(default_factory=dict)
    exact: bool = True
    spares: bool = True
    contenders: int = 1
    from_the_start: bool = False


def part(unit: str, number: int, *script: str) -> Part:
    done = f"done-{number}.txt"
    return Part((f"test -f {unit}/{done}",), (*script, f"commit {done}"))


START = ("start", "--yes", "--foreground")
RESUME = ("resume", "--yes", "--foreground")
TWO = {"a": (part("a", 1, "wait gate"),), "b": (part("b", 1, "wait gate"),)}


def _stubborn(unit: str, *more: str) -> tuple[Part, ...]:
    """Leaves work lying about and a child that is deaf and out of the family."""
    script = ("write half.txt", "stage staged.txt", "orphan", *more, "hang")
    return (Part((f"test -f {unit}/done-1.txt",), script),)


SCENARIOS = (
    Scenario(
        "start",
        {"a": (part("a", 1),)},
        (Supervise(START, aimed=False), Done(), Supervise(START), Done()),
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

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
