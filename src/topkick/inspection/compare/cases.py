"""One test before and after: whether it still asks what it asked."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from topkick.inspection.compare.reader import shown
from topkick.inspection.inventory import TestCase

_TOKEN = re.compile(r"\"(?:\\.|[^\"\\\n]){0,400}\"|'(?:\\.|[^'\\\n]){0,400}'|\w+|[^\w\s]")
_LITERAL = re.compile(r"\"(?:\\.|[^\"\\\n]){0,400}\"|'(?:\\.|[^'\\\n]){0,400}'|(?<![\w.])\d[\w.]*")
_CALL = re.compile(r"[\w\])?!]\(")
_MOCK = re.compile(
    r"\b(?:MagicMock|AsyncMock|Mock|mock|monkeypatch|mocker|jest|vi|sinon|gomock|mockall)\b"
    r"(?=\s*[.(])"
)
_DETOUR = re.compile(
    r"\b(?:if|unless|guard|try|except|catch|rescue|suppress|return|yield|exit|_exit)\b"
)
_ARGUMENTS = re.compile(r"^\(([^()\n]*)\)$", re.MULTILINE)
_NAME = re.compile(r"[^\W\d]\w*")
_PANIC = re.compile(r"#\[should_panic\b")
_LONGEST_MARKS = 4000
_RENAME = re.compile(
    r"\brenam\w{1,3}\s+(?:the \w+ )?[`\"']?([\w.]+)(?:\(\))?[`\"']?"
    r"\s+(?:to|into|as)\s+[`\"']?([\w.]+)",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"@(?:pytest\.mark\.|pytest\.mark$|mark\.|pytest_|(?:mock\.|unittest\.mock\.|mocker\.)?patch\b"
    r"|given\b|settings\b|example\b|seed\b|reproduce_failure\b|hypothesis\.|st\.|parametrize\b"
    r"|parameterized\b|data\b|unpack\b|ddt\b|staticmethod$|classmethod$|property$|override$"
    r"|typing\.|freeze_time\b|freezegun\.|time_machine\.|responses\.|respx\.|httpretty\.|vcr\."
    r"|override_settings\b|modify_settings\b|django\.|tag\b|moto\.|mock_\w+|mock_aws\b"
    r"|requires_\w+|needs_\w+|allure\.|nottest$|istest$|pytest\.fixture|usefixtures\b)"
)
_VALUES = frozenset({"true", "false", "none", "null", "nil", "undefined"})
_NOTHING = frozenset({"", "pass", "...", "return", "return None", "{}", "{;}", ";", "()"})


@dataclass(frozen=True, slots=True)
class Renames:
    """Names before and after: `shop/cart.py` became `store/cart.py`."""

    words: Mapping[str, str]

    def applied(self, text: str) -> str:
        if not self.words:
            return text
        return "".join(self._word(token) for token in re.split(r"(\w+)", text))

    def _word(self, token: str) -> str:
        return self.words.get(token, token)


def renames(moves: Iterable[tuple[str, str]], text: str = "") -> Renames:
    """By the files that were moved, and by the plan's own words ("rename `total` to `sum`").

    A name that went two ways is no rename that could be followed.
    """
    words: dict[str, str] = {}
    torn = set()
    for one, other in (*_moved_parts(moves), *_asked_renames(text)):
        is_name = one.isidentifier() and other.isidentifier() and one.lower() not in _VALUES
        if is_name and words.setdefault(one, other) != other:
            torn.add(one)
    return Renames({one: other for one, other in words.items() if one not in torn})


def _moved_parts(moves: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for old, new in moves:
        olds, news = _parts(old), _parts(new)
        while olds and news and olds[-1] == news[-1]:
            olds.pop()
            news.pop()
        while olds and news and olds[0] == news[0]:
            olds.pop(0)
            news.pop(0)
        if len(olds) == len(news):
            yield from zip(olds, news, strict=True)


def _asked_renames(text: str) -> Iterator[tuple[str, str]]:
    for one, other in _RENAME.findall(text):
        yield one.rpartition(".")[2], other.rstrip(".").rpartition(".")[2]


def _parts(path: str) -> list[str]:
    stem = path.rpartition(".")[0] or path
    return stem.split("/")


def is_emptied(before: TestCase, after: TestCase) -> bool:
    if after.assertions:
        return False
    if before.assertions:
        return True
    if after.hollow > before.hollow:
        return True
    return _is_nothing(after.essence) and not _is_nothing(before.essence)


def _is_nothing(essence: str) -> bool:
    return essence.strip() in _NOTHING


def lost_assertions(before: TestCase, after: TestCase, moved: Renames) -> list[str]:
    """Those of before that are no longer there, in their order."""
    if before.assertions == after.assertions:
        return []
    spare = Counter(map(_canonical, after.assertions))
    lost = [text for text in before.assertions if not _take(spare, _canonical(text))]
    return [text for text in lost if not _take(spare, _canonical(moved.applied(text)))]


def _canonical(text: str) -> str:
    return " ".join(_TOKEN.findall(text))


def _take(spare: Counter[str], key: str) -> bool:
    if spare[key] <= 0:
        return False
    spare[key] -= 1
    return True


def other_question(before: TestCase, after: TestCase, moved: Renames) -> str:
    """Why the same assertions may ask something else now, or "": a constant or a mock in place
    of the tested call, other inputs, for tests without assertions of their own other calls."""
    old, new = before.essence, after.essence
    if old == new:
        return ""
    wrapper = _wrapper(old, new)
    if wrapper:
        return f"{shown(wrapper, 40)} was not there"
    if not before.assertions and not _is_nothing(old) and _lost(_TOKEN, moved.applied(old), new):
        return "it has no assertions that could be compared, and its body changed"
    if len(_MOCK.findall(new)) > len(_MOCK.findall(old)):
        return "it uses more mocks than before"
    if len(_CALL.findall(new)) < len(_CALL.findall(old)):
        return "it calls less than before"
    handed = (_arguments(new) - _arguments(old)) & set(_NAME.findall(old))
    if handed:
        return f"{min(handed)} is handed to it"
    detours = len(_DETOUR.findall(new)) - len(_DETOUR.findall(old))
    if detours > max(0, len(after.assertions) - len(before.assertions)):
        return "it may end before its assertions, or go around them"
    lost = _lost(_LITERAL, moved.applied(old), new)
    return f"{shown(lost, 40)} is no longer in it" if lost else ""


def _wrapper(old: str, new: str) -> str:
    """A mark that may change what becomes of the test: `@retry`, `#[should_panic]`, `async`."""
    known = Counter(_marks(old))
    fresh = (it for it in _marks(new) if not _take(known, it))
    return next((it for it in fresh if not _HARMLESS.match(it)), "")


def _marks(essence: str) -> list[str]:
    lines = []
    for line in essence[:_LONGEST_MARKS].split("\n"):
        if line != "async" and not line.startswith("@"):
            break
        lines.append(line)
    return lines + _PANIC.findall(essence[:_LONGEST_MARKS])


def _arguments(essence: str) -> set[str]:
    """Of a Python test: `(cart, total)` on a line of its own."""
    return {name for found in _ARGUMENTS.findall(essence) for name in _NAME.findall(found)}


def literals(essence: str) -> list[str]:
    """The numbers and strings in it."""
    return _LITERAL.findall(essence)


def _lost(pattern: re.Pattern[str], old: str, new: str) -> str:
    spare = Counter(pattern.findall(new))
    return next((text for text in pattern.findall(old) if not _take(spare, text)), "")
