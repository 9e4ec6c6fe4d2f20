"""Refuse paths of a machine, package registries, and two test files of one name.

Tests are imported by their bare name: of two that share one, only the first is run.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACES = ("work", "root", "opt/pypi")
HOMES = ("home", "Users")  # "me" and "you" are allowed: examples use them
REGISTRIES = ("pypi", "pythonhosted", "npmjs", "rubygems")
FORBIDDEN = re.compile(
    rf"(?<![\w.~}})/*-])/(?:(?:{'|'.join(PLACES)})(?![\w.-])"
    rf"|(?:{'|'.join(HOMES)})/(?!(?:me|you)\b)\w)"
    rf"|\b(?:{'|'.join(REGISTRIES)})\.(?:org|com|io)\b"
    r"|--(?:extra-)?index-url|--find-links"
)


def files(root: Path) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=True,
    ).stdout
    return [
        path for name in listed.decode().split("\0") if name and (path := root / name).is_file()
    ]


def hits(root: Path) -> Iterator[str]:
    for path in files(root):
        if path.samefile(__file__):
            continue
        for number, line in enumerate(path.read_text("utf-8", "replace").split("\n"), start=1):
            if found := FORBIDDEN.search(line):
                yield f"{path.relative_to(root)}:{number}: {found[0]}"


def namesakes(root: Path) -> Iterator[str]:
    seen: dict[str, Path] = {}
    for path in files(root):
        if path.name.startswith("test_") and path.suffix == ".py":
            first = seen.setdefault(path.name, path.relative_to(root))
            if first != path.relative_to(root):
                yield f"{path.relative_to(root)}: has the name of {first}"


def main() -> int:
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    found = [*hits(root), *namesakes(root)]
    for line in found:
        print(line, file=sys.stderr)
    if not found:
        print("Tree: no machine path, no registry, no two tests of one name.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
