"""Recognise a bug of topkick in its output or its logs."""

import re

SIGN = re.compile(r"Traceback \(most recent call last\)|topkick has a bug")
DETAILS = "error-*.txt"
"""The names of the files that keep tracebacks, in the state directory or in the user's."""


def bug_in(text: str | bytes) -> str:
    """Return the text from the first sign of a bug on; empty if there is none."""
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    found = SIGN.search(said)
    return said[found.start() :] if found else ""
