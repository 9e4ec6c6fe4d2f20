"""Parse when a usage limit resets, from the texts and numbers that programs report."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

_CLOCK = r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s*(?P<half>[ap]m)?"
_DAY = (
    r"(?:(?P<month>[A-Z][a-z]{2})[a-z]* (?P<day>\d{1,2})[a-z]*,?(?: (?P<year>\d{4}))?,? (?:at )?)?"
)
_AT = re.compile(
    rf"(?:resets?|again)(?: at)?:? {_DAY}{_CLOCK}(?:\s*\((?P<zone>[^()]{{1,60}})\))?",
    re.IGNORECASE,
)
_IN = re.compile(
    r"(?:resets?|again) in ((?:\d{1,9}(?:\.\d{1,9})?\s*[a-z]+[ ,]*){1,4})", re.IGNORECASE
)
_SPAN = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*([a-z]+)", re.IGNORECASE)
_EPOCH = re.compile(r"\|(\d{10})\b")
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "month": 2_592_000}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SOON = timedelta(minutes=10)


def epoch_us(seconds: float | None) -> int | None:
    """Convert seconds since 1970, or milliseconds by their size; return None for anything else."""
    if seconds is None or not 10**9 <= seconds < 10**14:
        return None
    return round(seconds * (1_000 if seconds >= 10**11 else 1_000_000))


def after_us(now: datetime, wait_s: float) -> int:
    return round((now.timestamp() + min(wait_s, 366 * 86_400)) * 1_000_000)


def resets_at_us(words: str, now: datetime) -> int | None:
    """Parse the reset time from a message; `now` is when it was printed, with the default time
    zone.
    """
    words = words[:2_000].replace("∙", " ").replace("·", " ")
    if found := _EPOCH.search(words):
        return epoch_us(float(found[1]))
    if found := _IN.search(words):
        return _in(found[1], now)
    if found := _AT.search(words):
        return _at(found, now)
    return None


def _in(spans: str, now: datetime) -> int | None:
    wait_s = 0.0
    for number, unit in _SPAN.findall(spans):
        word = unit.lower()
        short = "ms" if word == "ms" else "month" if word.startswith("mo") else word[0]
        wait_s += float(number) * _SECONDS.get(short, 0)
    return after_us(now, wait_s) if wait_s else None


def _at(found: re.Match[str], now: datetime) -> int | None:
    zone = _zone(found["zone"], now)
    if zone is None or not (found["half"] or found["minute"]):
        return None
    try:
        here = now.astimezone(zone)
        when = here.replace(
            hour=_hour(int(found["hour"]), found["half"]),
            minute=int(found["minute"] or 0),
            second=0,
            microsecond=0,
        )
        return round(_dated(when, found, here).timestamp() * 1_000_000)
    except (ValueError, OverflowError):
        return None


def _dated(when: datetime, found: re.Match[str], here: datetime) -> datetime:
    """Add the date; without one it is the next such time, where a few minutes ago is still
    today.
    """
    if not found["month"]:
        return when if when > here - _SOON else when + timedelta(days=1)
    month = _MONTHS.index(found["month"].lower()) + 1
    when = when.replace(year=int(found["year"] or here.year), month=month, day=int(found["day"]))
    gone = not found["year"] and when < here - timedelta(days=180)
    return when.replace(year=when.year + 1) if gone else when


def _hour(hour: int, half: str | None) -> int:
    if half is None:
        return hour
    return hour % 12 + (12 if half.lower() == "pm" else 0)


def _zone(name: str | None, now: datetime) -> tzinfo | None:
    if name is None:
        return now.tzinfo or UTC
    try:
        return UTC if name.upper() == "UTC" else ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None
