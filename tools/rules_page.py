"""Read docs/reference/rules.md: one heading of level 3 for each rule, in chapters of level 2.

The heading is the id alone, so that `rules.md#gt-03` leads to it.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "rules.md"
ID = re.compile(r"[A-Z]{2}-\d{2}|[A-Z]\d{1,2}")
CHAPTER = re.compile(r"## (.+)")
RULE = re.compile(rf"### ({ID.pattern})")


@dataclass(frozen=True, slots=True)
class Rule:
    id: str
    chapter: str
    line: int
    text: str

    @property
    def prefix(self) -> str:
        return prefix_of(self.id)


def prefix_of(id_: str) -> str:
    return id_.rstrip("0123456789").rstrip("-")


def rules(page: Path) -> list[Rule]:
    """Return the entries in the order of the page; an id that has two entries is there twice."""
    found: list[Rule] = []
    chapter = ""
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), start=1):
        if heading := CHAPTER.fullmatch(line):
            chapter = heading[1]
        elif heading := RULE.fullmatch(line):
            found.append(Rule(heading[1], chapter, number, ""))
        elif found and line.strip() and found[-1].chapter == chapter:
            last = found[-1]
            found[-1] = Rule(last.id, last.chapter, last.line, f"{last.text} {line}".strip())
    return found
