"""Submodules of a unit's clone: each is a repository with commits of its own."""

import os
from collections.abc import Iterator
from pathlib import Path

import pygit2
from pygit2.enums import CheckoutStrategy, FileMode, FileStatus

from topkick.git.clone.places import Clone
from topkick.git.clone.shared_objects import lend
from topkick.git.read.directory import find_git
from topkick.git.read.repository import UNBORN


def moved_submodules(repo: pygit2.Repository, base: str, commit: str) -> Iterator[tuple[str, str]]:
    """Yield submodules that differ from the base, with their commits; their settings are not
    read.
    """
    tree = repo[commit].peel(pygit2.Tree)
    old = None if base == UNBORN else repo[base].peel(pygit2.Tree)
    diff = tree.diff_to_tree(swap=True) if old is None else old.diff_to_tree(tree)
    for delta in diff.deltas:
        if delta.new_file.mode == FileMode.COMMIT:
            yield delta.new_file.path, str(delta.new_file.id)


def home_of(clone: Clone, path: str) -> pygit2.Repository | None:
    """Return the user's own repository of the submodule, if it is checked out."""
    found = find_git(clone.main / path)
    if found is None or found.top != clone.main / path:
        return None
    return pygit2.Repository(os.fspath(found.common))


def opened_submodule(clone: Clone, path: str) -> pygit2.Repository | None:
    """Open the submodule; None if it is missing, or if an agent made it lead out of its clone."""
    place = clone.at / path
    if not (place / ".git").exists():
        return None
    repo = pygit2.Repository(os.fspath(place))
    inside = Path(repo.path).resolve().is_relative_to(clone.at.resolve())
    own_tree = not repo.is_bare and Path(repo.workdir).resolve() == place.resolve()
    alone = not (Path(repo.path) / "commondir").exists()
    return repo if inside and own_tree and alone else None


def follow(repo: pygit2.Repository, clone: Clone, commit: str) -> None:
    """Update submodules that other units have moved, if the agent has no changes in them."""
    for path, wanted in moved_submodules(repo, clone.base, commit):
        home, module = home_of(clone, path), opened_submodule(clone, path)
        if home is None or module is None or module.head_is_unborn:
            continue
        lend(home, module, wanted)
        head = str(module.head.peel(pygit2.Commit).id)
        if wanted in module and module.descendant_of(wanted, head) and _is_clean(module):
            tree = module[wanted].peel(pygit2.Tree)
            module.checkout_tree(tree, strategy=CheckoutStrategy.SAFE)  # type: ignore[no-untyped-call]
            module.set_head(pygit2.Oid(hex=wanted))


def _is_clean(repo: pygit2.Repository) -> bool:
    unimportant = (FileStatus.CURRENT, FileStatus.IGNORED)
    return all(status in unimportant for status in repo.status().values())
