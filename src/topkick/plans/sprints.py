"""One sprint of a plan: its heading, its labelled parts, and the criteria that stand below them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from topkick.core.model import Criterion, DeclaredFailure, SprintPlan, SprintType
from topkick.plans.criteria import fence_criterion, has_box, item_criteria, without_box
from topkick.plans.findings import Finding
from topkick.plans.structure import Block, Fence, Item, ItemList, Paragraph, Section, Table

_SPRINT = re.compile(
    r"^[^\w\[]*(?:\d+(?:\.\d+)*[.)]?\s+)?\[?(?i:sprint|sortie)\s+#?"
    r"(?P<id>(?:[A-Z]{1,6}-)?[A-Za-z]{0,4}\d+[A-Za-z]?(?:[.-][A-Za-z]{0,4}\d+[A-Za-z]?)*|[A-Z])"
    r"\]?(?:\s+\((?P<remark>[^()]*)\))?\s*(?:$|(?:[:：—–.]|-+\s)\s*(?P<name>.*)$)"
)


@dataclass(frozen=True, slots=True)
class SprintHeading:
    id: str
    name: str


class Label(Enum):
    ENTRY = auto()
    TASKS = auto()
    EXIT = auto()
    TYPE = auto()
    FAILS_IF = auto()
    DIRECTORY = auto()
    UNIT = auto()
    OTHER = auto()


LABELS = {
    "entry criteria": Label.ENTRY,
    "entry criterion": Label.ENTRY,
    "entry conditions": Label.ENTRY,
    "preconditions": Label.ENTRY,
    "tasks": Label.TASKS,
    "steps": Label.TASKS,
    "execute": Label.TASKS,
    "run": Label.TASKS,
    "exit criteria": Label.EXIT,
    "exit criterion": Label.EXIT,
    "exit conditions": Label.EXIT,
    "acceptance criteria": Label.EXIT,
    "definition of done": Label.EXIT,
    "success criteria": Label.EXIT,
    "verification": Label.EXIT,
    "verification commands": Label.EXIT,
    "verify": Label.EXIT,
    "validation": Label.EXIT,
    "validation commands": Label.EXIT,
    "validate": Label.EXIT,
    "type": Label.TYPE,
    "sprint type": Label.TYPE,
    "task type": Label.TYPE,
    "fails if": Label.FAILS_IF,
    "directory": Label.DIRECTORY,
    "work unit": Label.UNIT,
    "unit": Label.UNIT,
}
TYPES = tuple(type_.value for type_ in SprintType)
_BOLD_LABEL = re.compile(r"^\*\*([^*:]{1,60}):?\*\*(?:\s*\([^()]{0,60}\))?\s*(:?)\s*(.*)$")
_PARENTHESIS = re.compile(r"\([^()]*\)")
_NOT_LETTERS = re.compile(r"[^a-z]+")
_EXIT_CODE = re.compile(
    r"\bexit(?:s|ed)?(?: with)?(?: (?:code|status))? (\d{1,3})\b", re.IGNORECASE
)
_CONTAINS = re.compile(r"\boutput contains [\"“'](.{1,200}?)[\"”']", re.IGNORECASE)
_NOTHING = re.compile(r"^(?:none|n/a|[-—–]+)(?:\s*[-—–(:,.].*)?$", re.IGNORECASE)


def sprint_heading(text: str) -> SprintHeading | None:
    """`Sprint 3: Name` and its kin; a mere mention such as `Sprint Summary` is none."""
    found = _SPRINT.match(text.replace("*", "").strip())
    if found is None:
        return None
    name = (found["name"] or found["remark"] or "").strip()
    return SprintHeading(found["id"], name or f"Sprint {found['id']}")


def heading_label(text: str) -> Label | None:
    words = _words(text)
    if label := LABELS.get(words):
        return label
    tail = " ".join(words.rsplit(" ", 2)[-2:])
    return LABELS.get(tail) if tail.endswith(" criteria") else None


@dataclass(frozen=True, slots=True)
class SprintReading:
    plan: SprintPlan
    unit: str
    directory: str
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class _Draft:
    """What has been read of a sprint so far."""

    label: Label = Label.OTHER
    criteria: Label | None = None
    entry: list[Criterion] = field(default_factory=list)
    exit: list[Criterion] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    type: SprintType = SprintType.CODE
    fails_if: DeclaredFailure | None = None
    directory: str = ""
    unit: str = ""
    findings: list[Finding] = field(default_factory=list)


def read_sprint(heading: SprintHeading, parts: Sequence[Section], text: str) -> SprintReading:
    """`parts` are the sprint's own section and those below it."""
    assert parts[0].heading is not None
    draft = _Draft()
    for number, part in enumerate(parts):
        if number:
            draft.label = heading_label(part.title) or Label.OTHER
        for block in part.blocks:
            _read_block(draft, block)
    plan = SprintPlan(
        heading.id,
        heading.name,
        type=draft.type,
        text=text,
        entry=tuple(draft.entry),
        exit=tuple(draft.exit),
        tasks=tuple(draft.tasks),
        fails_if=draft.fails_if,
        line=parts[0].heading.line,
    )
    if plan.type is SprintType.DEFERRED and not plan.checks:
        told = "A deferred sprint without a command to poll: a person has to accept it."
        draft.findings.append(Finding(plan.line, told))
        plan = replace(plan, type=SprintType.MANUAL)
    return SprintReading(plan, draft.unit, draft.directory, tuple(draft.findings))


def _read_block(draft: _Draft, block: Block) -> None:
    match block:
        case Paragraph():
            _read_paragraph(draft, block)
        case ItemList():
            for item in block.items:
                _read_item(draft, item)
        case Fence():
            _read_fence(draft, block)
        case Table():
            if draft.label in (Label.ENTRY, Label.EXIT):
                told = "A table among the criteria is not read; write them as a list."
                draft.findings.append(Finding(block.line, told))


def _read_paragraph(draft: _Draft, paragraph: Paragraph) -> None:
    """Labels may stand on lines of one paragraph; the lines between them are sentences."""
    sentence: list[str] = []
    begin = paragraph.line
    for number, raw in enumerate(paragraph.lines, start=paragraph.line):
        labelled = _label_line(raw.strip())
        if labelled is None:
            sentence.append(raw.strip())
            continue
        _read_sentence(draft, " ".join(sentence), begin)
        draft.label, rest = labelled
        sentence, begin = [rest], number
    _read_sentence(draft, " ".join(sentence), begin)


def _label_line(line: str) -> tuple[Label, str] | None:
    if found := _BOLD_LABEL.match(line):
        label = LABELS.get(_words(found[1]))
        colon = found[2] or line.startswith(f"**{found[1]}:")
        if label and (colon or not found[3]):
            return label, found[3]
        return (Label.OTHER, "") if colon else None
    label = LABELS.get(_words(line)) if len(line) <= 60 and line.endswith(":") else None
    return (label, "") if label else None


def _read_sentence(draft: _Draft, text: str, line: int) -> None:
    text = text.strip()
    if not text:
        return
    match draft.label:
        case Label.ENTRY | Label.EXIT:
            _read_item(draft, Item(text, line))
        case Label.TYPE:
            _read_type(draft, text, line)
        case Label.FAILS_IF:
            _read_failure(draft, text, line)
        case Label.DIRECTORY:
            draft.directory = draft.directory or text
        case Label.UNIT:
            draft.unit = draft.unit or text
        case Label.TASKS | Label.OTHER:
            pass


def _read_item(draft: _Draft, item: Item) -> None:
    match draft.label:
        case Label.ENTRY | Label.EXIT:
            _read_criterion(draft, draft.label, item)
        case Label.TASKS:
            draft.tasks.append(item.text)
        case Label.OTHER if draft.criteria and has_box(item.text):
            # boxes below a sub-heading of the criteria ("**Build**:") are criteria still
            _read_criterion(draft, draft.criteria, item)
        case _:
            _read_labelled_item(draft, item)


def _read_criterion(draft: _Draft, label: Label, item: Item) -> None:
    if not _NOTHING.match(without_box(item.text)):
        draft.criteria = label
        _add_criteria(draft, label, *item_criteria(item))


def _read_labelled_item(draft: _Draft, item: Item) -> None:
    """`- **Type**: deferred`, or `- **Exit criteria**:` with a list of its own."""
    labelled = _label_line(item.text)
    if labelled is None:
        return
    before = draft.label
    draft.label, rest = labelled
    _read_sentence(draft, rest, item.line)
    if draft.label is not Label.OTHER:
        for child in item.items:
            _read_item(draft, child)
        for fence in item.fences:
            _read_fence(draft, fence)
    draft.label = before


def _read_fence(draft: _Draft, fence: Fence) -> None:
    if draft.label is Label.EXIT:
        criterion, findings = fence_criterion(fence)
        _add_criteria(draft, Label.EXIT, [criterion] if criterion else [], findings)


def _add_criteria(
    draft: _Draft, label: Label, criteria: list[Criterion], findings: list[Finding]
) -> None:
    (draft.exit if label is Label.EXIT else draft.entry).extend(criteria)
    draft.findings.extend(findings)


def _read_type(draft: _Draft, text: str, line: int) -> None:
    word = _words(text).partition(" ")[0]
    if word in TYPES:
        draft.type = SprintType(word)
        return
    known = ", ".join(TYPES)
    draft.findings.append(Finding(line, f"'{text[:40]}' is no type of sprint. Known: {known}."))


def _read_failure(draft: _Draft, text: str, line: int) -> None:
    plain = text.replace("`", "")
    code, contains = _EXIT_CODE.search(plain), _CONTAINS.search(plain)
    if code is None and contains is None:
        told = 'Not understood; write: exit 3, or: output contains "text".'
        draft.findings.append(Finding(line, f"Fails if: {told}"))
        return
    draft.fails_if = DeclaredFailure(
        int(code[1]) if code else None, contains[1] if contains else ""
    )


def _words(text: str) -> str:
    return _NOT_LETTERS.sub(" ", _PARENTHESIS.sub(" ", text.lower())).strip()
