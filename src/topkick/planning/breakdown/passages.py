"""The passages of a document: which role applies to a part, and how far an item extends."""

import re
from collections.abc import Iterator

from topkick.plan_format.criteria.criteria import has_box, without_box
from topkick.plan_format.text.structure import ListItem, Paragraph, Section
from topkick.planning.breakdown.language.roles import HeadingRole, is_generic, plain_title
from topkick.planning.breakdown.language.verbs import is_order
from topkick.planning.breakdown.model import HeadingPlace, LineRange
from topkick.planning.breakdown.wording import clean, unmarked

MOST_JOINED = 260
CODED = re.compile(
    r"^\W*(?:(?:REQ|FR|NFR|US|WI|UC|BR|R|F|T|AC)[-.]?(?:[A-Z]{2,8}-)?\d{1,4}(?:\.\d{1,3}){0,3}"
    r"|(?:requirement|feature|task|story|user story|epic|item)\s+"
    r"[A-Z]{0,3}-?\d{1,4}(?:\.\d{1,3}){0,3})"
    r"(?:\s*(?:[:—–-]|\.(?!\d))|(?<=\.\d)(?=\s)|(?<=\.\d\d)(?=\s))",
    re.IGNORECASE,
)
_LABEL_LINE = re.compile(
    r"^(?:[-*]\s)?(?:\*\*|__)(?P<label>[^*]{1,100}?)[:：]?(?:\*\*|__)(?:\s*\([^()]{0,80}\))?"
    r"\s*[:：]?\s*(?P<rest>.*)$"
)
SHUT = frozenset({HeadingRole.OUT, HeadingRole.DONE})


def titled(part: Section) -> str:
    """Return the heading without its number or code."""
    said = CODED.sub("", part.title).strip() or part.title
    said = re.sub(r"^\W*\d{1,3}(?:\.\d{1,3}){0,4}[.)]?\s+", "", said)
    above = next((h.text for h in reversed(part.parents) if h.level > 1), "")
    brief = len(said) < 24 and not is_order(said) and above and not is_generic(above)
    return f"{said} ({plain_title(above)})" if brief else said


def ruled(above: HeadingRole, own: HeadingRole) -> HeadingRole:
    """Return the role of a part from the role above it and its own."""
    if above in SHUT or above is HeadingRole.QUESTIONS:
        return above
    if own is HeadingRole.NEUTRAL:
        return above
    if own is HeadingRole.ASIDE:
        return above if above is HeadingRole.WORK else HeadingRole.CONTEXT
    if above is HeadingRole.ACCEPTANCE and own not in SHUT:
        return above
    return own


def trail(part: Section) -> tuple[HeadingPlace, ...]:
    above = [*part.parents, *([part.heading] if part.heading else [])]
    return tuple(HeadingPlace(one.text, one.level, one.line) for one in above)


def segments(block: Paragraph) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the segments of a paragraph: first line, label if any, its lines."""
    line, label, words = block.line, "", list[str]()
    for number, raw in enumerate(block.lines, start=block.line):
        found = _LABEL_LINE.match(raw.strip())
        if found and (found["rest"] == "" or raw.strip()[:120].count(":") or "：" in raw[:120]):
            if words or label:
                yield line, label, words
            line, label, words = number, found["label"], [found["rest"]] if found["rest"] else []
        else:
            words.append(raw.strip())
    if words or label:
        yield line, label, words


def extent(item: ListItem) -> LineRange:
    last = item.line
    below = list(item.items)
    while below:
        one = below.pop()
        last = max(last, one.line)
        below.extend(one.items)
    return LineRange(item.line, last)


def parted(item: ListItem) -> bool:
    """Return whether the nested items are the work and the item is only their title."""
    boxes = sum(has_box(child.text) for child in item.items)
    if boxes > 1:
        return True
    said = without_box(item.text).rstrip()
    if has_box(item.text) or is_order(clean(said)):
        return False
    joined = sum(len(child.text) for child in item.items)
    return bool(item.items) and said.endswith((":", "：")) and joined > MOST_JOINED


def with_children(item: ListItem, text: str) -> str:
    """Join nested items into the sentence, if there is room."""
    points = [unmarked(clean(child.text)).rstrip(" .;") for child in item.items]
    joined = "; ".join(point for point in points if point)
    if not joined or len(joined) > MOST_JOINED or len(text) > MOST_JOINED:
        return text
    return f"{text.rstrip(' .:：;')}: {joined}"
