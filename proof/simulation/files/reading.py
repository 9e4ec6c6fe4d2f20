"""A second parser for boards, tasks and epics, line by line, without the program's code."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

OURS = (
    *("Supervisor State", "Work Items", "Pattern Memory", "Supervisor Log"),
    *("Pending Decisions", "Final Summary"),
)
Row = Mapping[str, str]
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_CELL = re.compile(r"(?<!\\)\|")


def front(text: str) -> dict[str, str]:
    """Return the front matter, if the file begins with one."""
    lines = text.split("\n")
    if lines[0] != "---" or "---" not in lines[1:]:
        return {}
    pairs = [line.partition(":") for line in lines[1 : lines.index("---", 1)]]
    return {key: value.strip() for key, colon, value in pairs if colon}


def with_value(text: str, key: str, value: str) -> str:
    return re.sub(rf"(?m)^{key}:.*$", f"{key}: {value}", text, count=1)


def sections(text: str) -> list[tuple[str, str]]:
    """Return title and text of each section; the text before the first has an empty title."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in text.split("\n"):
        if line.startswith("## "):
            found.append((line[3:].strip(), []))
        else:
            found[-1][1].append(line)
    return [(title, "\n".join(lines)) for title, lines in found]


def section(text: str, title: str) -> str:
    return next((body for name, body in sections(text) if name == title), "")


def table(text: str) -> list[Row]:
    """Return the first table of a section."""
    lines = [line.strip() for line in text.split("\n")]
    at = next((n for n, line in enumerate(lines) if line.startswith("|")), None)
    if at is None:
        return []
    header, rows = _cells(lines[at]), []
    for line in lines[at + 2 :]:
        if not line.startswith("|"):
            break
        rows.append(dict(zip(header, _cells(line), strict=False)))
    return rows


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(line)[1:-1]]


@dataclass(frozen=True, slots=True)
class Body:
    """An epic as its file says."""

    text: str
    status: str
    phase: str
    items: Sequence[Row]
    rows: Sequence[Row]

    @property
    def by_id(self) -> Mapping[str, Row]:
        return {row["ID"]: row for row in reversed(self.items) if row.get("ID")}

    @property
    def last(self) -> str:
        return self.rows[-1]["Class"] if self.rows else ""

    @property
    def persons(self) -> str:
        """Everything that belongs to people only."""
        kept = [f"{name}\n{body.strip()}" for name, body in sections(self.text) if name not in OURS]
        return with_value("\n".join(kept), "status", "")


def body_of(text: str) -> Body:
    state = section(text, "Supervisor State")
    phase = re.search(r"(?m)^\*\*Phase\*\*:[ \t]*(.*)$", state)
    return Body(
        text,
        front(text).get("status", "inbox"),
        phase[1].strip() if phase else "",
        [row for row in table(section(text, "Work Items")) if _ID.fullmatch(row.get("ID", ""))],
        table(section(text, "Pattern Memory")),
    )


def names(cell: str) -> list[str]:
    return [name for name in re.split(r"[,\s]+", cell) if name]


def in_brackets(value: str) -> list[str]:
    return names(value.strip("[]"))
