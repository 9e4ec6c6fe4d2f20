"""Check that decisions don't contradict each other, and that wisdom agrees with the artifacts.

Reads: `decisions` of the states, sections Decisions of the documents, the wisdom files.
"""

from topkick.team.judge.checks.builtin import Builtin, BuiltinOutcome, failed, passed, warned
from topkick.team.judge.documents.choices import (
    agree,
    conflicts,
    of_documents,
    of_states,
    of_wisdom,
)
from topkick.team.judge.findings import Group
from topkick.team.judge.material import UPSTREAM, Material
from topkick.text.similarity import Haystack, spaced

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
    return passed(f"{len(choices)} decisions, none against another")


def wisdom_agrees(material: Material) -> BuiltinOutcome:
    wise = of_wisdom(material.wisdom)[:MOST_WISE]
    if not wise:
        return passed("wisdom holds no decision to compare")
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
            f"no artifact says what wisdom does: {unsaid[0].told}", [c.told for c in unsaid]
        )
    return passed(f"{len(wise)} entries of wisdom agree with the artifacts")


CHECKS = (
    Builtin(
        name="decisions-agree",
        group=Group.CONSISTENCY,
        about="Decisions of roles do not contradict: the same key with another value.",
        reads=("states.decisions", UPSTREAM),
        passes="no two decisions about one key differ",
        warns="one revises another and says so, two without a key may clash (PostgreSQL, MySQL), "
        "or there is neither a state nor an artifact",
        fails="two roles or documents decided one key differently, or one denies the other",
        run=decisions_agree,
    ),
    Builtin(
        name="wisdom-agrees",
        group=Group.CONSISTENCY,
        about="What the wisdom files say agrees with the artifacts.",
        reads=("wisdom", "states.decisions", UPSTREAM),
        passes="every `key: value` of wisdom agrees, or there is none",
        warns="an artifact speaks of the key and not of the value",
        fails="a role or a document decided the same key differently",
        run=wisdom_agrees,
    ),
)
