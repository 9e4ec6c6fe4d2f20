"""Parse a role spec: front matter, a heading per checkpoint, and tables of checks below it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from topkick.team.judge.checklist import (
    ARTIFACTS,
    Artifact,
    CheckKind,
    Checkpoint,
    CheckSeverity,
    JudgeCheck,
    Problem,
    RoleSpec,
)
from topkick.team.judge.checks import BUILTIN
from topkick.team.judge.findings import Group
from topkick.team.judge.material import SCOPE
from topkick.text.task_file import TaskFile, TaskTable, read_table, span

LONGEST_CHARS = 200_000
MOST_CHECKS = 200
COLUMNS = "| Check | Kind | What | Group | Severity |"
_CHECKPOINT = re.compile(r"(CHECKPOINT-[0-9]{3,6})\b[ \t]*[:—–-]?[ \t]*(.*)", re.IGNORECASE)
_ALL = re.compile(r"all(?: checkpoints)?|every checkpoint", re.IGNORECASE)
_GROUPS = {
    "consistency": Group.CONSISTENCY,
    "process": Group.PROCESS,
    "process compliance": Group.PROCESS,
    "health": Group.HEALTH,
    "execution health": Group.HEALTH,
}
_DEFAULT_GROUP = {CheckKind.SHELL: Group.PROCESS, CheckKind.AGENT: Group.CONSISTENCY}


@dataclass(slots=True)
class _Reading:
    """The result of parsing so far."""

    checkpoints: list[Checkpoint] = field(default_factory=list)
    common: list[JudgeCheck] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def wrong(self, line: int, message: str) -> None:
        self.problems.append(Problem(line, message))


def read_role_spec(text: str) -> RoleSpec:
    """Parse a role spec; mistakes are in `problems`, next to what could be parsed."""
    text = text[:LONGEST_CHARS].replace("\r\n", "\n")
    file = TaskFile.read(text)
    found = _Reading()
    for line, title, body in _sections(file):
        _read_section(found, line, title, body)
    if not found.checkpoints:
        found.wrong(1, f"no checkpoint. Write `## CHECKPOINT-001: Title`, below it {COLUMNS}")
    role, prefix = file.get("role") or "supervisor", file.get("prefix") or "CHECKPOINT"
    if prefix != "CHECKPOINT":
        found.wrong(1, f"prefix is {prefix}; the supervisor judges only CHECKPOINT tasks")
    return RoleSpec(
        role,
        prefix,
        tuple(found.checkpoints),
        tuple(found.common),
        tuple(found.artifacts) or ARTIFACTS,
        tuple(sorted(found.problems, key=lambda problem: problem.line)),
    )


def _sections(file: TaskFile) -> Iterator[tuple[int, str, str]]:
    """Yield line, title and body of each second-level heading."""
    tops = [heading for heading in file.headings() if heading.level <= 2]
    ends = [*(heading.start for heading in tops[1:]), len(file.text)]
    line, at = 1, 0
    for heading, end in zip(tops, ends, strict=False):
        line += file.text.count("\n", at, heading.start)
        at = heading.start
        yield line, heading.title.strip("` "), file.text[heading.end : end]


def _read_section(found: _Reading, line: int, title: str, body: str) -> None:
    named = _CHECKPOINT.match(title)
    if named is not None:
        checks = tuple(_checks(found, line, title, body))
        checkpoint = Checkpoint(named[1].upper(), named[2].strip(), checks)
        if any(each.id == checkpoint.id for each in found.checkpoints):
            found.wrong(line, f"{checkpoint.id} appears twice; put its checks into one table")
        found.checkpoints.append(checkpoint)
    elif _ALL.fullmatch(title):
        found.common += _checks(found, line, title, body)
    elif title.casefold() == "artifacts":
        found.artifacts += _artifacts(found, line, body)


def _tables(line: int, body: str) -> Iterator[tuple[int, TaskTable]]:
    """Yield each table below a heading, with the line of its first row."""
    lines = body.split("\n")
    place = span(lines)
    while place is not None:
        yield line + place[0] + 3, read_table("\n".join(lines[place[0] : place[1]]))
        line, lines = line + place[1], lines[place[1] :]
        place = span(lines)


# --- checks ----------------------------------------------------------------------------------


def _checks(found: _Reading, line: int, title: str, body: str) -> Iterator[JudgeCheck]:
    seen: set[str] = set()
    tables = [each for each in _tables(line, body) if _has(each[1], "check", "kind")]
    if not any(table.rows for _, table in tables):
        found.wrong(line, f"{title} has no table of checks; write {COLUMNS}")
    for first, table in tables:
        for number, row in enumerate(table.rows[:MOST_CHECKS], start=first):
            made = _check(table.cells(row, "check", "kind", "what", "group", "severity"))
            if isinstance(made, str):
                found.wrong(number, made)
            elif made.name in seen:
                found.wrong(number, f"{made.name} appears twice; give each check its own name")
            else:
                seen.add(made.name)
                yield replace(made, line=number)


def _has(table: TaskTable, *names: str) -> bool:
    return set(names) <= {name.casefold() for name in table.header}


def _check(cells: Sequence[str]) -> JudgeCheck | str:
    """Return the check, or what is wrong with its row."""
    name, kind_word, what, group_word, severity_word = (cell.strip("` ") for cell in cells)
    kind_word = kind_word.casefold().rstrip(":") or CheckKind.BUILTIN
    if kind_word not in set(CheckKind):
        return f"the kind of a check is builtin, shell or agent, not {kind_word!r}"
    if group_word and group_word.casefold() not in _GROUPS:
        return f"the group of a check is consistency, process or health, not {group_word!r}"
    if (severity_word.casefold() or CheckSeverity.NORMAL) not in set(CheckSeverity):
        return f"the severity of a check is critical, normal or style, not {severity_word!r}"
    kind = CheckKind(kind_word)
    severity = CheckSeverity(severity_word.casefold() or CheckSeverity.NORMAL)
    group = _GROUPS.get(group_word.casefold())
    if kind is CheckKind.BUILTIN:
        return _builtin(name, what, group, severity)
    if not what:
        needs = "a command" if kind is CheckKind.SHELL else "a question"
        return f"{name or 'the check'} is empty; write {needs} under What"
    if not name:
        return "a check has no name; write one under Check"
    reads = (SCOPE,) if kind is CheckKind.AGENT else ()
    return JudgeCheck(name, kind, what, group or _DEFAULT_GROUP[kind], severity, reads)


def _builtin(
    name: str, what: str, group: Group | None, severity: CheckSeverity
) -> JudgeCheck | str:
    """Return the built-in check, named by its own name or under What."""
    wanted = what or name
    known = BUILTIN.get(wanted)
    if known is None:
        return f"there is no built-in check {wanted!r}; there are: {', '.join(sorted(BUILTIN))}"
    return JudgeCheck(
        name or wanted, CheckKind.BUILTIN, wanted, group or known.group, severity, known.reads
    )


# --- artifacts -------------------------------------------------------------------------------


def _artifacts(found: _Reading, line: int, body: str) -> Iterator[Artifact]:
    for first, table in _tables(line, body):
        for number, row in enumerate(table.rows[:MOST_CHECKS], start=first):
            task, kind, path = (
                cell.strip("` ") for cell in table.cells(row, "task", "kind", "path")
            )
            places = tuple(part.strip("` ") for part in path.split(",") if part.strip("` "))
            if not task or not places:
                found.wrong(number, "an artifact needs a task and a path: | Task | Kind | Path |")
            elif any(place.startswith("/") or ".." in place.split("/") for place in places):
                found.wrong(
                    number, f"{path} is outside of the session directory; write a path below it"
                )
            else:
                yield Artifact(task, kind.casefold(), places)
