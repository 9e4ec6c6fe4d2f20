"""The model of a breakdown: requirements, the draft of a plan, and the project."""

from dataclasses import dataclass
from enum import StrEnum


class Confidence(StrEnum):
    EXPLICIT = "explicit"
    IMPLICIT = "implicit"


class RequirementKind(StrEnum):
    """The sign by which a requirement was recognised."""

    STATEMENT = "statement"
    STORY = "user story"
    ACCEPTANCE = "acceptance criterion"
    CHECKLIST = "checklist item"
    LISTED = "list item"
    HEADING = "heading"
    ROW = "table row"


@dataclass(frozen=True, slots=True, order=True)
class LineRange:
    """The first and the last line of a passage."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}" if self.last <= self.first else f"{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class HeadingPlace:
    """A heading above a requirement."""

    title: str
    level: int
    line: int


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement; `text` is its order, `trail` are the headings above it, outermost first."""

    text: str
    lines: LineRange
    trail: tuple[HeadingPlace, ...]
    confidence: Confidence
    kind: RequirementKind

    @property
    def heading(self) -> str:
        return self.trail[-1].title if self.trail else ""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A condition for a section: a criterion of that section's sprint."""

    text: str
    lines: LineRange
    trail: tuple[HeadingPlace, ...]


@dataclass(frozen=True, slots=True)
class RequirementQuestion:
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class FoundRequirements:
    """The content of a document; `skipped` counts what is out of scope or done already."""

    requirements: tuple[Requirement, ...]
    acceptance: tuple[Acceptance, ...] = ()
    questions: tuple[RequirementQuestion, ...] = ()
    skipped: int = 0


# --- the draft -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BreakdownTask:
    """A task; `lines` is where the document asks for it."""

    text: str
    lines: LineRange


@dataclass(frozen=True, slots=True)
class DraftSprint:
    """A sprint; `size` says why it has fewer than three tasks or more than seven, if so."""

    name: str
    tasks: tuple[BreakdownTask, ...]
    exit: tuple[str, ...]
    size: str = ""


@dataclass(frozen=True, slots=True)
class DraftUnit:
    """A unit; `needs` are the names of units that come first."""

    name: str
    sprints: tuple[DraftSprint, ...]
    directory: str = "."
    layer: int = 0
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BreakdownDraft:
    """A draft; `document` is the requirements document's name, as tasks cite it."""

    name: str
    document: str
    units: tuple[DraftUnit, ...]
    questions: tuple[RequirementQuestion, ...] = ()

    @property
    def sprints(self) -> int:
        return sum(len(unit.sprints) for unit in self.units)

    @property
    def tasks(self) -> int:
        return sum(len(sprint.tasks) for unit in self.units for sprint in unit.sprints)
