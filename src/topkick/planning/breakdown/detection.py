"""Find the requirements of a document: what is asked for, where, and how surely (BD-01)."""

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from topkick.plan_format.criteria.criteria import has_box, is_ticked, without_box
from topkick.plan_format.structure import (
    ItemList,
    ListItem,
    Paragraph,
    Quote,
    Section,
    Table,
    sections,
)
from topkick.planning.breakdown.imperatives import clean, order, sentences, unmarked
from topkick.planning.breakdown.language import Voice, is_order, voice_of
from topkick.planning.breakdown.model import (
    Acceptance,
    Confidence,
    FoundRequirements,
    HeadingPlace,
    LineRange,
    Requirement,
    RequirementKind,
    RequirementQuestion,
)
from topkick.planning.breakdown.passages import (
    CODED,
    SHUT,
    HeadingRole,
    extent,
    is_generic,
    parted,
    plain_title,
    role_of,
    segments,
    titled,
    trail,
    with_children,
)
from topkick.planning.breakdown.passages import ruled as ruled_by
from topkick.planning.breakdown.signals import (
    columns_of,
    is_no_item,
    is_procedure,
    is_settled,
    is_undecided,
    label_role,
    lead_of,
    put_off,
    says_duty,
    sign_of,
    sign_of_sentence,
    within_scope,
)
from topkick.text.markdown import without_front_matter

MOST_QUESTIONS = 100
_OPTION = re.compile(r"^\W*(?:option|alternative|variant)\s+(?:[A-C]|[1-3])\b", re.IGNORECASE)


def find(text: str) -> FoundRequirements:
    """Find the requirements; `text` has \\n as its only line ending."""
    lines = text.split("\n")
    parts = sections("\n".join(without_front_matter(lines)))
    voice = voice_of(text)
    found = _Search(parts, voice).run()
    if found.requirements:
        return found
    return _Search(parts, voice, lenient=True).run()


@dataclass(slots=True)
class _Search:
    """The search; with `lenient`, lists that nothing marks as work count as work, if nothing else
    does.
    """

    parts: Sequence[Section]
    voice: Voice
    lenient: bool = False
    requirements: list[Requirement] = field(default_factory=list)
    acceptance: list[Acceptance] = field(default_factory=list)
    questions: list[RequirementQuestion] = field(default_factory=list)
    skipped: int = 0
    trail: tuple[HeadingPlace, ...] = ()
    title: str = ""
    described: set[int] = field(default_factory=set)  # headings whose lists are their steps

    def run(self) -> FoundRequirements:
        roles: list[tuple[int, HeadingRole]] = []
        ruled: list[HeadingRole] = []
        for part in self.parts:
            roles = [(level, role) for level, role in roles if level < part.level]
            above = roles[-1][1] if roles else HeadingRole.NEUTRAL
            own = role_of(part.title) if part.level > 1 else HeadingRole.NEUTRAL
            role = ruled_by(above, own)
            roles.append((part.level, role))
            ruled.append(role)
            self._enter(part)
            self._section(part, role)
        self._headings(ruled)
        self.requirements.sort(key=lambda one: one.lines)
        return FoundRequirements(
            tuple(self.requirements),
            tuple(self.acceptance),
            tuple(self.questions[:MOST_QUESTIONS]),
            self.skipped,
        )

    def _enter(self, part: Section) -> None:
        self.trail = trail(part)
        self.title = " ".join(place.title for place in self.trail if place.level > 1)

    # --- blocks ------------------------------------------------------------------------------

    def _section(self, part: Section, role: HeadingRole) -> None:
        current, lead = role, ""
        options = 0
        if (
            role is HeadingRole.QUESTIONS
            and part.heading
            and role_of(part.title) is HeadingRole.NEUTRAL
        ):
            self._ask(part.title, part.heading.line)
        for block in part.blocks:
            match block:
                case Paragraph():
                    current, lead = self._paragraph(block, role)
                    options += sum(_OPTION.match(line) is not None for line in block.lines)
                case ItemList():
                    options += sum(_OPTION.match(item.text) is not None for item in block.items)
                    self._list(block, current, lead)
                    lead = ""
                case Table():
                    self._table(block, current)
                case Quote():
                    pass  # a quotation is not a requirement
                case _:
                    pass
        if options > 1 and part.heading and not is_settled(self._words(part)):
            self._ask(f"Which option is taken for {plain_title(part.title)}?", part.heading.line)

    @staticmethod
    def _words(part: Section) -> str:
        lines = (
            line for block in part.blocks if isinstance(block, Paragraph) for line in block.lines
        )
        return " ".join((part.title, *lines))

    def _paragraph(self, block: Paragraph, role: HeadingRole) -> tuple[HeadingRole, str]:
        """Return the role and the lead for the list below a paragraph."""
        current, lead = role, ""
        for line, label, words in segments(block):
            text = " ".join(words)
            own = role_of(label) if label else HeadingRole.NEUTRAL
            current = ruled_by(role, own) if label else role
            lead = lead_of(f"{label}: " if label and not text else text)
            open_end = not text or text.rstrip().endswith((":", "："))
            if text and current in SHUT:
                self.skipped += 1
            elif text:
                self._prose(words, line, current)
            current = current if open_end else role
        return current, lead

    def _prose(self, words: Sequence[str], line: int, role: HeadingRole) -> None:
        text, at = " ".join(words), 0
        starts = [0, *accumulate(len(word) + 1 for word in words)]
        for one in sentences(text):
            at = max(text.find(one, at), at)
            first, last = bisect(starts, at), bisect(starts, at + len(one) - 1)
            lines = LineRange(line + first - 1, line + last - 1)
            if is_undecided(one) or (
                role is HeadingRole.QUESTIONS and one.endswith(("?", "\uff1f"))
            ):
                self._ask(one, lines.first)
            elif role in (HeadingRole.WORK, HeadingRole.NEUTRAL) or (
                role is HeadingRole.ACCEPTANCE and says_duty(one)
            ):
                sign = sign_of_sentence(one, role)
                kept = within_scope(one) if sign else ""
                if sign and kept:
                    self._keep(order(kept, self.voice), lines, *sign)
            at += len(one)

    def _list(self, block: ItemList, role: HeadingRole, lead: str) -> None:
        open_ = role in (HeadingRole.WORK, HeadingRole.NEUTRAL) and len(self.trail) > 1
        if open_ and is_procedure([item.text for item in block.items]):
            self.described.add(self.trail[-1].line)
        else:
            self._items(block.items, role, lead)

    def _items(self, items: Sequence[ListItem], role: HeadingRole, lead: str) -> None:
        for item in items:
            self._item(item, role, lead)

    def _item(self, item: ListItem, role: HeadingRole, lead: str) -> None:
        text = without_box(item.text)
        named = label_role(text)
        if role in SHUT or named in SHUT or is_ticked(item.text) or is_no_item(text):
            self.skipped += 1
        elif role is HeadingRole.QUESTIONS or named is HeadingRole.QUESTIONS:
            self._ask(text, item.line)
        elif role is HeadingRole.CONTEXT or named is HeadingRole.CONTEXT:
            self._undecided(text, item.line)
        elif not (kept := within_scope(text)):
            self.skipped += 1
        elif role is HeadingRole.ACCEPTANCE and not says_duty(kept):
            self.acceptance.append(Acceptance(clean(kept), extent(item), self.trail))
        else:
            self._undecided(text, item.line)
            self._asked_by(item, kept, role, lead)

    def _asked_by(self, item: ListItem, text: str, role: HeadingRole, lead: str) -> None:
        box = has_box(item.text)
        effective = HeadingRole.WORK if self.lenient and role is HeadingRole.NEUTRAL else role
        sign = sign_of(text, effective, box=box, led=bool(lead), title=self.title)
        if parted(item):
            self._items(item.items, effective if sign is None else HeadingRole.WORK, lead_of(text))
            return
        if sign is None:
            if item.items:
                self._items(item.items, role, lead_of(text))
            return
        told = with_children(item, text)
        topic = plain_title(self.trail[-1].title) if self.trail else ""
        topic = topic if is_order(topic) else ""
        said = order(told, self.voice, lead=lead, topic=topic)
        self._keep(said, extent(item), *sign)

    def _undecided(self, text: str, line: int) -> None:
        if is_undecided(text):
            self._ask(text, line)

    def _ask(self, text: str, line: int) -> None:
        said = unmarked(clean(text))
        if said and not is_settled(text) and len(self.questions) < MOST_QUESTIONS:
            self.questions.append(RequirementQuestion(said[:400], line))

    def _keep(
        self, text: str, lines: LineRange, kind: RequirementKind, confidence: Confidence
    ) -> None:
        if text:
            self.requirements.append(Requirement(text, lines, self.trail, confidence, kind))

    # --- tables ------------------------------------------------------------------------------

    def _table(self, table: Table, role: HeadingRole) -> None:
        columns = columns_of(table.header)
        if role is not HeadingRole.WORK or columns is None:
            if role is HeadingRole.QUESTIONS:
                for row in table.rows:
                    self._ask(" ".join(row.cells[:3]), row.line)
            return
        names, tells = columns
        for row in table.rows:
            cells = [*row.cells, *[""] * (max(columns) + 1 - len(row.cells))]
            if put_off(table.header, cells) or not within_scope(" ".join(cells)):
                self.skipped += 1
                continue
            self._row(clean(cells[names]), clean(cells[tells]) if names != tells else "", row.line)

    def _row(self, name: str, told: str, line: int) -> None:
        said = f"**{unmarked(name)}**: {told}" if told and name else told or name
        lines = LineRange(line, line)
        self._keep(order(said, self.voice), lines, RequirementKind.ROW, Confidence.EXPLICIT)

    # --- headings ----------------------------------------------------------------------------

    def _headings(self, ruled: Sequence[HeadingRole]) -> None:
        """Take headings without items that order something, or name it below `Features`."""
        fed = {place.line for one in self.requirements for place in one.trail}
        below: set[int] = set()
        for number in range(len(self.parts) - 1, -1, -1):
            part = self.parts[number]
            if part.heading is None or part.level < 2:
                continue
            if part.heading.line in fed or part.heading.line in below:
                continue
            if self._is_asked(part, ruled[number]):
                below |= {above.line for above in part.parents}
                self._enter(part)
                lines = LineRange(part.heading.line, max(part.heading.line, part.end - 2))
                sure = Confidence.EXPLICIT if CODED.match(part.title) else Confidence.IMPLICIT
                self._keep(order(titled(part), self.voice), lines, RequirementKind.HEADING, sure)

    def _is_asked(self, part: Section, role: HeadingRole) -> bool:
        if role not in (HeadingRole.WORK, HeadingRole.NEUTRAL) or is_generic(part.title):
            return False
        if not within_scope(part.title) or role_of(part.title) in (*SHUT, HeadingRole.CONTEXT):
            return False
        title = plain_title(part.title)
        described = part.heading is not None and part.heading.line in self.described
        if is_order(title) or CODED.match(part.title) or described:
            return True
        under = any(
            role_of(above.text) is HeadingRole.WORK for above in part.parents if above.level > 1
        )
        return role is HeadingRole.WORK and under and bool(part.blocks)
