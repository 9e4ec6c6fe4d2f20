"""Check the documents: every relative link and anchor resolves, every page of docs/ can be reached
from docs/index.md, and every file that ARCHITECTURE.md names exists."""

import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parent.parent
SOURCE = re.compile(r"[a-z_]+/(?:[a-z_]+/)*(?:[a-z_]+\.py)?")
PARSER = MarkdownIt("commonmark").enable("table")


def documents(root: Path) -> list[Path]:
    top = [
        root / name for name in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")
    ]
    return [path for path in top if path.exists()] + sorted((root / "docs").rglob("*.md"))


def inline_tokens(path: Path) -> Iterator[Token]:
    for token in PARSER.parse(path.read_text(encoding="utf-8")):
        if token.type == "inline":
            yield token


def links(path: Path) -> Iterator[tuple[int, str]]:
    for token in inline_tokens(path):
        line = token.map[0] + 1 if token.map else 0
        for child in token.children or []:
            target = child.attrGet("href") or child.attrGet("src")
            if target and not re.match(r"[a-z][a-z0-9+.-]*:", str(target)):
                yield line, unquote(str(target))


def anchors(path: Path) -> set[str]:
    """The names that GitHub gives to headings: lower case, no punctuation, hyphens, counted."""
    seen: dict[str, int] = {}
    found = set()
    tokens = PARSER.parse(path.read_text(encoding="utf-8"))
    for opening, token in pairwise(tokens):
        if opening.type == "heading_open":
            text = "".join(c.content for c in token.children or [] if c.type != "html_inline")
            slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
            count = seen.get(slug, 0)
            seen[slug] = count + 1
            found.add(f"{slug}-{count}" if count else slug)
    return found


def problem(page: Path, target: str) -> str | None:
    name, _, anchor = target.partition("#")
    file = (page.parent / name).resolve() if name else page
    if not file.exists():
        return f"{target} does not exist"
    if anchor and file.suffix == ".md" and anchor not in anchors(file):
        return f"{target} has no such heading"
    return None


def reachable(start: Path) -> set[Path]:
    seen: set[Path] = set()
    waiting = [start]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md" or not page.is_file():
            continue
        seen.add(page)
        waiting += [(page.parent / target.partition("#")[0]).resolve() for _, target in links(page)]
    return seen


def missing_files(root: Path) -> Iterator[str]:
    """Yield the paths in ARCHITECTURE.md that lead nowhere, from the root and from the package."""
    page = root / "ARCHITECTURE.md"
    for token in inline_tokens(page) if page.exists() else ():
        for child in token.children or []:
            if child.type == "code_inline" and SOURCE.fullmatch(child.content):
                places = (root, root / "src" / "topkick")
                if not any((place / child.content).exists() for place in places):
                    line = token.map[0] + 1 if token.map else 0
                    yield f"ARCHITECTURE.md:{line}: {child.content} does not exist"


def problems(root: Path) -> Iterator[str]:
    pages = documents(root)
    for page in pages:
        for line, target in links(page):
            if wrong := problem(page, target):
                yield f"{page.relative_to(root)}:{line}: {wrong}"
    yield from missing_files(root)
    reached = reachable(root / "docs" / "index.md")
    for page in pages:
        if page.is_relative_to(root / "docs") and page not in reached:
            yield f"{page.relative_to(root)}: no link leads here from docs/index.md"


def main() -> int:
    found = list(problems(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT))
    for line in found:
        print(line, file=sys.stderr)
    if not found:
        print("Documents: every link resolves, every page is reachable.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
