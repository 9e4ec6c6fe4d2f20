"""Check whether files can be written into the user's checkout without losing the user's changes."""

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import pygit2
from pygit2.enums import FileMode, FileStatus

from topkick.git.read.repository import UNBORN
from topkick.git.salvage import blob, content


class Room:
    """Protects the user's changes; files that an interrupted landing wrote may be overwritten."""

    def __init__(
        self,
        repo: pygit2.Repository,
        head: str,
        commit: str,
        paths: tuple[str, ...],
        *,
        cut_off: bool = False,
    ) -> None:
        """Set `cut_off` if a landing was killed here: then a half-written file is topkick's too."""
        self._repo = repo
        self._top = Path(repo.workdir)
        self._had = None if head == UNBORN else repo[head].peel(pygit2.Tree)
        self._wanted = repo[commit].peel(pygit2.Tree)
        self._paths = paths
        self._cut_off = cut_off

    def in_the_way(self) -> Iterator[str]:
        for path in self._paths:
            if parent := self._blocking_parent(path):
                yield parent
            elif is_submodule(self._had, path):
                if self._needs_the_place_of(path) and self._holds_anything(path):
                    yield path
            elif self._is_staged(path) or self._is_theirs(path):
                yield path

    def _blocking_parent(self, path: str) -> str:
        """Return a file or link where a directory is needed, if the commit does not remove it."""
        for parent in reversed(Path(path).parents[:-1]):
            place, name = self._top / parent, os.fspath(parent)
            if place.is_symlink() or (os.path.lexists(place) and not place.is_dir()):
                return "" if name in self._all or not _id(self._wanted, path) else name
        return ""

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset(self._paths)

    def _needs_the_place_of(self, submodule: str) -> bool:
        """Return whether files must replace a submodule; otherwise its checkout is left alone."""
        return submodule in self._wanted and not is_submodule(self._wanted, submodule)

    def _holds_anything(self, path: str) -> bool:
        place = self._top / path
        return os.path.lexists(place) and (not place.is_dir() or any(place.iterdir()))

    def _is_staged(self, path: str) -> bool:
        """Return whether the index has a version that is neither the old nor the new one."""
        if path not in self._repo.index:
            return False
        ids = {_id(self._had, path), _id(self._wanted, path)}
        return str(self._repo.index[path].id) not in ids

    def _is_theirs(self, path: str) -> bool:
        place = self._top / path
        if path in self._repo.index or _id(self._had, path):
            changed = path in self._changed
        else:
            changed = os.path.lexists(place)
        if not changed:
            return False
        if place.is_dir() and not place.is_symlink():
            return any(self._unknown_below(place))
        if os.path.lexists(place) and not (place.is_symlink() or place.is_file()):
            return True
        found, wanted = content(place), blob(self._wanted, path)
        is_half = found is not None and wanted is not None and wanted.startswith(found)
        return found != wanted and not (self._cut_off and is_half)

    def _unknown_below(self, place: Path) -> Iterator[str]:
        for directory, _, names in os.walk(place):
            for name in names:
                inside = (Path(directory) / name).relative_to(self._top)
                if os.fspath(inside) not in self._repo.index:
                    yield os.fspath(inside)

    @cached_property
    def _changed(self) -> frozenset[str]:
        unimportant = (FileStatus.CURRENT, FileStatus.IGNORED)
        found = self._repo.status(untracked_files="no").items()
        return frozenset(path for path, status in found if status not in unimportant)


def is_submodule(tree: pygit2.Tree | None, path: str) -> bool:
    return tree is not None and path in tree and tree[path].filemode == FileMode.COMMIT


def _id(tree: pygit2.Tree | None, path: str) -> str:
    """Return the id of a file; empty for a directory."""
    if tree is None or path not in tree or isinstance(tree[path], pygit2.Tree):
        return ""
    return str(tree[path].id)
