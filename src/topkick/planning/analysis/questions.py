"""Find questions that a plan leaves open (AN-01): the text, the place, the waiting sprints."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from topkick.plan_format.document import PlanReading
from topkick.plan_format.order.references import SprintNames, UnitNames
from topkick.plan_format.order.waits import Pair
from topkick.plan_format.structure import Section
from topkick.plan_format.units.headings import words
from topkick.planning.analysis.model import PlanQuestion, QuestionType
from topkick.planning.analysis.passages import DocumentBody, Passage
from topkick.planning.refinement.graph import SprintGraph
from topkick.sprint.dispatch.names import CODE

# --- words of open questions -------------------------------------------------------------------
# Patterns that recognise an open question, and patterns that deny one.

OPEN = re.compile(
    r"\b(?:TBD|TBC|to be (?:decided|determined|confirmed|defined)|(?:decide|determine) later"
    r"|(?:is|are|still) (?:not (?:yet )?decided|undecided))\b|\?\?\?",
    re.IGNORECASE,
)
TODO = re.compile(r"^\W*(?:\[ \]\s*)?TODO(?:\*\*)?(?::|\s*\(|\s*[—–-]\s)")
DECIDE = re.compile(
    r"^\W*(?:\[[ xX]\]\s*)?(?:\d[\d.]*[.):]?\s*)?\W*(?:decide|clarify|choose between|agree on)\b",
    re.IGNORECASE,
)
ASKS_PEOPLE = re.compile(
    r"\b(?:with|from|by|ask) (?:the )?(?:stakeholders?|product|clients?|customers?|users?|owners?"
    r"|team|management|legal|design(?:ers?)?)\b",
    re.IGNORECASE,
)
EITHER = re.compile(
    r"\b(?:use|choose|pick|adopt|select)\s+either\s.{1,80}?\sor\s|\beither .{1,60} or .{1,60}\?",
    re.IGNORECASE,
)
VAGUE = re.compile(
    r"\b(?:an?|some|the) (?:appropriate|suitable|proper|adequate|standard|reasonable)"
    r" (?:\w+ )?(?:librar(?:y|ies)|frameworks?|approach|methods?|tools?|database|format|algorithm"
    r"|solution|technology|mechanism|provider|service)\b",
    re.IGNORECASE,
)
EXTERNAL = re.compile(
    r"\b(?:the|an?|their) (?:external|third[- ]party|vendor(?:'s)?|partner(?:'s)?|upstream)"
    r" (?:APIs?|services?|systems?|providers?|endpoints?|backends?)\b",
    re.IGNORECASE,
)
INTERFACE = re.compile(
    r"https?://|\b(?:openapi|swagger|protobuf|wsdl|graphql schema)\b", re.IGNORECASE
)
SETTLED = re.compile(
    r"~~|✅|☑|✔|\[[xX]\]|\*\*(?:yes|no)\b|\b(?:resolved|answered|decided|decision|closed|settled|answer|confirmed"
    r"|chosen|selected|done)\b",
    re.IGNORECASE,
)
# "No blocking open questions", "zero TBDs", "any TBD is a failure", "TBD-free"
NONE = re.compile(
    r"\b(?:no|zero|without|any|all|none|never|0|remaining|every|resolve[ds]?|replace[ds]?|remove[ds]?"
    r"|eliminate[ds]?|fill(?:ed)? in|grep|contains?|instead of)\b[^.;:]{0,40}?\b(?:open|TBDs?|TBCs?"
    r"|questions?|TODOs?|placeholders?)\b|\b(?:TBD|TODO)[- ]free\b|\bnot? (?:a )?TBD\b",
    re.IGNORECASE,
)
ADMIN = re.compile(
    r"\b(?:owner|assignee|assigned|date|due|deadline|start|end|finish|duration|estimate|estimated"
    r"|effort|hours|status|actual|commit|pr|author|reviewer|approver|cost|budget|version|progress"
    r"|result|notes?)\b",
    re.IGNORECASE,
)
ADMIN_LINE = re.compile(
    r"^\W*(?:\*\*)?(?:owner|assignee|date|due|deadline|start(?:ed)?|end|duration|estimate|effort"
    r"|status|commit|pr|author|reviewer|approver|cost|budget|completed?|updated)\b[^:]{0,20}:",
    re.IGNORECASE,
)
OPEN_TITLE = re.compile(
    r"\b(?:open|unresolved|outstanding) (?:questions?|decisions?|issues?|points?)\b"
)
BLOCKING_TITLE = re.compile(r"\bblocking (?:open )?(?:questions?|decisions?|issues?)\b")
SAYS_BLOCKING = re.compile(
    r"\b(?:blocks|blocking|blocker|must be (?:answered|decided))\b", re.IGNORECASE
)
NOT_BLOCKING = re.compile(r"\b(?:non|not|no|nothing)[- ](?:\w+ )?block", re.IGNORECASE)
ABOUT_OTHERS = re.compile(
    r"\b(?:API|vendor|third[- ]party|credentials?|access|licen[cs]e|external|provider)\b",
    re.IGNORECASE,
)
ABOUT_TECHNIQUE = re.compile(
    r"\b(?:library|framework|database|algorithm|format|protocol|architecture|schema|version|storage"
    r"|language|option|approach|design|cache|queue|backend|frontend|engine|port|endpoint)\b",
    re.IGNORECASE,
)
OPTION = re.compile(r"(?:^|\s)\W{0,6}(?:option|alternative|variant) (?:[A-Z]|\d)\b", re.IGNORECASE)
CHOICE_MADE = re.compile(
    r"\b(?:decision|decided|chosen|selected|recommended|recommendation|preferred"
    r"|we (?:use|chose|go)|go with|choose option|default)\b",
    re.IGNORECASE,
)


QUESTIONS = 200


@dataclass(frozen=True, slots=True)
class _Asked:
    text: str
    line: int
    sprint: Pair | None
    type: QuestionType
    blocking: bool
    advice: str


def questions_of(
    body: DocumentBody, reading: PlanReading, graph: SprintGraph
) -> tuple[PlanQuestion, ...]:
    """Return the questions in the order of the plan, one for each line."""
    asked: dict[int, _Asked] = {}
    found = islice(_all(body), QUESTIONS)
    for one in sorted(found, key=lambda a: (a.line, not a.blocking)):
        asked.setdefault(one.line, one)
    impact = _Impact(reading, graph)
    return tuple(impact.question(one) for one in asked.values())


def _all(body: DocumentBody) -> Iterator[_Asked]:
    listed = {part.heading.line: part for part in body.parts if part.heading and _lists(part)}
    described = {p.sprint for p in body.passages if INTERFACE.search(p.text)}
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
    return bool(OPEN_TITLE.search(title) or BLOCKING_TITLE.search(title))


def _listed(passage: Passage) -> Iterator[_Asked]:
    """Yield a line of a section of open questions, unless it is answered there."""
    whole = passage.row or passage.text
    if NONE.search(whole) or _is_settled(whole) or not _asks(passage.text):
        return
    title = words(passage.under)
    said = SAYS_BLOCKING.search(whole) or BLOCKING_TITLE.search(title)
    blocking = bool(said) and not NOT_BLOCKING.search(f"{passage.under} {whole}")
    yield _asked(passage, blocking, "Answer it in the plan, or say what agents assume until then.")


def _asks(text: str) -> bool:
    return "?" in text or OPEN.search(text) is not None


def _is_settled(text: str) -> bool:
    """Return whether it is decided; `to be decided` is not."""
    return SETTLED.search(OPEN.sub(" ", text)) is not None


def _said(passage: Passage, described: bool) -> Iterator[_Asked]:
    text = CODE.sub(" ", passage.text)
    inside = passage.sprint is not None
    if NONE.search(text) or _is_settled(text):
        return
    if OPEN.search(text):
        if not _is_admin(passage):
            yield _asked(passage, inside, "Decide it and write the decision in its place.")
    elif TODO.search(text):
        yield _asked(passage, False, "Do it, or make it a task with a criterion.")
    elif inside and not passage.column and DECIDE.match(text):
        advice = "Decide it now, or say by which rule the agent decides."
        yield _asked(passage, ASKS_PEOPLE.search(text) is not None, advice)
    elif inside and EITHER.search(text):
        yield _asked(passage, False, "Choose one and name it.", QuestionType.DECISION)
    elif inside and VAGUE.search(text):
        yield _asked(passage, False, "Name which of them you mean.", QuestionType.DECISION)
    elif inside and EXTERNAL.search(text) and not described:
        advice = "Name the system, and the file or address that describes its interface."
        yield _asked(passage, True, advice, QuestionType.EXTERNAL)


def _asked(
    passage: Passage, blocking: bool, advice: str, type_: QuestionType | None = None
) -> _Asked:
    text = passage.row or passage.text
    return _Asked(text, passage.line, passage.sprint, type_ or _type(text), blocking, advice)


def _type(text: str) -> QuestionType:
    if ABOUT_OTHERS.search(text):
        return QuestionType.EXTERNAL
    return QuestionType.DECISION if ABOUT_TECHNIQUE.search(text) else QuestionType.REQUIREMENT


def _is_admin(passage: Passage) -> bool:
    """Return whether it asks only who does it or when, which is no question about the work."""
    if passage.column:
        return ADMIN.search(passage.column) is not None
    return ADMIN_LINE.match(passage.text) is not None


def _options(part: Section, body: DocumentBody) -> Iterator[_Asked]:
    """Yield a choice between options that is not made."""
    if part.heading is None:
        return
    texts = [p.text for p in body.under(part)]
    options = sum(len(OPTION.findall(text)) for text in texts)
    chosen = any(CHOICE_MADE.search(text) for text in (part.title, *texts))
    if options > 1 and not chosen:
        sprint = body.owners.at(part.heading.line)
        text = f"Which option: {part.title}"
        advice = "Choose one, and remove the others or move them to an appendix."
        yield _Asked(text, part.heading.line, sprint, QuestionType.DECISION, False, advice)


class _Impact:
    """Finds the sprints that wait for an answer: the one that asks or is named, and its
    dependents.
    """

    def __init__(self, reading: PlanReading, graph: SprintGraph) -> None:
        ids: dict[str, list[str]] = {}
        for unit, id_ in graph.order:
            ids.setdefault(unit, []).append(id_)
        self._graph = graph
        self._at = {pair: n for n, pair in enumerate(graph.order)}
        self._units = UnitNames(list(ids))
        self._sprints = SprintNames(ids)
        self._home = reading.plan.units[0].name

    def question(self, asked: _Asked) -> PlanQuestion:
        home = asked.sprint[0] if asked.sprint else self._home
        named = self._sprints.named_in(asked.text, home, self._units)
        starts = (asked.sprint,) if asked.sprint else named
        blocks = dict.fromkeys(pair for pair in starts if pair in self._at)
        for pair in [*blocks]:
            blocks.update(dict.fromkeys(self._graph.order[n] for n in self._held_up(pair)))
        # an open decision that several sprints depend on blocks the start
        choice = asked.text.startswith("Which option:") and len(blocks) > 2
        return PlanQuestion(
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
