"""Rewrite ids of sprints and every reference to them: prose, tables, criteria, drawings, links."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import PlanFinding, UnitPlan
from topkick.plan_format.order.references import SprintNames, UnitNames
from topkick.plan_format.order.waits import Pair
from topkick.plan_format.units.headings import FAMILIES, ID, SPRINT_WORDS, WORK_WORDS
from topkick.planning.refinement.source import EditedText
from topkick.text.markdown import cell_spans, fenced

# --- new ids after splits and merges -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Numbered:
    """The new ids; `of` maps each old sprint to one id, two if it was split, or another
    sprint's.
    """

    of: Mapping[Pair, tuple[str, ...]]

    def headings(self) -> dict[Pair, str]:
        return {pair: ids[0] for pair, ids in self.of.items()}

    def references(self) -> dict[Pair, str]:
        """Return the id for references: that of the last part of a split sprint."""
        return {pair: ids[-1] for pair, ids in self.of.items()}


def numbered(
    units: Sequence[UnitPlan], parts: Mapping[Pair, int], into: Mapping[Pair, Pair]
) -> Numbered | None:
    """Return new ids; `parts` are the sprints that are split, `into` those merged into the next
    one.

    Plain numbers are counted anew. Other ids stay, and a second part gets a letter; None if no
    letter is left.
    """
    plain = _start(units)
    of: dict[Pair, tuple[str, ...]] = {}
    count = int(units[0].sprints[0].id) if plain else 0
    taken = {sprint.id.lower() for unit in units for sprint in unit.sprints}
    for unit in units:
        if plain == "unit":
            count = int(unit.sprints[0].id)
        for sprint in unit.sprints:
            pair = (unit.name, sprint.id)
            if pair in into:
                continue
            more = parts.get(pair, 1)
            if plain:
                of[pair] = tuple(str(count + n) for n in range(more))
                count += more
            elif (ids := _lettered(sprint.id, more, taken)) is not None:
                of[pair] = ids
            else:
                return None
    for pair, other in into.items():
        while other in into:
            other = into[other]  # noqa: PLW2901
        of[pair] = of[other]
    return Numbered(of)


def _start(units: Sequence[UnitPlan]) -> str:
    """Return whether numbers continue through the plan or restart in each unit; empty if not
    numbers.
    """
    ids = [[sprint.id for sprint in unit.sprints] for unit in units]
    if not all(id_.isdecimal() and str(int(id_)) == id_ for found in ids for id_ in found):
        return ""
    numbers = [[int(id_) for id_ in found] for found in ids]
    if any(found != list(range(found[0], found[0] + len(found))) for found in numbers):
        return ""
    flat = [number for found in numbers for number in found]
    return "plan" if flat == list(range(flat[0], flat[0] + len(flat))) else "unit"


def _lettered(id_: str, parts: int, taken: set[str]) -> tuple[str, ...] | None:
    found = [id_]
    ends = "23456789" if id_[-1:].isalpha() else "bcdefghi"
    for end in ends:
        if len(found) == parts:
            break
        if f"{id_}{end}".lower() not in taken:
            taken.add(f"{id_}{end}".lower())
            found.append(f"{id_}{end}")
    return tuple(found) if len(found) == parts else None


NewIds = Mapping[Pair, str]

_ONE_ID = re.compile(rf"(?:{ID})(?!\w)")
_TO = re.compile(r"^\s*(?:–|—|-|\.\.|to|through)\s*$")
_NODE = r"(?<![\w./-])S(?P<node>\d{1,6}[a-z]?)(?![\w-]|\.\d)"
_CODE = r"(?<![\w./-])(?P<code>[A-Za-z]{1,8}-?\d\w{0,8}(?:[.-]\w{1,8}){0,5})(?![\w-])"
_ANCHOR = r"(?<=\(#)(?P<word>[a-z]{1,12})-(?P<slug>[\w-]{1,40}?)(?=[-)])"
_SPRINT_CELL = re.compile(r"^\W*(?:sprint|sortie)(?: ?#| id| no\.?)?\W*$", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class _Place:
    """The context of a line: its unit, and whether it states a dependency."""

    unit: str = ""
    remark: bool = False
    drawing: bool = False

    @property
    def loose(self) -> bool:
        """True if `S3` means Sprint 3 here; elsewhere it may be anything."""
        return self.remark or self.drawing


class Renumbering:
    """Rewrites a draft so that every reference to a sprint follows its new id.

    An ambiguous reference, to sprints of several units, is left alone and reported.
    """

    def __init__(self, reading: PlanReading, new: NewIds, headings: NewIds | None = None) -> None:
        """Prepare; `headings` is given if a heading gets another id than its references."""
        self._reading = reading
        self._headings = new if headings is None else headings
        self._new = {pair: id_ for pair, id_ in new.items() if id_ != pair[1]}
        units = reading.plan.units
        ids = {
            unit.name: [s.id for s in sorted(unit.sprints, key=lambda sprint: sprint.line)]
            for unit in units
        }
        self._order = {(u, i): n for u, found in ids.items() for n, i in enumerate(found)}
        self._names = SprintNames(ids, reading.family)
        self._units = UnitNames([unit.name for unit in units])
        self._homes: dict[str, list[str]] = {}
        for unit, found in ids.items():
            for id_ in found:
                self._homes.setdefault(id_.lower(), []).append(unit)
        self._in_unit = ids
        self._lettered = {id_ for id_ in self._homes if id_[:1].isalpha() and _DIGIT.search(id_)}
        own = _words_of(reading.family)
        self._own = re.compile(rf"(?i:{own})")
        others = [_ANCHOR, *([_CODE] if self._lettered else [])]
        self._prose = re.compile("|".join((_reference(own), *others)))
        self._drawing = re.compile("|".join((_reference(own), *others, _NODE)))
        self._remark = re.compile(
            "|".join(
                (
                    _reference(own if reading.family == "sprint" else f"{own}|{WORK_WORDS}"),
                    *others,
                    _NODE,
                )
            )
        )
        self._numbered = all(_DIGIT.search(id_) for id_ in self._homes)
        self.findings: list[PlanFinding] = []

    def apply(self, draft: EditedText, count: int) -> None:
        """Rewrite the first `count` lines, which are those of the original text."""
        if not self._new and all(pair[1] == id_ for pair, id_ in self._headings.items()):
            return
        headings = {reading.first: pair for pair, reading in self._reading.sprints.items()}
        columns: int | None = None
        for line, place in enumerate(self._places(draft, count), start=1):
            text = draft[line]
            columns = self._column(text, columns)
            if pair := headings.get(line):
                text = self._heading(text, pair)
            elif columns is not None and "|" in text:
                text = self._row(text, columns, place, line)
            else:
                text = self._rewritten(text, place, line)
            draft[line] = text

    # --- context of a line ----------------------------------------------------------------

    def _places(self, draft: EditedText, count: int) -> Iterator[_Place]:
        homes = self._sections(count)
        remarks = {r.line for found in self._reading.sprints.values() for r in found.depends}
        fences = fenced([draft[line] for line in range(1, count + 1)])
        for line, fence in enumerate(fences, start=1):
            yield _Place(homes[line], line in remarks, fence == "mermaid")

    def _sections(self, count: int) -> list[str]:
        homes = [""] * (count + 2)
        for n, heading in enumerate(self._reading.outline):
            unit = self._units.find(heading.title) if heading.level > 1 else None
            if unit is None:
                continue
            later = self._reading.outline[n + 1 :]
            behind = next((h.line for h in later if h.level <= heading.level), count + 1)
            homes[heading.line : behind] = [unit] * (behind - heading.line)
        for (unit, _), found in self._reading.sprints.items():
            if found.first:
                homes[found.first : found.behind] = [unit] * (found.behind - found.first)
        return homes

    # --- rewriting ------------------------------------------------------------------------

    def _heading(self, text: str, pair: Pair) -> str:
        """Replace the id after the word for a sprint; a plain number comes first."""
        new = self._headings.get(pair, pair[1])
        if new == pair[1]:
            return text
        word = self._own.search(text)
        return with_id(text, pair[1], new, word.end() if word else 0)

    def _column(self, text: str, known: int | None) -> int | None:
        """Return the column of a table that holds sprint ids, from its header to its end."""
        if "|" not in text:
            return None
        if known is not None:
            return known
        cells = cell_spans(text)
        return next((n for n, (a, b) in enumerate(cells) if _SPRINT_CELL.match(text[a:b])), None)

    def _row(self, text: str, column: int, place: _Place, line: int) -> str:
        cells = cell_spans(text)
        if len(cells) <= column:
            return self._rewritten(text, place, line)
        start, end = cells[column]
        cell = text[start:end]
        if not _ONE_ID.fullmatch(cell.strip(" *`")):
            return self._rewritten(text, place, line)
        unit = place.unit or self._unit_in(text, cells)
        new = self._mapped(cell.strip(" *`"), unit, line)
        head = self._rewritten(text[:start], place, line)
        tail = self._rewritten(text[end:], place, line)
        return head + (cell.replace(cell.strip(" *`"), new) if new else cell) + tail

    def _unit_in(self, text: str, cells: Sequence[tuple[int, int]]) -> str:
        found = (self._units.exact(text[a:b]) for a, b in cells)
        return next((name for name in found if name), "")

    def _rewritten(self, text: str, place: _Place, line: int) -> str:
        if len(text) > _LONGEST or (self._numbered and not _DIGIT.search(text)):
            return text
        pattern = self._drawing if place.drawing else self._prose
        pattern = self._remark if place.remark else pattern
        return pattern.sub(lambda found: self._one(found, place, line), text)

    def _one(self, found: re.Match[str], place: _Place, line: int) -> str:
        if found["ids"]:
            return self._reference(found, place, line)
        if found["slug"]:
            return self._anchor(found, place)
        named = found.groupdict()
        code = named.get("code") or ""
        if code.lower() in self._lettered:
            return self._mapped(code, place.unit, line) or code
        node = named.get("node") or (code[1:] if place.loose and code[:1] == "S" else "")
        new = self._mapped(node, place.unit, line) if node else None
        return f"S{new}" if new else found[0]

    def _reference(self, found: re.Match[str], place: _Place, line: int) -> str:
        """Rewrite `Sprint 3`, `Sprints 2, 3 and 5`, `Sprints 2–4`."""
        ids, start = found["ids"], found.start("ids") - found.start()
        near = found.string[max(0, found.start() - 60) : found.start()]
        unit = self._names.home(near, place.unit, self._units)
        marks = list(_ONE_ID.finditer(ids))
        pieces: list[str] = []
        at, n = 0, 0
        while n < len(marks):
            last = self._range(ids, marks, n)
            pieces.append(ids[at : marks[n].start()])
            if last > n:
                pieces.append(self._through(ids, marks[n], marks[last], unit))
            else:
                pieces.append(self._mapped(marks[n][0], unit, line) or marks[n][0])
            at, n = marks[last].end(), last + 1
        return found[0][:start] + "".join(pieces) + ids[at:]

    @staticmethod
    def _range(ids: str, marks: Sequence[re.Match[str]], n: int) -> int:
        if n + 1 < len(marks) and _TO.match(ids[marks[n].end() : marks[n + 1].start()]):
            return n + 1
        return n

    def _through(self, ids: str, first: re.Match[str], last: re.Match[str], unit: str) -> str:
        """Keep a range if its sprints are still consecutive; else list them."""
        low, high = self._names.find(first[0], unit), self._names.find(last[0], unit)
        if low is None or high is None or low[0] != high[0]:
            return ids[first.start() : last.end()]
        slots = self._in_unit[low[0]]
        inside = slots[self._order[low] : self._order[high] + 1]
        new = [self._new.get((low[0], id_), id_) for id_ in inside]
        if not new:  # the range runs backwards
            return ids[first.start() : last.end()]
        if not set(new) <= set(slots):
            return ", ".join(new)
        at = sorted(map(slots.index, new))
        if at == list(range(at[0], at[0] + len(at))):
            return f"{slots[at[0]]}{ids[first.end() : last.start()]}{slots[at[-1]]}"
        return ", ".join(slots[n] for n in at)

    def _anchor(self, found: re.Match[str], place: _Place) -> str:
        """Rewrite `(#sprint-3-name)`."""
        if not self._own.fullmatch(found["word"]):
            return found[0]
        pair = self._names.find(found["slug"], place.unit)
        new = self._new.get(pair) if pair else None
        return f"{found['word']}-{new.lower()}" if new else found[0]

    def _mapped(self, id_: str, unit: str, line: int) -> str | None:
        pair = self._names.find(id_, unit)
        if pair is not None:
            return self._new.get(pair)
        homes = self._homes.get(id_.lower(), [])
        if any((home, id_) in self._new for home in homes):
            told = (
                f"'{id_}' could be a sprint of {' or '.join(homes[:3])}; topkick left it as it is."
            )
            self.findings.append(PlanFinding(line, told))
        return None


def with_id(text: str, old: str, new: str, start: int) -> str:
    """Replace the first occurrence from there on that is not part of a longer word or number."""
    at = text.find(old, start)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(old) : at + len(old) + 1]
        if not (before.isalnum() or before in ("_", ".") or after.isalnum() or after == "_"):
            return text[:at] + new + text[at + len(old) :]
        at = text.find(old, at + 1)
    return text


def _words_of(family: str) -> str:
    words = next((found for found in FAMILIES if found[0] == family), SPRINT_WORDS)
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def _reference(words: str) -> str:
    join = (
        rf"(?:\s*(?:,|&|\+|/|\band\b|\bor\b)\s*(?:(?:{words})s?\s+)?"
        r"|\s*(?:–|—|-|\.\.|\bto\b|\bthrough\b)\s*)"
    )
    return (
        rf"(?<![\w-])(?i:{words})(?i:s?)[ \t]{{1,3}}#?"
        rf"(?P<ids>(?:{ID})(?!\w)(?:{join}(?:{ID})(?!\w)){{0,50}})"
    )
