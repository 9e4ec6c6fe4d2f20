"""Read what a plan says besides units and sprints: files, questions, dangers, general checks,
the prompt template.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from topkick.plan_format.criteria.commands import is_dangerous
from topkick.plan_format.criteria.criteria import (
    SHELLS,
    item_criteria,
    says_none,
    script_lines,
    text_criterion,
)
from topkick.plan_format.model import Criterion, PlanFinding, shortened
from topkick.plan_format.order.references import UnitNames, plain
from topkick.plan_format.structure import (
    Fence,
    ItemList,
    Paragraph,
    Quote,
    Section,
    Table,
    flattened,
)
from topkick.plan_format.units.headings import Label, label_of, mention, words

_FILE = re.compile(
    r"(?<![\w/.-])((?:[\w.-]+/){0,4}(?:[A-Z][A-Z0-9_-]{2,60}\.md|\.(?:windsurf|cursor)rules))\b"
)
_PLANS = re.compile(r"(?:^|/)(?:EXECUTION_PLAN\w*|SPRINTS?|SPRINT_PLAN|ROADMAP|PLAN)\.md$")
_OPEN = re.compile(r"\b(?:TBD|TBC|to be (?:decided|determined|confirmed))\b|\?\?\?", re.IGNORECASE)
_OPEN_TITLE = re.compile(r"\bopen (?:questions?|decisions?|issues?|points?)\b", re.IGNORECASE)
_OPTION = re.compile(r"(?:^|\s|#)\W{0,6}option (?:[A-Z]|\d)\b", re.IGNORECASE)
_SUPERVISING = re.compile(
    r"\b(?:supervisor|dispatch (?:rules?|protocol|strategy)|state machine|retry (?:policy|rules?"
    r"|strategy)|error recovery|(?:build )?error escalation|escalation (?:strategy|rules?)|polling"
    r"|model selection|agent concurrency|resume / recovery|concurrency rules)\b",
    re.IGNORECASE,
)
_EVERY = re.compile(
    r"\b(?:universal|every|each|all|sprint|sortie|global|common)s?\b", re.IGNORECASE
)
_BOX_LINE = re.compile(r"^\s*(?:[-*]\s+)?\[[ xX]\]\s+(?P<text>\S.*)$")
_IMPORTS = re.compile(r"^(?:may import|allowed imports?|imports?|can import|allowed dependencies)$")
DANGERS = 200
QUESTIONS = 200


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes; `entry` and `exit` are checks for the whole plan, `each` those for every
    sprint.
    """

    files: tuple[str, ...] = ()
    questions: tuple[PlanFinding, ...] = ()
    dangers: tuple[PlanFinding, ...] = ()
    conflicts: tuple[PlanFinding, ...] = ()
    entry: tuple[Criterion, ...] = ()
    exit: tuple[Criterion, ...] = ()
    each: tuple[Criterion, ...] = ()


def notes_of(
    sections: Sequence[Section], inside: set[int], lines: Sequence[str], root: str
) -> Notes:
    """Collect the notes; `inside` are the sections that belong to sprints."""
    outside = [part for n, part in enumerate(sections) if n not in inside]
    entry = [c for part in outside if _is(part, Label.ENTRY) for c in _checks(part, root)]
    leaving = [part for part in outside if _is(part, Label.EXIT)]
    each = [part for part in leaving if _EVERY.search(words(part.title)) and part.level > 2]
    return Notes(
        files_in(lines),
        tuple(_questions(sections)),
        tuple(_dangers(sections)),
        tuple(_conflicts(outside)),
        tuple(entry),
        tuple(c for part in leaving for c in _checks(part, root)),
        tuple(c for part in each for c in _checks(part, root) if c.command is not None),
    )


def files_in(lines: Sequence[str]) -> tuple[str, ...]:
    """Return documents that the plan mentions, except plans."""
    telling = (line[:2000] for line in lines if ".md" in line or "rules" in line)
    names = (name for line in telling for name in _FILE.findall(line))
    found = dict.fromkeys(name.removeprefix("PROJECT_ROOT/") for name in names)
    return tuple(name for name in found if not _PLANS.search(name))[:100]


def _is(part: Section, label: Label) -> bool:
    """Return whether a section has this label and is not one sprint's ("Sprint 1 Success")."""
    return bool(part.heading) and label_of(part.title) is label and mention(part.title) is None


def _checks(part: Section, root: str) -> Iterator[Criterion]:
    for block in part.blocks:
        if isinstance(block, ItemList):
            for item in block.items:
                if not says_none(item.text):
                    yield item_criteria(item, root)[0][0]
        elif isinstance(block, Fence):
            yield from _boxes_in(block, root)


def _boxes_in(fence: Fence, root: str) -> Iterator[Criterion]:
    """Yield `[ ] …` lines of a fence; indented lines below one belong to it."""
    texts: list[tuple[int, list[str]]] = []
    for number, line in enumerate(fence.content.split("\n"), start=fence.line + 1):
        if found := _BOX_LINE.match(line):
            texts.append((number, [found["text"]]))
        elif texts and line.startswith((" ", "\t")) and line.strip():
            texts[-1][1].append(line.strip())
    for number, said in texts:
        rest = [f"`{line}`" if n == 1 and "`" not in line else line for n, line in enumerate(said)]
        yield text_criterion(" ".join(rest), number, root)[0]


def _questions(sections: Sequence[Section]) -> Iterator[PlanFinding]:
    count = 0
    for part in sections:
        asked = _OPEN_TITLE.search(part.title) is not None
        options = 0
        for line, text in _sentences(part):
            lower = text.lower()
            if "option" in lower:
                options += len(_OPTION.findall(text))
            maybe = "tb" in lower or "to be" in lower or "???" in lower
            if (asked and text.rstrip().endswith("?")) or (maybe and _OPEN.search(text)):
                count += 1
                yield PlanFinding(line, f"Open: {shortened(text, 120)}")
        if options > 1 and part.heading:
            count += 1
            yield PlanFinding(
                part.heading.line, f"The plan leaves a choice open: {shortened(part.title, 100)}"
            )
        if count >= QUESTIONS:
            return


def _sentences(part: Section) -> Iterator[tuple[int, str]]:
    for block in part.blocks:
        match block:
            case Paragraph() | Quote():
                yield from enumerate(block.lines, start=block.line)
            case ItemList():
                yield from ((item.line, item.text) for item in flattened(block.items))
            case Table():
                yield from ((row.line, " | ".join(row.cells)) for row in block.rows)
            case Fence() if block.language in SHELLS:
                lines = block.content.split("\n")
                yield from (
                    (n, t) for n, t in enumerate(lines, block.line + 1) if _OPTION.search(t)
                )
            case _:
                pass


def _dangers(sections: Sequence[Section]) -> Iterator[PlanFinding]:
    """Yield commands in fences that the supervisor must never run as checks."""
    count = 0
    for fence in _fences(sections):
        if fence.language not in SHELLS:
            continue
        for line in script_lines(fence):
            command = line.split(" #", 1)[0].strip()
            if not command.startswith("#") and is_dangerous(command, prose=not fence.language):
                count += 1
                yield PlanFinding(fence.line, command[:160])
                if count >= DANGERS:
                    return


def _fences(sections: Sequence[Section]) -> Iterator[Fence]:
    for part in sections:
        for block in part.blocks:
            if isinstance(block, Fence):
                yield block
            elif isinstance(block, ItemList):
                yield from (fence for item in flattened(block.items) for fence in item.fences)


def _conflicts(sections: Sequence[Section]) -> Iterator[PlanFinding]:
    """Yield sections about supervising: agents may read them, topkick keeps its own rules
    (PL-20).
    """
    below = 7
    for part in sections:
        if part.heading is None or part.level > below:
            continue
        below = 7
        if part.level > 1 and _SUPERVISING.search(part.title):
            below = part.level
            told = f"topkick does not follow '{shortened(part.title)}'; it keeps its own rules."
            yield PlanFinding(part.heading.line, told)


def allowed_imports(sections: Sequence[Section], units: Sequence[str]) -> Mapping[str, str]:
    """Return what each unit may import, from a table that says so (PL-17)."""
    names = UnitNames(units)
    found: dict[str, str] = {}
    for _, table, column in _import_tables(sections):
        for row in table.rows:
            name = names.find(row.cells[0]) if len(row.cells) > column else None
            if name is not None:
                found.setdefault(name, row.cells[column])
    return found


def imports_lines(sections: Sequence[Section]) -> frozenset[int]:
    return frozenset(part.heading.line for part, _, _ in _import_tables(sections) if part.heading)


def _import_tables(sections: Sequence[Section]) -> Iterator[tuple[Section, Table, int]]:
    for part in sections:
        for block in part.blocks:
            if isinstance(block, Table):
                headers = [plain(cell) for cell in block.header]
                column = next((n for n, text in enumerate(headers) if _IMPORTS.match(text)), None)
                if column:
                    yield part, block, column


_TITLE = re.compile(
    r"\b(?:dispatch(?: prompt)? template|(?:sprint|sortie)(?: dispatch)? prompt(?: template)?"
    r"|agent prompt(?: template)?|prompt template)\b",
    re.IGNORECASE,
)
_APPENDIX = re.compile(r"^\W*appendix d\b", re.IGNORECASE)
_KEY = re.compile(r"^template\s*:\s*(?:[|>][+-]?\s*$|(?P<rest>\S.*)$)", re.MULTILINE)
_PLACEHOLDER = re.compile(
    r"<[A-Za-z0-9][A-Za-z0-9_ |-]{0,60}>|\$PROJECT_ROOT|\{\{?[A-Za-z_ ]{2,40}\}?\}"
)
_ORDER = re.compile(
    r"\b(?:you are|your (?:task|assignment|sprint|sortie)|read these files)\b", re.IGNORECASE
)
_ROOT = re.compile(
    r"(?<![\w$>}.])(/[\w.@+-]+(?:/[\w.@+-]+)*|~(?:/[\w.@+-]+)+)/"
    r"(?=EXECUTION_PLAN\.md|<(?:PACKAGE|WORK_UNIT|UNIT|COMPONENT)_DIR)"
)


@dataclass(frozen=True, slots=True)
class PlanTemplate:
    heading: str = ""
    text: str = ""
    line: int = 0
    placeholders: tuple[str, ...] = ()


def template_of(sections: Sequence[Section]) -> PlanTemplate:
    """Find a section with that title, an Appendix D that contains one, or a `template:` key in
    YAML.
    """
    for finder in (_titled, _appendix, _keyed):
        if found := next(finder(sections), None):
            return found
    return PlanTemplate()


def _titled(sections: Sequence[Section]) -> Iterator[PlanTemplate]:
    for part in sections:
        titled = part.heading and _TITLE.search(part.title)
        if titled and (fence := _fence_with_order(part) or _first_fence(part)):
            yield _template(part, fence.content, fence.line)


def _appendix(sections: Sequence[Section]) -> Iterator[PlanTemplate]:
    for part in sections:
        if part.heading and _APPENDIX.match(part.title) and (fence := _fence_with_order(part)):
            yield _template(part, fence.content, fence.line)


def _keyed(sections: Sequence[Section]) -> Iterator[PlanTemplate]:
    for part in sections:
        for block in part.blocks:
            if isinstance(block, Fence) and block.language in ("yaml", "yml"):
                found = _KEY.search(block.content)
                if found and (text := found["rest"] or _indented(block.content[found.end() :])):
                    yield _template(part, text, block.line)


def _first_fence(part: Section) -> Fence | None:
    fences = (block for block in part.blocks if isinstance(block, Fence) and block.content.strip())
    return next((fence for fence in fences if fence.language not in ("yaml", "yml")), None)


def _fence_with_order(part: Section) -> Fence | None:
    fences = (block for block in part.blocks if isinstance(block, Fence))
    return next(
        (f for f in fences if _PLACEHOLDER.search(f.content) and _ORDER.search(f.content)), None
    )


def _indented(text: str) -> str:
    lines = text.lstrip("\n").split("\n")
    margin = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    kept: list[str] = []
    for line in lines:
        if line.strip() and len(line) - len(line.lstrip()) < margin:
            break
        kept.append(line[margin:])
    return "\n".join(kept).strip("\n") if margin else ""


def _template(part: Section, text: str, line: int) -> PlanTemplate:
    placeholders = tuple(dict.fromkeys(_PLACEHOLDER.findall(text)))
    return PlanTemplate(part.title, _ROOT.sub("$PROJECT_ROOT/", text), line, placeholders)
