"""Prepare a tree for checks beyond what is committed, again only when lock files change."""

import os
import shlex
import shutil
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pygit2
from pygit2.enums import FileStatus

from topkick.checks.model import CheckResult
from topkick.engine.errors import TopkickError
from topkick.engine.io import crash_points
from topkick.engine.io.files import replace_atomically

HOW = {
    "bun.lock": "bun install --frozen-lockfile",
    "bun.lockb": "bun install --frozen-lockfile",
    "composer.lock": "composer install --no-interaction",
    "npm-shrinkwrap.json": "npm ci",
    "package-lock.json": "npm ci",
    "pnpm-lock.yaml": "pnpm install --frozen-lockfile",
    "poetry.lock": "poetry install --no-interaction",
    "uv.lock": "uv sync --frozen",
    "yarn.lock": "yarn install --frozen-lockfile",
}
OTHER_LOCKS = frozenset(
    {"Cargo.lock", "Gemfile.lock", "Package.resolved", "Pipfile.lock", "go.sum", "requirements.txt"}
)
MOST_DETECTED = 8
MOST_TOLD = 1000
Run = Callable[[str], CheckResult]


class NotPrepared(TopkickError):
    """A tree for checks cannot be prepared, so no check can run."""


def prepare(root: Path, wanted: tuple[str, ...] | None, path: str, kept: Path, run: Run) -> None:
    """Run the commands that prepare the tree; `wanted` are the user's, None derives them from lock
    files.
    """
    if wanted == ():
        return
    locks = tuple(_locks(root))
    commands = wanted if wanted is not None else tuple(detected((p for p, _ in locks), path))
    key = sha256(repr((commands, locks)).encode()).hexdigest()
    if not commands or _is_prepared(root, kept, key):
        return
    kept.unlink(missing_ok=True)
    for command in commands:
        done = run(command)
        if not done.passed:
            raise NotPrepared(
                f"`{command}` failed in the tree for checks ({done.outcome}), so no check was "
                "run:\n"
                f"{done.excerpt}\n"
                "Write in topkick.toml how to prepare that tree: [verify] prepare = [...]; an "
                "empty "
                'list if nothing is needed. Or check in the working tree: [verify] at = "place".'
            )
    crash_points.here("verify.before-prepared")
    made = sorted(path for path in _untracked(root) if "\n" not in path)[:MOST_TOLD]
    replace_atomically(kept, "\n".join([key, *made]).encode("utf-8", "surrogateescape"))


def _is_prepared(root: Path, kept: Path, key: str) -> bool:
    """Return whether the tree is prepared; files that git does not ignore vanish with each new
    setup.
    """
    before, *made = _read(kept).split("\n")
    return before == key and all((root / path).exists() for path in made)


def _untracked(root: Path) -> Iterator[str]:
    found = pygit2.discover_repository(os.fspath(root))
    if found is None:
        return
    repo = pygit2.Repository(found)
    top = Path(repo.workdir)
    for path, status in repo.status(untracked_files="all").items():
        if status is FileStatus.WT_NEW:
            yield os.path.relpath(top / path, root)


def detected(locks: Iterator[str], path: str) -> Iterator[str]:
    """Yield an install command for each directory with a lock file whose program is installed."""
    seen: set[str] = set()
    for lock in sorted(locks, key=lambda p: (p.count("/"), p)):
        directory, _, name = lock.rpartition("/")
        command = HOW.get(name)
        if (
            command is None
            or directory in seen
            or shutil.which(command.split()[0], path=path) is None
        ):
            continue
        seen.add(directory)
        if len(seen) > MOST_DETECTED:
            return
        yield f"cd {shlex.quote(directory)} && {command}" if directory else command


def _locks(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the committed lock files with their content's hash."""
    found = pygit2.discover_repository(os.fspath(root))
    repo = pygit2.Repository(found) if found is not None else None
    if repo is None or repo.head_is_unborn:
        return
    inside = os.path.relpath(root.resolve(), Path(repo.workdir).resolve())
    tree: pygit2.Object = repo.head.peel(pygit2.Tree)
    if inside != ".":
        assert isinstance(tree, pygit2.Tree)
        if inside not in tree:
            return
        tree = tree[inside]
    if isinstance(tree, pygit2.Tree):
        yield from _locks_in(tree, "")


def _locks_in(tree: pygit2.Tree, above: str) -> Iterator[tuple[str, str]]:
    for entry in tree:
        name = entry.name or ""
        if isinstance(entry, pygit2.Tree) and name != "node_modules":
            yield from _locks_in(entry, f"{above}{name}/")
        elif name in HOW or name in OTHER_LOCKS:
            yield f"{above}{name}", str(entry.id)


def _read(kept: Path) -> str:
    try:
        return kept.read_text("utf-8", "surrogateescape")
    except OSError:
        return ""
