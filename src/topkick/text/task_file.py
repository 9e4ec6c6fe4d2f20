"""Markdown task files that people and agents edit too: read tolerantly, changed line by line.

Front matter, sections and tables are edited so that all other lines stay unchanged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from topkick.text import yaml
from topkick.text.markdown import cells, fenced, heading, is_table_rule

MOST_MATTER_LINES = 1000
MOST_LINES_BEFORE = 20
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class TaskHeading:
    """A heading: its line begins at `start`, its content at `end`."""

    level: int
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Entry:
    """A key of the front matter and its lines."""

    key: str
    first: int
    after: int


@dataclass(frozen=True, slots=True)
class TaskFile:
    """A task file; `text` is unchanged input, `_matter` are the lines between its fences."""

    text: str
    _matter: tuple[int, int] | None = None

    @classmethod
    def read(cls, text: str) -> "TaskFile":
        return cls(text, _find_matter(text.split("\n")))

    # --- front matter ----------------------------------------------------------------------

    @property
    def has_matter(self) -> bool:
        return self._matter is not None

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entry.key for entry in self._entries()))

    def get(self, key: str) -> str | None:
        """Return the value of the last line with that key, which was added last."""
        entry = self._entry(key)
        if entry is None:
            return None
        lines = self.text.split("\n")
        raw = _behind_colon(lines[entry.first])
        if raw.strip()[:1] in {"|", ">"}:
            more = [line.strip() for line in lines[entry.first + 1 : entry.after]]
            return "\n".join(more).strip() or None
        return yaml.scalar(raw)

    def items(self, key: str) -> tuple[str, ...]:
        """Return a list in either form; a single value is a list of one."""
        entry = self._entry(key)
        if entry is None:
            return ()
        lines = self.text.split("\n")[entry.first : entry.after]
        raw = _behind_colon(lines[0])
        if raw.strip().startswith("["):
            return yaml.inline_items(" ".join([raw, *lines[1:]])) or ()
        if (one := yaml.scalar(raw)) is not None:
            return (one,)
        dashed = [line.strip()[1:] for line in lines[1:] if line.strip().startswith("-")]
        found = [yaml.scalar(item) for item in dashed[: yaml.MOST_ITEMS]]
        return tuple(item for item in found if item is not None)

    def with_value(self, key: str, value: str | None) -> "TaskFile":
        return self if self._is(key, value) else self._put(key, yaml.written(value))

    def with_items(self, key: str, items: tuple[str, ...]) -> "TaskFile":
        if self._entry(key) is not None and self.items(key) == items:
            return self
        return self._put(key, yaml.written_items(items))

    def _is(self, key: str, value: str | None) -> bool:
        return self._entry(key) is not None and self.get(key) == value

    def _put(self, key: str, written: str) -> "TaskFile":
        lines = self.text.split("\n")
        end = "\r" if lines[0].endswith("\r") else ""
        line = f"{key}: {written}{end}"
        if self._matter is None:
            fence = f"---{end}"
            return TaskFile.read("\n".join([fence, line, fence, *lines]))
        entry = self._entry(key)
        first, after = (entry.first, entry.after) if entry else (self._matter[1], self._matter[1])
        return TaskFile.read("\n".join([*lines[:first], line, *lines[after:]]))

    def _entry(self, key: str) -> _Entry | None:
        return next((entry for entry in reversed(self._entries()) if entry.key == key), None)

    def _entries(self) -> tuple[_Entry, ...]:
        if self._matter is None:
            return ()
        first, after = self._matter
        lines = self.text.split("\n")
        starts = [n for n in range(first, after) if yaml.key_of(lines[n]) is not None]
        ends = [*starts[1:], after][: len(starts)]
        return tuple(
            _Entry(yaml.key_of(lines[at]) or "", at, _last_of(lines, at, end))
            for at, end in zip(starts, ends, strict=True)
        )

    # --- sections --------------------------------------------------------------------------

    @property
    def body(self) -> str:
        """The text without the front matter."""
        if self._matter is None:
            return self.text
        lines = self.text.split("\n")
        return "\n".join([*lines[: self._matter[0] - 1], *lines[self._matter[1] + 1 :]])

    @property
    def title(self) -> str:
        first = next((h.title for h in self.headings() if h.level == 1), "")
        return self.get("title") or first

    def headings(self) -> tuple[TaskHeading, ...]:
        """Return the headings outside fences and front matter."""
        return _headings(self.text, self._matter)

    def section(self, title: str) -> str | None:
        """Return the text below the first heading of that title, up to the next one of its
        level.
        """
        span = self._span(title)
        return None if span is None else self.text[span[0] : span[1]]

    def with_section(self, title: str, body: str, level: int = 2) -> "TaskFile":
        """Return the file with another text below that heading, which is added at the end if
        missing.
        """
        span = self._span(title)
        if span is not None and self.text[span[0] : span[1]] == body:
            return self
        body = self._in_its_lines(body)
        if span is None:
            heading = self._in_its_lines(f"{'#' * level} {title}\n")
            return TaskFile.read(self.text + self._gap() + heading + body)
        head = self.text[: span[0]]
        head += "" if head.endswith("\n") else self._in_its_lines("\n")
        return TaskFile.read(head + body + self.text[span[1] :])

    def appended_to(self, title: str, text: str, level: int = 2) -> "TaskFile":
        """Return the file with lines added at the end of a section, before its trailing blank
        lines.
        """
        body = self.section(title)
        if body is None:
            return self.with_section(title, f"\n{text.strip()}\n", level)
        kept = body.rstrip()
        tail = body[len(kept) :].lstrip("\r\n")
        is_last = self.text.endswith(body)
        return self.with_section(
            title, f"{kept}\n{text.rstrip()}\n{tail}" + ("" if is_last else "\n"), level
        )

    def _span(self, title: str) -> tuple[int, int] | None:
        headings = self.headings()
        wanted = title.casefold()
        for number, one in enumerate(headings):
            if one.title.casefold() == wanted:
                below = headings[number + 1 :]
                end = next((h.start for h in below if h.level <= one.level), len(self.text))
                return one.end, end
        return None

    def _gap(self) -> str:
        if not self.text or self.text.endswith(("\n\n", "\n\r\n")):
            return ""
        return self._in_its_lines("\n" if self.text.endswith("\n") else "\n\n")

    def _in_its_lines(self, text: str) -> str:
        """Return the text with the file's line ends."""
        if not self.text.split("\n", 1)[0].endswith("\r"):
            return text
        return text.replace("\r\n", "\n").replace("\n", "\r\n")


@lru_cache(maxsize=16)
def _headings(text: str, matter: tuple[int, int] | None) -> tuple[TaskHeading, ...]:
    """Find all headings; cached, because one file is read again and again while it is edited."""
    found: list[TaskHeading] = []
    at = 0
    skip = range(*matter) if matter is not None else range(0)
    lines = text.split("\n")
    for number, (line, fence) in enumerate(zip(lines, fenced(lines), strict=True)):
        after = at + len(line) + 1
        read = heading(line) if fence is None and number not in skip else None
        if read is not None:
            found.append(TaskHeading(read.level, read.title, at, min(after, len(text))))
        at = after
    return tuple(found)


def _find_matter(lines: list[str]) -> tuple[int, int] | None:
    """Return the lines between the fences, which come first or after the title."""
    for number, line in enumerate(lines[:MOST_LINES_BEFORE]):
        bare = line.removeprefix(_BOM).strip()
        if bare == "---":
            return _closed(lines, number + 1, strict=number > 0)
        if bare and not bare.startswith("# "):
            return None
    return None


def _closed(lines: list[str], first: int, *, strict: bool) -> tuple[int, int] | None:
    """Find the closing fence. Below a title the first fence may be a rule: then every line must
    fit.

    On the first line it is meant as front matter, whatever else people put into it.
    """
    keys = False
    for number in range(first, min(len(lines), first + MOST_MATTER_LINES)):
        line = lines[number].rstrip("\r")
        if line.rstrip() in {"---", "..."}:
            return (first, number) if keys or number == first else None
        is_key = yaml.key_of(line) is not None
        keys = keys or is_key
        belongs = is_key or not line.strip() or line.startswith((" ", "\t", "-", "#", "]"))
        if strict and not belongs:
            return None
    return None


def _last_of(lines: list[str], first: int, end: int) -> int:
    """Return the end of a value without trailing blank lines and comments."""
    while end > first + 1 and lines[end - 1].strip()[:1] in {"", "#"}:
        end -= 1
    return end


def _behind_colon(line: str) -> str:
    return line.partition(":")[2]


# --- tables --------------------------------------------------------------------------------------


MOST_COLUMNS = 40
MOST_CELL = 2000


@dataclass(frozen=True, slots=True)
class TaskTable:
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()

    def cells(self, row: tuple[str, ...], *names: str) -> tuple[str, ...]:
        """Return the cells of a row under these names; missing ones are empty."""
        known = {name.casefold(): n for n, name in enumerate(self.header)}
        places = [known.get(name.casefold(), len(row)) for name in names]
        return tuple(row[n] if n < len(row) else "" for n in places)


NO_TABLE = TaskTable(())


def read_table(section: str) -> TaskTable:
    """Return the first table of a section, or a table without columns."""
    place = span(section.split("\n"))
    if place is None:
        return NO_TABLE
    lines = section.split("\n")[place[0] : place[1]]
    header, *rows = (cells(line)[:MOST_COLUMNS] for line in (lines[0], *lines[2:]))
    return TaskTable(header, tuple(rows))


def with_table(section: str, table: TaskTable) -> str:
    """Return the section with this table in place of its first one, or at its end."""
    lines = section.split("\n")
    made = [_line(table.header), "|" + " --- |" * len(table.header)]
    made += [_line(row) for row in table.rows]
    place = span(lines)
    if place is not None:
        return "\n".join([*lines[: place[0]], *made, *lines[place[1] :]])
    kept = section.rstrip()
    return (kept or "") + "\n\n" + "\n".join(made) + "\n\n"


def span(lines: Sequence[str]) -> tuple[int, int] | None:
    for number in range(len(lines) - 1):
        if "|" in lines[number] and is_table_rule(lines[number + 1]):
            end = number + 2
            while end < len(lines) and lines[end].strip().startswith("|"):
                end += 1
            return number, end
    return None


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    """Return one line, with bars escaped."""
    bare = " ".join(text.split())[:MOST_CELL]
    return bare.replace("\\", "\\\\").replace("|", "\\|")
