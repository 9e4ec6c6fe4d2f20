"""Collect facts around a plan: the project's files, its language, and its test command."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from topkick.engine.io.files import read_plain
from topkick.inspection.gate_detection import detected_gate
from topkick.planning.refinement.priorities import runs_tests

# --- facts about a project ---------------------------------------------------------------------
# Its language, its test command, its files.


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Facts about a project. `test_command` runs all tests, according to the manifests; `module` is
    the name that test directories have in some languages; `texts` are files that the plan names.
    """

    language: str = ""
    test_command: str = ""
    test_dir: str = ""
    module: str = ""
    paths: frozenset[str] = field(default_factory=frozenset)
    texts: Mapping[str, str] = field(default_factory=dict)


MOST_FILES = 50_000
MOST_TEXTS = 300
LARGEST_TEXT = 1 << 20
_SKIPPED = frozenset(
    {".git", "node_modules", ".venv", "venv", "vendor", "target", "build", "dist", ".build",
     "__pycache__", "site-packages", "DerivedData", ".tox", ".mypy_cache"}
)  # fmt: skip
_LANGUAGES = {
    ".py": "python", ".ts": "typescript", ".tsx": "typescript", ".js": "javascript",
    ".mjs": "javascript", ".go": "go", ".rs": "rust", ".swift": "swift", ".java": "java",
    ".kt": "kotlin", ".rb": "ruby", ".cs": "csharp", ".c": "c", ".cpp": "cpp", ".sh": "shell",
}  # fmt: skip
_TEST_DIRS = ("tests", "test", "Tests", "spec", "__tests__")


def surroundings_of(root: Path, named: Iterable[str] = ()) -> Surroundings:
    """Return the facts, with the texts of existing files in `named`, which the plan names."""
    paths = frozenset(_files(root))
    commands = detected_gate(paths, lambda path: _bytes(root / path))
    folders = {path.partition("/")[0] for path in paths if "/" in path}
    return Surroundings(
        language=_language(paths),
        test_command=next((one for one in reversed(commands) if runs_tests(one)), ""),
        test_dir=next((name for name in _TEST_DIRS if name in folders), ""),
        paths=paths,
        texts=dict(_texts(root, [path for path in named if path in paths])),
    )


def _files(root: Path) -> Iterator[str]:
    count = 0
    for directory, folders, names in os.walk(root):
        folders[:] = sorted(folder for folder in folders if folder not in _SKIPPED)
        inside = os.path.relpath(directory, root)
        for name in sorted(names):
            yield name if inside == "." else f"{inside}/{name}"
            count += 1
            if count >= MOST_FILES:
                return


def _language(paths: Iterable[str]) -> str:
    endings = Counter(_LANGUAGES.get(f".{path.rpartition('.')[2]}", "") for path in paths)
    endings.pop("", None)
    return min(endings, key=lambda name: (-endings[name], name)) if endings else ""


def _texts(root: Path, paths: list[str]) -> Iterator[tuple[str, str]]:
    for path in sorted(set(paths))[:MOST_TEXTS]:
        found = _bytes(root / path)
        if found is not None:
            yield path, found.decode("utf-8", "replace")


def _bytes(path: Path) -> bytes | None:
    try:
        return read_plain(path, LARGEST_TEXT)
    except OSError:
        return None
