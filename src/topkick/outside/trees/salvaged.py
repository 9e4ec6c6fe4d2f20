"""List and restore saved uncommitted work."""

import os
from dataclasses import dataclass
from pathlib import Path

import pygit2
from pygit2.enums import FileMode

from topkick.core.errors import UsageError
from topkick.outside.ground.files import replace_atomically
from topkick.outside.trees.salvage import REFS

_NO_FILE = b"\0no plain file"


@dataclass(frozen=True, slots=True)
class Kept:
    """A piece of saved work; `name` is how the user refers to it."""

    name: str
    commit: str
    at_s: int
    told: str
    files: tuple[str, ...]


def kept_in(top: Path) -> list[Kept]:
    """Return the saved pieces, newest first."""
    repo = pygit2.Repository(os.fspath(top))
    refs = [r for r in repo.references if r.startswith(REFS) and not r.endswith(".base")]
    found = [_kept(repo, ref) for ref in refs]
    return sorted(found, key=lambda k: (-k.at_s, k.name))


def _kept(repo: pygit2.Repository, ref: str) -> Kept:
    commit = repo.references[ref].peel(pygit2.Commit)
    files = tuple(d.new_file.path for d in _diff(commit).deltas)
    told = commit.message.strip()
    return Kept(ref.removeprefix(REFS), str(commit.id), commit.commit_time, told, files)


def _diff(commit: pygit2.Commit) -> pygit2.Diff:
    if not commit.parents:
        return commit.tree.diff_to_tree(swap=True)
    return commit.parents[0].tree.diff_to_tree(commit.tree)


def patch_of(top: Path, kept: Kept) -> bytes:
    """Return a patch for `git apply`, whatever the files' encoding."""
    repo = pygit2.Repository(os.fspath(top))
    return b"".join(p.data for p in _diff(repo[kept.commit].peel(pygit2.Commit)) if p is not None)


def restore(top: Path, kept: Kept, *, force: bool = False) -> tuple[str, ...]:
    """Write saved work into a checkout, without overwriting files that were changed since."""
    repo = pygit2.Repository(os.fspath(top))
    commit = repo[kept.commit].peel(pygit2.Commit)
    before = commit.parents[0].tree if commit.parents else None
    if blocked := [path for path in kept.files if _is_blocked(top, path)]:
        names = "\n".join(f"  {path}" for path in blocked[:10])
        raise UsageError(
            f"A directory or a link stands where these files were, in {top}:\n{names}\n"
            f"Nothing was written. Move it away, or take single files: git show {kept.commit[:12]}"
        )
    in_the_way = [
        path
        for path in kept.files
        if content(top / path) not in (blob(before, path), blob(commit.tree, path))
    ]
    if in_the_way and not force:
        names = "\n".join(f"  {path}" for path in in_the_way[:10])
        raise UsageError(
            f"These files have been changed since, in {top}:\n{names}\n"
            "Nothing was written. Commit or stash them first, or write over them: --force"
        )
    for path in kept.files:
        _write(top, path, commit.tree)
    return kept.files


def _is_blocked(top: Path, path: str) -> bool:
    """Return whether the file cannot be written, or only by following a link."""
    place = top / path
    parents = [top / parent for parent in Path(path).parents[:-1]]
    if any(p.is_symlink() or (p.exists() and not p.is_dir()) for p in parents):
        return True
    return place.exists() and not (place.is_file() or place.is_symlink())


def blob(tree: pygit2.Tree | None, path: str) -> bytes | None:
    try:
        found = tree[path] if tree is not None else None
    except KeyError:
        return None
    return found.data if isinstance(found, pygit2.Blob) else None


def content(path: Path) -> bytes | None:
    """Return the file's bytes; None without a file. A pipe is not waited for."""
    if path.exists() and not (path.is_file() or path.is_dir() or path.is_symlink()):
        return _NO_FILE
    try:
        return os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def _write(top: Path, path: str, tree: pygit2.Tree) -> None:
    place = top / path
    data = blob(tree, path)
    if data is None:
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    mode = tree[path].filemode
    place.unlink(missing_ok=True)
    if mode == FileMode.LINK:
        place.symlink_to(os.fsdecode(data))
    else:
        replace_atomically(place, data, mode=0o755 if mode == FileMode.BLOB_EXECUTABLE else 0o644)
