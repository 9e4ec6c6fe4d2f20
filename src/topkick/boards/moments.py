"""Moments and durations as people read them. Files carry UTC; screens may be given an offset."""

from datetime import datetime, timedelta, timezone

from topkick.core import moments


def iso(at_us: int) -> str:
    """UTC in ISO 8601, to the second; a dash where nothing was recorded."""
    return moments.iso(at_us) if at_us else "—"


def clock(at_us: int, utc_offset_s: int = 0) -> str:
    return _local(at_us, utc_offset_s).strftime("%H:%M:%S")


def day_and_clock(at_us: int, utc_offset_s: int = 0) -> str:
    return _local(at_us, utc_offset_s).strftime("%Y-%m-%d %H:%M:%S")


def _local(at_us: int, utc_offset_s: int) -> datetime:
    zone = timezone(timedelta(seconds=utc_offset_s))
    return datetime.fromtimestamp(at_us // 1_000_000, zone)


def lasted(duration_us: int) -> str:
    """45 s, 12 min, 2 h 11, 3 d 4 h."""
    seconds = max(duration_us, 0) // 1_000_000
    if seconds < 60:
        return f"{seconds} s"
    minutes = seconds // 60
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes:02}"
    return f"{hours // 24} d {hours % 24} h"
