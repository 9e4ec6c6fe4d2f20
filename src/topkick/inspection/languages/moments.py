"""Numbers that are moments: seconds, milliseconds or nanoseconds since 1970."""

import re

_NUMBER = re.compile(
    r"(?<![\w.])(0[xX][\da-fA-F_]{6,20}|\d[\d_]{0,40}(?:\.\d{1,20})?(?:[eE]\+?\d{1,2})?)"
)
_NANO = re.compile(r"_ns\b|[nN]anos?\b|UnixNano")
_MILLI = re.compile(r"Date\.now\b|getTime\(|[mM]illis?\b|UnixMilli|valueOf\(")
_SECONDS = re.compile(
    r"time\.time\(|\.timestamp\(|as_secs|Unix\(\)|Since1970|strftime|now\(\)\.unix"
)
_DIVIDED = re.compile(r"/\s*(?:1000|1_000|1e3)\b")
_MINUS = re.compile(r"-(?!>)")
_FIRST_S = 1e9
"""In 2001. Nobody waits that long either."""
_LONGEST_WAIT = 1.4


def is_moment(code: str) -> bool:
    """Whether a clause that asks the clock has a number that can only be a point in time.

    A difference of two times is a duration; one of more than forty years is none.
    """
    least = _least(code)
    return least > 0 and any(_value(it) > least for it in _NUMBER.findall(code))


def _least(code: str) -> float:
    is_duration = bool(_MINUS.search(code))
    factor = _LONGEST_WAIT if is_duration else 1.0
    if _NANO.search(code):
        return _FIRST_S * 1e9 * factor
    if _MILLI.search(code):
        return _FIRST_S * (1 if _DIVIDED.search(code) else 1000) * factor
    if _SECONDS.search(code):
        return _FIRST_S * factor
    return 0.0 if is_duration else _FIRST_S


def _value(number: str) -> float:
    bare = number.replace("_", "")
    return float(int(bare, 16)) if bare[:2] in ("0x", "0X") and bare[2:] else float(bare)
