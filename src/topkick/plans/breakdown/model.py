"""What a breakdown is made of: requirements, the draft of a plan, and what the project is like."""

from dataclasses import dataclass
from enum import StrEnum


class Confidence(StrEnum):
    EXPLICIT = "explicit"
    IMPLICIT = "implicit"


class Kind(StrEnum):
    """By which sign a requirement was known."""

    STATEMENT = "statement"
    STORY = "user story"
    ACCEPTANCE = "acceptance criterion"
    CHECKLIST = "checklist item"
    LISTED = "list item"
    HEADING = "heading"
    ROW = "table row"


@dataclass(frozen=True, slots=True, order=True)
class Lines:
    """The first and the last line of a passage."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}" if self.last <= self.first else f"{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class Place:
    """A heading above a requirement."""

    title: str
    level: int
    line: int


@dataclass(frozen=True, slots=True)
class Requirement:
    """`text` is the order that it gives; `trail` are the headings above it, outermost first."""

    text: str
    lines: Lines
    trail: tuple[Place, ...]
    confidence: Confidence
    kind: Kind

    @property
    def heading(self) -> str:
        return self.trail[-1].title if self.trail else ""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What must hold for the section it stands in: a criterion of that section's sprint."""

    text: str
    lines: Lines
    trail: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Found:
    """All that a document says; `skipped` counts what it says is out of scope or done already."""

    requirements: tuple[Requirement, ...]
    acceptance: tuple[Acceptance, ...] = ()
    questions: tuple[Question, ...] = ()
    skipped: int = 0


# --- the draft -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Task:
    """`lines` is where the document asks for it."""

    text: str
    lines: Lines


@dataclass(frozen=True, slots=True)
class DraftSprint:
    """`size` says why there are fewer than three tasks or more than seven, where it is so."""

    name: str
    tasks: tuple[Task, ...]
    exit: tuple[str, ...]
    size: str = ""


@dataclass(frozen=True, slots=True)
class DraftUnit:
    """`needs` are the names of units that come first."""

    name: str
    sprints: tuple[DraftSprint, ...]
    directory: str = "."
    layer: int = 0
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """`document` is the name of the requirements document, as tasks cite it."""

    name: str
    document: str
    units: tuple[DraftUnit, ...]
    questions: tuple[Question, ...] = ()

    @property
    def sprints(self) -> int:
        return sum(len(unit.sprints) for unit in self.units)

    @property
    def tasks(self) -> int:
        return sum(len(sprint.tasks) for unit in self.units for sprint in unit.sprints)
