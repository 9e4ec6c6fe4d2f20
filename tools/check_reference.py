"""Check the reference pages against the tree.

Every rule id that source, tests, proof, tools or pages cite has exactly one entry in
docs/reference/rules.md, and each entry says something. Every word of docs/reference/glossary.md
is used outside the glossary, and no word has two entries.

An id of two letters counts wherever it is written, if a chapter of the page has its prefix. An
invariant's id is too short for that (`G1` is also the first gate of a run); it counts in
`pytest.mark.spec(...)` and at the beginning of a string in Python: `"S6: ..."`, `"S6, S7: ..."`.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rules_page import ROOT, Rule, rules
from spec_coverage import carried_by

PLACES = ("src", "tests", "proof", "benchmarks", "tools", "docs")
SUFFIXES = frozenset({".py", ".md", ".story", ".txt", ".toml", ".json"})
RULES = Path("docs/reference/rules.md")
GLOSSARY = Path("docs/reference/glossary.md")
WORD = re.compile(r"### (.+)")
INVARIANTS = re.compile(r"([A-Z]\d{1,2}(?:, [A-Z]\d{1,2})*): ")


@dataclass(frozen=True, slots=True)
class Citation:
    id: str
    place: str


def texts(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield what people and programs of this project wrote, with paths from the root."""
    below = [path for place in PLACES for path in sorted((root / place).rglob("*"))]
    for path in (*sorted(root.glob("*.md")), *below):
        if path.suffix in SUFFIXES and path.is_file():
            yield path.relative_to(root), path.read_text("utf-8", "replace")


# --- rules ---------------------------------------------------------------------------------


def rule_problems(root: Path) -> Iterator[str]:
    page = rules(root / RULES)
    for id_, count in Counter(rule.id for rule in page).items():
        if count > 1:
            yield f"{RULES}: {id_} has {count} entries"
    for rule in page:
        if not rule.text:
            yield f"{RULES}:{rule.line}: {rule.id} has no text"
    known = {rule.id for rule in page}
    for citation in citations(root, page):
        if citation.id not in known:
            yield f"{citation.place}: {citation.id} has no entry in {RULES}"


def citations(root: Path, page: list[Rule]) -> Iterator[Citation]:
    prefixes = {rule.prefix for rule in page}
    long = "|".join(sorted(prefix for prefix in prefixes if len(prefix) == 2))
    cited = re.compile(rf"(?<![\w-])(?:{long})-\d{{2}}(?![\w-])") if long else None
    for path, text in texts(root):
        for number, line in enumerate(text.split("\n"), start=1):
            for found in cited.finditer(line) if cited else ():
                yield Citation(found[0], f"{path}:{number}")
        if path.suffix == ".py":
            yield from _invariants(root / path, path, text, prefixes)
            yield from (Citation(mark.id, mark.place) for mark in carried_by(root / path))


def _invariants(whole: Path, path: Path, text: str, prefixes: set[str]) -> Iterator[Citation]:
    for node in ast.walk(ast.parse(text, str(whole))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = INVARIANTS.match(node.value)
            for id_ in found[1].split(", ") if found else ():
                if id_[0] in prefixes:
                    yield Citation(id_, f"{path}:{node.lineno}")


# --- words ---------------------------------------------------------------------------------


def word_problems(root: Path) -> Iterator[str]:
    """A heading may hold several forms, with commas: `### hold, held`; one of them is enough."""
    headings = [
        (number, found[1])
        for number, line in enumerate((root / GLOSSARY).read_text("utf-8").split("\n"), start=1)
        if (found := WORD.fullmatch(line))
    ]
    forms = Counter(form for _, heading in headings for form in heading.split(", "))
    for form, count in forms.items():
        if count > 1:
            yield f"{GLOSSARY}: {form} has {count} entries"
    others = [text for path, text in texts(root) if path != GLOSSARY]
    for number, heading in headings:
        said = re.compile("|".join(map(_spoken, heading.split(", "))), re.IGNORECASE)
        if not any(said.search(text) for text in others):
            yield f"{GLOSSARY}:{number}: nothing in the tree says {heading}"


def _spoken(form: str) -> str:
    """Return a pattern for the words of `form`, in prose or in a name; it allows a plural."""
    words = r"[\s_-]+".join(re.escape(word) for word in form.split())
    return rf"(?<![a-z]){words}s?(?![a-z])"


def main() -> int:
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    found = [*rule_problems(root), *word_problems(root)]
    for line in found:
        print(line, file=sys.stderr)
    if not found:
        print("Reference: every cited rule has one entry, every glossary word is used.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
