"""Turn a requirements document into the draft of a plan."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from topkick.core.errors import UsageError
from topkick.plans.breakdown import normal
from topkick.plans.breakdown.artifacts import language_in
from topkick.plans.breakdown.detection import find
from topkick.plans.breakdown.grouping import units_of
from topkick.plans.breakdown.model import (
    Acceptance,
    Confidence,
    Draft,
    DraftUnit,
    Found,
    Kind,
    Question,
    Requirement,
)
from topkick.plans.breakdown.packing import MOST, Names, sprints_of
from topkick.plans.breakdown.repeats import without_repeats
from topkick.plans.breakdown.roles import Role, role_of
from topkick.plans.breakdown.splitting import split
from topkick.plans.breakdown.tongues import Voice, voice_of
from topkick.plans.breakdown.wording import order
from topkick.plans.breakdown.writing import normalised, write
from topkick.plans.detection import MAX_SPRINTS
from topkick.plans.document import MAX_BYTES, MAX_LINES
from topkick.plans.surroundings import Surroundings

MOST_QUESTIONS = 30


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The draft, its text, and the requirements it was made from."""

    draft: Draft
    text: str
    requirements: tuple[Requirement, ...]
    skipped: int = 0

    @property
    def tasks(self) -> int:
        return self.draft.tasks


def break_down(
    text: str, *, document: str, name: str, around: Surroundings | None = None
) -> Breakdown:
    """Break the document down; `name` is the project's. Raise UsageError for a mistake of its
    author.
    """
    lines = _plain(text, document)
    found = find(lines)
    lone = _lone(found)
    asked = (*_without_summaries(found.requirements), *_as_asked(lone, voice_of(lines)))
    local = [one for one in found.acceptance if one not in lone]
    kept = without_repeats(sorted(asked, key=lambda one: one.lines))
    if not kept:
        raise UsageError(_nothing(document))
    if len(kept) > MAX_SPRINTS * MOST:
        raise UsageError(f"{document} asks for more than {MAX_SPRINTS} sprints; split it.")
    around = around or Surroundings()
    around = around if around.language else replace(around, language=language_in(lines))
    units = units_of([(one, split(one)) for one in kept], local, name)
    names = Names()
    drafted = tuple(
        DraftUnit(
            unit.name, sprints_of(unit.goals, around, names), unit.directory, unit.layer, unit.needs
        )
        for unit in units
    )
    draft = normalised(Draft(name, document, drafted, _questions(found.questions)))
    if draft.sprints > MAX_SPRINTS:
        raise UsageError(f"{document} asks for more than {MAX_SPRINTS} sprints; split it.")
    return Breakdown(draft, write(draft), kept, found.skipped)


def _plain(text: str, document: str) -> str:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES or text.count("\n") >= MAX_LINES:
        raise UsageError(f"{document} is larger than 8 MiB or {MAX_LINES} lines; split it.")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", " ")


def _without_summaries(requirements: Sequence[Requirement]) -> Iterator[Requirement]:
    """Drop a user story above acceptance criteria that state duties: it only sums them up."""
    detailed = {
        one.trail[-2].line
        for one in requirements
        if len(one.trail) > 1 and role_of(one.heading) is Role.ACCEPTANCE
    }
    for one in requirements:
        if one.kind is not Kind.STORY or not one.trail or one.trail[-1].line not in detailed:
            yield one


def _lone(found: Found) -> frozenset[Acceptance]:
    """Return acceptance criteria in sections without requirements: they are the requirements."""
    busy = {place.line for one in found.requirements for place in one.trail if place.level > 1}
    return frozenset(
        one for one in found.acceptance if not any(place.line in busy for place in one.trail)
    )


def _as_asked(lone: Iterable[Acceptance], voice: Voice) -> Iterator[Requirement]:
    for one in lone:
        if said := order(one.text, voice):
            sure = Confidence.EXPLICIT
            yield Requirement(said, one.lines, one.trail, sure, Kind.ACCEPTANCE)


def _questions(questions: Sequence[Question]) -> tuple[Question, ...]:
    told = ((question, normal.question(question.text)) for question in questions)
    return tuple(question for question, said in told if said)[:MOST_QUESTIONS]


def _nothing(document: str) -> str:
    return (
        f"No requirement was found in {document}.\n"
        "Looked for: sections called Requirements, Features, Scope, Deliverables or Tasks and the"
        " lists in them,\nsentences with MUST, SHALL or SHOULD, user stories, acceptance criteria"
        " and boxes (- [ ]).\n"
        "Write what is to be built as a list below a heading such as '## Requirements', and try"
        " again."
    )
