"""The faults of merged work, and the expected verdicts."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from topkick.sprint.gates.model import GateVerdict

NAMES = ("a", "b", "c", "d", "e")
SIZES = range(2, 6)
BROKEN = "! ls */broken.txt"
PAIRED = "test $(ls */broken.txt 2>/dev/null | wc -l) -lt 2"
NAMED = (
    'for f in */broken.txt; do test -e "$f" || continue; echo "$f:1: error: no"; exit 1; done; :'
)
COUNTED = 'n=$(cat "$HOME/n" 2>/dev/null || echo 0); echo $((n+1)) >"$HOME/n"; test $n -ge {times}'
BEFORE = "! ls broken.txt"
BESIDE = "! (ls broken.txt */broken.txt 2>/dev/null | grep .)"
HANGS = "sleep 60"
HUNG = "! ls */broken.txt || sleep 60"
ABSENT = "no-such-program-anywhere"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fault; `most_runs` limits the search, or is its exact length if there is none."""

    name: str
    command: str
    verdict: GateVerdict
    most_runs: int
    culprits: int = 0
    broken_before: bool = False
    stays: bool = False
    minutes: float = 1.0

    @property
    def is_together(self) -> bool:
        return self.verdict is GateVerdict.INTERACTION


SINGLE = Kind("single culprit", BROKEN, GateVerdict.CULPRITS, 9, 1)
NAMED_ONE = Kind("named culprit", NAMED, GateVerdict.CULPRITS, 6, 1)
TWO = Kind("two culprits", BROKEN, GateVerdict.CULPRITS, 12, 2)
INTERACTION = Kind("interaction", PAIRED, GateVerdict.INTERACTION, 13, 2)
FLAKES = tuple(
    Kind(f"flake, first {n}", COUNTED.replace("{times}", str(n)), GateVerdict.FLAKY, runs)
    for n, runs in ((1, 3), (2, 3), (3, 5))
)
PRE_EXISTING = Kind(
    "pre-existing", BEFORE, GateVerdict.PRE_EXISTING, 4, stays=True, broken_before=True
)
BESIDE_OLD = Kind(
    "beside an old one", BESIDE, GateVerdict.CULPRITS, 9, 1, broken_before=True, stays=True
)
HANGING = Kind("hangs", HANGS, GateVerdict.CANNOT_RUN, 4, stays=True, minutes=0.01)
HUNG_BY_ONE = Kind("hung by one", HUNG, GateVerdict.CULPRITS, 9, 1, minutes=0.08)
CANNOT_RUN = Kind("cannot run", ABSENT, GateVerdict.CANNOT_RUN, 1, stays=True)
GREEN = Kind("green", BROKEN, GateVerdict.PASSED, 1)
KINDS = (
    GREEN, SINGLE, NAMED_ONE, TWO, INTERACTION, *FLAKES, PRE_EXISTING, BESIDE_OLD, HANGING,
    CANNOT_RUN, HUNG_BY_ONE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """A case; `at` are the culprits' places in the order of integration, from 0."""

    kind: Kind
    units: int
    at: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        places = "+".join(str(place + 1) for place in self.at)
        return f"{self.kind.name.replace(',', '').replace(' ', '-')}/{self.units}/{places or '-'}"

    @property
    def names(self) -> tuple[str, ...]:
        return NAMES[: self.units]

    @property
    def culprits(self) -> tuple[str, ...]:
        return tuple(NAMES[place] for place in self.at)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        if self.kind.is_together:
            return (self.culprits,)
        return tuple((name,) for name in self.culprits)


def every_case() -> Iterator[Case]:
    for kind in KINDS:
        for units in SIZES:
            for at in combinations(range(units), kind.culprits):
                yield Case(kind, units, at)


def case_named(name: str) -> Case:
    return next(case for case in every_case() if case.name == name)
