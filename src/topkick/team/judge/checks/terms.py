"""One term per concept, over all documents.

Reads: `terminology_keys` of the states, glossaries, and the words of the documents.
"""

from topkick.team.judge.checks.builtin import (
    Builtin,
    BuiltinOutcome,
    failed,
    listed,
    passed,
    warned,
)
from topkick.team.judge.documents.vocabulary import How, drifts, terms
from topkick.team.judge.findings import Group
from topkick.team.judge.material import UPSTREAM, Material

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
        passes="every term stands everywhere as it was agreed on",
        warns="a term is spelled in another way (sign-in, signin), nobody agreed on any term, or "
        "every document is missing",
        fails="another word stands for a term: one that a glossary or a role rules out, or a known "
        "synonym (login for sign-in)",
        run=one_term_per_concept,
    ),
)
