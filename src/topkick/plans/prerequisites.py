"""Recognise sentences such as `when X is complete, verify: …`."""

import re
from collections.abc import Iterator

from topkick.plans.references import UnitNames

_ASKED = re.compile(r"\b(?:verify|verified|verifying|verification)\b", re.IGNORECASE)
_ORDERED = re.compile(r"\b(?:when|once|after|until|before)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:when|once|after|until)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.;!?](?=\s|$)")
_BEHIND = re.compile(r"[`:：]")
_BEFORE = re.compile(r"(?<=`)\s*,?\s*before\b[^`]*$", re.IGNORECASE)
_WORD = re.compile(r"[\w./-]*\w")
NAME_WORDS = 5


def waited_for(text: str, names: UnitNames) -> tuple[str, ...]:
    """Return the units that a text says to verify before others start, or none."""
    asked = _ASKED.search(text)
    if asked is None or len(names.all) < 2 or not _ORDERED.search(text):
        return ()
    rest = text[asked.end() :]
    if "`" not in rest and not rest.rstrip().endswith((":", "：")):
        return ()
    first = tuple(_named(_BEHIND.split(rest, maxsplit=1)[0], names))
    return first or tuple(_named(_awaited(text), names))


def behind_verify(text: str) -> str:
    """Return the code after the word, without a following `before …`."""
    asked = _ASKED.search(text)
    at = text.find("`", asked.end()) if asked else -1
    return _BEFORE.sub("", text[at:].strip().rstrip(".")) if at >= 0 else ""


def _awaited(text: str) -> str:
    """Return the text after `when`, `once` or `after`, up to the end of its sentence."""
    found = _AFTER.search(text)
    if found is None:
        return ""
    rest = text[found.end() :]
    ends = [one.start() for one in (_SENTENCE.search(rest), _ASKED.search(rest)) if one]
    return rest[: min(ends, default=len(rest))]


def _named(text: str, names: UnitNames) -> Iterator[str]:
    """Yield the units named in a text, each by the longest matching words."""
    places = [(found.start(), found.end()) for found in _WORD.finditer(text)]
    seen: set[str] = set()
    at = 0
    while at < len(places):
        for many in range(min(NAME_WORDS, len(places) - at), 0, -1):
            name = names.find(text[places[at][0] : places[at + many - 1][1]])
            if name is not None:
                if name not in seen:
                    yield name
                seen.add(name)
                at += many - 1
                break
        at += 1
