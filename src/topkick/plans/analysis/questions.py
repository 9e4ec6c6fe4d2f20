"""Find questions that a plan leaves open (AN-01): the text, the place, the waiting sprints."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from topkick.core.sprint_names import CODE
from topkick.plans.analysis import question_words as say
from topkick.plans.analysis.model import OpenQuestion, QuestionType
from topkick.plans.analysis.passages import Body, Passage
from topkick.plans.document import Reading
from topkick.plans.labels import words
from topkick.plans.references import SprintNames, UnitNames
from topkick.plans.refining.graph import SprintGraph
from topkick.plans.structure import Section
from topkick.plans.waiting import Pair

QUESTIONS = 200


@dataclass(frozen=True, slots=True)
class _Asked:
    text: str
    line: int
    sprint: Pair | None
    type: QuestionType
    blocking: bool
    advice: str


def questions_of(body: Body, reading: Reading, graph: SprintGraph) -> tuple[OpenQuestion, ...]:
    """Return the questions in the order of the plan, one for each line."""
    asked: dict[int, _Asked] = {}
    found = islice(_all(body), QUESTIONS)
    for one in sorted(found, key=lambda a: (a.line, not a.blocking)):
        asked.setdefault(one.line, one)
    impact = _Impact(reading, graph)
    return tuple(impact.question(one) for one in asked.values())


def _all(body: Body) -> Iterator[_Asked]:
    listed = {part.heading.line: part for part in body.parts if part.heading and _lists(part)}
    described = {p.sprint for p in body.passages if say.INTERFACE.search(p.text)}
    titles = {part.title for part in listed.values()}
    for passage in body.passages:
        if passage.under in titles:
            yield from _listed(passage)
        else:
            yield from _said(passage, passage.sprint in described)
    for part in body.parts:
        yield from _options(part, body)


def _lists(part: Section) -> bool:
    title = words(part.title)
    return bool(say.OPEN_TITLE.search(title) or say.BLOCKING_TITLE.search(title))


def _listed(passage: Passage) -> Iterator[_Asked]:
    """Yield a line of a section of open questions, unless it is answered there."""
    whole = passage.row or passage.text
    if say.NONE.search(whole) or _is_settled(whole) or not _asks(passage.text):
        return
    title = words(passage.under)
    said = say.SAYS_BLOCKING.search(whole) or say.BLOCKING_TITLE.search(title)
    blocking = bool(said) and not say.NOT_BLOCKING.search(f"{passage.under} {whole}")
    yield _asked(
        passage, blocking, "Answer it in the plan, or say what holds until it is answered."
    )


def _asks(text: str) -> bool:
    return "?" in text or say.OPEN.search(text) is not None


def _is_settled(text: str) -> bool:
    """Return whether it is decided; `to be decided` is not."""
    return say.SETTLED.search(say.OPEN.sub(" ", text)) is not None


def _said(passage: Passage, described: bool) -> Iterator[_Asked]:
    text = CODE.sub(" ", passage.text)
    inside = passage.sprint is not None
    if say.NONE.search(text) or _is_settled(text):
        return
    if say.OPEN.search(text):
        if not _is_admin(passage):
            yield _asked(passage, inside, "Decide it and write the decision in its place.")
    elif say.TODO.search(text):
        yield _asked(passage, False, "Do it, or make it a task with a criterion.")
    elif inside and not passage.column and say.DECIDE.match(text):
        advice = "Decide it now, or say by which rule the agent decides."
        yield _asked(passage, say.ASKS_PEOPLE.search(text) is not None, advice)
    elif inside and say.EITHER.search(text):
        yield _asked(passage, False, "Choose one and name it.", QuestionType.DECISION)
    elif inside and say.VAGUE.search(text):
        yield _asked(passage, False, "Name the one that is meant.", QuestionType.DECISION)
    elif inside and say.EXTERNAL.search(text) and not described:
        advice = "Name the system, and the file or address that describes its interface."
        yield _asked(passage, True, advice, QuestionType.EXTERNAL)


def _asked(
    passage: Passage, blocking: bool, advice: str, type_: QuestionType | None = None
) -> _Asked:
    text = passage.row or passage.text
    return _Asked(text, passage.line, passage.sprint, type_ or _type(text), blocking, advice)


def _type(text: str) -> QuestionType:
    if say.ABOUT_OTHERS.search(text):
        return QuestionType.EXTERNAL
    return QuestionType.DECISION if say.ABOUT_TECHNIQUE.search(text) else QuestionType.REQUIREMENT


def _is_admin(passage: Passage) -> bool:
    """Return whether it asks only who does it or when, which is no question about the work."""
    if passage.column:
        return say.ADMIN.search(passage.column) is not None
    return say.ADMIN_LINE.match(passage.text) is not None


def _options(part: Section, body: Body) -> Iterator[_Asked]:
    """Yield a choice between options that is not made."""
    if part.heading is None:
        return
    texts = [p.text for p in body.under(part)]
    options = sum(len(say.OPTION.findall(text)) for text in texts)
    chosen = any(say.CHOICE_MADE.search(text) for text in (part.title, *texts))
    if options > 1 and not chosen:
        sprint = body.owners.at(part.heading.line)
        text = f"Which option: {part.title}"
        advice = "Choose one, and strike the others or move them to an appendix."
        yield _Asked(text, part.heading.line, sprint, QuestionType.DECISION, False, advice)


class _Impact:
    """Finds the sprints that wait for an answer: the one that asks or is named, and its
    dependents.
    """

    def __init__(self, reading: Reading, graph: SprintGraph) -> None:
        ids: dict[str, list[str]] = {}
        for unit, id_ in graph.order:
            ids.setdefault(unit, []).append(id_)
        self._graph = graph
        self._at = {pair: n for n, pair in enumerate(graph.order)}
        self._units = UnitNames(list(ids))
        self._sprints = SprintNames(ids)
        self._home = reading.plan.units[0].name

    def question(self, asked: _Asked) -> OpenQuestion:
        home = asked.sprint[0] if asked.sprint else self._home
        named = self._sprints.named_in(asked.text, home, self._units)
        starts = (asked.sprint,) if asked.sprint else named
        blocks = dict.fromkeys(pair for pair in starts if pair in self._at)
        for pair in [*blocks]:
            blocks.update(dict.fromkeys(self._graph.order[n] for n in self._held_up(pair)))
        # an open decision that several sprints depend on blocks the start
        choice = asked.text.startswith("Which option:") and len(blocks) > 2
        return OpenQuestion(
            asked.text,
            asked.line,
            asked.type,
            asked.sprint,
            tuple(blocks),
            asked.blocking or choice,
            asked.advice,
        )

    def _held_up(self, pair: Pair) -> Iterator[int]:
        return self._graph.held_up(self._at[pair])
