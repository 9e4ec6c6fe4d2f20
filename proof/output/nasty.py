"""Text that would control a terminal, and how to check that none of it got there."""

import re
import unicodedata

NASTY: dict[str, bytes] = {
    "colours": b"\x1b[31;1;7mEVIL\x1b[8m",
    "cursor": b"\x1b[2J\x1b[1;1HEVIL\x1b[999D\x1b[1A\x1b[K",
    "reset": b"\x1bcEVIL\x1b(0",
    "title": b"\x1b]0;EVIL\x07",
    "link": b"\x1b]8;;http://evil.example/\x1b\\EVIL\x1b]8;;\x1b\\",
    "clipboard": b"\x1b]52;c;RVZJTA==\x07",
    "device control": b'\x1bP$q"pEVIL\x1b\\\x1b^EVIL\x1b\\\x1b_EVIL\x1b\\\x1bXEVIL\x1b\\',
    "unended": b"\x1b]0;EVIL without an end",
    "report": b"\x1b[6n\x1b[c\x1b[?1049h\x1b[?2004l\x05",
    "C1 bytes": b"\x9b31mEVIL\x9d0;EVIL\x9c\x90EVIL\x9c\x85",
    "C1 characters": "\u009b31mEVIL\u009d0;EVIL\u009c\u0090EVIL\u009c\u0085".encode(),
    "bidi": "\u202aA\u202bB\u202cC\u202dD\u202eLIVE\u2066x\u2067y\u2068z\u2069\u200f".encode(),
    "separators": "a\u2028b\u2029c\x0bd\x0ce\x1cf\x1dg\x1eh\x1f".encode(),
    "overwriting": b"harmless\rEVIL\x08\x08\x08\x08\x7f",
    "NUL": b"a\x00b\x00\x00c\x07",
    "invalid UTF-8": b"\xff\xfe\xc3(\xa0\xe2\x82\xf0\x9f\xed\xa0\x80\xc0\xaf",
    "combining": b"e" + "\u0301\u0316".encode() * 400,
    "invisible": "\u200b\u2060\ufeff\u00ad\U000e0041\U000e0042".encode(),
}
FLOOD_OF_MARKS = 12
_OWN = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\[[0-9;?]*[hl]")
_NEVER_OURS = ("\x1b[31;1;7m", "\x1b[8m", "\x1b[999D", "\x1b[6n", "\x1b[c", "\x1b[?2004l", "\x1b(0")
_STEERING = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)


def in_one_line() -> str:
    """Return everything that can be in one line of a Markdown file."""
    texts = [text.decode("utf-8", "replace") for text in NASTY.values()]
    return " ".join(re.sub(r"[\r\n\x00]", "", text) for text in texts)


def in_a_file_name() -> bytes:
    return NASTY["title"] + NASTY["colours"] + NASTY["C1 bytes"] + NASTY["bidi"] + b".txt"


def offences(written: bytes, *, own_screen: bool = False) -> list[str]:
    """Return what must not reach a terminal; on its own screen the viewer may draw."""
    try:
        text = written.decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"not UTF-8 at {error.start}: {written[error.start - 20 : error.start + 20]!r}"]
    found = [f"the sequence {word!r}" for word in _NEVER_OURS if word in text]
    if own_screen:
        text = _OWN.sub("", text)
    found += [f"{m[0]!r} in {_around(text, m.start())}" for m in _STEERING.finditer(text)]
    return found + _floods(text)


def _around(text: str, at: int) -> str:
    return repr(text[max(0, at - 30) : at + 30])


def _floods(text: str) -> list[str]:
    marks, found = 0, []
    for place, char in enumerate(text):
        marks = marks + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        if marks == FLOOD_OF_MARKS:
            found.append(f"a flood of marks in {_around(text, place)}")
    return found
