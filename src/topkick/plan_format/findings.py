"""Findings that a person should know about a plan although it can run."""

from dataclasses import dataclass

QUOTED = 80


@dataclass(frozen=True, slots=True)
class PlanFinding:
    line: int
    message: str


def shortened(text: str, most: int = QUOTED) -> str:
    """Shorten a text for a message, between two words if possible, with an ellipsis."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut[most // 2 :] else cut}…"
