"""Find the JSON in an agent's answer: its whole output, or the last fenced block in it."""

from collections.abc import Iterator
from json import JSONDecoder

LONGEST_CHARS = 1 << 18
FENCE = "```"


def json_in(text: str) -> object | None:
    """Return the parsed JSON; None if there is none. An answer is never guessed."""
    text = text[-LONGEST_CHARS:].strip()
    found = _parsed(text)
    if found is not None:
        return found
    blocks = (_parsed(block) for block in _last_blocks(text))
    return next((found for found in blocks if found is not None), None)


def _last_blocks(text: str) -> Iterator[str]:
    """Yield the text between the last two fences, or after the last one if it was never closed.

    Fences are counted from the end: the beginning of a long output may be missing.
    """
    lines = text.split("\n")
    fences = [n for n, line in enumerate(lines) if line.lstrip().startswith(FENCE)]
    for first, after in (*zip(fences[-2:], fences[-1:], strict=False), *_open(fences, lines)):
        yield "\n".join(lines[first + 1 : after])


def _open(fences: list[int], lines: list[str]) -> Iterator[tuple[int, int]]:
    if fences:
        yield fences[-1], len(lines)


class _NotOurs(ValueError):
    """NaN and the infinities are not JSON."""


def _refuse(constant: str) -> None:
    raise _NotOurs(constant)


_DECODER = JSONDecoder(parse_constant=_refuse)


def _parsed(text: str) -> object | None:
    try:
        found: object = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return found
