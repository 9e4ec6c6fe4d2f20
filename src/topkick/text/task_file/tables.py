"""Tables in task files: find, read and replace them without touching the text around."""

from collections.abc import Sequence
from dataclasses import dataclass

from topkick.text.markdown import cells, is_table_rule

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
