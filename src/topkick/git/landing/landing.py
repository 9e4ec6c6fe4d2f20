"""Land a mission's work: merge it into the branch that the user has checked out.

libgit2 writes the files, so no hook, filter or driver runs. The branch is moved last. If landing is
killed before that, the checkout holds files of the merge on top of the old commit, and the next
landing continues there. `Room` checks first that no change of the user would be lost.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pygit2
from pygit2.enums import CheckoutStrategy, FileMode, FileStatus

from topkick.engine.errors import UsageError
from topkick.engine.io import crash_points
from topkick.git.landing.merge import conflicts_of
from topkick.git.locks import common_dir, was_cut_off, writing
from topkick.git.program import Name, Signed
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


# --- landing -------------------------------------------------------------------------------------


FILES_SHOWN = 10
_HEADS = "refs/heads/"
_HOW = CheckoutStrategy.FORCE | CheckoutStrategy.DISABLE_PATHSPEC_MATCH


@dataclass(frozen=True, slots=True)
class Landing:
    """The plan of a landing in one repository; `into` is a branch, or empty for a detached HEAD."""

    top: Path
    branch: str
    into: str
    head: str
    tip: str
    commits: int
    files: tuple[str, ...]
    forward: bool

    @property
    def is_done(self) -> bool:
        return not self.commits


class CannotLand(UsageError):
    """The user's own changes are in the way; nothing was touched."""


def look_at(top: Path, branch: str, tip: str) -> Landing | None:
    """Return the plan of a landing; None if the mission has no commits yet.

    topkick lands the commit at which the journal says that it left the branch, whatever happened to
    the branch since.
    """
    if not tip:
        return None
    repo = pygit2.Repository(os.fspath(top))
    if tip not in repo:
        raise CannotLand(
            f"{top} no longer has commit {tip[:12]}, at which topkick left {branch}. Nothing was "
            f"landed.\nRestore it (git reflog {branch}; git fsck --lost-found), then: topkick land"
        )
    head = UNBORN if repo.head_is_unborn else str(repo.head.peel(pygit2.Commit).id)
    behind = _commits_between(repo, head, tip)
    return Landing(
        top=top,
        branch=branch,
        into=_stands_on(repo),
        head=head,
        tip=tip,
        commits=behind,
        files=tuple(_changed(repo, head, tip)) if behind else (),
        forward=head in (UNBORN, tip) or repo.descendant_of(tip, head),
    )


def _stands_on(repo: pygit2.Repository) -> str:
    """Return HEAD's branch, which need not have a commit yet; empty for a detached HEAD."""
    target = repo.references["HEAD"].raw_target
    return os.fsdecode(target).removeprefix(_HEADS) if isinstance(target, bytes) else ""


def _commits_between(repo: pygit2.Repository, head: str, tip: str) -> int:
    if head == UNBORN:
        return sum(1 for _ in repo.walk(tip))
    return repo.ahead_behind(head, tip)[1]


def _changed(repo: pygit2.Repository, old: str, new: str) -> Iterator[str]:
    after = repo[new].peel(pygit2.Tree)
    if old == UNBORN:
        deltas = after.diff_to_tree(swap=True).deltas
    else:
        deltas = repo[old].peel(pygit2.Tree).diff_to_tree(after).deltas
    for delta in deltas:
        yield from dict.fromkeys((delta.old_file.path, delta.new_file.path))


def land(landing: Landing, signed: Signed) -> str:
    """Land, and return the new commit of the user's branch."""
    repo = pygit2.Repository(os.fspath(landing.top))
    if landing.branch == landing.into:
        raise CannotLand(
            f"{landing.top} is on {landing.branch} itself, so there is no branch to land on.\n"
            "Switch to the branch that should get the work (git switch -), then: topkick land"
        )
    commit = landing.tip if landing.forward else _merged(repo, landing, signed)
    paths = tuple(dict.fromkeys(_changed(repo, landing.head, commit)))
    _require_room(repo, landing, commit, paths)
    with writing(Path(repo.path), common_dir(repo), f"{_HEADS}{landing.into}"):
        crash_points.here("land.before-files")
        if paths:
            _write(repo, commit, paths)
        crash_points.here("land.before-branch")
        _move(repo, landing, commit)
        _write_missing(repo, commit, paths)
        crash_points.here("land.after-branch")
    return commit


def _write(repo: pygit2.Repository, commit: str, paths: tuple[str, ...]) -> None:
    tree, top = repo[commit].peel(pygit2.Tree), Path(repo.workdir)
    paths = _without_submodules_that_go(repo, tree, paths)
    replaced = tuple(p for p in paths if blob(tree, p) is not None and (top / p).is_dir())
    if others := [p for p in paths if p not in replaced]:
        names = [Name(path) for path in others]
        repo.checkout_tree(tree, strategy=_HOW, paths=names)  # type: ignore[no-untyped-call]
    if replaced:  # files that replace directories whose content was checked
        how = _HOW | CheckoutStrategy.REMOVE_UNTRACKED
        names = [Name(path) for path in replaced]
        repo.checkout_tree(tree, strategy=how, paths=names)  # type: ignore[no-untyped-call]


def _without_submodules_that_go(
    repo: pygit2.Repository, tree: pygit2.Tree, paths: tuple[str, ...]
) -> tuple[str, ...]:
    """Keep the checkouts of removed submodules, as git does; libgit2 would delete them."""
    index = repo.index
    going = [p for p in paths if p not in tree and p in index and index[p].mode == FileMode.COMMIT]
    for path in going:
        index.remove(path)
    if going:
        index.write()
    return tuple(path for path in paths if path not in going)


def _write_missing(repo: pygit2.Repository, commit: str, paths: tuple[str, ...]) -> None:
    """Write files that libgit2 leaves out because a directory was in their place and is gone."""
    tree, top = repo[commit].peel(pygit2.Tree), Path(repo.workdir)
    missing = [Name(p) for p in paths if blob(tree, p) is not None and not os.path.lexists(top / p)]
    if missing:
        repo.checkout_head(strategy=_HOW, paths=missing)  # type: ignore[no-untyped-call]


def _move(repo: pygit2.Repository, landing: Landing, commit: str) -> None:
    told = f"topkick: land {landing.branch}"
    if landing.head == UNBORN:
        repo.create_reference_direct(f"{_HEADS}{landing.into}", pygit2.Oid(hex=commit), False, told)
    else:
        target = f"{_HEADS}{landing.into}" if landing.into else "HEAD"
        repo.references[target].set_target(commit, told)


def _merged(repo: pygit2.Repository, landing: Landing, signed: Signed) -> str:
    index = repo.merge_commits(landing.head, landing.tip)
    if conflicts := tuple(conflicts_of(index)):
        raise CannotLand(
            f"{landing.branch} and {landing.into or 'HEAD'} conflict in {landing.top}:\n"
            f"{_listed(conflicts)}\nNothing was changed. Merge by hand: git merge {landing.branch}"
        )
    who = signed.now()
    told = f"Merge branch '{landing.branch}'\n"
    parents = [landing.head, landing.tip]
    return str(repo.create_commit(None, who, who, told, index.write_tree(repo), parents))


def _require_room(
    repo: pygit2.Repository, landing: Landing, commit: str, paths: tuple[str, ...]
) -> None:
    cut_off = was_cut_off(Path(repo.path))
    room = Room(repo, landing.head, commit, paths, cut_off=cut_off)
    in_the_way = sorted(set(room.in_the_way()))
    if in_the_way:
        raise CannotLand(
            f"Uncommitted changes in {landing.top} are in the way:\n{_listed(in_the_way)}\n"
            "Nothing was changed. Commit or stash them (git stash -u), then: topkick land"
        )
    staged = [] if landing.forward else [p for p in _staged(repo) if p not in set(paths)]
    if staged:
        raise CannotLand(
            f"In {landing.top}, other changes are staged, and a merge would commit them too:\n"
            f"{_listed(staged)}\nNothing was changed. Commit or unstage them (git restore "
            "--staged .), then: topkick land"
        )


def _staged(repo: pygit2.Repository) -> Iterator[str]:
    for delta in repo.diff("HEAD", None, cached=True).deltas:
        yield delta.new_file.path


def _listed(names: tuple[str, ...] | list[str]) -> str:
    shown = [f"  {name}" for name in names[:FILES_SHOWN]]
    more = [f"  … and {len(names) - FILES_SHOWN} more"] if len(names) > FILES_SHOWN else []
    return "\n".join([*shown, *more])
