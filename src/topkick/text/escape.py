"""Make text of plans and agents safe for the place where it is shown or stored.

Text that topkick did not write passes through here before it reaches a terminal, a Markdown file,
a log line or a file name: no terminal controls, no bidirectional tricks, no markup.
"""

import re
import unicodedata
from collections.abc import Iterable

_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*+[ -/]*+[@-~]"  # colours and cursor moves
    r"|\x1b[\]PX^_][^\x07\x1b\x9c]*+(?:\x07|\x1b\\|\x9c)"  # titles, links, clipboard
    r"|\x1b[ -/]*+[0-~]"
    r"|\x9b[0-?]*+[ -/]*+[@-~]"
)
_INVISIBLE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff"
)
_CONTROL = re.compile(f"[{_INVISIBLE}]")
_MARKS = re.compile("[\u0300-\U0010ffff]{5,}")
_MARKS_KEPT = 4
_BLANKS = re.compile(r"[ \t\n]+")
_PIPE = re.compile(r"(\\*)\|")
_HTML = re.compile(r"<(?=[A-Za-z/!?])")
_MARKUP = re.compile(r"[\\|<\[`*_~]")
_ESCAPED = re.compile(r"\\([\\|<\[`*_~])")
_NO_WORD = re.compile(r"[\W_]+")
LONGEST_CHARS = 400
_SHORTEST_SECRET = 6
_LONG_SECRET = 16
HIDDEN = "[hidden]"


def block(text: str) -> str:
    """Return several lines that cannot control a terminal; line breaks and tabs stay."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x1b" in text or "\x9b" in text:  # much quicker to ask than to search for
        text = _SEQUENCE.sub("", text)
    text = _CONTROL.sub(_named, text)
    return text if text.isascii() else _MARKS.sub(_thinned, text)


def verbatim(text: str, indent: int = 0) -> str:
    """Return a text that runs or is applied, with every blank and unshortened: a person accepts
    exactly what will run. Control and invisible characters are replaced by a visible name, not
    removed. Line breaks stay; the lines after the first are indented.
    """
    text = _CONTROL.sub(_named, text)
    text = text if text.isascii() else _MARKS.sub(_thinned, text)
    return text.replace("\n", "\n" + " " * indent) if indent else text


def line(text: str, limit: int = 0) -> str:
    """Return the text as one line; with a limit, cut with an ellipsis."""
    shown = _BLANKS.sub(" ", block(text)).strip()
    return cut(shown, limit) if limit else shown


def cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def short(text: str, limit: int) -> str:
    """Return one line, cut with an ellipsis. The caller must escape the text where it is shown."""
    return cut(" ".join(text.split()), limit)


def one_line(text: str, limit: int = LONGEST_CHARS) -> str:
    """Return one line of a bounded length, without invisible characters."""
    bare = " ".join(_CONTROL.sub(" ", text[: 4 * limit]).split())
    return bare if len(bare) <= limit else bare[: limit - 1].rstrip() + "…"


def slug(text: str) -> str:
    """Small letters and digits with dashes between words, for file names and handles."""
    return _NO_WORD.sub("-", text.lower()).strip("-")


def prose(text: str) -> str:
    """One line in a Markdown file: no HTML, no links and no images that a viewer would fetch."""
    return _HTML.sub(r"\\<", line(text)).replace("](", "]\\(")


def cell(text: str) -> str:
    """One cell of a Markdown table: also a backslash before a pipe cannot end it."""
    return _PIPE.sub(lambda m: m[1] * 2 + "\\|", prose(text)) or "—"


def escaped(text: str) -> str:
    """Escape all inline markup of one line, so that `unescaped` gives it back as it was."""
    return _MARKUP.sub(r"\\\g<0>", text)


def unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def redact(text: str, values: Iterable[str]) -> str:
    """The text without these secrets; very short ones would hide ordinary words and are left."""
    for value in sorted({v for v in values if len(v) >= _SHORTEST_SECRET}, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    return text


def long_ones(secrets: Iterable[str]) -> tuple[str, ...]:
    """Those that no program uses as a word of its own: they can be hidden in a stream itself,
    before anything is shortened and a key cut in two."""
    return tuple(secret for secret in secrets if len(secret) >= _LONG_SECRET)


def _thinned(match: re.Match[str]) -> str:
    """Without floods of marks that would pile up on one letter, over the lines around it."""
    kept, marks = [], 0
    for char in match[0]:
        marks = marks + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        if marks <= _MARKS_KEPT:
            kept.append(char)
    return "".join(kept)


def _named(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"
