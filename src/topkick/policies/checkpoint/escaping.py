"""Escape agents' texts in a report: one line, without markup, and readable back unchanged."""

import re

LONGEST_CHARS = 400
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_MARKUP = re.compile(r"[\\|<\[`*_~]")
_ESCAPED = re.compile(r"\\([\\|<\[`*_~])")


def one_line(text: str, limit: int = LONGEST_CHARS) -> str:
    """Return one line of limited length without invisible characters."""
    bare = " ".join(_UNSEEN.sub(" ", text[: 4 * limit]).split())
    return bare if len(bare) <= limit else bare[: limit - 1].rstrip() + "…"


def escaped(line: str) -> str:
    """Escape a line, so that it contains no cell end, link, HTML or code."""
    return _MARKUP.sub(r"\\\g<0>", line)


def unescaped(line: str) -> str:
    return _ESCAPED.sub(r"\1", line)
