"""The elements of a scenario: a plan, its agents' actions, and people's actions."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Supervise:
    """Start the long-running program; with `aimed` it is the one that dies.

    With `dies_at` it dies at a named point in every try: what follows is a recovery.
    """

    words: tuple[str, ...]
    aimed: bool = True
    dies_at: str = ""


@dataclass(frozen=True, slots=True)
class Say:
    """Run a command from another terminal to its end. With `settles` no supervisor is needed
    afterwards.

    A killed command is given again, unless it must be given `once` and is in the queue: a second
    stop is another order than the first. `insists`: even after a crash it must end with one of its
    codes.
    """

    words: tuple[str, ...]
    codes: tuple[int, ...] = (0,)
    aimed: bool = False
    settles: bool = False
    once: str = ""
    insists: bool = False


@dataclass(frozen=True, slots=True)
class Until:
    """Wait until agents recorded this word so many times."""

    word: str
    count: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """Wait until the program's journal has so many records of a kind."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Open:
    gate: str


@dataclass(frozen=True, slots=True)
class Die:
    """Kill the supervisor by hand: what follows is a recovery."""


@dataclass(frozen=True, slots=True)
class Done:
    """Wait until the supervisor ends by itself, with one of these codes."""

    codes: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class Look:
    """Take a picture of the tree, or (`same`) compare it with the last one and drop that."""

    same: bool = False


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """The user commits a file of their own, and leaves another one and a change uncommitted."""


@dataclass(frozen=True, slots=True)
class Agree:
    """Let a gate pass once it asks for a person."""

    aimed: bool = False


@dataclass(frozen=True, slots=True)
class AgreeToAll:
    """Accept every gate that waits and resume, until the end."""


Step = (
    Supervise | Say | Until | Recorded | Open | Die | Done | Look | Meanwhile | Agree | AgreeToAll
)


@dataclass(frozen=True, slots=True)
class Part:
    """One sprint: its checks, its agent's script, its type, and the sprint it waits for."""

    checks: tuple[str, ...]
    script: tuple[str, ...] = ()
    kind: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario; `exact`: a crash of the supervisor does not change how often agents start.

    `spares`: agents alive at the crash must be found again, not ended. `isolated`: each unit works
    in a clone of its own. `generated`: scripts of sprints that are not in the plan, by unit and
    sprint. `gate`: the settings of gates. `verify`: the commands that verify a unit for its
    dependents. `files`: what is committed besides the plan.
    """

    name: str
    units: Mapping[str, tuple[Part, ...]]
    steps: tuple[Step, ...]
    needs: Mapping[str, str] = field(default_factory=dict)
    exact: bool = True
    spares: bool = True
    contenders: int = 1
    from_the_start: bool = False
    isolated: bool = False
    generated: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gate: str = ""
    verify: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def builds(self) -> bool:
        """True if the work of all units is built together on the way."""
        return bool(self.gate or self.verify or self.files)


def part(unit: str, number: int, *script: str) -> Part:
    done = f"done-{number}.txt"
    return Part((f"test -f {unit}/{done}",), (*script, f"commit {done}"))


START = ("start", "--yes", "--foreground")
AGAIN = (*START, "--again")  # for a plan that the last run completed
RESUME = ("resume", "--yes", "--foreground")
