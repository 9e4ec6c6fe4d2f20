"""Read the changes between two commits as texts for inspection; nothing in them is executed."""

import os
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import pygit2
from pygit2.enums import DeltaStatus, DiffOption

from topkick.git.read.directory import existing
from topkick.git.read.repository import UNBORN, head_of
from topkick.inspection.change import MOST_BYTES, SUBMODULE_MODE, File, FileChange

MOST_FILES = 5_000
MOST_RENAMES = 500
MOST_DIRECTORIES = 60
GIVES_MEANING = (
    "GNUmakefile", "Makefile", "Taskfile.yml", "justfile", "makefile", "package.json",
    "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini",
)  # fmt: skip


def head_at(directory: Path) -> str:
    """Return the commit of HEAD; empty where there is no repository."""
    repo = opened(directory)
    if repo is None or repo.is_bare:
        return ""
    return head_of(repo)


def follows(repo: pygit2.Repository, head: str, base: str) -> bool:
    """Return whether `base` is still part of the history of `head`."""
    if base in (UNBORN, head):
        return True
    if base not in repo or head not in repo:
        return False
    return bool(repo.descendant_of(head, base))


def merged_from(repo: pygit2.Repository, head: str, main: Path, left_at: str) -> str:
    """Return the last commit that `head` shares with a branch of the user's repository.

    The branch was left at `left_at`; files that are as they are there are the work of others. Empty
    if no commit is shared.
    """
    theirs = pygit2.Repository(os.fspath(main))
    if not left_at or left_at not in theirs:
        return ""
    repo.odb.add_disk_alternate(os.fspath(main / "objects"))
    tip: pygit2.Commit | None = theirs[left_at].peel(pygit2.Commit)
    while tip is not None and follows(repo, str(tip.id), head):  # it has merged `head` since
        tip = tip.parents[0] if tip.parents and str(tip.id) != head else None
    return shared_by(repo, head, str(tip.id)) if tip is not None and tip.id in repo else ""


def shared_by(repo: pygit2.Repository, one: str, other: str) -> str:
    """Return the last commit that both have in their history; empty if there is none."""
    found: object = repo.merge_base(one, other)
    return str(found) if isinstance(found, pygit2.Oid) else ""


def changes_between(
    repo: pygit2.Repository,
    base: str,
    head: str,
    *,
    beside: Sequence[str] = (),
    not_in: Sequence[str] = (),
) -> tuple[FileChange, ...]:
    """Return the changed files between two commits; base may be UNBORN.

    `beside` are commits of other units: a file that is the same in one of them is that unit's work.
    `not_in` are directories to leave out.
    """
    new = repo[head].peel(pygit2.Tree)
    flags = DiffOption.INCLUDE_TYPECHANGE
    if base == UNBORN:
        diff = new.diff_to_tree(swap=True, flags=flags)
    else:
        diff = repo[base].peel(pygit2.Tree).diff_to_tree(new, flags=flags)
    diff.find_similar(rename_limit=MOST_RENAMES)
    others = [repo[commit].peel(pygit2.Tree) for commit in beside if commit in repo]
    found = (d for d in diff.deltas if not _is_theirs(d, others, not_in))
    return tuple(_read(repo, found))


def patches_between(
    repo: pygit2.Repository, base: str, head: str, files: Sequence[str]
) -> Iterator[str]:
    """Yield the lines of the difference in these files, as `git diff` shows them."""
    if (base != UNBORN and base not in repo) or head not in repo:
        return
    new = repo[head].peel(pygit2.Tree)
    if base == UNBORN:
        diff = new.diff_to_tree(swap=True)
    else:
        diff = repo[base].peel(pygit2.Tree).diff_to_tree(new)
    for patch in diff:
        if patch and not {patch.delta.old_file.path, patch.delta.new_file.path}.isdisjoint(files):
            yield from (patch.data.decode("utf-8", "replace")).rstrip("\n").split("\n")


def unchanged(
    repo: pygit2.Repository, head: str, changes: Sequence[FileChange]
) -> Iterator[FileChange]:
    """Yield unchanged files that give a change its meaning: settings and build recipes above it."""
    tree = repo[head].peel(pygit2.Tree)
    seen = {file.path for change in changes for file in (change.before, change.after) if file}
    above = dict.fromkeys(["", *(d for path in sorted(seen) for d in _above(path))])
    for directory in list(above)[:MOST_DIRECTORIES]:
        for name in GIVES_MEANING:
            path = f"{directory}{name}"
            entry = tree[path] if path not in seen and path in tree else None
            if isinstance(entry, pygit2.Blob) and entry.size <= MOST_BYTES:
                file = File(path, entry.data)
                yield FileChange(file, file)


def _above(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    return ("/".join(parts[:n]) + "/" for n in range(1, len(parts) + 1))


def _is_theirs(
    delta: pygit2.DiffDelta, others: Sequence[pygit2.Tree], not_in: Sequence[str]
) -> bool:
    path = delta.new_file.path
    if any(path.startswith(f"{directory.rstrip('/')}/") for directory in not_in):
        return True
    now = None if delta.status is DeltaStatus.DELETED else delta.new_file.id
    return any(_entry(tree, path) == now for tree in others)


def _entry(tree: pygit2.Tree, path: str) -> pygit2.Oid | None:
    try:
        return tree[path].id
    except KeyError:
        return None


def _read(repo: pygit2.Repository, deltas: Iterator[pygit2.DiffDelta]) -> Iterator[FileChange]:
    for number, delta in enumerate(deltas):
        if number >= MOST_FILES:
            return
        before = None if delta.status is DeltaStatus.ADDED else _file(repo, delta.old_file)
        after = None if delta.status is DeltaStatus.DELETED else _file(repo, delta.new_file)
        if before is not None or after is not None:
            yield FileChange(before, after)


def _file(repo: pygit2.Repository, side: pygit2.DiffFile) -> File | None:
    """Read one side of a change; a file that is too large is treated as empty."""
    if side.mode == SUBMODULE_MODE:
        return File(side.path, b"", side.mode)
    blob = repo.get(side.id)
    if not isinstance(blob, pygit2.Blob):
        return None
    return File(side.path, blob.data if blob.size <= MOST_BYTES else b"", side.mode)


def opened(directory: Path) -> pygit2.Repository | None:
    found = pygit2.discover_repository(os.fspath(existing(directory)))
    return pygit2.Repository(found) if found is not None else None


# --- topkick's own files -------------------------------------------------------------------------
# The user's settings and topkick's boards are never an agent's work, nor a finding against it: the
# user edits topkick.toml and topkick writes its boards while agents work in the same tree, and an
# agent that commits everything commits them too.


OUR_NAMES = (
    "topkick.toml",
    "SUPERVISOR_STATE.md",
    "SUPERVISOR_STATE.*.md",
    "ANALYSIS_REPORT.md",
    "ANALYSIS_REPORT.*.md",
    "COMPLETE_*.md",
)
"""File names at the project's root."""


def ours_in(top: Path, project: Path) -> Callable[[str], bool]:
    """Return a function that decides whether a path from the repository's top is topkick's own
    file.
    """
    below = os.path.relpath(project.resolve(), top.resolve())
    prefix = "" if below == "." else f"{Path(below).as_posix()}/"

    def is_ours(path: str) -> bool:
        name = path.removeprefix(prefix)
        return path.startswith(prefix) and any(fnmatchcase(name, own) for own in OUR_NAMES)

    return is_ours
