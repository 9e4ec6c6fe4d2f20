"""Numbers, moments and durations as people read them, each with its unit.

Times are microseconds since 1970 (`_us`). Files carry UTC; screens may pass an offset.
"""

from datetime import UTC, datetime, timedelta, timezone

NONE = "—"
TIMES = "\u00d7"  # not the letter x
BAR = 16
LONGEST_MOMENT = 64
_MICRO = 1_000_000
_MINUTE_US = 60 * _MICRO
_HOUR_US = 60 * _MINUTE_US
_CENT_MICROUSD = 10_000


# --- numbers -------------------------------------------------------------------------------------


def counted(number: int, noun: str, nouns: str = "") -> str:
    """`1 sprint`, `2 sprints`."""
    return f"{number} {noun}" if number == 1 else f"{number} {nouns or f'{noun}s'}"


def plain(number: float, digits: int = 1) -> str:
    """Drop trailing zeros: 12, 12.5."""
    text = f"{number:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def short(count: int) -> str:
    """812, 45k, 1.2M."""
    if count < 1_000:
        return str(count)
    return f"{count / 1_000:.0f}k" if count < 999_500 else f"{count / 1_000_000:.1f}M"


def percent(part: float | None) -> str:
    return NONE if part is None else f"{part * 100:.0f}%"


def signed_percent(part: float) -> str:
    return f"{part * 100:+.0f}%"


def times(number: float | None, digits: int = 2) -> str:
    """Format a ratio: 1.5 and a multiplication sign."""
    return NONE if number is None else f"{plain(number, digits)}{TIMES}"


def average(number: float | None) -> str:
    return NONE if number is None else f"{number:.1f}"


def bar(part: float, width: int = BAR) -> str:
    """Draw a share as a bar."""
    full = min(width, int(part * width + 0.5))
    return "█" * full + "░" * (width - full)


def money(microusd: int) -> str:
    """$0.42; a cost below a cent is not rounded to zero."""
    return f"${microusd / _MICRO:.2f}" if not 0 < microusd < _CENT_MICROUSD else "<$0.01"


# --- moments -------------------------------------------------------------------------------------


def stamp(at_us: int) -> str:
    """UTC in ISO 8601, to the second, as `moment_us` reads it back."""
    return _local(at_us, 0).strftime("%Y-%m-%dT%H:%M:%SZ")


def iso(at_us: int) -> str:
    """The same for people: a dash for 0, which means that nothing was recorded."""
    return stamp(at_us) if at_us else NONE


def moment_us(text: str) -> int | None:
    """Read a moment back; None if the text is none, since people edit these files."""
    try:
        found = datetime.fromisoformat(text.strip()[:LONGEST_MOMENT])
    except ValueError:
        return None
    found = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    return round(found.timestamp() * 1e6)


def clock(at_us: int, utc_offset_s: int = 0) -> str:
    return _local(at_us, utc_offset_s).strftime("%H:%M:%S")


def day_and_clock(at_us: int, utc_offset_s: int = 0) -> str:
    return _local(at_us, utc_offset_s).strftime("%Y-%m-%d %H:%M:%S")


def _local(at_us: int, utc_offset_s: int) -> datetime:
    return datetime.fromtimestamp(at_us // _MICRO, timezone(timedelta(seconds=utc_offset_s)))


# --- durations -----------------------------------------------------------------------------------


def lasted(duration_us: int) -> str:
    """45 s, 12 min, 2 h 11, 3 d 4 h."""
    seconds = max(duration_us, 0) // _MICRO
    if seconds < 60:
        return f"{seconds} s"
    minutes = seconds // 60
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes:02}"
    return f"{hours // 24} d {hours % 24} h"


def duration(us: int) -> str:
    """45 seconds, 12.5 minutes, 2.2 hours."""
    if us < _MINUTE_US:
        return _with_noun(plain(us / _MICRO), "second")
    if us <= _HOUR_US:
        return _with_noun(plain(us / _MINUTE_US), "minute")
    return _with_noun(plain(us / _HOUR_US, 2), "hour")


def minutes(us: float | None) -> str:
    return NONE if us is None else f"{us / _MINUTE_US:.1f}min"


def hours(us: float) -> str:
    return f"{us / _HOUR_US:.2f}h"


def _with_noun(number: str, noun: str) -> str:
    return f"{number} {noun}" if number == "1" else f"{number} {noun}s"
