"""Which conditions are true or false whatever happens, in the languages with `&&` and `||`."""

import re
from collections.abc import Iterator, Mapping, Sequence

from topkick.inspection.languages.common.syntax import Node
from topkick.inspection.languages.common.tokens import Token, glued

# --- Numbers that are moments: seconds, milliseconds or nanoseconds since 1970.

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
    return least > 0 and any(_moments_value(it) > least for it in _NUMBER.findall(code))


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


def _moments_value(number: str) -> float:
    bare = number.replace("_", "")
    return float(int(bare, 16)) if bare[:2] in ("0x", "0X") and bare[2:] else float(bare)


VALUES = frozenset(
    ("true", "false", "null", "nil", "undefined", "None", "NaN", "Infinity", "YES", "NO", "void")
)
FALSE = frozenset(("false", "0", "null", "nil", "undefined", "None", '""', "''", "``", "NaN"))
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
NUMBER = re.compile(r"-?[\d.][\w.]*")
DEEPEST = 8
NOTHING: Mapping[str, str] = {}
"""Names that stand for written values are given with these values."""


def arguments(node: Node | None) -> list[list[Token]]:
    """The arguments of a call, from the node that holds them with its brackets."""
    if node is None:
        return []
    tokens = list(node.tokens())
    if tokens and tokens[0].text in OPENING:
        tokens = tokens[1:-1]
    return [part for part in split(tokens, ",") if part]


def split(tokens: Sequence[Token], *signs: str) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if not token.is_string:
            depth += (token.text in OPENING) - (token.text in CLOSING)
        if depth == 0 and not token.is_string and token.text in signs:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def code(tokens: Sequence[Token]) -> str:
    return glued(token.text for token in tokens)


def is_constant(tokens: Sequence[Token], names: Mapping[str, str] = NOTHING) -> bool:
    """Whether only written values take part: no name, no call."""
    return bool(tokens) and all(_is_value(token, names) for token in tokens)


def _is_value(token: Token, names: Mapping[str, str]) -> bool:
    if token.is_string:
        return "${" not in token.text and "\\(" not in token.text
    text = token.text
    if not (text[:1].isalpha() or text[:1] in "_$@#"):
        return True
    return text in VALUES or text in names


def always(
    tokens: Sequence[Token], names: Mapping[str, str] = NOTHING, deep: int = 0
) -> bool | None:
    """What it comes to whatever happens; None if that depends, or cannot be told."""
    tokens = _bare(tokens)
    if deep > DEEPEST or not tokens:
        return None
    for sign, decisive in (("||", True), ("&&", False)):
        parts = split(tokens, sign)
        if len(parts) > 1:
            each = [always(part, names, deep + 1) for part in parts]
            if decisive in each:
                return decisive
            return None if None in each else not decisive
    if tokens[0].text == "!" and not tokens[0].is_string:
        inside = always(tokens[1:], names, deep + 1)
        return None if inside is None else not inside
    for signs, if_same in ((("==", "===", "<=", ">="), True), (("!=", "!=="), False)):
        parts = split(tokens, *signs)
        if len(parts) == 2:
            return _compared(parts[0], parts[1], if_same, names)
    return _value(tokens, names) not in FALSE if is_constant(tokens, names) else None


def _compared(
    left: list[Token], right: list[Token], if_same: bool, names: Mapping[str, str]
) -> bool | None:
    same = _value(left, names) == _value(right, names)
    if is_constant(left, names) and is_constant(right, names):
        is_simple = len(left) == len(right) == 1
        return (same == if_same) if is_simple or same else True
    return if_same if same and is_still(left) else None


def _value(tokens: Sequence[Token], names: Mapping[str, str]) -> str:
    text = code(tokens)
    return names.get(text, text)


def is_still(tokens: Sequence[Token]) -> bool:
    """Whether reading it twice gives the same: nothing is called."""
    return bool(tokens) and not any(token.text in ("(", "await", "?") for token in tokens)


def is_same(
    left: Sequence[Token], right: Sequence[Token], names: Mapping[str, str] = NOTHING
) -> bool:
    """Whether comparing these two says nothing."""
    if is_constant(left, names) and is_constant(right, names):
        return True
    return is_still(left) and code(left) == code(right)


def _bare(tokens: Sequence[Token]) -> Sequence[Token]:
    while len(tokens) > 2 and tokens[0].text == "(" and tokens[-1].text == ")":
        if not _is_one_bracket(tokens):
            return tokens
        tokens = tokens[1:-1]
    return tokens


def _is_one_bracket(tokens: Sequence[Token]) -> bool:
    depth = 0
    for at, token in enumerate(tokens):
        if not token.is_string:
            depth += (token.text in OPENING) - (token.text in CLOSING)
        if depth == 0:
            return at == len(tokens) - 1
    return False


def words(tokens: Sequence[Token]) -> Iterator[str]:
    return (token.text for token in tokens if not token.is_string and token.text[:1].isalpha())
