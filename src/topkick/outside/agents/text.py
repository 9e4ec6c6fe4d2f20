"""What programs said, made short and harmless for one line on a screen."""

import re
import unicodedata

from topkick.outside.agents.fields import Fields, text

LINE_CHARS = 200
SAID_CHARS = 4_000
ANSWER_CHARS = 1 << 18
ARGUMENT_MAX_BYTES = 100_000
"""Linux takes 128 KiB in one word of a command line."""

_BLANKS = re.compile(r"\s+")
_TELLING = (
    *("command", "file_path", "filePath", "path", "pattern", "url", "query"),
    *("description", "prompt", "name"),
)


def one_line(value: str, chars: int = LINE_CHARS) -> str:
    """Without control characters and line breaks, and with an end."""
    shown = _BLANKS.sub(" ", _plain(value[: 4 * chars])).strip()
    return shown if len(shown) <= chars else shown[: chars - 1] + "…"


def said(value: str) -> str:
    """A longer text; its lines stay."""
    lines = (_plain(line).rstrip() for line in value[:SAID_CHARS].split("\n"))
    shown = "\n".join(lines).strip("\n")
    return shown + "…" if len(value) > SAID_CHARS else shown


def whole(value: str) -> str:
    """All of what `said` would cut, up to what any answer may be; empty where it cuts nothing."""
    if len(value) <= SAID_CHARS:
        return ""
    return value[-ANSWER_CHARS:].encode("utf-8", "replace").decode()


def shown_line(line: bytes) -> str:
    """A line that was not made for machines."""
    return one_line(line[: 8 * LINE_CHARS].decode("utf-8", "replace"), 2 * LINE_CHARS)


def what_of(given: Fields) -> str:
    """What a tool was given, by the field that tells most."""
    for key in _TELLING:
        if value := text(given, key):
            return one_line(value)
    return next((one_line(v) for v in given.values() if isinstance(v, str) and v), "")


def _plain(value: str) -> str:
    """Half characters, terminal codes and the like cannot be shown, and some cannot be stored."""
    if value.isprintable():
        return value
    return "".join(c if c.isprintable() else _stand_in(c) for c in value)


def _stand_in(char: str) -> str:
    return "\ufffd" if unicodedata.category(char) == "Cs" else " "
