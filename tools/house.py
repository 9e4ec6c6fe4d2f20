"""Measure the tree: size, names, imports, and how many files four common walks run.

`python tools/house.py` prints the figures of this tree, `--against COMMIT` those of a commit
next to them, `--json` the same as JSON, `--exceptions` what tests/tools/test_house_rules.py lets
pass for now. A tree is measured by its files and by running it; its layout is not assumed, so
commits from before and after a move of modules can be compared.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = Path(__file__).resolve().with_name("house_runs.py")
NOUNS = frozenset(
    {"landing", "planning", "spending", "wording"}
)  # names in -ing that are nouns of the domain
MOST_MODULES = 14
MOST_LINES = 400
KINDS = frozenset({"sprint", "kanban", "epic", "pipeline", "checkpoint", "team"})
KIND_NAMES = frozenset({"SPRINT", "KANBAN", "EPIC", "PIPELINE", "TEAM", "JUDGE", "WITH_BUS"})
RULE = re.compile(r"\b[A-Z]{2}-\d{2}\b|(?<=\()[BCDGJKNSTVY]\d{1,2}(?=[),:;])")

Figure = int | str
Names = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One Python file of the package, read and parsed once."""

    path: str  # from the directory above the package, with slashes
    text: str
    tree: ast.Module

    @property
    def module(self) -> str:
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def package(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def is_package(self) -> bool:
        return self.path.endswith("/__init__.py")

    @property
    def lines(self) -> int:
        return self.text.count("\n")


def read_tree(root: Path) -> tuple[SourceFile, ...]:
    """Return the Python files below `root/src`."""
    source = root / "src"
    found = []
    for path in sorted(source.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found.append(SourceFile(path.relative_to(source).as_posix(), text, ast.parse(text)))
    return tuple(found)


def package_sizes(files: Iterable[SourceFile]) -> Counter[str]:
    """Count the modules that are directly in each package; `__init__` is not counted."""
    sizes: Counter[str] = Counter()
    for file in files:
        sizes[file.package] += 0 if file.is_package else 1
    return sizes


def classes_used_twice(files: Iterable[SourceFile]) -> Names:
    """Return the public top-level class names that several modules define, with the modules."""
    places: dict[str, list[str]] = defaultdict(list)
    for file in files:
        for node in file.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(file.module)
    return {name: tuple(found) for name, found in sorted(places.items()) if len(found) > 1}


def gerunds(files: Iterable[SourceFile], nouns: frozenset[str] = NOUNS) -> tuple[str, ...]:
    """Return the modules whose name ends in -ing and is not a listed noun."""
    return tuple(
        file.module
        for file in files
        if not file.is_package
        and (name := file.module.rpartition(".")[2]).endswith("ing")
        and name.rpartition("_")[2] not in nouns
    )


def long_files(files: Iterable[SourceFile], most: int = MOST_LINES) -> dict[str, int]:
    return {file.path: file.lines for file in files if file.lines > most}


def importers(files: Iterable[SourceFile]) -> dict[str, frozenset[str]]:
    """Return for each module, packages aside, the other modules that import it."""
    held = tuple(files)
    known = frozenset(file.module for file in held)
    found: dict[str, set[str]] = {file.module: set() for file in held if not file.is_package}
    for file in held:
        for target in imported(file, known):
            if target in found and target != file.module:
                found[target].add(file.module)
    return {module: frozenset(by) for module, by in found.items()}


def imported(file: SourceFile, known: frozenset[str]) -> Iterator[str]:
    """Yield the modules that a file names in its import statements, wherever they are."""
    for node in ast.walk(file.tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(names=names):
                base = _base(file, node)
                for alias in names:
                    whole = f"{base}.{alias.name}"
                    yield whole if whole in known else base
            case _:
                pass


def _base(file: SourceFile, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = file.package.split("/")
    above = parts[: len(parts) - node.level + 1]
    return ".".join([*above, *([node.module] if node.module else [])])


def kind_switches(files: Iterable[SourceFile]) -> tuple[str, ...]:
    """Return the places that branch on the kind of supervisor, as `module:line`."""
    return tuple(
        f"{file.module}:{node.lineno}"
        for file in files
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Compare | ast.Match) and _is_kind_switch(node)
    )


def _is_kind_switch(node: ast.Compare | ast.Match) -> bool:
    match node:
        case ast.Compare(left=left, comparators=comparators):
            return _is_kind(left) and any(_names_a_kind(one) for one in comparators)
        case ast.Match(subject=subject, cases=cases):
            return _is_kind(subject) and any(_names_a_kind(case.pattern) for case in cases)


def _is_kind(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name in ("policy", "kind")
        case _:
            return False


def _names_a_kind(node: ast.AST) -> bool:
    for part in ast.walk(node):
        match part:
            case ast.Constant(value=str(text)) if text in KINDS:
                return True
            case ast.Attribute(attr=name) | ast.Name(id=name) if name in KIND_NAMES:
                return True
            case _:
                pass
    return False


def cited_rules(files: Iterable[SourceFile]) -> Counter[str]:
    """Count how often source code and its texts cite each rule id."""
    return Counter(id_ for file in files for id_ in RULE.findall(file.text))


def explained_rules(page: str) -> frozenset[str]:
    """Return the rule ids that begin an entry of the page: a heading, an item or a table row."""
    entry = re.compile(r"^(?:#+|[-*]|\||<a [^>]*>)?[\s*`|\[]*([A-Z]{2}-\d{2}|[A-Z]\d{1,2})\b")
    return frozenset(found[1] for line in page.splitlines() if (found := entry.match(line)))


def uncovered_citations(root: Path, files: Iterable[SourceFile]) -> Counter[str]:
    page = root / "docs" / "reference" / "rules.md"
    known = explained_rules(page.read_text(encoding="utf-8")) if page.exists() else frozenset()
    return Counter({id_: n for id_, n in cited_rules(files).items() if id_ not in known})


def exceptions(files: tuple[SourceFile, ...], journaled: frozenset[str]) -> dict[str, list[str]]:
    """Return what breaks a rule of the house today, by rule; test_house_rules.py holds them."""
    sizes = package_sizes(files)
    return {
        "class_names": [name for name in classes_used_twice(files) if name not in journaled],
        "packages": sorted(name for name, size in sizes.items() if size > MOST_MODULES),
        "gerunds": sorted(gerunds(files)),
        "long_files": sorted(long_files(files)),
    }


def static_figures(root: Path, journaled: frozenset[str]) -> dict[str, Figure]:
    files = read_tree(root)
    sizes = package_sizes(files)
    largest, most = max(sizes.items(), key=lambda one: one[1])
    twice = classes_used_twice(files)
    uncovered = uncovered_citations(root, files)
    return {
        "modules without __init__": sum(sizes.values()),
        "packages": len(sizes),
        "modules of the largest package": f"{most} ({largest})",
        "lines": sum(file.lines for file in files),
        f"files over {MOST_LINES} lines": len(long_files(files)),
        "class names used twice": sum(name not in journaled for name in twice),
        "class names used twice, journaled": sum(name in journaled for name in twice),
        "gerund modules": len(gerunds(files)),
        "modules with one importer": sum(len(by) == 1 for by in importers(files).values()),
        "switches on the kind of supervisor": len(kind_switches(files)),
        "citations of rules without an entry": uncovered.total(),
        "rules cited without an entry": len(uncovered),
    }


def measure(root: Path, *, walks: bool) -> dict[str, Figure]:
    """Return all figures of a tree; running it takes about half a minute, reading it seconds."""
    figures = static_figures(root, journaled_names(root))
    if walks:
        figures |= {f"files run: {name}": told for name, told in run(root, "walks").items()}
    return figures


def journaled_names(root: Path) -> frozenset[str]:
    return frozenset(run(root, "journaled"))


def run(root: Path, what: str) -> dict[str, str]:
    """Ask house_runs.py, in a process of its own, since the tree may not be this one."""
    command = [sys.executable, str(RUNS), what, str(root)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed; its message is above.")
    told: dict[str, str] = json.loads(done.stdout)
    return told


def export(repository: Path, commit: str, place: Path) -> Path:
    """Write the files of a commit to an empty directory."""
    packed = subprocess.run(
        ["git", "archive", commit], cwd=repository, stdout=subprocess.PIPE, check=False
    )
    if packed.returncode:
        sys.exit(f"Git cannot export {commit}; name a commit of this repository.")
    with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
        archive.extractall(place, filter="data")
    return place


def table(columns: Mapping[str, Mapping[str, Figure]]) -> str:
    """Lay out figures by name, one column a tree."""
    rows = dict.fromkeys(name for figures in columns.values() for name in figures)
    cells = [["", *columns]]
    cells += [
        [name, *(str(figures.get(name, "")) for figures in columns.values())] for name in rows
    ]
    widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--against", metavar="COMMIT", default="", help="measure this commit too")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--no-walks", action="store_true", help="read the tree, do not run it")
    parser.add_argument("--exceptions", action="store_true", help="print today's exceptions")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    if options.exceptions:
        print(json.dumps(exceptions(read_tree(ROOT), journaled_names(ROOT)), indent=2))
        return 0
    columns = {}
    if options.against:
        with tempfile.TemporaryDirectory(prefix="house-") as place:
            before = export(ROOT, options.against, Path(place))
            columns[options.against] = measure(before, walks=not options.no_walks)
    columns["this tree"] = measure(ROOT, walks=not options.no_walks)
    print(json.dumps(columns, indent=2) if options.json else table(columns))
    return 0


if __name__ == "__main__":
    sys.exit(main())
