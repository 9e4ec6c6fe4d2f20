"""Parse the documents that checks read: specifications in Markdown, plans in JSON.

Parsing is linear in the text; fences and comments are skipped, because they are only examples.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from topkick.team.bus.model import NotJson, data_of
from topkick.team.session import MOST_ENTRIES, parsed
from topkick.text.escape import one_line
from topkick.text.markdown import cells, heading, is_table_rule, unfenced

MOST_LINES = 20_000
MOST_ITEMS = 300
LONGEST_LINE = 2_000
LONGEST_ITEM = 4_000
_BULLET = re.compile(r"([ \t]*)(?:[-*+]|[0-9]{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)")
_NUMBERING = re.compile(r"^[0-9]{1,2}(?:\.[0-9]{1,2}){0,3}[.)]?[ \t]+")
_NAMED = re.compile(r"[A-Z]{1,6}(?:-[A-Z]{1,4})?-?[0-9]{1,4}\b")
_DONE = re.compile(r"[ \t]*[-*+][ \t]+(?:\[[xX]\]|~~)")


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """A heading and the lines up to the next one, whatever its level."""

    level: int
    title: str
    line: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentItem:
    """A bullet, a row or a heading with its content; `name` is its first part."""

    path: str
    line: int
    name: str
    text: str

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}"

    @property
    def told(self) -> str:
        return one_line(f"{self.where} {self.text}", 160)


@lru_cache(maxsize=64)
def outline(text: str) -> tuple[DocumentSection, ...]:
    """Split the text into sections; lines before the first heading are a section without title."""
    found: list[DocumentSection] = []
    level, title, first = 0, "", 1
    lines: list[str] = []
    for number, line in enumerate(_prose(text), start=1):
        read = heading(line)
        if read is None:
            lines.append(line)
            continue
        found.append(DocumentSection(level, title, first, tuple(lines)))
        level, title, first = read.level, _title(read.title), number
        lines = []
    return (*found, DocumentSection(level, title, first, tuple(lines)))


def _title(text: str) -> str:
    """Return a heading without numbering such as `3.1`."""
    return _NUMBERING.sub("", bare(text.rstrip("# ")))


def bare(text: str) -> str:
    """Return the text without emphasis."""
    return text.replace("**", "").replace("`", "").strip()


def below(
    text: str, title: re.Pattern[str], unless: re.Pattern[str] | None = None
) -> list[DocumentSection]:
    """Return the sections with such a title, and all sections below them."""
    found: list[DocumentSection] = []
    level = 0
    for section in outline(text):
        if level and section.level > level:
            if unless is None or not unless.search(section.title):
                found.append(section)
            continue
        fits = title.search(section.title) and not (unless and unless.search(section.title))
        level = section.level if fits and section.level else 0
        found += (section,) if level else ()
    return found


def items(path: str, sections: Iterable[DocumentSection]) -> list[DocumentItem]:
    """Return each bullet and row; a subsection whose title begins with an id is one item."""
    found: list[DocumentItem] = []
    for number, section in enumerate(sections):
        if number and _NAMED.match(section.title):
            text = " ".join((section.title, *section.lines))
            found.append(_item(path, section.line, section.title, text))
        else:
            found += rows_and_bullets(path, section)
        if len(found) >= MOST_ITEMS:
            break
    return found[:MOST_ITEMS]


def rows_and_bullets(path: str, section: DocumentSection) -> Iterator[DocumentItem]:
    """Yield bullets and rows; indented lines belong to their bullet, and a ticked bullet is
    done.
    """
    current: list[str] = []
    start, indent = 0, 0
    for number, line in enumerate((*section.lines, "- "), start=section.line + 1):
        bullet = _BULLET.match(line) if not line.lstrip().startswith("|") else None
        deeper = bullet is not None and current and len(bullet[1]) > indent
        if current and (deeper or (bullet is None and line[:1] in " \t" and line.strip())):
            current.append(bullet[2] if bullet else line.strip())
            continue
        if current:
            yield _item(path, start, _first_part(current[0]), " ".join(current))
            current = []
        if bullet is not None and bullet[2] and not _DONE.match(line):
            current, start, indent = [bullet[2]], number, len(bullet[1])
    yield from _rows(path, section)


def _rows(path: str, section: DocumentSection) -> Iterator[DocumentItem]:
    lines = section.lines
    for at, line in enumerate(lines):
        is_row = line.lstrip().startswith("|") and not is_table_rule(line)
        heads = at + 1 < len(lines) and is_table_rule(lines[at + 1])
        row = [bare(cell) for cell in cells(line)] if is_row else []
        if not heads and any(row):
            name = next(cell for cell in row if cell)
            yield _item(path, section.line + 1 + at, name, " | ".join(row))


def _item(path: str, line: int, name: str, text: str) -> DocumentItem:
    return DocumentItem(path, line, name[:LONGEST_LINE], bare(text[:LONGEST_ITEM]))


def _first_part(text: str) -> str:
    """Return `Auth` for `**Auth**: checks who it is` and for `Auth - checks who it is`."""
    if text.startswith("**") and "**" in text[2:]:
        return bare(text[2:].partition("**")[0]).rstrip(":")
    return bare(re.split(r":[ \t]|[ \t](?:-|–|—)[ \t]", text, maxsplit=1)[0]).rstrip(":")


def _prose(text: str) -> Iterator[str]:
    """Yield each line without the text inside code fences and HTML comments."""
    remark = False
    for line in unfenced(text.split("\n")[:MOST_LINES]):
        shown, remark = _shown(line[:LONGEST_LINE].rstrip("\r"), remark)
        yield shown


def _shown(line: str, remark: bool) -> tuple[str, bool]:
    """Return a line without its comments, and whether a comment is still open."""
    kept: list[str] = []
    while line:
        mark = "-->" if remark else "<!--"
        before, found, line = line.partition(mark)
        kept += () if remark else (before,)
        remark = remark != bool(found)
    return "".join(kept), remark


# --- `plan/plan.json` and `plan/TASK-*.json` ---------------------------------------------------


_NEEDS = ("depends_on", "dependencies", "blocked_by", "blockedBy", "needs")
_METHODS = ("recommended_execution", "execution_method", "execution", "method")
_TASK_FILE = re.compile(r"(?:.*/)?TASK-[^/]*\.json")


@dataclass(frozen=True, slots=True)
class PlanTask:
    """A task; `text` is all of it, in which requirements may be cited; `module` is its subject."""

    id: str
    needs: tuple[str, ...]
    module: str
    text: str
    where: str


@dataclass(frozen=True, slots=True)
class TeamPlan:
    """The plan; `listed` are the ids that it names, `filed` those with a file of their own."""

    readable: bool = False
    complexity: str = ""
    method: str = ""
    modules: int = 0
    tasks: tuple[PlanTask, ...] = ()
    listed: frozenset[str] = frozenset()
    filed: frozenset[str] = frozenset()
    broken: tuple[str, ...] = ()
    text: str = ""


def read_plan(documents: Mapping[str, str]) -> TeamPlan:
    """Parse the plan; of two records of one task, the one in its own file counts."""
    whole: Mapping[str, object] = {}
    tasks: dict[str, PlanTask] = {}
    filed: set[str] = set()
    broken: list[str] = []
    for path, text in sorted(
        documents.items(), key=lambda each: bool(_TASK_FILE.fullmatch(each[0]))
    ):
        found = parsed(text)
        if not isinstance(found, Mapping):
            broken.append(path)
        elif _TASK_FILE.fullmatch(path):
            task = _task(found, path)
            tasks[task.id] = task
            filed.add(task.id)
        else:
            whole = {**whole, **found}
            tasks.update((task.id, task) for task in _inside(found, path))
    named = _names(whole.get("task_ids"))
    kept = tuple(list(tasks.values())[:MOST_ENTRIES])
    return TeamPlan(
        readable=bool(whole),
        complexity=_word(whole, "complexity"),
        method=next((word for key in _METHODS if (word := _word(whole, key))), ""),
        modules=_modules(whole, kept),
        tasks=kept,
        listed=frozenset(named) | {task.id for task in _inside(whole, "")},
        filed=frozenset(filed),
        broken=tuple(broken),
        text="\n".join(documents.values()),
    )


def _inside(found: Mapping[str, object], path: str) -> Iterator[PlanTask]:
    tasks = found.get("tasks")
    entries = list(tasks.values()) if isinstance(tasks, Mapping) else tasks
    if isinstance(entries, list):
        for entry in entries[:MOST_ENTRIES]:
            if isinstance(entry, Mapping) and _name(entry):
                yield _task(entry, path)


def _task(found: Mapping[str, object], path: str) -> PlanTask:
    needs = next((_names(found[key]) for key in _NEEDS if key in found), ())
    module = next((word for key in ("module", "scope", "area") if (word := _word(found, key))), "")
    file_name = path.rpartition("/")[2].removesuffix(".json")
    return PlanTask(_name(found) or file_name, needs, module, _whole(found), path)


def _whole(found: Mapping[str, object]) -> str:
    try:
        return data_of(found)
    except NotJson:  # too deeply nested to encode
        return ""


def _name(found: Mapping[str, object]) -> str:
    name = found.get("id", found.get("task_id"))
    return name.strip()[:200] if isinstance(name, str) else ""


def _names(found: object) -> tuple[str, ...]:
    """Return ids, bare or each in an object."""
    entries = found if isinstance(found, list) else []
    names = (_name(each) if isinstance(each, Mapping) else each for each in entries[:MOST_ENTRIES])
    return tuple(name.strip()[:200] for name in names if isinstance(name, str) and name.strip())


def _word(found: Mapping[str, object], key: str) -> str:
    value = found.get(key)
    return value.strip().casefold()[:200] if isinstance(value, str) else ""


def _modules(whole: Mapping[str, object], tasks: tuple[PlanTask, ...]) -> int:
    said = whole.get("modules", whole.get("module_count"))
    if isinstance(said, int) and not isinstance(said, bool):
        return max(0, min(said, MOST_ENTRIES))
    if isinstance(said, list | Mapping):
        return len(said)
    return len({task.module for task in tasks if task.module})
