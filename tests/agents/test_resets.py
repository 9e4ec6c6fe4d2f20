from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import available_timezones

import pytest

from topkick.agents.transcript.endings import by_message
from topkick.agents.transcript.resets import epoch_us, resets_at_us

NOW = datetime(2026, 11, 15, 19, 0, tzinfo=timezone(timedelta(hours=1)))  # 18:00 UTC


def at(*when: int) -> int:
    return round(datetime(*when, tzinfo=UTC).timestamp() * 1_000_000)  # type: ignore[misc,arg-type]


@pytest.mark.spec("DP-09")
@pytest.mark.parametrize(
    ("words", "when"),
    [
        ("You've hit your limit · resets 8:24pm (UTC)", at(2026, 11, 15, 20, 24)),
        ("You've hit your 5-hour limit · resets 3am (UTC)", at(2026, 11, 16, 3)),
        ("resets Nov 20, 3pm (UTC)", at(2026, 11, 20, 15)),
        ("resets Jan 2 at 12am (UTC)", at(2027, 1, 2, 0)),
        ("Try again at 8:19 PM.", at(2026, 11, 15, 19, 19)),  # in the local time zone
        ("or try again at Nov 18th, 2026 12:30 PM.", at(2026, 11, 18, 11, 30)),
        ("try again at 20:30", at(2026, 11, 15, 19, 30)),
        ("resets 5:55pm (UTC)", at(2026, 11, 15, 17, 55)),  # a moment ago
        ("try again in 3 days 6 hours 57 minutes.", at(2026, 11, 19, 0, 57)),
        ("Please try again in 90s", at(2026, 11, 15, 18, 1, 30)),
        ("Claude AI usage limit reached|1794817319", 1_794_817_319_000_000),
        ("resets 8:24pm (Nowhere/City)", None),
        ("resets 8:24pm (../../etc/passwd)", None),
        ("resets 99:99pm (UTC)", None),
        ("resets Feb 31, 3pm (UTC)", None),
        ("resets 5", None),
        ("Try again later.", None),
        ("try again in a while", None),
        ("", None),
    ],
)
def test_when_a_limit_is_over(words: str, when: int | None) -> None:
    assert resets_at_us(words, NOW) == when


@pytest.mark.skipif(not available_timezones(), reason="this machine has no time zones at all")
def test_a_limit_in_another_time_zone() -> None:
    assert resets_at_us("resets 3pm (Europe/Berlin)", NOW) == at(2026, 11, 16, 14)


@pytest.mark.parametrize(
    ("seconds", "when"),
    [
        (1_794_817_319, 1_794_817_319_000_000),
        (1_794_817_319_000, 1_794_817_319_000_000),
        (12, None),
        (1e300, None),
        (None, None),
    ],
)
def test_a_number_is_seconds_or_milliseconds_or_nothing(
    seconds: float | None, when: int | None
) -> None:
    assert epoch_us(seconds) == when


@pytest.mark.parametrize(
    ("message", "conclusion"),
    [
        ("unexpected status 500: please login again", "provider trouble"),
        ("unexpected status 429: Your credit is used up", "authentication"),
        ("Connection refused (os error 111)", "provider trouble"),
        ("Selected model is at capacity. Please try a different model.", "provider trouble"),
        ("blocked due to safety settings", "refused"),
        ("hello", None),
    ],
)
def test_words_and_status_together(message: str, conclusion: str | None) -> None:
    assert by_message(message) == conclusion


@pytest.mark.parametrize(
    ("words", "at"),
    [
        ("hit your limit resets 1am", "9999-12-31T23:59:59+00:00"),
        (f"resets in {'9' * 320} x", "2026-11-16T00:00:00+00:00"),
        (f"resets in {'9' * 320} hours", "2026-11-16T00:00:00+00:00"),
    ],
)
def test_a_time_that_no_calendar_has_is_no_time(words: str, at: str) -> None:
    found = resets_at_us(words, datetime.fromisoformat(at))
    assert found is None or found > 0
