"""Make output of programs short and safe for one line on a screen."""

import re
import unicodedata

from topkick.agents.transcript.fields import Fields, text
from topkick.text.escape import cut

LINE_CHARS = 200
SAID_CHARS = 4_000
ANSWER_CHARS = 1 << 18
ARGUMENT_MAX_BYTES = 100_000
"""Linux limits one command line argument to 128 KiB."""

_BLANKS = re.compile(r"\s+")
_TELLING = (
    *("command", "file_path", "filePath", "path", "pattern", "url", "query"),
    *("description", "prompt", "name"),
)


def one_line(value: str, chars: int = LINE_CHARS) -> str:
    """Remove control characters and line breaks, and limit the length."""
    shown = _BLANKS.sub(" ", _plain(value[: 4 * chars])).strip()
    return cut(shown, chars)


def said(value: str) -> str:
    """Shorten a longer text and keep its lines."""
    lines = (_plain(line).rstrip() for line in value[:SAID_CHARS].split("\n"))
    shown = "\n".join(lines).strip("\n")
    return shown + "…" if len(value) > SAID_CHARS else shown


def whole(value: str) -> str:
    """Return the complete text if `said` would cut it, up to a limit; else an empty text."""
    if len(value) <= SAID_CHARS:
        return ""
    return value[-ANSWER_CHARS:].encode("utf-8", "replace").decode()


def shown_line(line: bytes) -> str:
    """Decode and shorten a line that was not made for machines."""
    return one_line(line[: 8 * LINE_CHARS].decode("utf-8", "replace"), 2 * LINE_CHARS)


def what_of(given: Fields) -> str:
    """Describe a tool's input by its most telling field."""
    for key in _TELLING:
        if value := text(given, key):
            return one_line(value)
    return next((one_line(v) for v in given.values() if isinstance(v, str) and v), "")


def _plain(value: str) -> str:
    """Replace characters that cannot be shown, such as terminal codes, or stored, such as
    surrogates.
    """
    if value.isprintable():
        return value
    return "".join(c if c.isprintable() else _stand_in(c) for c in value)


def _stand_in(char: str) -> str:
    return "\ufffd" if unicodedata.category(char) == "Cs" else " "
