"""Numbers, moments and durations as people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.text import format as fmt

SECOND, MINUTE, HOUR, DAY = 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000


@pytest.mark.parametrize(
    ("duration_us", "shown"),
    [
        (-1, "0 s"),
        (59 * SECOND, "59 s"),
        (MINUTE, "1 min"),
        (HOUR, "1 h 00"),
        (2 * HOUR + 11 * MINUTE, "2 h 11"),
        (3 * DAY + 4 * HOUR, "3 d 4 h"),
    ],
)
def test_how_long_it_lasted(duration_us: int, shown: str) -> None:
    assert fmt.lasted(duration_us) == shown


@pytest.mark.parametrize(
    ("us", "shown"),
    [
        (SECOND, "1 second"),
        (90 * SECOND, "1.5 minutes"),
        (HOUR, "60 minutes"),
        (9 * HOUR, "9 hours"),
    ],
)
def test_durations_in_words(us: int, shown: str) -> None:
    assert fmt.duration(us) == shown


def test_numbers() -> None:
    assert [fmt.counted(n, "sprint") for n in (0, 1, 2)] == ["0 sprints", "1 sprint", "2 sprints"]
    assert fmt.counted(2, "entry", "entries") == "2 entries"
    assert [fmt.short(n) for n in (999, 45_400, 999_500)] == ["999", "45k", "1.0M"]
    assert [fmt.money(n) for n in (0, 1, 10_000, 1_250_000)] == [
        "$0.00",
        "<$0.01",
        "$0.01",
        "$1.25",
    ]
    assert (fmt.percent(0.125), fmt.percent(None), fmt.signed_percent(0.5)) == ("12%", "—", "+50%")
    assert fmt.bar(0.5, 4) == "██░░"


@given(st.integers(0, 4 * 10**9))
def test_a_moment_comes_back(at_s: int) -> None:
    assert fmt.moment_us(fmt.stamp(at_s * SECOND)) == at_s * SECOND


def test_moments() -> None:
    assert (fmt.iso(0), fmt.iso(SECOND)) == ("—", "1970-01-01T00:00:01Z")
    assert fmt.clock(0, 3600) == "01:00:00"
    assert fmt.day_and_clock(DAY) == "1970-01-02 00:00:00"
    assert fmt.moment_us("yesterday") is None
