"""What a person should know about a plan although it can be carried out."""

from dataclasses import dataclass

QUOTED = 80


@dataclass(frozen=True, slots=True)
class Finding:
    line: int
    message: str


def shortened(text: str, most: int = QUOTED) -> str:
    """For a message: cut between two words where that can be, and it is seen that it was."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut[most // 2 :] else cut}…"
