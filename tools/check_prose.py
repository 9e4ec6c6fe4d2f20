"""Find the house dialect in docstrings, comments, messages, pages and golden files.

`tools/prose_allowed.json` holds how many hits each package may still have. More hits fail the
check. Fewer fail it too, until `--update` has lowered the number, so that no hit comes back.
`--update` also follows files that moved between packages; it refuses a sum that has grown, which
only `--reset` accepts. `--all` lists every hit, and a path lists the hits below that path.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prose_rules import GRAMMAR, PHRASES, Phrase, Where

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = "tools/prose_allowed.json"
PAGES = (".md", ".txt")
GOLDEN = "tests/golden/"
# These files quote the phrases that they forbid.
EXEMPT = ("tools/prose_rules.py", "tests/tools/test_check_prose.py")

COMPILED = tuple((rule, re.compile(rule.pattern, re.IGNORECASE)) for rule in PHRASES)
ANY_PHRASE = {
    kind: re.compile(
        "|".join(f"(?:{rule.pattern})" for rule in PHRASES if kind in rule.where), re.IGNORECASE
    )
    for kind in Where
}
# The words of a message may be split over several literals.
SEAM = re.compile(r"[\"']\s*\n\s*[fr]?[\"']")
COMMENT = re.compile(r"(?:^|\s)#+ ?(.*)$")
SENTENCE = re.compile(r"(.+?[.!?])(?=\s|$)", re.DOTALL)
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)

Owner = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Hit:
    """A place that breaks a rule; `path` is relative to the project."""

    path: str
    line: int
    rule: str
    text: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.text} -> {self.instead}"


def phrases_in(text: str, kind: Where) -> Iterator[tuple[int, Phrase, str]]:
    """Yield the offset, the rule and the words of each phrase in a text of this kind."""
    if ANY_PHRASE[kind].search(text) is None:
        return
    for rule, pattern in COMPILED:
        if kind in rule.where:
            for found in pattern.finditer(text):
                yield found.start(), rule, found[0]


def _unwrapped(text: str) -> str:
    """Replace code and line breaks by characters that match no rule; offsets stay the same."""
    blanked = CODE.sub(lambda found: re.sub(r"[^\n]", "_", found[0]), text)
    return re.sub(r"\n", " ", blanked)


def _around(text: str, start: int, words: str) -> str:
    """Return the words with a little of the text on both sides, on one line."""
    return " ".join(text[max(0, start - 30) : start + len(words) + 30].split())


def in_text(path: str, text: str, first_line: int, kind: Where) -> Iterator[Hit]:
    plain = _unwrapped(text)
    for start, rule, words in phrases_in(plain, kind):
        line = first_line + text.count("\n", 0, start)
        yield Hit(path, line, rule.id, _around(text, start, words), rule.instead)


# --- Python --------------------------------------------------------------------------------------


def owners(node: ast.AST) -> Iterator[Owner]:
    """Yield the module, its classes and its functions, without a walk through expressions."""
    if isinstance(node, Owner):
        yield node
    for field in ("body", "orelse", "handlers", "finalbody", "cases"):
        children = getattr(node, field, ())
        for child in children if isinstance(children, list) else ():
            yield from owners(child)


def _docstring(owner: Owner) -> ast.Constant | None:
    first = owner.body[0] if owner.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return first.value if isinstance(first.value.value, str) else None
    return None


def _kind(owner: Owner) -> str:
    """Return `function`, `class`, `module`, or `property` for a function that reads as a value."""
    if isinstance(owner, ast.Module):
        return "module"
    if isinstance(owner, ast.ClassDef):
        return "class"
    names = {ast.unparse(decorator).rpartition(".")[2] for decorator in owner.decorator_list}
    is_test = owner.name.startswith("test_") or "fixture" in " ".join(names)
    return "property" if is_test or names & {"property", "cached_property"} else "function"


def first_sentence(docstring: str) -> str:
    text = " ".join(docstring.strip().partition("\n\n")[0].split())
    found = SENTENCE.match(text)
    return found[1] if found else text


def in_docstrings(path: str, tree: ast.Module) -> Iterator[Hit]:
    for owner in owners(tree):
        docstring = _docstring(owner)
        if docstring is None:
            continue
        text = str(docstring.value)
        yield from in_text(path, text, docstring.lineno, Where.DOCSTRING)
        sentence = first_sentence(text)
        for rule in GRAMMAR:
            if rule.is_bad(sentence, _kind(owner)):
                yield Hit(path, docstring.lineno, rule.id, sentence[:70], rule.instead)
                break


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield the first line and the text of each comment; lines of their own in a row are one."""
    first, block = 0, list[str]()
    for number, line in enumerate([*source.split("\n"), ""], start=1):
        found = COMMENT.search(line) if "#" in line else None
        if found is not None and line.lstrip().startswith("#"):
            first = first if block else number
            block.append(found[1])
            continue
        if block:
            yield first, "\n".join(block)
            block = []
        if found is not None:
            yield number, found[1]


def in_comments(path: str, source: str, tree: ast.Module) -> Iterator[Hit]:
    inside: set[int] | None = None
    for number, text in comments(source):
        for hit in in_text(path, text, number, Where.COMMENT):
            inside = _string_lines(tree) if inside is None else inside
            if hit.line not in inside:
                yield hit


def _string_lines(tree: ast.Module) -> set[int]:
    """Return the lines on which a `#` may be a part of a string literal."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr | ast.Constant) and "#" in ast.unparse(node):
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def in_messages(path: str, source: str, tree: ast.Module) -> Iterator[Hit]:
    """Yield the hits in string literals that are no docstrings; an f-string is one text."""
    if ANY_PHRASE[Where.MESSAGE].search(SEAM.sub("", source)) is None:
        return
    passed = {id(found) for owner in owners(tree) if (found := _docstring(owner))}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            passed.update(id(part) for part in node.values)
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            text = "".join(str(part) for part in parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if id(node) not in passed:
            for hit in in_text(path, text, node.lineno, Where.MESSAGE):
                yield Hit(path, node.lineno, hit.rule, hit.text, hit.instead)


def in_python(path: str, source: str) -> Iterator[Hit]:
    tree = ast.parse(source)
    yield from in_docstrings(path, tree)
    yield from in_comments(path, source, tree)
    if not path.startswith("tests/"):  # there the messages are quoted
        yield from in_messages(path, source, tree)


# --- the tree ------------------------------------------------------------------------------------


def is_read(path: str) -> bool:
    if path in EXEMPT:
        return False
    if path.endswith(".py"):
        return True
    return path.endswith(PAGES) and (not path.startswith("tests/") or path.startswith(GOLDEN))


def files(root: Path) -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout
    return sorted(name for name in set(listed.decode().split("\0")) if name and is_read(name))


def hits(root: Path) -> Iterator[Hit]:
    for path in files(root):
        if not (root / path).is_file():
            continue
        text = (root / path).read_text("utf-8")
        if path.endswith(".py"):
            yield from in_python(path, text)
        else:
            yield from in_text(path, text, 1, Where.PAGE)


def package_of(path: str) -> str:
    """Return the key of a file in the list of allowed hits: `src/topkick/core`, `docs`, ..."""
    parts = path.split("/")
    if path.startswith(("src/", "tests/golden/")):
        depth = 3 if parts[0] == "src" else 2
        return "/".join(parts[: min(depth, len(parts) - 1)])
    return parts[0]


def read_allowed(root: Path) -> dict[str, int]:
    path = root / ALLOWED
    return dict(json.loads(path.read_text("utf-8"))) if path.is_file() else {}


def write_allowed(root: Path, counts: Counter[str]) -> None:
    numbers = {package: counts[package] for package in sorted(counts) if counts[package]}
    (root / ALLOWED).write_text(json.dumps(numbers, indent=2) + "\n", "utf-8")


def complaints(found: list[Hit], allowed: dict[str, int]) -> Iterator[str]:
    counts = Counter(package_of(hit.path) for hit in found)
    for package in sorted({*counts, *allowed}):
        have, may = counts[package], allowed.get(package, 0)
        if have > may:
            yield from (str(hit) for hit in found if package_of(hit.path) == package)
            yield f"{package}: {have} hits, {may} are allowed. Rewrite what your change added."
        elif have < may:
            yield f"{package}: {have} hits, {may} are allowed. Run tools/check_prose.py --update."


def update(root: Path, found: list[Hit], *, may_grow: bool) -> int:
    before, after = sum(read_allowed(root).values()), len(found)
    if after > before and not may_grow:
        print(f"{after} hits, {before} are allowed: rewrite them, or --reset.", file=sys.stderr)
        return 1
    write_allowed(root, Counter(package_of(hit.path) for hit in found))
    print(f"{ALLOWED}: {before} -> {after} hits.")
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("below", nargs="*", help="list every hit in these files or directories")
    parser.add_argument("--all", action="store_true", help="list every hit")
    parser.add_argument("--update", action="store_true", help="lower the allowed numbers")
    parser.add_argument("--reset", action="store_true", help="accept the numbers as they are")
    parser.add_argument("--root", type=Path, default=ROOT, help="the project to read")
    return parser.parse_args()


def main() -> int:
    asked = arguments()
    found = list(hits(asked.root))
    if asked.update or asked.reset:
        return update(asked.root, found, may_grow=asked.reset)
    if asked.all or asked.below:
        for hit in found:
            if asked.all or hit.path.startswith(tuple(asked.below)):
                print(hit)
        return 0
    wrong = list(complaints(found, read_allowed(asked.root)))
    for line in wrong:
        print(line, file=sys.stderr)
    if not wrong:
        print(f"Prose: {len(found)} hits are left to rewrite, none is new.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
