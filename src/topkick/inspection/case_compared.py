"""One test before and after: whether it still asks what it asked."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from topkick.inspection.inventory import TestCase
from topkick.inspection.reading import shown

_TOKEN = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\w+|[^\w\s]")
_LITERAL = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|(?<![\w.])\d[\w.]*")
_CALL = re.compile(r"[\w\])?!]\(")
_MOCK = re.compile(
    r"\b(?:MagicMock|AsyncMock|Mock|mock|monkeypatch|mocker|jest|vi|sinon|gomock|mockall)\b"
    r"(?=\s*[.(])"
)
_NOTHING = frozenset({"", "pass", "...", "return", "return None", "{}", "{;}", ";", "()"})


@dataclass(frozen=True, slots=True)
class Renames:
    """The parts of paths that files were moved from and to: `shop/cart.py` to `store/cart.py`."""

    words: Mapping[str, str]

    def applied(self, text: str) -> str:
        if not self.words:
            return text
        return "".join(self._word(token) for token in re.split(r"(\w+)", text))

    def _word(self, token: str) -> str:
        return self.words.get(token, token)


def renames(moves: Iterable[tuple[str, str]]) -> Renames:
    """A part that went two ways is no rename that could be followed."""
    words: dict[str, str] = {}
    torn = set()
    for old, new in moves:
        olds, news = _parts(old), _parts(new)
        while olds and news and olds[-1] == news[-1]:
            olds.pop()
            news.pop()
        while olds and news and olds[0] == news[0]:
            olds.pop(0)
            news.pop(0)
        if len(olds) != len(news):
            continue
        for one, other in zip(olds, news, strict=True):
            if words.setdefault(one, other) != other:
                torn.add(one)
    return Renames({one: other for one, other in words.items() if one not in torn})


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
    if not before.assertions and not _is_nothing(old) and _lost(_TOKEN, moved.applied(old), new):
        return "it has no assertions that could be compared, and its body changed"
    if len(_MOCK.findall(new)) > len(_MOCK.findall(old)):
        return "it uses more mocks than before"
    if len(_CALL.findall(new)) < len(_CALL.findall(old)):
        return "it calls less than before"
    lost = _lost(_LITERAL, moved.applied(old), new)
    return f"{shown(lost, 40)} is no longer in it" if lost else ""


def _lost(pattern: re.Pattern[str], old: str, new: str) -> str:
    spare = Counter(pattern.findall(new))
    return next((text for text in pattern.findall(old) if not _take(spare, text)), "")
