"""Resolve references to sprints and units in a text: names, ids, lists and ranges."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from topkick.plan_format.units.headings import ID, SPRINT_WORDS, WORK_WORDS, bare

_PREFIX = re.compile(
    r"^(?:(?:work unit|unit|wu|package|component|module|workstream)\s*#?[-.]?\w{0,6}\s*[:—–-]\s*"
    r"|\d+(?:\.\d+)*[.)]?\s+)"
)
_SEPARATOR = re.compile(r"\s*[:—–(]\s*|\s-+\s")
_CODE = re.compile(
    r"^(?:work unit|unit|wu|package|component|module|workstream)s?[\s#-]*(\w{1,6})\b"
)
_CODE_ALONE = re.compile(rf"{_CODE.pattern}(?:$|\s*[:—–(])")
_UNIT_NUMBER = re.compile(r"^(?:work unit|unit|wu)s?[\s#-]*\d{1,4}[a-z]?\b(?!/|\.\w)")
_UNIT_LIST = re.compile(
    r"\b(?:work unit|unit|wu)s?[\s#-]*\d{1,4}[a-z]?"
    r"(?:\s*(?:[,;+&]|\band\b|\bor\b)\s*(?:and\s+)?(?:(?:work unit|unit|wu)s?[\s#-]*)?"
    r"\d{1,4}[a-z]?(?![\w./-]))+",
    re.IGNORECASE,
)
_HANDLE = re.compile(r"^u(\d{1,4})$")
_ALL_BEFORE = re.compile(
    r"^(?:all|everything|every unit)"
    r"(?: (?:previous|above|of the above|earlier|prior|before|preceding))?(?: (?:units?"
    r"|work units?|phases?|packages?|sprints?))?$"
)
_ALL_OTHERS = re.compile(r"^(?:all|every) (?:of the |\w+ )?others?(?: \w+)?$")
_NOTHING = re.compile(
    r"^(?:none|nothing|n/?a|no(?: (?:dependencies|dependency|deps|prerequisites))?|independent"
    r"|—|–|-*)(?:\s*[(—–,:;.-].*)?$"
)
_ARROW = re.compile(r"^(?P<after>[\w.-]{1,20})\s*(?:←|<-+)\s*(?P<before>[\w./ -]{1,80}?)$")
_LIST = re.compile(r"\s*[,;+&]\s*|\s+and\s+|\s+AND\s+")
_RANGE = re.compile(
    r"^(?P<first>.+?)\s*(?:–|—|\.\.|\bthrough\b|\bto\b|(?<=\w)-(?=\w+$))\s*(?P<last>[\w-]+)$"
)
_SPRINTS = "|".join(SPRINT_WORDS)


def _reference(words: str) -> re.Pattern[str]:
    join = (
        rf"(?:\s*(?:,|&|\+|/|\band\b|\bor\b)\s*(?:(?:{words})s?\s*)?"
        r"|\s*(?:–|—|-|\bto\b|\bthrough\b)\s*)"
    )
    return re.compile(
        rf"(?<![\w-])(?:{words})s?\s*#?(?P<ids>(?:{ID})(?:{join}(?:{ID})(?![\w]))*)",
        re.IGNORECASE,
    )


# in a plan of sprints, a numbered day or step is not a sprint
_REFERENCE = _reference(WORK_WORDS)
_OF_SPRINTS = _reference(_SPRINTS)
_ONE_ID = re.compile(rf"(?:{ID})(?!\w)")
_THROUGH = re.compile(r"\s*(?:–|—|-|to|through)\s*$")
_BARE_ID = re.compile(
    r"(?<![\w./-])(?:[A-Za-z]{1,8}-\d{1,4}[a-z]?|WU-?\d+[.-]S\d+|S\d+(?:\.\d+)?)(?![\w-])"
)


def plain(text: str) -> str:
    return " ".join(bare(text).lower().split())


def names_sprint(text: str) -> bool:
    return bool(_REFERENCE.search(text) or _BARE_ID.search(text))


def says_nothing(text: str) -> bool:
    return _NOTHING.match(plain(text)) is not None


def name_of_section(title: str) -> str:
    """Return Parser for `Work Unit: Parser` and `Unit 2: Parser`; other titles stay as they are."""
    text = bare(title)
    for _ in range(2):
        found = _PREFIX.match(text.lower())
        if found and found.end() < len(text):
            text = text[found.end() :]
    return text


def code_of_section(title: str) -> str:
    """Return 2 for `Work Unit 2: Parser` and `3. WU-2 — Parser`."""
    words = re.sub(r"^\d+(?:\.\d+)*[.)]?\s+", "", plain(title))
    found = _CODE_ALONE.match(words) or re.match(rf"{_CODE.pattern}\s*-", words)
    return found[1] if found else ""


class UnitNames:
    """Finds a unit by its name, its number, a part of it, or without a common prefix.

    `codes` are the numbers from headings, which the names lack.
    """

    def __init__(self, names: Sequence[str], codes: Mapping[str, str] | None = None) -> None:
        self.all = tuple(names)
        self._codes: dict[str, str | None] = {}
        for name, code in (codes or {}).items():
            if code:
                self._codes[code] = None if code in self._codes else name
        self._exact = {plain(name): name for name in names}
        self._shared = _shared_prefix([plain(name) for name in names])
        aliases: dict[str, str | None] = {}
        for name in names:
            for alias in (*self._callings(plain(name)), *_coded(_CODE, plain(name))):
                aliases[alias] = None if aliases.get(alias, name) != name else name
        for code, owner in self._codes.items():
            aliases.setdefault(f"wu {code}", owner)
        self._aliases = aliases

    def exact(self, text: str) -> str | None:
        return self._exact.get(plain(text))

    def find(self, text: str) -> str | None:
        words = plain(text)
        if words in self._exact:
            return self._exact[words]
        callings = (words, *self._callings(words), *_coded(_CODE_ALONE, words))
        called = next((found for word in callings if (found := self._called(word))), None)
        handle = _HANDLE.match(words)
        return called or (self._by_handle(handle[1]) if handle else None)

    def numbered(self, text: str) -> str | None:
        """Return the unit whose heading has this number."""
        return self._codes.get(plain(text))

    def begun_with(self, text: str) -> str | None:
        """Return the unit that a sentence begins with: `Work Unit 1 must complete first`."""
        code = _CODE.match(plain(text))
        return self._aliases.get(f"wu {code[1]}") if code else None

    def _by_handle(self, number: str) -> str | None:
        """Return the unit for `U2`, as topkick prints it; if headings are numbered, by their
        number.
        """
        if self._codes:
            return self._codes.get(number)
        at = int(number) - 1
        return self.all[at] if 0 <= at < len(self.all) else None

    def named_in(self, text: str) -> str | None:
        """Return the unit whose name is in a longer text, if it is only one."""
        words = f" {plain(text)} "
        found = {name for key, name in self._exact.items() if f" {key} " in words}
        return found.pop() if len(found) == 1 else None

    def _called(self, words: str) -> str | None:
        return self._exact.get(words) or self._aliases.get(words)

    def _callings(self, words: str) -> Iterator[str]:
        short = name_of_section(words)
        parts = _SEPARATOR.split(short, maxsplit=1) + _SEPARATOR.split(words, maxsplit=1)
        found = [part.rstrip(")") for part in (short, *parts) if part]
        if len(self._shared) > 2:
            found.extend([part.removeprefix(self._shared) for part in found])
        yield from dict.fromkeys(part for part in found if part)


def _coded(pattern: re.Pattern[str], words: str) -> Iterator[str]:
    """Yield one code for `WU-3`, `Work Unit 3` and `Unit 3: Parser`."""
    if code := pattern.match(words):
        yield f"wu {code[1]}"


def unit_number(text: str) -> str:
    """Return `Work Unit 9` for `Work Unit 9 must be done`: such a sentence is about a unit."""
    found = _UNIT_NUMBER.match(plain(text))
    return found[0] if found else ""


def _shared_prefix(names: Sequence[str]) -> str:
    """Return the prefix of all names up to a dash, slash or space: usually the project's name."""
    if len(names) < 2:
        return ""
    low, high = min(names), max(names)
    same = next((n for n, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    cut = max(low.rfind(mark, 0, same) for mark in "-/ ._")
    return low[: cut + 1]


@dataclass(frozen=True, slots=True)
class WantedUnits:
    """The dependencies in a cell; `unknown` are parts that name nothing here.

    `sprints` must be completed before the unit begins, `pairs` are (before, after) of sprints.
    """

    units: tuple[str, ...] = ()
    sprints: tuple[tuple[str, str], ...] = ()
    pairs: tuple[tuple[tuple[str, str], tuple[str, str]], ...] = ()
    unknown: tuple[str, ...] = ()


class SprintNames:
    """Finds sprints by id: in the given unit first, then anywhere if there is only one."""

    def __init__(self, ids: Mapping[str, Sequence[str]], family: str = "") -> None:
        self._reference = _OF_SPRINTS if family == "sprint" else _REFERENCE
        self._ids = {unit: list(found) for unit, found in ids.items()}
        self._at = {
            unit: {i.lower(): n for n, i in enumerate(found)} for unit, found in ids.items()
        }
        self._homes: dict[str, list[str]] = {}
        for unit, found in self._at.items():
            for id_ in found:
                self._homes.setdefault(id_, []).append(unit)

    def find(self, id_: str, unit: str) -> tuple[str, str] | None:
        for wanted in (id_.lower(), id_.lower().removeprefix("s")):
            homes = self._homes.get(wanted, [])
            home = unit if unit in homes else homes[0] if len(homes) == 1 else None
            if home is not None:
                return home, self._ids[home][self._at[home][wanted]]
        return None

    def named_in(self, text: str, unit: str, units: UnitNames) -> tuple[tuple[str, str], ...]:
        """Return every sprint that the text refers to, as seen from `unit`."""
        found: list[tuple[str, str]] = []
        for reference in self._reference.finditer(text):
            near = text[max(0, reference.start() - 60) : reference.start()]
            found.extend(self._listed(reference["ids"], self.home(near, unit, units)))
        alone = (self.find(one[0], unit) for one in _BARE_ID.finditer(text))
        return tuple(dict.fromkeys([*found, *(one for one in alone if one)]))

    @staticmethod
    def home(near: str, unit: str, units: UnitNames) -> str:
        """Return the unit right before a reference: `WU1-Sortie 3`, `Core API Sprint 5`."""
        words = re.split(r"[,;()]|\band\b", near)[-1].strip(" -/'’")
        for start in range(min(4, len(words.split()))):
            called = " ".join(words.split()[start:]).removesuffix("'s")
            if called and (name := units.find(called)):
                return name
        return unit

    def _listed(self, ids: str, unit: str) -> Iterator[tuple[str, str]]:
        before: tuple[str, str] | None = None
        end = 0
        for one in _ONE_ID.finditer(ids):
            found = self.find(one[0], unit)
            if (
                found
                and before
                and found[0] == before[0]
                and _THROUGH.search(ids[end : one.start()])
            ):
                yield from self._between(before, found)
            if found:
                yield found
            before, end = found, one.end()

    def _between(self, first: tuple[str, str], last: tuple[str, str]) -> Iterator[tuple[str, str]]:
        unit = first[0]
        at = self._at[unit]
        for n in range(at[first[1].lower()] + 1, at[last[1].lower()]):
            yield unit, self._ids[unit][n]


def wanted(
    text: str, unit: str, units: UnitNames, before: Sequence[str], sprints: SprintNames
) -> WantedUnits:
    """Return the dependencies in a unit's text."""
    cell = plain(text).rstrip(" .")
    if _NOTHING.match(cell):
        return WantedUnits()
    if _ALL_BEFORE.match(cell):
        return WantedUnits(tuple(before))
    if _ALL_OTHERS.match(cell):
        return WantedUnits(tuple(name for name in units.all if name != unit))
    if name := units.exact(cell):
        return WantedUnits((name,))
    if several := _range(cell, units):
        return WantedUnits(several)
    if name := units.find(cell):
        return WantedUnits((name,))
    text = _UNIT_LIST.sub(_one_by_one, text)
    found: list[WantedUnits] = [
        _piece(piece.strip(), unit, units, sprints) for piece in _LIST.split(text) if piece.strip()
    ]
    return WantedUnits(
        tuple(dict.fromkeys(n for one in found for n in one.units)),
        tuple(dict.fromkeys(s for one in found for s in one.sprints)),
        tuple(dict.fromkeys(p for one in found for p in one.pairs)),
        tuple(p for one in found for p in one.unknown),
    )


def _one_by_one(several: re.Match[str]) -> str:
    """Expand `Work Units 1, 2 or 3` into three."""
    return ", ".join(f"Work Unit {number}" for number in re.findall(r"\d+[a-z]?", several[0]))


def _piece(piece: str, unit: str, units: UnitNames, sprints: SprintNames) -> WantedUnits:
    piece = piece.rstrip(" .")
    short = re.sub(r"\s*\([^()]*\)\s*", " ", piece).strip(" .")
    if several := _range(short, units):
        return WantedUnits(several)
    for called in (piece, short):
        if called and (name := units.find(called) or units.numbered(called)):
            return WantedUnits((name,))
    if says_nothing(piece):
        return WantedUnits()
    if arrow := _ARROW.match(short):
        after = sprints.find(arrow["after"], unit)
        before = _one_sprint(arrow["before"], unit, units, sprints)
        return (
            WantedUnits(pairs=((before, after),))
            if before and after
            else WantedUnits(unknown=(plain(piece),))
        )
    if named := sprints.named_in(piece, unit, units):
        return WantedUnits(sprints=named)
    if one := _one_sprint(short, unit, units, sprints):
        return WantedUnits(sprints=(one,))
    if name := units.begun_with(short) or units.named_in(short):
        return WantedUnits((name,))
    return WantedUnits(unknown=(plain(piece),))


def _one_sprint(
    text: str, unit: str, units: UnitNames, sprints: SprintNames
) -> tuple[str, str] | None:
    """Return the sprint for `Parser/3`, `Parser-S3`, or an id alone."""
    for mark in ("/", "-", " "):
        head, _, tail = text.strip().rpartition(mark)
        if head and (home := units.find(head)) and (one := sprints.find(tail.strip(), home)):
            return one
    return sprints.find(text.strip(), unit)


def _range(piece: str, units: UnitNames) -> tuple[str, ...]:
    """Expand `WU-1 through WU-6` or `WU1–4`."""
    found = _RANGE.match(piece)
    if found is None:
        return ()
    first = units.find(found["first"]) or units.numbered(found["first"])
    stem = re.sub(r"\d+$", "", found["first"])
    last = units.find(found["last"]) or units.find(f"{stem}{found['last']}")
    last = last or units.numbered(found["last"])
    if first is None or last is None:
        return ()
    low, high = units.all.index(first), units.all.index(last)
    return units.all[low : high + 1]
