"""What a scenario is made of: a plan, what its agents do, and what people do meanwhile."""

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
    inbox: a second stop is another order than the first. `insists`: after a crash, too, it has to
    end with one of its codes.
    """

    words: tuple[str, ...]
    codes: tuple[int, ...] = (0,)
    aimed: bool = False
    settles: bool = False
    once: str = ""
    insists: bool = False


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
    """Take a picture of the tree, or (`same`) compare it with the one taken, and let that go."""

    same: bool = False


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """The user commits a file of their own, and leaves another one and a change uncommitted."""


@dataclass(frozen=True, slots=True)
class Agree:
    """Once a gate asks for a person, one lets it pass."""

    aimed: bool = False


@dataclass(frozen=True, slots=True)
class AgreeToAll:
    """Whoever comes back finds the supervisor resting at a gate, agrees and resumes, to the end."""


Step = (
    Supervise | Say | Until | Recorded | Open | Die | Done | Look | Meanwhile | Agree | AgreeToAll
)


@dataclass(frozen=True, slots=True)
class Part:
    """One sprint: its checks, what its agent does, its type, and the sprint it waits for."""

    checks: tuple[str, ...]
    script: tuple[str, ...] = ()
    kind: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """`exact`: a crash of the supervisor changes nothing in how often agents are started.

    `spares`: agents that live at the crash are to be found again, not ended. `isolated`: each unit
    works in a clone of its own. `generated`: scripts of sprints that are not in the plan, by
    unit and sprint. `gate`: the settings of gates. `verify`: what proves a unit to those who wait
    for it. `files`: what is committed beside the plan.
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
        """Everybody's work is built together on the way."""
        return bool(self.gate or self.verify or self.files)


def part(unit: str, number: int, *script: str) -> Part:
    done = f"done-{number}.txt"
    return Part((f"test -f {unit}/{done}",), (*script, f"commit {done}"))


START = ("start", "--yes", "--foreground")
AGAIN = (*START, "--again")  # of a plan that the last run completed
RESUME = ("resume", "--yes", "--foreground")
