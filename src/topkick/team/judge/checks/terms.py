"""Check that a team uses one term per concept, over all documents.

Reads: `terminology_keys` of the states, glossaries, and the words of the documents.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

from topkick.team.judge.checks.builtin import (
    Builtin,
    BuiltinOutcome,
    failed,
    listed,
    passed,
    warned,
)
from topkick.team.judge.documents import below, outline, rows_and_bullets
from topkick.team.judge.findings import Group
from topkick.team.judge.material import UPSTREAM, Material
from topkick.team.session import RoleState, Term
from topkick.text.similarity import singular, words

MOST_WORDS = 4
MOST_TERMS = 500
MOST_DRIFTS = 200
GLOSSARY = re.compile(
    r"\b(?:glossary|terminology|vocabulary|definitions|ubiquitous language)\b", re.IGNORECASE
)
_NOT = re.compile(r"\b(?:not|avoid|never|instead of)\b[:\s]{1,3}([^.;)|]{1,200})", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W_]+")
_GAPS = frozenset({" ", "-", "_", "\n", "\u2011", "\u2010"})
_AROUND = frozenset("/\\.@#_")
_SYNONYMS: tuple[frozenset[str], ...] = (
    frozenset({"signin", "login", "logon"}),
    frozenset({"signout", "logout", "logoff"}),
    frozenset({"signup", "registration"}),
    frozenset({"cart", "basket"}),
)


class How(IntEnum):
    """Another spelling of the word, or another word."""

    SPELLING = 1
    WORD = 2


@dataclass(frozen=True, slots=True)
class Drift:
    how: How
    term: str
    used: str
    where: str

    @property
    def told(self) -> str:
        return f"{self.where} has {self.used!r} for {self.term!r}"


def key(text: str) -> str:
    """Return one key for Sign-in, sign in and SignIn."""
    found = words(text)
    return "".join((*found[:-1], singular(found[-1]))) if found else ""


def terms(states: Mapping[str, RoleState], documents: Mapping[str, str]) -> list[tuple[str, Term]]:
    """Return each term with its source: a task, or the document with the glossary."""
    found = [(who, term) for who, state in states.items() for term in state.terminology_keys]
    for path, text in documents.items():
        found += [(path, term) for term in _glossary(path, text)]
    return [(who, term) for who, term in found if key(term.name)][:MOST_TERMS]


def drifts(named: Iterable[tuple[str, Term]], documents: Mapping[str, str]) -> list[Drift]:
    """Return the differences among the terms themselves, then those in the documents."""
    agreed = list(named)
    spelling, others = _known(agreed)
    found = list(_among(agreed))
    for path, text in documents.items():
        found += _in_document(path, text, spelling, others)
        if len(found) >= MOST_DRIFTS:
            break
    return found[:MOST_DRIFTS]


# --- agreed terms ------------------------------------------------------------------------------


def _glossary(path: str, text: str) -> Iterator[Term]:
    for section in below(text, GLOSSARY):
        for item in rows_and_bullets(path, section):
            said = item.text.removeprefix(item.name)
            others = [word for found in _NOT.findall(said) for word in _split(found)]
            yield Term(item.name, tuple(others))


def _split(text: str) -> Iterator[str]:
    for part in re.split(r",|/|\bor\b|\band\b|\bnor\b", text):
        word = part.strip(" \"'“”’*`")
        if word and len(word.split()) <= MOST_WORDS:
            yield word


def _known(named: list[tuple[str, Term]]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the spelling of each key, and for the key of each synonym the agreed term."""
    spelling: dict[str, str] = {}
    others: dict[str, str] = {}
    for _, term in named:
        spelling.setdefault(key(term.name), term.name)
    for _, term in named:
        group = next((each for each in _SYNONYMS if key(term.name) in each), frozenset[str]())
        for other in (*map(key, term.others), *sorted(group)):
            if other and other not in spelling:
                others.setdefault(other, term.name)
    return spelling, others


def _among(named: list[tuple[str, Term]]) -> Iterator[Drift]:
    """Yield the terms that appear with different words, or with two spellings of one word."""
    first: dict[str, tuple[str, str]] = {}
    for who, term in named:
        own = key(term.name)
        was = first.setdefault(own, (who, term.name))
        if was[1].casefold() != term.name.casefold() and not _is_plural(was[1], term.name):
            yield Drift(How.SPELLING, was[1], term.name, who)
        group = next((each for each in _SYNONYMS if own in each), frozenset[str]())
        for other in sorted(group - {own}):
            if other in first:
                yield Drift(How.WORD, first[other][1], term.name, who)


def _is_plural(one: str, other: str) -> bool:
    a, b = one.casefold(), other.casefold()
    return _last_singular(a) == _last_singular(b)


def _last_singular(text: str) -> str:
    found = re.search(r"[^\W_]+$", text)
    return text[: found.start()] + singular(found[0]) if found else text


# --- terms in the documents --------------------------------------------------------------------


def _in_document(
    path: str, text: str, spelling: Mapping[str, str], others: Mapping[str, str]
) -> Iterator[Drift]:
    """Yield each other word or spelling once; a glossary may name such words, so it is skipped."""
    told: set[str] = set()
    skip = {section.line for section in below(text, GLOSSARY)}
    for section in outline(text):
        if section.line in skip and section.title:
            continue
        for number, line in enumerate((section.title, *section.lines), start=section.line):
            for used, own in _phrases(line):
                drift = _drift(used, own, spelling, others)
                if drift is not None and used.casefold() not in told:
                    told.add(used.casefold())
                    yield Drift(drift[0], drift[1], used, f"{path}:{number}")


def _phrases(line: str) -> Iterator[tuple[str, str]]:
    """Yield each sequence of one to four words, as written and as a key, without file names."""
    tokens = [t for t in _TOKEN.finditer(line) if not _in_a_path(line, t.start(), t.end())]
    for at, token in enumerate(tokens):
        joined = ""
        for last in range(at, min(at + MOST_WORDS, len(tokens))):
            if last > at and line[tokens[last - 1].end() : tokens[last].start()] not in _GAPS:
                break
            word = tokens[last][0].casefold()
            yield line[token.start() : tokens[last].end()], joined + singular(word)
            joined += word


def _in_a_path(line: str, start: int, end: int) -> bool:
    """Return whether the word is part of a name, as in /login, login.html or login_form."""
    before, after = line[max(start - 1, 0) : start], line[end : end + 2]
    return before in _AROUND or (after[:1] in _AROUND and after[1:2].isalnum())


def _drift(
    used: str, own: str, spelling: Mapping[str, str], others: Mapping[str, str]
) -> tuple[How, str] | None:
    if own in others:
        return How.WORD, others[own]
    meant = spelling.get(own)
    if meant is None or _same(used, meant):
        return None
    return How.SPELLING, meant


def _same(used: str, meant: str) -> bool:
    """Ignore capitals, except in names that have them inside, such as GitHub."""
    if _last_singular(used.casefold()) != _last_singular(meant.casefold()):
        return False
    inner = any(char.isupper() for char in meant[1:]) and any(char.islower() for char in meant)
    return not inner or used.isupper() or _last_singular(used) == _last_singular(meant)


# --- the check ---------------------------------------------------------------------------------


PROSE = (".md", ".txt")


def one_term_per_concept(material: Material) -> BuiltinOutcome:
    documents = {path: text for path, text in material.documents.items() if path.endswith(PROSE)}
    if not documents:
        gone = material.missing or ("every document",)
        return warned(f"missing: {listed(gone)}", gone)
    agreed = terms(material.states(), documents)
    if not agreed:
        return warned("no role names terminology_keys and no document has a glossary")
    found = drifts(agreed, documents)
    words = [drift for drift in found if drift.how is How.WORD]
    if words:
        told = listed(list(dict.fromkeys(f"{d.used!r} for {d.term!r}" for d in words)))
        return failed(f"other words for one concept: {told}", [drift.told for drift in words])
    if found:
        told = listed(list(dict.fromkeys(f"{d.used!r} for {d.term!r}" for d in found)))
        return warned(f"other spellings of one term: {told}", [drift.told for drift in found])
    return passed(f"{len(agreed)} terms, one word each in {len(documents)} documents")


CHECKS = (
    Builtin(
        name="one-term-per-concept",
        group=Group.CONSISTENCY,
        about="The same concept has the same term in every document.",
        reads=("states.terminology_keys", UPSTREAM),
        passes="every document uses the agreed terms",
        warns="a term has another spelling (sign-in, signin), no term is defined, or every "
        "document is missing",
        fails="a document uses another word: one that a glossary or a role rules out, or a known "
        "synonym (login for sign-in)",
        run=one_term_per_concept,
    ),
)
