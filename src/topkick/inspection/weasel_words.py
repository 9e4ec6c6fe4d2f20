"""Words in plans and answers that route around a failing test instead of fixing what it tests."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from topkick.inspection.inventory import Mark
from topkick.text.markdown import unfenced

_MOST_MARKS = 200
_AROUND = 300
_PLACE = (
    r"(?:ci|macos|mac|linux|windows|darwin|docker|arm64|arm|x86|wsl|ios|android|alpine|ubuntu|nixos"
    r"|<[^>\n]{1,40}>|(?:this|that|these|some|slow|older) (?:host|machine|runner|platform|env)\w*"
    r"|[\w.]*(?:host|runner|env|builder)\w*|[a-z]+-?\d+)"
)
_CHECK = (
    r"(?:tests?|assertions?|asserts?|checks?|expectations?|criteri(?:on|a)|thresholds?|gates?"
    r"|specs?)"
)
_TOO = r"(?:a bit |overly |too )(?:strict|tight|brittle)"
_THE = r"(?:(?:the|this|that|these|those|a|an|its|our|any|failing|of) |[\w-]{1,30} ){0,3}"
_PHRASES = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("drift", r"\bdrift[- ](?:candidates?|gates?|framing)\b"),
        (
            "skip by place",
            rf"\bskip(?:s|ped|ping)?(?: (?:it|this|that|them|(?:the |these )?tests?))?"
            rf" (?:on|under) (?:the )?{_PLACE}\b|\bhost[- ]conditional\w*|\bskip[- ]on[- ]env\w*"
            rf"|\bskip[- ]on[- ]<?host\b|\bxfail(?:s|ed|ing)? (?:it |this )?on \S+",
        ),
        (
            "softer check",
            rf"\b(?:relax|soften|loosen|weaken)(?:s|ed|ing)? {_THE}{_CHECK}\b"
            rf"|\b(?:relaxation|softening|loosening|weakening) of {_THE}{_CHECK}\b"
            rf"|\bwater(?:s|ed|ing)? down {_THE}{_CHECK}\b",
        ),
        (
            "skip mark",
            r"\bpytest\.(?:mark\.)?(?:skip|xfail)(?:if)?\b|\bxfail\b|\bunittest\.skip\w*"
            r"|\bmarkers? for env(?:ironment)?[- ]specific\b"
            r"|\benv(?:ironment)?[- ]specific markers?\b",
        ),
        (
            "menu",
            r"\bfix[- ]or[- ]skip\b|\bfix (?:vs\.?|versus|or) skip\b"
            r"|\bskip (?:vs\.?|versus|or) fix\b"
            r"|\beither fix [^.;!?]{0,60}? or (?:to )?(?:work around|skip|xfail|adjust|relax)\b"
            r"|\bfix (?:it|the [\w-]{1,30}),? or (?:adjust|skip|relax|change|disable) "
            rf"{_THE}{_CHECK}\b",
        ),
        (
            "too strict",
            rf"\b(?:may|might|could|will) need (?:a |some )?{_CHECK} adjust(?:ments?|ing)\b"
            rf"|\b{_CHECK} (?:may|might|could) (?:just )?be {_TOO}\b"
            rf"|\b{_CHECK} (?:is|are|was|were|seems?|looks?) {_TOO}\b",
        ),
        ("allowlist", r"\bcompat(?:ibility)? (?:allow|white)-?list\w*"),
        ("fallback", r"\bfix\b[^.;!?]{0,80}\bor\b[^.;!?]{0,40}\bfall-?back path\b"),
        (
            "other success",
            r"\b(?:count|treat|consider|call|declare|regard)(?:s|ed|ing)? [^.;!?]{0,40}"
            r"\b(?:done|success(?:ful)?|pass(?:ing|ed)?|green|complete)\b[^.;!?]{0,30}"
            r"\b(?:even (?:if|though|when)|although|despite|regardless|anyway)\b"
            r"|\bredefin(?:e|es|ed|ing) (?:success|done)\b"
            r"|\bsuccess (?:now )?means [^.;!?]{0,40}\bexcept\b"
            r"|\b(?:known|expected|remaining) (?:test )?failures? (?:is|are) "
            r"(?:acceptable|fine|ok|okay)\b",
        ),
    )
)
_SOFT = frozenset({"menu", "fallback", "allowlist"})
_FORBIDS_BEFORE = re.compile(
    r"\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|may not|shall not|not to|nobody"
    r"|without|rather than|instead of|avoid(?:s|ing)?|forbid\w*|refus\w+|prohibit\w*|not allowed to"
    r"|no need to|remov(?:e|es|ed|ing)|delet(?:e|es|ed|ing)|drop(?:s|ped|ping)?|get rid of|no)\b"
)
_FORBIDS_AFTER = re.compile(
    r"\b(?:(?:is|are) (?:not (?:allowed|permitted|acceptable|an option|ok|okay)|forbidden|banned"
    r"|unacceptable|prohibited|out of the question|cheating)|must (?:go|be removed|not)|never)\b"
)
_TURN = re.compile(r"[.;!?:]\s|, (?:so|but|then)\b|\bbut\b| so ")
_ITEM = re.compile(r"\s*(?:>\s?)*(?:[-*+]|\d{1,3}[.)]|\(?[a-z]\))\s+(?:\[[ xX]\]\s+)?")
_COLUMN = re.compile(r"(?:drift candidates?|skip|adjust tests?)\??")
_FIXES = re.compile(r"^(?:option \w+:? ?)?(?:fix|correct|repair)\b|\bfix(?:es|ing)? the \w+")
_BENDS = re.compile(
    r"\b(?:adjust|skip|relax|loosen|disable|delete|mark|xfail|quarantine)(?:ing)? "
    rf"{_THE}{_CHECK}\b"
)
_HALT = re.compile(r"\btests? stays? as (?:written|is|it is|they are)\b")


@dataclass(slots=True)
class _Paragraph:
    """Lines that belong together, without marks of emphasis, and where each began."""

    parts: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    length: int = 0
    is_item: bool = False

    def add(self, number: int, text: str) -> None:
        self.starts.append(self.length)
        self.numbers.append(number)
        self.parts.append(text)
        self.length += len(text) + 1

    @property
    def text(self) -> str:
        return " ".join(self.parts)

    def line(self, place: int) -> int:
        return self.numbers[bisect_right(self.starts, place) - 1]


def routes_around(text: str) -> tuple[Mark, ...]:
    """Every place that offers something else than making the test pass."""
    lines = unfenced(text.replace("\r\n", "\n").split("\n"))
    paragraphs = list(_paragraphs(lines))
    marks = [mark for paragraph in paragraphs for mark in _phrases(paragraph)]
    marks += [*_menus(paragraphs), *_columns(lines)]
    halts = any(_HALT.search(paragraph.text) for paragraph in paragraphs)
    if halts and all(mark.name in _SOFT for mark in marks):
        return ()
    return tuple(sorted(dict.fromkeys(marks), key=lambda mark: mark.line)[:_MOST_MARKS])


def _paragraphs(lines: list[str]) -> Iterator[_Paragraph]:
    now = _Paragraph()
    for number, line in enumerate(lines, start=1):
        item = _ITEM.match(line)
        bare = _plain(line[item.end() :] if item else line)
        heads = line.lstrip().startswith(("#", "|"))
        if (not bare or item or heads) and now.parts:
            yield now
            now = _Paragraph()
        if bare:
            now.is_item = now.is_item or item is not None
            now.add(number, bare)
            if heads:
                yield now
                now = _Paragraph()
    if now.parts:
        yield now


def _plain(line: str) -> str:
    line = re.sub(r"[*`~]+|(?<!\w)_+|_+(?!\w)|^\s*>+", "", line)
    return " ".join(line.replace("\u2019", "'").lower().split())


def _phrases(paragraph: _Paragraph) -> Iterator[Mark]:
    text = paragraph.text
    for name, pattern in _PHRASES:
        for match in pattern.finditer(text):
            if not _forbidden(text, match.start(), match.end()):
                yield Mark(paragraph.line(match.start()), match.group()[:160], name)


def _forbidden(text: str, start: int, end: int) -> bool:
    """Does the same clause say that this must not be?"""
    before = _TURN.split(text[max(0, start - _AROUND) : start])[-1]
    after = re.split(r"[.;!?](?:\s|$)", text[end : end + _AROUND], maxsplit=1)[0]
    return bool(_FORBIDS_BEFORE.search(before) or _FORBIDS_AFTER.search(after))


def _menus(paragraphs: list[_Paragraph]) -> Iterator[Mark]:
    """A list that pairs fixing the code with bending the test."""
    fixes = False
    waiting: list[Mark] = []
    for paragraph in paragraphs:
        if not paragraph.is_item:
            fixes, waiting = False, []
            continue
        text = paragraph.text
        bends = _BENDS.search(text)
        if bends and not _forbidden(text, bends.start(), bends.end()):
            waiting.append(
                Mark(paragraph.line(bends.start()), bends.group()[:160], "menu of fixes")
            )
        elif _FIXES.search(text):
            fixes = True
        if fixes and waiting:
            yield from waiting
            waiting = []


def _columns(lines: list[str]) -> Iterator[Mark]:
    for (number, line), (_, below) in pairwise(enumerate(lines, start=1)):
        if "|" not in line or "-" not in below or not set(below) <= set("|-: \t"):
            continue
        for cell in line.split("|"):
            name = _plain(cell)
            if _COLUMN.fullmatch(name):
                yield Mark(number, name, "column")
