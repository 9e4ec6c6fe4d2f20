"""Normalise texts for a plan, so that reading the plan gives them back."""

import re
from collections.abc import Iterable

from topkick.plan_format.criteria.criteria import says_none, without_box
from topkick.plan_format.order.references import plain
from topkick.plan_format.units.headings import bare, label_of, mention, sprint_heading
from topkick.plan_format.units.units import directory_of

LONGEST_NAME = 80
LONGEST_TASK = 420
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
# beginnings of a list, a heading, a quotation, a fence, a table, HTML or a box
_OPENING = re.compile(
    r"^(?:[\s#>*+=~<|&:;,.!?)\]}/\\-]|`{3,}|\d{1,9}[.)](?=\s|$)|\[[ xX]\](?=\s|$))"
)
_IN_NAMES = re.compile(r"[|`*<>\\\[\]{}\"“”]")
# separators of names in a list, or inside a name
_PARTS = re.compile(r"[,;:：&+—–()（）→←§]|\.{2,}")
_JOINING = frozenset({"and", "to", "through", "/"})
_NUMBERED = re.compile(
    r"^(?:§\s*)?(?:\d{1,4}(?:\.\d{1,4}){0,5}[.):、]?\s+|\d{1,4}(?:\.\d{1,4}){0,5}[.):、])"
)
# first words with a meaning for the plan reader where a unit's name is expected
_TAKEN = re.compile(
    r"^(?:all|every|everything|none|nothing|no|n/?a|independent|totals?|grand|sum|overall|archived?"
    r"|superseded|obsolete|examples?|samples?|template|rules|project rules|global rules"
    r"|general rules|appendix|work units?|units?|summary|open questions|sprints?|sorties?|wu)\b",
    re.IGNORECASE,
)


def line(text: str) -> str:
    """Return one line without invisible characters and with single spaces."""
    return " ".join(_UNSEEN.sub("", text).split())


def sentence(text: str) -> str:
    """Return text that may follow `1. ` in a list and be read as a sentence."""
    text = line(text)
    while found := _OPENING.match(text):
        text = text[found.end() :].lstrip()
    return text if any(char.isalnum() for char in text) else ""


def criterion(text: str) -> str:
    said = without_box(sentence(text))
    said = sentence(said)
    return f"It holds: {said}" if said and says_none(said) else said


def sprint_name(text: str) -> str:
    """Return a heading's text with code, but without emphasis and trailing marks."""
    said = sentence(text.replace("*", "")).rstrip("# ").rstrip()
    return _cut(said, LONGEST_NAME) or "Work"


def unit_name(text: str) -> str:
    """Return a name for a table cell, a heading and a list of dependencies."""
    said = bare(_joined(_IN_NAMES.sub(" ", line(text))))
    said = sentence(said)
    while found := _NUMBERED.match(said):
        said = sentence(said[found.end() :])
    said = _cut(_joined(bare(said).strip(_EDGES)), LONGEST_NAME).strip(_EDGES)
    if not any(char.isalpha() for char in said):
        return f"Piece {said}".strip()
    if said.startswith("Work on "):
        return said
    reserved = _TAKEN.match(said) or sprint_heading(said) or mention(said) or label_of(said)
    return f"Work on {said}" if reserved else said


_EDGES = " #/.:—–-_"


def _joined(text: str) -> str:
    """Join names with a slash: `Logging and Metrics` would be two in a list."""
    words: list[str] = []
    for word in _PARTS.sub(" / ", text).split():
        joins = word.lower() in _JOINING or not word.strip("-")
        if not joins:
            words.append(word)
        elif words and words[-1] != "/":
            words.append("/")
    return " ".join(words).strip("/ ")


def distinct_names(names: Iterable[str]) -> list[str]:
    """Make names unique: the second `Parser` is `Parser 2`."""
    seen: dict[str, int] = {}
    found: list[str] = []
    for name in names:
        count = seen[plain(name)] = seen.get(plain(name), 0) + 1
        fresh = name
        while count > 1 and plain(fresh) in seen:
            fresh = f"{name} {count}"
            count += 1
        seen.setdefault(plain(fresh), 1)
        found.append(fresh)
    return found


def title(text: str) -> str:
    said = sentence(text.replace("*", "")).rstrip("# ").rstrip()
    return _cut(said, LONGEST_NAME) or "Project"


def directory(text: str) -> str:
    """Return a directory of the project for the table of units; its root in doubt."""
    said = line(text).strip("/")
    plainly = re.fullmatch(r"[A-Za-z0-9][\w.@-]{0,60}(?:/[\w.@-]{1,60}){0,9}", said, re.ASCII)
    return said if plainly and bare(said) == said and directory_of(said, 0)[0] == said else "."


def document(text: str) -> str:
    """Return the name of a file as it is cited after a task."""
    return line(re.sub(r"[()`|*<>:\\]", " ", line(text))) or "requirements"


def citation(name: str) -> str:
    """Return a document's name as tasks cite it: without its ending, so that it is not taken for a
    task's file.
    """
    stem, dot, _ = name.rpartition(".")
    return stem if dot and stem else name


def question(text: str) -> str:
    """Return a sentence without code that might be taken for a command, and without arrows."""
    said = line(text).replace("`", "").replace("→", "to").replace("->", "to").replace("|", "/")
    return _cut(sentence(said.replace("*", "")), LONGEST_TASK)


def _cut(text: str, length: int) -> str:
    """Shorten to whole words."""
    if len(text) <= length:
        return text
    head = text[: length - 1].rsplit(" ", 1)[0] if " " in text[: length - 1] else text[: length - 1]
    head = head if head.count("`") % 2 == 0 else head[: head.rindex("`")]
    return f"{head.rstrip(' ,;:(—–-')}…"


def shortened(text: str, length: int = LONGEST_TASK) -> str:
    return _cut(text, length)
