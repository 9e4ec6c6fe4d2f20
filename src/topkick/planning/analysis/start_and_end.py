"""Analyse where a plan begins and ends (AN-01): what it says about both, and what is missing."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from topkick.plan_format.criteria.criteria import says_none, without_box
from topkick.plan_format.model import Criterion
from topkick.plan_format.order.waits import Pair
from topkick.plan_format.structure import Section
from topkick.plan_format.units.headings import words
from topkick.planning.analysis.model import Bridge, Point, Statement
from topkick.planning.analysis.passages import (
    LONGEST,
    DocumentBody,
    paragraphs,
    points,
    said_behind_label,
)
from topkick.planning.analysis.rounds import Sequel
from topkick.sprint.dispatch.names import names_in
from topkick.sprint.dispatch.traits import is_vague

STATEMENTS = 60
MENTIONS = 5
VAGUE = 5
_START = re.compile(
    r"\b(?:prerequisites?|starting (?:state|point|position)|assumptions?|preconditions?"
    r"|current (?:state|status|situation|architecture|codebase|system)|initial state|baseline"
    r"|existing (?:code|codebase|system|state|infrastructure|assets)|as is|what exists"
    r"|already (?:done|exists|in place|complete)|where we are|point a|voraussetzungen|ausgangslage"
    r"|pré requisitos|requisitos previos|estado atual|estado actual|前置条件|现状|前提条件)\b"
)
_END = re.compile(
    r"\b(?:goals?|objectives?|success (?:criteria|metrics?|criterion)|definition of done"
    r"|done (?:definition|criteria|when)|deliverables|acceptance criteria|target state|end state"
    r"|exit criteria|completion criteria|final (?:state|outcome|acceptance|checklist|verification)"
    r"|outcomes?|expected (?:results?|outcomes?)|point b|ziele?|objetivos?|objectifs?"
    r"|критерии успеха|цели|目标|目標)\b"
)
_NO_END = re.compile(r"\b(?:non goals?|out of scope|not goals?|anti goals?|stretch goals?)\b")
_MENTION = re.compile(r"\b(?:existing|current|currently|legacy|already)\b", re.IGNORECASE)
_THERE = re.compile(
    r"\b(?:exists?|present|installed|in place|available|configured|ready)\b", re.IGNORECASE
)
_NOT_THERE = re.compile(
    r"\b(?:not|no|never|missing|absent|without|yet to|doesn't|isn't)\b", re.IGNORECASE
)


def starting_point(body: DocumentBody, sequel: Sequel, labels: Sequence[str]) -> Point:
    said = list(islice(_sections(body, _START, None), STATEMENTS))
    entry = [s for n in sequel.first for s in _criteria(sequel.sprints[n].entry, labels[n])]
    mentioned = tuple(islice(_mentions(body), MENTIONS))
    documented = (*said, *entry[:STATEMENTS])
    unclear = tuple(_unclear_start(documented, mentioned))
    return Point(documented, mentioned, unclear=unclear)


def _unclear_start(
    documented: Sequence[Statement], mentioned: Sequence[Statement]
) -> Iterator[str]:
    if not documented:
        yield (
            "The plan mentions things that exist, but no section and no entry criterion says what "
            "is there at the start."
            if mentioned
            else "No section and no entry criterion says what is there at the start."
        )
    there: dict[str, Statement] = {}
    gone: dict[str, Statement] = {}
    for statement in documented:
        if _THERE.search(statement.text):
            side = gone if _NOT_THERE.search(statement.text) else there
            for name in sorted(names_in(statement.text).all):
                side.setdefault(name, statement)
    for name in sorted(there.keys() & gone.keys()):
        lines = sorted((there[name].line, gone[name].line))
        yield f"Lines {lines[0]} and {lines[1]} contradict each other about {name}."


def with_unknown_inputs(point: Point, bridges: Sequence[Bridge], first: Sequence[Pair]) -> Point:
    """Add files that the first sprints need and whose origin is unknown."""
    unknown = [b for b in bridges if b.sprint in first and b.produced_by is None]
    told = tuple(
        f"{b.path} (line {b.line}) is needed at the start and does not exist." for b in unknown
    )
    return replace(point, unclear=(*point.unclear, *told))


def end_point(body: DocumentBody, sequel: Sequel, labels: Sequence[str]) -> Point:
    said = tuple(islice(_sections(body, _END, _NO_END), STATEMENTS))
    leaving = [s for n in sequel.last for s in _criteria(sequel.sprints[n].exit, labels[n])]
    bare = [labels[n] for n in sequel.last if not sequel.sprints[n].exit]
    documented = (*said, *leaving[:STATEMENTS])
    vague = [statement for statement in documented if is_vague(statement.text)]
    doubts = tuple(f'Line {s.line} measures nothing: "{s.text[:80]}"' for s in vague[:VAGUE])
    return Point(documented, (), doubts, tuple(_unclear_end(documented, bare, vague)))


def _unclear_end(
    documented: Sequence[Statement], bare: Sequence[str], vague: Sequence[Statement]
) -> Iterator[str]:
    if not documented:
        yield "No goals, success criteria or last exit criteria say what must be there at the end."
        return
    for name in bare[:5]:
        yield f"{name} is a last sprint and has no exit criteria."
    if 2 * len(vague) >= len(documented):
        yield f"{len(vague)} of {len(documented)} statements about the end measure nothing."


def _sections(
    body: DocumentBody, wanted: re.Pattern[str], unwanted: re.Pattern[str] | None
) -> Iterator[Statement]:
    """Yield the content of sections with that title, and of the sections below them."""
    within = 7
    for part in body.outside():
        if part.level <= within:
            within = 7
        title = words(part.title)
        if unwanted is not None and unwanted.search(title):
            continue
        if part.level > 1 and len(title) <= 80 and wanted.search(title):
            within = min(within, part.level)
        if within < 7:
            yield from _statements(part)


def _statements(part: Section) -> Iterator[Statement]:
    """Yield list items before prose; skip lines that end in a colon, which only introduce."""
    found = [(text, line, True) for text, line in points(part)]
    found += [(text, line, False) for text, line in paragraphs(part)]
    for text, line, listed in sorted(found, key=lambda one: one[1]):
        said = said_behind_label(without_box(text)).strip()[:LONGEST]
        tells = any(char.isalnum() for char in said) and not said.rstrip("*_ ").endswith(
            (":", "：")
        )
        if tells and not says_none(said):
            yield Statement(said, line, part.title, listed)


def _criteria(criteria: Sequence[Criterion], label: str) -> Iterator[Statement]:
    for criterion in criteria:
        yield Statement(criterion.text, criterion.line, label)


def _mentions(body: DocumentBody) -> Iterator[Statement]:
    for passage in body.passages:
        if passage.sprint is None and not passage.column and _MENTION.search(passage.text):
            yield Statement(passage.text, passage.line, passage.under)
