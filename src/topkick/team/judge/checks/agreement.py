"""Check that decisions don't contradict each other, and that wisdom agrees with the artifacts.

Reads: `decisions` of the states, sections Decisions of the documents, the wisdom files.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from topkick.team.judge.checks.builtin import Builtin, BuiltinOutcome, failed, passed, warned
from topkick.team.judge.documents import below, items
from topkick.team.judge.findings import Group
from topkick.team.judge.material import UPSTREAM, Material
from topkick.team.session import RoleState, SessionDecision, decision
from topkick.text.similarity import Haystack, significant, spaced

MOST_CHOICES = 1_000
_DECISIONS = re.compile(r"\b(?:decisions?|adrs?)\b", re.IGNORECASE)
_ADR = re.compile(r"^(?:ADR|D|DEC)-?[0-9]{1,4}\s*[:.—–-]?\s*", re.IGNORECASE)
_OURS = re.compile(r"\[(?:supervisor|CHECKPOINT-[^\]]{1,40})\]")
_REVISED = re.compile(
    r"\b(?:supersed\w*|replac\w+|instead of|changed from|revised|no longer"
    r"|switch\w* (?:from|to))\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"^(?:do not|don.?t|never|no|not|avoid|without|drop)\s+(?:use\s+)?", re.IGNORECASE
)
_FAMILIES: Mapping[str, frozenset[str]] = {
    "database": frozenset({"postgresql", "postgres", "mysql", "mariadb", "sqlite", "mongodb"}),
    "style of API": frozenset({"rest", "graphql", "grpc", "soap"}),
    "frontend framework": frozenset({"react", "vue", "angular", "svelte"}),
    "shape": frozenset({"monolith", "microservice"}),
}


@dataclass(frozen=True, slots=True)
class RecordedChoice:
    """A decision and its source: a task, a document or a wisdom file."""

    who: str
    key: str
    value: str
    revises: bool = False

    @property
    def told(self) -> str:
        about = f"{self.key}: " if self.key else ""
        return f"{self.who}: {about}{self.value}"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two contradicting decisions; `sure` if both have one key, or one denies the other."""

    first: RecordedChoice
    other: RecordedChoice
    sure: bool

    @property
    def told(self) -> str:
        return f"{self.first.told} against {self.other.told}"


def of_states(states: Mapping[str, RoleState]) -> list[RecordedChoice]:
    return [_choice(who, each) for who, state in states.items() for each in state.decisions]


def of_documents(documents: Mapping[str, str]) -> list[RecordedChoice]:
    """Return decisions below a heading Decisions that name their subject."""
    found: list[RecordedChoice] = []
    for path, text in documents.items():
        for item in items(path, below(text, _DECISIONS)):
            head = item.text.partition(" | ")[0] if item.text.startswith("ADR") else item.text
            made = decision(_ADR.sub("", head.replace(" | ", ": ", 1)))
            found += (_choice(item.where, made),) if made.key else ()
    return found[:MOST_CHOICES]


def of_wisdom(wisdom: Mapping[str, str]) -> list[RecordedChoice]:
    """Return every `key: value` of the files, except lines that the supervisor itself added."""
    found: list[RecordedChoice] = []
    for path, text in wisdom.items():
        for number, line in enumerate(text.split("\n")[:MOST_CHOICES], start=1):
            bare = line.strip(" \t-*+")
            is_item = line.lstrip().startswith(("-", "*", "+")) and not _OURS.search(line)
            made = (
                decision(re.sub(r"^\[[^\]]{0,80}\]\s*", "", bare))
                if is_item
                else SessionDecision("", "")
            )
            found += (_choice(f"{path}:{number}", made),) if made.key else ()
    return found[:MOST_CHOICES]


def conflicts(choices: Iterable[RecordedChoice]) -> Iterator[Conflict]:
    """Compare each choice with the first about the same subject; a revision replaces it."""
    by_key: dict[str, RecordedChoice] = {}
    by_family: dict[str, RecordedChoice] = {}
    denied: dict[str, RecordedChoice] = {}
    taken: dict[str, RecordedChoice] = {}
    for choice in list(choices)[:MOST_CHOICES]:
        yield from _against(by_key, spaced(choice.key).strip(), choice, sure=True)
        if not choice.key:
            yield from _against(by_family, _family(choice.value), choice, sure=False)
        yield from _denials(denied, taken, choice)


def _against(
    known: dict[str, RecordedChoice], name: str, choice: RecordedChoice, *, sure: bool
) -> Iterator[Conflict]:
    was = known.setdefault(name, choice) if name else choice
    if was is choice or agree(was.value, choice.value):
        return
    if choice.revises or was.who == choice.who:
        known[name] = choice
    if was.who != choice.who:
        yield Conflict(was, choice, sure and not (was.revises or choice.revises))


def _denials(
    denied: dict[str, RecordedChoice], taken: dict[str, RecordedChoice], choice: RecordedChoice
) -> Iterator[Conflict]:
    """Find pairs such as `Use Redis` and `Do not use Redis`."""
    is_denial = _DENIED.match(choice.value) is not None
    value = spaced(_DENIED.sub("", choice.value, count=1)).strip()
    value = f"{spaced(choice.key).strip()}={value}"
    (denied if is_denial else taken).setdefault(value, choice)
    other = (taken if is_denial else denied).get(value)
    if other is not None and other.who != choice.who:
        yield Conflict(other, choice, not choice.revises)


def agree(one: str, other: str) -> bool:
    """Return whether two values agree: PostgreSQL and PostgreSQL 15 do, or one contains the
    other.
    """
    a, b = significant(one) or {spaced(one)}, significant(other) or {spaced(other)}
    denies = bool(_DENIED.match(one)) != bool(_DENIED.match(other))
    return (a <= b or b <= a) and not denies


def _choice(who: str, made: SessionDecision) -> RecordedChoice:
    revises = _REVISED.search(f"{made.value} {made.reason}") is not None
    return RecordedChoice(who, made.key, made.value, revises)


def _family(value: str) -> str:
    words = set(spaced(value).split())
    return next((name for name, members in _FAMILIES.items() if words & members), "")


# --- the checks --------------------------------------------------------------------------------


MOST_WISE = 200
OURS = ("supervisor", "coordinator")


def decisions_agree(material: Material) -> BuiltinOutcome:
    """Compare decisions; if roles published none, those of their documents."""
    states = {who: s for who, s in material.states().items() if s.role not in OURS}
    choices = [*of_states(states), *of_documents(material.documents)]
    if not choices:
        gone = [] if material.documents else list(material.missing)
        if gone:
            return warned(f"no role states, and missing: {', '.join(gone[:3])}", gone)
        return passed("no decisions to compare")
    found = list(conflicts(choices))
    sure = [conflict for conflict in found if conflict.sure]
    if sure:
        return failed(f"contradicting decisions: {sure[0].told}", [c.told for c in sure])
    if found:
        return warned(
            f"a decision was revised or may clash: {found[0].told}", [c.told for c in found]
        )
    return passed(f"{len(choices)} decisions, no contradiction")


def wisdom_agrees(material: Material) -> BuiltinOutcome:
    wise = of_wisdom(material.wisdom)[:MOST_WISE]
    if not wise:
        return passed("wisdom has no decision to compare")
    said = [*of_states(material.states()), *of_documents(material.documents)]
    by_key = {spaced(choice.key): choice for choice in said if choice.key}
    clashes = [
        (choice, other)
        for choice in wise
        if (other := by_key.get(spaced(choice.key))) is not None
        and not agree(choice.value, other.value)
    ]
    if clashes:
        told = [f"{a.told} against {b.told}" for a, b in clashes]
        return failed(f"wisdom and artifacts differ: {told[0]}", told)
    text = Haystack.of("\n".join(material.documents.values()))
    unsaid = [c for c in wise if text.names(c.key) and not text.names(c.value)]
    if unsaid:
        return warned(
            f"no artifact says what wisdom says: {unsaid[0].told}", [c.told for c in unsaid]
        )
    return passed(f"{len(wise)} entries of wisdom agree with the artifacts")


CHECKS = (
    Builtin(
        name="decisions-agree",
        group=Group.CONSISTENCY,
        about="Decisions of roles do not contradict: the same key with another value.",
        reads=("states.decisions", UPSTREAM),
        passes="no two decisions about one key differ",
        warns="a decision says that it revises another, two without a key may clash (PostgreSQL, "
        "MySQL), or there is neither a state nor an artifact",
        fails="two roles or documents decided one key differently, or a decision denies another",
        run=decisions_agree,
    ),
    Builtin(
        name="wisdom-agrees",
        group=Group.CONSISTENCY,
        about="What the wisdom files say agrees with the artifacts.",
        reads=("wisdom", "states.decisions", UPSTREAM),
        passes="every `key: value` of wisdom agrees, or there is none",
        warns="an artifact names the key but not the value",
        fails="a role or a document decided the same key differently",
        run=wisdom_agrees,
    ),
)
