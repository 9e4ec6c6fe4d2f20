"""The journal's head as a line in a file that people read, where a lost tail is noticed."""

import re

from topkick.core.chain import Head

_LINE = re.compile(
    r"^<!-- topkick journal (0|[1-9][0-9]{0,17}) ([0-9a-f]{64}) -->[ \t\r]*$", re.MULTILINE
)


def line(head: Head) -> str:
    return f"<!-- topkick journal {head.seq} {head.chain_hex} -->"


def find(text: str) -> Head | None:
    """The first anchor of a file: it stands in the header, above anything an agent said."""
    match = _LINE.search(text)
    return Head(int(match[1]), match[2]) if match else None
