"""Derive a sprint's size, clarity, weight and risk from its text and its place in the plan.

The scoring tables leave these to a reader's judgment. Here each is the simplest function that
always gives the same answer for the same text; none looks beyond the plan. `dependents_of` counts
how many sprints wait, directly or not, for each sprint of a plan.
"""

import re
from collections import deque
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum, auto

from topkick.plan_format.model import CriterionKind, Plan, SprintPlan, SprintRef, SprintType
from topkick.sprint.dispatch.names import CODE, PATH, NamedCode, distinct, said_by
from topkick.text.markdown import unfenced


class Criteria(Enum):
    """The degree to which a machine can decide from the exit criteria that the sprint is done."""

    CHECKABLE = auto()
    MIXED = auto()
    VAGUE = auto()


class SprintDescription(Enum):
    EXPLICIT = auto()
    HIGH_LEVEL = auto()
    OPEN_ENDED = auto()


class Risk(Enum):
    NONE = auto()
    SIMPLE = auto()
    FILES_OR_SYSTEM = auto()
    ALGORITHM = auto()
    NEW_TECHNOLOGY = auto()
    EXTERNAL = auto()


@dataclass(frozen=True, slots=True)
class Traits:
    """The traits; `dependents` counts all sprints that this one holds up, directly or not."""

    turns: int
    files: int
    criteria: Criteria
    description: SprintDescription
    foundation: bool
    dependents: int
    risk: Risk
    type: SprintType
    unchecked: bool = False
    open_questions: bool = False

    @property
    def core_architecture(self) -> bool:
        return self.foundation and self.dependents >= 5

    @property
    def vague(self) -> bool:
        """True if the agent must judge by itself that it is done."""
        return self.unchecked or self.criteria is Criteria.VAGUE


def traits_of(plan: Plan, sprint: SprintPlan, dependents: int) -> Traits:
    """Return the traits; `dependents` comes from `dependents_of`, called once for a whole plan."""
    said = said_by(sprint)
    size = _size(plan, sprint, said)
    return Traits(
        turns=stated_turns(sprint) or size.turns,
        files=size.written,
        criteria=criteria_of(sprint),
        description=_description(sprint, said),
        foundation=is_foundation(sprint, dependents),
        dependents=dependents,
        risk=risk_of(sprint),
        type=sprint.effective_type,
        unchecked=not sprint.checks,
        open_questions=has_open_questions(sprint),
    )


# --- words ---------------------------------------------------------------------------------

LONGEST = 4_000
_WORD = re.compile(r"[^\W_]+")


def _plain(text: str) -> str:
    """Return the words in lower case with one space around each, so that phrases match whole
    words.
    """
    return f" {' '.join(_WORD.findall(text.lower()))} "


def _phrases(*lines: str) -> tuple[str, ...]:
    return tuple(_plain(phrase) for line in lines for phrase in line.split("|"))


def _says(plain: str, phrases: Sequence[str]) -> bool:
    return any(phrase in plain for phrase in phrases)


def _described(sprint: SprintPlan) -> str:
    """Return the name and the tasks; the whole text only if it has no tasks."""
    parts = sprint.tasks or (sprint.text,)
    return _plain("\n".join((sprint.name, *parts))[:LONGEST])


# --- size ----------------------------------------------------------------------------------

READ_AT_MOST = 10  # an order names at most this many of the plan's files
LINES_A_FILE = 75  # an estimate per file, as plans don't state sizes
LINES_A_TURN = 75
_BUILDS = _phrases("build|compile|assemble|tsc|cmake|javac|xcodebuild|msbuild|cargo check")
_STATED_TURNS = re.compile(r"\bestimated turns\W{1,8}(\d{1,4})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Size:
    """The counted work of a sprint. Created and modified files weigh the same."""

    read: int
    written: int
    builds: int
    steps: int

    @property
    def lines(self) -> int:
        return self.written * LINES_A_FILE

    @property
    def turns(self) -> int:
        """The estimated turns: R + 2C + 2M + B + ceil(L / 75) + V + 5."""
        coding = -(-self.lines // LINES_A_TURN)
        return self.read + 2 * self.written + self.builds + coding + self.steps + 5


def size_of(plan: Plan, sprint: SprintPlan) -> Size:
    return _size(plan, sprint, said_by(sprint))


def _size(plan: Plan, sprint: SprintPlan, said: NamedCode) -> Size:
    read = distinct(said.entry.files | {*plan.files[:READ_AT_MOST]})
    return Size(len(read), _written(sprint, said, read), _builds(sprint), len(sprint.exit))


def stated_turns(sprint: SprintPlan) -> int:
    """Return the sprint's own estimate, which overrides the computed one."""
    stated = _STATED_TURNS.search(sprint.text) if "turns" in sprint.text.lower() else None
    return int(stated[1]) if stated is not None else 0


def _written(sprint: SprintPlan, said: NamedCode, read: Set[str]) -> int:
    """Count the files that the sprint names and does not only read.

    A code sprint that names none writes one for each task.
    """
    written = distinct(said.order.files | said.exit.files | (said.text.files - read))
    if not written and sprint.effective_type is SprintType.CODE:
        return len(sprint.tasks)
    return len(written)


def _builds(sprint: SprintPlan) -> int:
    commands = (c.command for c in sprint.exit if c.kind is CriterionKind.COMMAND)
    return sum(_says(_plain(command), _BUILDS) for command in commands if command)


# --- clarity -------------------------------------------------------------------------------

_VAGUE = _phrases(
    "works correctly|work correctly|works properly|work properly|works as expected",
    "work as expected|works well|work well|properly handles|properly handled|handles properly",
    "handled properly|correctly handles|handled correctly|is complete|are complete|looks good",
    "look good|as appropriate|as needed|makes sense|user friendly",
)
_OPEN_ENDED = _phrases(
    "improve|optimize|optimise|enhance|refine|polish|streamline|modernize|modernise|clean up",
)
_OPEN_ENDED_NAME = _OPEN_ENDED + _phrases(
    "improvement|improvements|optimization|optimizations|optimisation|optimisations|enhancement",
    "enhancements|refinement|refinements|cleanup",
)
_NUMBERING = re.compile(
    r"^\s*(?:\[[ xX]\])?[\W_]*(?:(?:(?i:task|step|story)|[A-Z]{1,5})?[\s-]?\d[\w.]*[\s:.)*—–-]*)?"
)
_UNDECIDED = _phrases(
    "TBD|TBC|to be decided|to be determined|to be confirmed|decide later|determine later",
)
_DECIDED = _phrases("no TBD|no TBC|any TBD|zero TBD|without TBD")


def criteria_of(sprint: SprintPlan) -> Criteria:
    """Classify the criteria. Vague: none at all, or one that measures nothing and has no command.

    Definite criteria that only people can check count as mixed.
    """
    unchecked = [c for c in sprint.exit if c.command is None]
    if not sprint.exit or any(is_vague(c.text) for c in unchecked):
        return Criteria.VAGUE
    return Criteria.MIXED if unchecked else Criteria.CHECKABLE


def is_vague(text: str) -> bool:
    """Return whether the words measure nothing: "works correctly"."""
    return _says(_plain(text), _VAGUE)


def _description(sprint: SprintPlan, said: NamedCode) -> SprintDescription:
    """Classify the description: open-ended by its vaguest task; explicit if it names one thing for
    every two tasks.
    """
    if _is_open_ended(sprint):
        return SprintDescription.OPEN_ENDED
    things = said.order.all | (said.text.all - said.entry.all - said.exit.all)
    explicit = things and 2 * len(things) >= len(sprint.tasks)
    return SprintDescription.EXPLICIT if explicit else SprintDescription.HIGH_LEVEL


def _is_open_ended(sprint: SprintPlan) -> bool:
    """Look only at a task's first words: "Add the optimize flag" is not open-ended."""
    if not sprint.tasks:
        return _says(_plain(sprint.name), _OPEN_ENDED_NAME)
    begins = (_plain(_NUMBERING.sub("", task[:60])) for task in sprint.tasks)
    return any(begin.startswith(_OPEN_ENDED) for begin in begins)


def has_open_questions(sprint: SprintPlan) -> bool:
    """Return whether something is undecided, in words and not in code."""
    text = "\n".join((sprint.name, sprint.text, *sprint.tasks, *(c.text for c in sprint.exit)))
    lower = text.lower()
    if not any(hint in lower for hint in ("tbd", "tbc", "to be", "later", "???")):
        return False  # a quick test that skips most sprints
    prose = CODE.sub(" ", "\n".join(unfenced(text.split("\n"))))
    plain = _plain(prose)
    for phrase in _DECIDED:
        plain = plain.replace(phrase, " ")
    return "???" in prose or _says(plain, _UNDECIDED)


# --- weight and risk -----------------------------------------------------------------------

_FOUNDATIONS = _phrases(
    "foundation|foundations|foundational|architecture|scaffold|scaffolding|skeleton|bootstrap",
    "types|interfaces|protocols|contracts|schema|schemas|data model|data models|domain model",
    "domain models|core model|core models|base class|base classes|patterns|conventions",
    "project setup",
)
_RISKS = (  # the first match counts, highest risk first
    (
        Risk.EXTERNAL,
        _phrases(
            "external API|external APIs|external service|external services|third party",
            "API call|API calls|API client|API key|API keys|API integration|webhook|webhooks",
            "OAuth|integrate with|integrates with|integration with|HTTP client|HTTP request",
            "HTTP requests|network|SDK",
        ),
    ),
    (
        Risk.NEW_TECHNOLOGY,
        _phrases(
            "new technology|new framework|new library|new stack|unfamiliar|experimental|novel",
            "prototype|proof of concept|spike|first time|migrate to|migration to|adopt",
        ),
    ),
    (
        Risk.ALGORITHM,
        _phrases(
            "algorithm|algorithms|parser|compiler|concurrency|concurrent|race condition",
            "race conditions|state machine|scheduler|solver|cryptography|encryption|consensus",
            "distributed|machine learning|heuristic|heuristics",
        ),
    ),
    (
        Risk.FILES_OR_SYSTEM,
        _phrases(
            "file I/O|file system|filesystem|read file|read files|write file|write files",
            "reads files|writes files|disk|system call|system calls|subprocess|subprocesses",
            "child process|socket|sockets|signal handling|permissions",
        ),
    ),
    (
        Risk.SIMPLE,
        _phrases(
            "CRUD|config|configs|configuration|configure|settings|constant|constants|rename",
            "README|boilerplate",
        ),
    ),
)


def is_foundation(sprint: SprintPlan, dependents: int) -> bool:
    """Return whether its name mentions types, interfaces or patterns, and two or more sprints wait
    for it.

    The tasks are ignored: nearly every early sprint has one that adds a type.
    """
    name = _plain(PATH.sub(" ", sprint.name))
    return dependents >= 2 and _says(name, _FOUNDATIONS)


def risk_of(sprint: SprintPlan) -> Risk:
    plain = _described(sprint)
    return next((risk for risk, phrases in _RISKS if _says(plain, phrases)), Risk.NONE)


# --- how many sprints wait for each one ----------------------------------------------------

_last: list[tuple[Plan, Mapping[SprintRef, int]]] = []


def dependents_of(plan: Plan) -> Mapping[SprintRef, int]:
    """Return how many sprints each one holds up; the answer for the last plan is cached."""
    if not _last or _last[0][0] is not plan:
        _last[:] = [(plan, _count_dependents(plan))]
    return _last[0][1]


def _count_dependents(plan: Plan) -> Mapping[SprintRef, int]:
    """Count with sets as bits, each edge looked at once."""
    refs = [SprintRef(unit.name, sprint.id) for unit in plan.units for sprint in unit.sprints]
    at = {ref: n for n, ref in enumerate(refs)}
    needs = _needs(plan, at)
    waiting = [0] * len(refs)
    for before in needs:
        for one in before:
            waiting[one] += 1
    ready = deque(n for n, count in enumerate(waiting) if count == 0)
    holds_up = [0] * len(refs)
    while ready:  # begin with the sprints for which no other waits; a cycle would be left out
        last = ready.popleft()
        bits = holds_up[last] | 1 << last
        for one in needs[last]:
            holds_up[one] |= bits
            waiting[one] -= 1
            if waiting[one] == 0:
                ready.append(one)
    return {ref: bits.bit_count() for ref, bits in zip(refs, holds_up, strict=True)}


def _needs(plan: Plan, at: Mapping[SprintRef, int]) -> list[list[int]]:
    """Return what each sprint waits for directly: the one before it, earlier units, other
    sprints.
    """
    ends = {u.name: SprintRef(u.name, u.sprints[-1].id) for u in plan.units if u.sprints}
    needs: list[list[int]] = []
    for unit in plan.units:
        before = [ends[name] for name in unit.waits_for if name in ends]
        for sprint in unit.sprints:
            needs.append([at[ref] for ref in (*before, *sprint.waits_for) if ref in at])
            before = [SprintRef(unit.name, sprint.id)]
    return needs
