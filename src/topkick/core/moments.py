"""Moments as they stand in files, and back."""

from datetime import UTC, datetime

LONGEST_MOMENT = 64


def iso(at_us: int) -> str:
    """UTC in ISO 8601, to the second."""
    return datetime.fromtimestamp(at_us // 1_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment_us(text: str) -> int | None:
    """None for what is no moment: a person may have written there."""
    try:
        found = datetime.fromisoformat(text.strip()[:LONGEST_MOMENT])
    except ValueError:
        return None
    found = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    return round(found.timestamp() * 1e6)
