"""Turn a requirements document into the draft of a plan, and decide whether an agent's version may
replace it (BD-05).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from topkick.engine.errors import PlanError, UsageError
from topkick.plan_format.document import MAX_BYTES, MAX_LINES, PlanReading, read
from topkick.plan_format.structure import with_unix_lines
from topkick.plan_format.units.detection import MAX_SPRINTS
from topkick.planning.breakdown import normal_form
from topkick.planning.breakdown.artifacts import language_in
from topkick.planning.breakdown.detection import find
from topkick.planning.breakdown.groups import units_of
from topkick.planning.breakdown.imperatives import order
from topkick.planning.breakdown.language import Voice, voice_of
from topkick.planning.breakdown.model import (
    Acceptance,
    BreakdownDraft,
    Confidence,
    DraftUnit,
    FoundRequirements,
    Requirement,
    RequirementKind,
    RequirementQuestion,
)
from topkick.planning.breakdown.normal_form import citation
from topkick.planning.breakdown.packs import MOST, FileNames, split, sprints_of
from topkick.planning.breakdown.passages import HeadingRole, role_of
from topkick.planning.breakdown.writer import normalised, write
from topkick.planning.project_facts import Surroundings
from topkick.planning.refinement.fitness import assessed
from topkick.sprint.dispatch.names import CODE

# --- requirements stated twice -----------------------------------------------------------------
# Drop those that a document states in a summary and in detail.

MOST_ALIKE = 24  # only the first tasks that share a word are compared
SAME = 0.7
INSIDE = 0.85
_WORD = re.compile(r"(?=([\u2e80-\u9fff\uac00-\ud7a3]{2}))|([A-Za-z\u00c0-\u1fff][\w.-]{3,})")
_EMPTY = frozenset(
    """
    make sure that provide with from this each every when then must shall should into have will
    their them they able user system support using used uses also only other than which where
    """.split()  # noqa: SIM905 -- a list of words reads best as words
)


def without_repeats(requirements: Sequence[Requirement]) -> tuple[Requirement, ...]:
    """Keep of equal requirements the most detailed, in the place of the first."""
    kept: list[Requirement] = []
    code: list[frozenset[str]] = []
    words: list[frozenset[str]] = []
    by_word: dict[str, list[int]] = {}
    for one in requirements:
        own, names = _words(one.text), frozenset(CODE.findall(one.text))
        alike = _alike(own, words, by_word)
        same = next((at for at in alike if not names or not code[at] or names & code[at]), None)
        if same is None:
            for word in own:
                by_word.setdefault(word, []).append(len(kept))
            kept.append(one)
            code.append(names)
            words.append(own)
        elif len(own) > len(words[same]):
            kept[same] = one
            words[same] = own | words[same]
    return tuple(sorted(kept, key=lambda one: one.lines))


def _words(text: str) -> frozenset[str]:
    pairs = _WORD.findall(text[:600])
    found = ((wide or word).lower().rstrip(".-") for wide, word in pairs)
    return frozenset(word.removesuffix("s") for word in found if word not in _EMPTY)


def _alike(
    own: frozenset[str], words: Sequence[frozenset[str]], by_word: dict[str, list[int]]
) -> Iterator[int]:
    shared = Counter(at for word in own for at in by_word.get(word, ())[:MOST_ALIKE])
    for at, count in shared.most_common(8):
        other = words[at]
        if count >= SAME * len(own | other):
            yield at
            continue
        fewer = min(len(own), len(other))
        if fewer >= 5 and count >= INSIDE * fewer:
            yield at


MOST_QUESTIONS = 30


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The draft, its text, and the requirements it was made from."""

    draft: BreakdownDraft
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
    names = FileNames()
    drafted = tuple(
        DraftUnit(
            unit.name, sprints_of(unit.goals, around, names), unit.directory, unit.layer, unit.needs
        )
        for unit in units
    )
    draft = normalised(BreakdownDraft(name, document, drafted, _questions(found.questions)))
    if draft.sprints > MAX_SPRINTS:
        raise UsageError(f"{document} asks for more than {MAX_SPRINTS} sprints; split it.")
    return Breakdown(draft, write(draft), kept, found.skipped)


def _plain(text: str, document: str) -> str:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES or text.count("\n") >= MAX_LINES:
        raise UsageError(f"{document} is larger than 8 MiB or {MAX_LINES} lines; split it.")
    return with_unix_lines(text)


def _without_summaries(requirements: Sequence[Requirement]) -> Iterator[Requirement]:
    """Drop a user story above acceptance criteria that state duties: it only sums them up."""
    detailed = {
        one.trail[-2].line
        for one in requirements
        if len(one.trail) > 1 and role_of(one.heading) is HeadingRole.ACCEPTANCE
    }
    for one in requirements:
        if (
            one.kind is not RequirementKind.STORY
            or not one.trail
            or one.trail[-1].line not in detailed
        ):
            yield one


def _lone(found: FoundRequirements) -> frozenset[Acceptance]:
    """Return acceptance criteria in sections without requirements: they are the requirements."""
    busy = {place.line for one in found.requirements for place in one.trail if place.level > 1}
    return frozenset(
        one for one in found.acceptance if not any(place.line in busy for place in one.trail)
    )


def _as_asked(lone: Iterable[Acceptance], voice: Voice) -> Iterator[Requirement]:
    for one in lone:
        if said := order(one.text, voice):
            sure = Confidence.EXPLICIT
            yield Requirement(said, one.lines, one.trail, sure, RequirementKind.ACCEPTANCE)


def _questions(questions: Sequence[RequirementQuestion]) -> tuple[RequirementQuestion, ...]:
    told = ((question, normal_form.question(question.text)) for question in questions)
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


MAX_TURNS = 50
MOST_REASONS = 12
_OPENS = re.compile(r"^(?P<mark>`{3,}|~{3,})(?:markdown|md)?\s*$")


def plan_in(answer: str) -> str:
    """Return the last fenced block of an answer that contains a plan; else all of it."""
    lines = answer.replace("\r\n", "\n").split("\n")
    title = max((n for n, line in enumerate(lines) if line.startswith("# ")), default=None)
    if title is None:
        return ""
    opened = next((n for n in range(title - 1, -1, -1) if _OPENS.match(lines[n])), None)
    if opened is None or any(line.strip() for line in lines[opened + 1 : title]):
        return "\n".join(lines[title:]).strip() + "\n"
    mark = lines[opened].rstrip()[:3]
    closed = (n for n in range(len(lines) - 1, title, -1) if lines[n].startswith(mark))
    return "\n".join(lines[title : next(closed, len(lines))]).strip() + "\n"


def objections(text: str, draft: BreakdownDraft) -> tuple[str, ...]:
    """Return why the text cannot replace the draft; empty if it can."""
    try:
        reading = read(text, default_name=draft.name)
    except PlanError as error:
        return (str(error),)
    return tuple(_objections(text, reading, draft))[:MOST_REASONS]


def _objections(text: str, reading: PlanReading, draft: BreakdownDraft) -> Iterator[str]:
    for unit in reading.plan.units:
        for sprint in unit.sprints:
            if not sprint.checks:
                yield f"Sprint {sprint.id} of '{unit.name}' has no check that a machine can run."
    source = citation(draft.document)
    for task in _lost(text, draft):
        yield f"Nothing cites {source}:{task}, and the draft does not say why it is left out."
    for one in assessed(reading, MAX_TURNS):
        for issue in one.issues:
            yield f"Sprint {one.id} of '{one.unit}', {issue.check}: {issue.problem}"


def _lost(text: str, draft: BreakdownDraft) -> Iterator[str]:
    """Yield places that the draft cites and the text does not cite any more."""
    stem = re.escape(citation(draft.document))
    cited = {int(found[1]) for found in re.finditer(rf"{stem}(?:\.\w{{1,8}})?:(\d{{1,7}})", text)}
    places = {task.lines for unit in draft.units for s in unit.sprints for task in s.tasks[:-1]}
    for lines in sorted(places):
        if not any(lines.first <= line <= lines.last for line in cited):
            yield str(lines)
