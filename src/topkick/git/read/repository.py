"""Read a repository that an agent can write to, without running anything from it.

libgit2 runs no hooks, no fsmonitor and no filter programs; `git status` would (law 7).
"""

import operator
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pygit2
from pygit2.enums import DeltaStatus, DiffOption, FileStatus, SortMode

from topkick.engine.errors import TopkickError
from topkick.git.read.directory import existing

UNBORN = "0" * 40
COMMITS_SHOWN = 50
FILES_SHOWN = 200
COMMENT_STARTS = ("#", "//", "/*", "*", "--", ";", "<!--", '"""', "'''", "%")

pygit2.settings.owner_validation = False  # safe: nothing from the repository is executed here


@dataclass(frozen=True, slots=True)
class GitTree:
    """The state of a repository, as seen from one directory in it.

    The commits `outside` change only files elsewhere, the first of which are `outside_files`.
    """

    head: str
    commits: tuple[str, ...] = ()
    substance: bool = False
    uncommitted: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    outside_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotCounted:
    """Files that are no agent's work, and directories of other units; paths from the repository's
    top.

    The `plan` counts as work unless `same_plan` holds for both versions: topkick writes a name into
    it.
    """

    is_ours: Callable[[str], bool] = lambda _: False
    others: Sequence[str] = ()
    plan: str = ""
    same_plan: Callable[[bytes, bytes], bool] = operator.eq


ALL_COUNTS = NotCounted()


class UnreadableRepository(TopkickError):
    """libgit2 cannot read the repository: it is a partial clone, or its index is damaged."""


def read_tree(
    directory: Path, base: str | None, *, whole: bool = False, without: NotCounted = ALL_COUNTS
) -> GitTree | None:
    """Read the repository's state; None if there is no repository. `base` is the commit to compare
    with.

    With `whole`, the whole repository counts, not only the directory.
    """
    try:
        return _read_tree(directory, base, without, whole=whole)
    except pygit2.GitError as error:
        raise UnreadableRepository(
            f"The git repository of {directory} cannot be read: {error}.\n"
            "topkick reads repositories without running git, and cannot read partial clones. "
            "Use a full clone, or repair the repository."
        ) from error


def _read_tree(
    directory: Path, base: str | None, without: NotCounted, *, whole: bool
) -> GitTree | None:
    found = _open(directory)
    if found is None:
        return None
    repo, inside = found[0], "" if whole else found[1]
    head = head_of(repo)
    uncommitted = tuple(p for p in _uncommitted(repo, inside) if not without.is_ours(p))
    if base is None or head in {base, UNBORN} or not _exists(repo, base):
        return GitTree(head, uncommitted=uncommitted)
    commits = tuple(c for c in _commits(repo, inside, base) if _counts(repo, c, without))
    changes = _changes(repo, inside, base) if commits else None
    substance = bool(commits) and _has_substance(repo, changes, inside, without)
    outside = _outside(repo, inside, base, without) if inside else {}
    files = dict.fromkeys(file for changed in outside.values() for file in changed)
    return GitTree(
        head, commits, substance, uncommitted, tuple(outside), tuple(files)[:FILES_SHOWN]
    )


def head_of(repo: pygit2.Repository) -> str:
    return UNBORN if repo.head_is_unborn else str(repo.head.peel(pygit2.Commit).id)


def branch_of(repo: pygit2.Repository) -> str:
    """Return the name of HEAD's branch; empty if HEAD is detached."""
    try:
        target = repo.references["HEAD"].target
    except (KeyError, pygit2.GitError):
        return ""
    return str(target).removeprefix("refs/heads/") if isinstance(target, str) else ""


def _open(directory: Path) -> tuple[pygit2.Repository, str] | None:
    """Return the repository and the directory's path inside it ('' for its top)."""
    place = existing(directory)
    found = pygit2.discover_repository(os.fspath(place))
    if found is None:
        return None
    repo = pygit2.Repository(found)
    if repo.is_bare:
        return None
    if not place.resolve().is_relative_to(Path(repo.workdir).resolve()):
        raise UnreadableRepository(
            f"The git settings of {place} say that its files are in {repo.workdir}, so topkick "
            "does not read it.\nRemove that setting (git config --unset core.worktree), then: "
            "topkick resume"
        )
    inside = os.path.relpath(directory.resolve(), Path(repo.workdir).resolve())
    return repo, "" if inside == "." else PurePosixPath(inside).as_posix()


def _exists(repo: pygit2.Repository, commit: str) -> bool:
    return commit == UNBORN or commit in repo


# --- commits -------------------------------------------------------------------------------


def _commits(repo: pygit2.Repository, inside: str, base: str) -> Iterator[str]:
    """Yield the commits since the base that change the directory, newest first."""
    walker = repo.walk(repo.head.target, SortMode.TOPOLOGICAL)
    if base != UNBORN:
        walker.hide(base)
    shown = 0
    for commit in walker:
        mine = _entry(commit, inside)
        if all(_entry(parent, inside) != mine for parent in commit.parents) and (
            commit.parents or mine is not None
        ):
            yield str(commit.id)
            shown += 1
        if shown >= COMMITS_SHOWN:
            return


def _counts(repo: pygit2.Repository, commit: str, without: NotCounted) -> bool:
    deltas = _deltas(repo[commit].peel(pygit2.Commit))
    return not deltas or any(_is_work(repo, d, "", without) for d in deltas)


def _is_work(
    repo: pygit2.Repository, delta: pygit2.DiffDelta, below: str, without: NotCounted
) -> bool:
    path = f"{below}{delta.new_file.path}"
    if path == without.plan:
        old, new = (repo.get(side.id) for side in (delta.old_file, delta.new_file))
        if isinstance(old, pygit2.Blob) and isinstance(new, pygit2.Blob):
            return not without.same_plan(old.data, new.data)
    return not without.is_ours(path)


def _outside(
    repo: pygit2.Repository, inside: str, base: str, without: NotCounted
) -> dict[str, list[str]]:
    """Return the commits since the base that don't touch the directory, with the files they
    change.
    """
    walker = repo.walk(repo.head.target, SortMode.TOPOLOGICAL)
    if base != UNBORN:
        walker.hide(base)
    found: dict[str, list[str]] = {}
    for commit in walker:
        is_merge = len(commit.parents) > 1
        if is_merge or any(_entry(p, inside) != _entry(commit, inside) for p in commit.parents):
            continue
        works = (d for d in _deltas(commit) if _is_work(repo, d, "", without))
        files = [delta.new_file.path for delta in works]
        if files and not any(path.startswith(f"{d}/") for path in files for d in without.others):
            found[str(commit.id)] = files
        if len(found) >= COMMITS_SHOWN:
            break
    return found


def _deltas(commit: pygit2.Commit) -> list[pygit2.DiffDelta]:
    """Return the commit's changes compared with its first parent."""
    if commit.parents:
        diff = commit.parents[0].tree.diff_to_tree(commit.tree)
    else:
        diff = commit.tree.diff_to_tree(swap=True)
    return list(diff.deltas)


def _entry(commit: pygit2.Commit, inside: str) -> object:
    if not inside:
        return commit.tree.id
    try:
        return commit.tree[inside].id
    except KeyError:
        return None


# --- substance of a change -----------------------------------------------------------------


def _changes(repo: pygit2.Repository, inside: str, base: str) -> pygit2.Diff | None:
    """Return the patches between the two trees; None where the path is not a directory in both."""
    new = _subtree(repo, str(repo.head.target), inside)
    old = _subtree(repo, base, inside) if base != UNBORN else None
    flags = DiffOption.IGNORE_SUBMODULES | DiffOption.INCLUDE_TYPECHANGE
    if isinstance(old, pygit2.Tree) and isinstance(new, pygit2.Tree):
        return old.diff_to_tree(new, flags=flags, context_lines=0)
    if old is None and isinstance(new, pygit2.Tree):
        return new.diff_to_tree(swap=True, flags=flags, context_lines=0)
    return None


def _subtree(repo: pygit2.Repository, commit: str, inside: str) -> pygit2.Object | None:
    tree = repo[commit].peel(pygit2.Tree)
    try:
        return tree[inside] if inside else tree
    except KeyError:
        return None


def _has_substance(
    repo: pygit2.Repository, changes: pygit2.Diff | None, inside: str, without: NotCounted
) -> bool:
    """Return whether more than blanks and comments changed (SM-07)."""
    below = f"{inside}/" if inside else ""
    return changes is None or any(
        _patch_counts(p) for p in changes if p and _is_work(repo, p.delta, below, without)
    )


def _patch_counts(patch: pygit2.Patch) -> bool:
    delta = patch.delta
    if delta.is_binary or delta.status in {DeltaStatus.RENAMED, DeltaStatus.TYPECHANGE}:
        return True
    lines = [line for hunk in patch.hunks for line in hunk.lines]
    added = [_essence(line.content) for line in lines if line.origin == "+"]
    removed = [_essence(line.content) for line in lines if line.origin == "-"]
    return [a for a in added if a] != [r for r in removed if r]


def _essence(line: str) -> str:
    text = "".join(line.split())
    return "" if text.startswith(COMMENT_STARTS) else text


# --- uncommitted files ---------------------------------------------------------------------


def _uncommitted(repo: pygit2.Repository, inside: str) -> Iterator[str]:
    below = f"{inside}/" if inside else ""
    unimportant = {FileStatus.CURRENT, FileStatus.IGNORED}
    changed = sorted(
        path
        for path, status in repo.status(untracked_files="all").items()
        if status not in unimportant and path.startswith(below)
    )
    yield from changed[:FILES_SHOWN]
