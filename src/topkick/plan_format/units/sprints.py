"""Read one sprint of a plan: its labelled parts and criteria."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from topkick.plan_format.criteria.criteria import (
    fence_criterion,
    has_box,
    is_ticked,
    item_criteria,
    needs_nothing,
    nested_checks,
    says_none,
    script_lines,
    without_box,
)
from topkick.plan_format.criteria.outcomes import shows
from topkick.plan_format.model import (
    Criterion,
    DeclaredFailure,
    PlanFinding,
    SprintPlan,
    SprintType,
)
from topkick.plan_format.structure import (
    Block,
    Fence,
    ItemList,
    ListItem,
    Paragraph,
    Quote,
    Section,
    Table,
)
from topkick.plan_format.units.headings import (
    Label,
    WorkHeading,
    label_line,
    label_of,
    numbered_heading,
    sprint_heading,
    work_heading,
)
from topkick.plan_format.units.kinds import kind_of

TYPES = tuple(type_.value for type_ in SprintType)
_EXIT_CODE = re.compile(
    r"\bexit(?:s|ed)?(?: with)?(?: (?:code|status))? (\d{1,3})\b", re.IGNORECASE
)
_CONTAINS = re.compile(r"\boutput contains [\"“'](.{1,200}?)[\"”']", re.IGNORECASE)
_TASK_LINE = re.compile(
    r"^\*\*(?:(?:task|tarefa|tarea|aufgabe|story|step)\s+)?\d{1,3}\.\d{1,3}[a-z]?(?:\s*[:—–.-]|\s|\*)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![A-Za-z\d.])\d+(?:\.\d+)?")
_CODED = re.compile(r"^\W*[A-Z]{1,5}\d{0,3}-?\d{1,3}(?:[.-]\d{1,3})*\s*[:：—–-]\s*\S")
_CHECKING = re.compile(r"\b(?:verification|verify|validation|validate)\b", re.IGNORECASE)
EXPECTED_LINES = 20


@dataclass(frozen=True, slots=True)
class Remark:
    """A statement about what a sprint waits for, perhaps in an entry criterion."""

    text: str
    line: int
    is_entry: bool = False


@dataclass(frozen=True, slots=True)
class SprintReading:
    """A sprint; `listed` are exit criteria in lists, `scripts` are the fenced checks.

    `first` and `behind` are its lines, if it has a heading of its own; `free` means that it says it
    waits for nothing.
    """

    plan: SprintPlan
    unit: str = ""
    directory: str = ""
    depends: tuple[Remark, ...] = ()
    findings: tuple[PlanFinding, ...] = ()
    listed: tuple[Criterion, ...] = ()
    scripts: tuple[str, ...] = ()
    priority: float | None = None
    turns: int | None = None
    ticked: int = 0
    boxes: int = 0
    delivered: bool = False  # its deliverables replace exit criteria
    free: bool = False
    first: int = 0
    behind: int = 0


@dataclass(slots=True)
class _Draft:
    """The sprint as far as it was read."""

    root: str = ""
    label: Label = Label.OTHER
    criteria: Label | None = None
    entry: list[Criterion] = field(default_factory=list)
    exit: list[Criterion] = field(default_factory=list)
    listed: list[Criterion] = field(default_factory=list)
    delivered: list[Criterion] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    headed: list[str] = field(default_factory=list)
    titled: list[str] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)
    depends: list[Remark] = field(default_factory=list)
    type: SprintType | None = None
    fails_if: DeclaredFailure | None = None
    directory: str = ""
    unit: str = ""
    priority: float | None = None
    turns: int | None = None
    ticked: int = 0
    boxes: int = 0
    free: bool = False
    findings: list[PlanFinding] = field(default_factory=list)

    def begin(self, label: Label) -> None:
        """Begin a label; only another label ends the criteria, a sub-heading does not."""
        self.label = label
        if label not in (Label.ENTRY, Label.EXIT, Label.OTHER):
            self.criteria = None


def read_sprint(
    heading: WorkHeading, parts: Sequence[Section], text: str, root: str = ""
) -> SprintReading:
    """Read a sprint; `parts` are its own section and those below it."""
    assert parts[0].heading is not None
    draft = _Draft(root)
    checking = _CHECKING.search(heading.name) is not None
    for number, part in enumerate(parts):
        draft.begin((label_of(part.title) or Label.OTHER) if number else Label.OTHER)
        if number and draft.label is Label.OTHER:
            _read_heading(draft, part)
        for block in part.blocks:
            _read_block(draft, block, checking=checking)
    return _finished(draft, heading, text, parts[0].heading.line)


def _finished(draft: _Draft, heading: WorkHeading, text: str, line: int) -> SprintReading:
    tasks = draft.titled or draft.headed or draft.tasks or draft.loose
    kind = draft.type or kind_of(heading.name, tasks)
    plan = SprintPlan(
        heading.id,
        heading.name,
        type=kind,
        text=text,
        entry=tuple(draft.entry),
        exit=tuple(draft.exit) or tuple(draft.delivered),
        tasks=tuple(tasks),
        fails_if=draft.fails_if,
        line=line,
    )
    if plan.type is SprintType.DEFERRED and not plan.checks:
        told = "This deferred sprint has no command to poll, so a person has to accept it."
        draft.findings.append(PlanFinding(plan.line, told))
        plan = replace(plan, type=SprintType.MANUAL)
    return SprintReading(
        plan,
        draft.unit,
        draft.directory,
        tuple(draft.depends),
        tuple(draft.findings),
        tuple(draft.listed) if draft.exit else tuple(draft.delivered),
        tuple(draft.scripts),
        draft.priority,
        draft.turns,
        draft.ticked,
        draft.boxes,
        not draft.exit,
        draft.free,
    )


def with_criteria(reading: SprintReading, parts: Sequence[Section], root: str) -> SprintReading:
    """Add the criteria of a section that is elsewhere ("Sprint 1 Success")."""
    draft = _Draft(root, label=Label.EXIT, criteria=Label.EXIT)
    for number, part in enumerate(parts):
        if number:
            draft.label = label_of(part.title) or Label.EXIT
        for block in part.blocks:
            _read_block(draft, block)
    given, listed = ((), ()) if reading.delivered else (reading.plan.exit, reading.listed)
    found, named = (draft.exit, draft.listed) if draft.exit else (draft.delivered, draft.delivered)
    return replace(
        reading,
        plan=replace(reading.plan, exit=(*given, *found)),
        findings=(*reading.findings, *draft.findings),
        listed=(*listed, *named),
        scripts=(*reading.scripts, *draft.scripts),
        delivered=False,
    )


def _read_heading(draft: _Draft, part: Section) -> None:
    """Take a heading below the sprint as a task if it has a number or says Task."""
    named = numbered_heading(part.title) or work_heading(part.title) or sprint_heading(part.title)
    if named or _CODED.match(part.title):
        draft.headed.append(part.title)


def _read_block(draft: _Draft, block: Block, *, checking: bool = False) -> None:
    match block:
        case Paragraph():
            _read_lines(draft, block.lines, block.line)
        case Quote():
            before = draft.label
            draft.label = Label.OTHER
            _read_lines(draft, block.lines, block.line)
            draft.label = before
        case ItemList():
            for item in block.items:
                _read_item(draft, item)
        case Fence():
            _read_fence(draft, block, checking=checking)
        case Table():
            if draft.label in (Label.ENTRY, Label.EXIT):
                told = "topkick does not read criteria from a table; write them as a list."
                draft.findings.append(PlanFinding(block.line, told))


def _read_lines(draft: _Draft, lines: Sequence[str], first: int) -> None:
    """Read lines; labels may be on lines of one paragraph, other lines are sentences."""
    sentence: list[str] = []
    begin = first
    for number, raw in enumerate(lines, start=first):
        line = raw.strip()
        if _TASK_LINE.match(line):
            draft.titled.append(line.replace("*", ""))
            draft.begin(Label.TASKS)
            continue
        labelled = label_line(line)
        if labelled is None:
            sentence.append(line)
            continue
        _read_sentence(draft, " ".join(sentence), begin)
        label, rest = labelled
        draft.begin(label)
        sentence, begin = [rest], number
    _read_sentence(draft, " ".join(sentence), begin)


def _read_sentence(draft: _Draft, text: str, line: int) -> None:
    text = text.strip()
    if not text:
        return
    match draft.label:
        case Label.ENTRY | Label.EXIT if not text.endswith((":", "：")):
            _read_item(draft, ListItem(text, line))
        case Label.EXPECTED:
            _expect(draft, [text.strip('`"“”')], line)
        case Label.DEPENDS:
            draft.free = draft.free or needs_nothing(text)
            draft.depends.append(Remark(text, line))
        case Label.TYPE:
            _read_type(draft, text, line)
        case Label.FAILS_IF:
            _read_failure(draft, text, line)
        case Label.DIRECTORY:
            draft.directory = draft.directory or text
        case Label.UNIT:
            draft.unit = draft.unit or text
        case Label.PRIORITY | Label.TURNS:
            _read_number(draft, text)
        case _:
            pass


def _read_number(draft: _Draft, text: str) -> None:
    found = _NUMBER.search(text)
    if found is None:
        return
    if draft.label is Label.PRIORITY and draft.priority is None:
        draft.priority = float(found[0])
    elif draft.label is Label.TURNS and draft.turns is None:
        draft.turns = int(float(found[0]))


def _read_item(draft: _Draft, item: ListItem) -> None:
    _count_boxes(draft, item)
    match draft.label:
        case Label.ENTRY | Label.EXIT:
            _read_criterion(draft, draft.label, item)
        case Label.DELIVERABLES:
            _deliver(draft, item)
        case Label.TASKS:
            draft.tasks.append(item.text)
        case Label.DEPENDS:
            draft.depends.append(Remark(item.text, item.line))
        case Label.OTHER if draft.criteria and has_box(item.text):
            # boxes below a sub-heading of the criteria ("**Build**:") are still criteria
            _read_criterion(draft, draft.criteria, item)
        case _:
            _read_labelled_item(draft, item)


def _count_boxes(draft: _Draft, item: ListItem) -> None:
    if has_box(item.text):
        draft.boxes += 1
        draft.ticked += is_ticked(item.text)


def _read_criterion(draft: _Draft, label: Label, item: ListItem) -> None:
    if label is Label.ENTRY and needs_nothing(item.text):
        draft.free = True
    if says_none(item.text):
        return
    draft.criteria = label
    criteria, findings = item_criteria(item, draft.root)
    if label is Label.EXIT:
        draft.listed.append(criteria[0])
        draft.exit.extend([*criteria, *nested_checks(item.items, draft.root)])
    else:
        draft.entry.extend(criteria)
        draft.depends.append(Remark(item.text, item.line, is_entry=True))
    draft.findings.extend(findings)


def _deliver(draft: _Draft, item: ListItem) -> None:
    criteria, findings = item_criteria(item, draft.root)
    draft.delivered.extend(criteria)
    draft.findings.extend(findings)


def _read_labelled_item(draft: _Draft, item: ListItem) -> None:
    """Read `- **Type**: deferred`, or `- **Exit criteria**:` with its own list."""
    labelled = label_line(item.text)
    if labelled is None or labelled[0] is Label.OTHER:
        draft.loose.append(without_box(item.text))
        return
    before = draft.label
    draft.label, rest = labelled
    _read_sentence(draft, rest, item.line)
    for child in item.items:
        _read_item(draft, child)
    for fence in item.fences:
        _read_fence(draft, fence)
    draft.label = before


def _read_fence(draft: _Draft, fence: Fence, *, checking: bool = False) -> None:
    if draft.label is Label.EXPECTED:
        _expect(draft, [line for line in fence.content.split("\n") if line.strip()], fence.line)
        return
    if draft.label is not Label.EXIT and not (checking and draft.label is Label.OTHER):
        return
    criterion, findings = fence_criterion(fence, draft.root)
    draft.findings.extend(findings)
    if criterion is not None:
        draft.exit.append(criterion)
        code = script_lines(fence)
        draft.scripts.extend(line for line in code if not line.lstrip().startswith("#"))


def _expect(draft: _Draft, lines: list[str], line: int) -> None:
    """Add the expected output to the check above, then restore the label."""
    draft.label = Label.EXIT
    if not draft.exit or draft.exit[-1].command is None or not 0 < len(lines) <= EXPECTED_LINES:
        if draft.exit:
            told = "topkick cannot check this expected output: there is no check above it."
            draft.findings.append(PlanFinding(line, told))
        return
    last = draft.exit[-1]
    assert last.command is not None
    wanted = [text.strip() for text in lines]
    check = shows(last.command, wanted)
    draft.exit[-1] = replace(last, command=check.command, expects=check.expects)


def _read_type(draft: _Draft, text: str, line: int) -> None:
    word = next(iter(re.findall(r"[a-z]+", text.lower())), "")
    if word in TYPES:
        draft.type = SprintType(word)
        return
    known = ", ".join(TYPES)
    draft.findings.append(
        PlanFinding(line, f"'{text[:40]}' is not a type of sprint. Known: {known}.")
    )


def _read_failure(draft: _Draft, text: str, line: int) -> None:
    plain = text.replace("`", "")
    code, contains = _EXIT_CODE.search(plain), _CONTAINS.search(plain)
    if code is None and contains is None:
        told = 'topkick does not understand this; write: exit 3, or: output contains "text".'
        draft.findings.append(PlanFinding(line, f"Fails if: {told}"))
        return
    draft.fails_if = DeclaredFailure(
        int(code[1]) if code else None, contains[1] if contains else ""
    )
