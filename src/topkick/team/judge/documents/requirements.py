"""Parse requirements of a PRD: their ids, where each is defined, and which are must-haves."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from topkick.team.judge.documents.documents import (
    MOST_ITEMS,
    DocumentSection,
    outline,
    rows_and_bullets,
)

ID = re.compile(r"\b(?:FR|NFR|REQ)(?:-[A-Z]{1,5})?-[0-9]{1,4}\b")
_NEAR = 24
_MUST_CELL = re.compile(
    r"priority\W{0,8}(?:must|p0|critical)\b"
    r"|(?:^|[\[(|])\s{0,3}(?:must(?:[- ]have)?|p0)\s{0,3}(?:[\])|]|$)",
    re.IGNORECASE,
)
_MUST_ABOVE = re.compile(r"\bmust\b|\bp0\b", re.IGNORECASE)
_RANK_CELL = re.compile(
    r"priority\W{0,8}\w"
    r"|(?:^|[\[(|])\s{0,3}(?:(?:must|should|could|won.?t)(?:[- ]have)?|p[0-3])\s{0,3}(?:[\])|]|$)",
    re.IGNORECASE,
)
_RANK_ABOVE = re.compile(r"\b(?:must|should|could|won.?t|p[0-3])\b", re.IGNORECASE)
_WONT = re.compile(r"\bwon.?t(?:[- ]have)?\b|\bout of scope\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class JudgeRequirement:
    id: str
    where: str
    text: str
    must: bool = False
    ranked: bool = False
    left_out: bool = False


def ids(text: str) -> frozenset[str]:
    return frozenset(ID.findall(text))


def requirements(documents: Mapping[str, str]) -> Mapping[str, JudgeRequirement]:
    """Return the requirements by id, in document order; texts from several places are joined."""
    found: dict[str, JudgeRequirement] = {}
    for path, text in documents.items():
        for name, where, said, above in _defined(path, text):
            known = found.get(name)
            if known is None and len(found) >= MOST_ITEMS:
                continue
            both = f"{known.text} {said}"[:4_000] if known else said
            must = bool(_MUST_CELL.search(said) or _MUST_ABOVE.search(above))
            ranked = bool(_RANK_CELL.search(said) or _RANK_ABOVE.search(above))
            left_out = bool(_WONT.search(said) or _WONT.search(above))
            found[name] = JudgeRequirement(
                name,
                known.where if known else where,
                both,
                must=must or bool(known and known.must),
                ranked=ranked or bool(known and known.ranked),
                left_out=left_out or bool(known and known.left_out),
            )
    return found


def _defined(path: str, text: str) -> list[tuple[str, str, str, str]]:
    """Return id, place, words and heading of each heading, bullet or row that begins with an id."""
    found: list[tuple[str, str, str, str]] = []
    owner: tuple[str, int] | None = None
    above: dict[int, str] = {}
    for section in outline(text):
        above = {level: title for level, title in above.items() if level < section.level}
        heading = " | ".join(above.values())
        above[section.level] = section.title
        own = _leading(section.title)
        if own:
            owner = (own, section.level)
            said = " ".join((section.title, *section.lines))
            found.append((own, f"{path}:{section.line}", said, heading))
        elif owner is not None and section.level > owner[1]:
            said = " ".join((section.title, *section.lines))
            found.append((owner[0], f"{path}:{section.line}", said, heading))
        else:
            owner = None
            found += _listed(path, section, f"{heading} | {section.title}")
    return found


def _listed(path: str, section: DocumentSection, above: str) -> list[tuple[str, str, str, str]]:
    return [
        (name, item.where, item.text, above)
        for item in rows_and_bullets(path, section)
        if (name := _leading(item.text))
    ]


def _leading(text: str) -> str:
    found = ID.search(text[: _NEAR * 2])
    return found[0] if found and found.start() <= _NEAR else ""
