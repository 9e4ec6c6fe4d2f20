"""Numbers with their nouns."""


def counted(number: int, noun: str, nouns: str = "") -> str:
    """`1 sprint`, `2 sprints`."""
    return f"{number} {noun}" if number == 1 else f"{number} {nouns or f'{noun}s'}"
