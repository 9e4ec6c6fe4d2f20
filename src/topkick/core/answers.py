"""The JSON in what an agent answered: its whole output, or the last fenced block in it."""

from json import JSONDecoder

LONGEST_CHARS = 1 << 18
FENCE = "```"


def json_in(text: str) -> object | None:
    """None where there is none; an answer is never guessed at."""
    text = text[-LONGEST_CHARS:].strip()
    found = _parsed(text)
    if found is not None:
        return found
    block = _last_block(text)
    return _parsed(block) if block is not None else None


def _last_block(text: str) -> str | None:
    """Between the last two lines that are fences; a fence that is not closed runs to the end."""
    block: list[str] | None = None
    last: str | None = None
    for line in text.split("\n"):
        if not line.lstrip().startswith(FENCE):
            if block is not None:
                block.append(line)
        elif block is None:
            block = []
        else:
            last, block = "\n".join(block), None
    return "\n".join(block) if block is not None else last


class _NotOurs(ValueError):
    """NaN and the infinities are no JSON."""


def _refuse(constant: str) -> None:
    raise _NotOurs(constant)


_DECODER = JSONDecoder(parse_constant=_refuse)


def _parsed(text: str) -> object | None:
    try:
        found: object = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return found
