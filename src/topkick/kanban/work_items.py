"""Parse the work items that a design leaves in its task file: a simple YAML list."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from topkick.text.yaml import inline_items, scalar

MOST_ITEMS = 100
MOST_LINES = 5_000
_KEY = re.compile(r"([A-Za-z_]{1,40}):(?:[ \t]|$)")
_ARCHITECTS = "core types"


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A work item; `after` are other items of the list, by number or by words."""

    description: str
    files: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    priority: str = "medium"
    notes: str = ""

    @property
    def is_adequate(self) -> bool:
        return bool(self.description and self.files and self.domains)

    @property
    def needs_architect(self) -> bool:
        domains = any("architecture" in domain.casefold() for domain in self.domains)
        return domains or _ARCHITECTS in self.description.casefold()


def read_items(text: str) -> tuple[WorkItem, ...]:
    lines = [line for line in text.split("\n")[:MOST_LINES] if not line.strip().startswith("```")]
    return tuple(_item(block) for block in _blocks(lines)[:MOST_ITEMS])


def _blocks(lines: list[str]) -> list[list[str]]:
    """Return each item's lines, with the first dash replaced by a blank."""
    blocks: list[list[str]] = []
    depth: int | None = None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        dashed = line.lstrip().startswith("- ")
        if dashed and (depth is None or indent <= depth):
            depth = indent
            blocks.append([line.replace("- ", "  ", 1)])
        elif blocks and line.strip():
            blocks[-1].append(line)
    return blocks


def _item(block: list[str]) -> WorkItem:
    fields = dict(_fields(block))

    def one(key: str) -> str:
        return " ".join(fields.get(key, ()))

    return WorkItem(
        description=one("description"),
        files=fields.get("files", ()),
        domains=fields.get("related_domains", ()),
        after=fields.get("dependencies", ()),
        priority=one("priority").casefold() or "medium",
        notes="\n".join(fields.get("notes", ())),
    )


def _fields(block: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield keys at the item's own depth; deeper lines belong to the key before."""
    depth = len(block[0]) - len(block[0].lstrip())
    starts = [n for n, line in enumerate(block) if _is_key(line, depth)]
    for start, end in zip(starts, [*starts[1:], len(block)], strict=False):
        key, _, rest = block[start].strip().partition(":")
        yield key, _values(rest, block[start + 1 : end])


def _is_key(line: str, depth: int) -> bool:
    own_depth = len(line) - len(line.lstrip()) == depth
    return own_depth and _KEY.match(line.strip()) is not None


def _values(rest: str, below: list[str]) -> tuple[str, ...]:
    listed = inline_items(" ".join([rest, *below])) if rest.strip().startswith("[") else None
    if listed is not None:
        return listed
    one = scalar(rest)
    if one is not None and one not in {"|", ">", "|-", ">-"}:
        return (one,)
    if below and below[0].lstrip().startswith("- "):
        found = (scalar(line.strip()[1:]) for line in below)
        return tuple(item for item in found if item is not None)
    return tuple(line.strip() for line in below)
