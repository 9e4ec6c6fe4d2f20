"""Words of agents in a report: on one line, without markup, and read back as they were."""

import re

LONGEST_CHARS = 400
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_MARKUP = re.compile(r"[\\|<\[`*_~]")
_ESCAPED = re.compile(r"\\([\\|<\[`*_~])")


def one_line(text: str, limit: int = LONGEST_CHARS) -> str:
    """One line of a bounded length; what cannot be seen is gone."""
    bare = " ".join(_UNSEEN.sub(" ", text[: 4 * limit]).split())
    return bare if len(bare) <= limit else bare[: limit - 1].rstrip() + "…"


def escaped(line: str) -> str:
    """Of one line: no cell ends in it, no link, no HTML, no code begins in it."""
    return _MARKUP.sub(r"\\\g<0>", line)


def unescaped(line: str) -> str:
    return _ESCAPED.sub(r"\1", line)
