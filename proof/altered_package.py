"""The package with a change in it, for programs that are broken on purpose.

What is not changed keeps its bytecode, so the processes that import it need not compile hundreds
of modules each. A copy can be run as a program. A package of links is made in a few milliseconds,
for code that is only imported: a module that resolves its own path finds the original.
"""

import shutil
from collections.abc import Sequence
from importlib.util import cache_from_source
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "topkick"
Change = tuple[str, str, str]
"""The path of a module in the package, a text that is in it once, and what to write instead."""


def copied(where: Path, changes: Sequence[Change]) -> Path:
    """Copy the package into `where`, for PYTHONPATH, and change the copy."""
    # another process may be writing bytecode at this moment, under a temporary name
    shutil.copytree(SOURCE, where / "topkick", ignore=shutil.ignore_patterns("*.pyc.*"))
    return _change(where, changes)


def linked(where: Path, changes: Sequence[Change]) -> Path:
    """Link to the package from `where`, with real directories only around what changes."""
    where.mkdir(parents=True, exist_ok=True)
    _link(SOURCE, where / "topkick", frozenset(SOURCE / module for module, _, _ in changes))
    return _change(where, changes)


def _link(source: Path, target: Path, changed: frozenset[Path]) -> None:
    target.mkdir()
    for path in source.iterdir():
        place = target / path.name
        if path in changed:
            shutil.copy2(path, place)
        elif path.name == "__pycache__" or any(path in module.parents for module in changed):
            _link(path, place, changed)
        else:
            place.symlink_to(path)


def _change(where: Path, changes: Sequence[Change]) -> Path:
    for module, old, new in changes:
        path = where / "topkick" / module
        text = path.read_text()
        assert text.count(old) == 1, f"{module} holds {text.count(old)} times: {old!r}"
        path.write_text(text.replace(old, new))
        # the time and size of the text might by chance be those that the bytecode is for
        Path(cache_from_source(str(path))).unlink(missing_ok=True)
    return where
