"""Read the commits of a repository and their messages; nothing in them is executed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pygit2
from pygit2.enums import SortMode

from topkick.git.read.changes import opened
from topkick.git.read.repository import UnreadableRepository

MOST_COMMITS = 5_000
LONGEST_MESSAGE = 2_000


@dataclass(frozen=True, slots=True)
class CommitHistory:
    """One commit; `touched` are those of the requested paths that the commit changed."""

    id: str
    message: str
    touched: frozenset[str]


@dataclass(frozen=True, slots=True)
class History:
    """The latest commits that HEAD builds on, newest first, and the commits of other branches."""

    commits: tuple[CommitHistory, ...]
    elsewhere: frozenset[str]

    def standing(self, commit: str) -> str:
        """Return `there`, `elsewhere` or `gone`."""
        if any(past.id.startswith(commit) for past in self.commits):
            return "there"
        return "elsewhere" if commit in self.elsewhere else "gone"


def history_of(directory: Path, places: Sequence[str], asked: Sequence[str]) -> History | None:
    """Return the history, or None without a repository; `asked` are (short) commit ids to look
    up.
    """
    repo = opened(directory)
    if repo is None or repo.is_bare:
        return None
    try:
        commits = tuple(_walk(repo, places)) if not repo.head_is_unborn else ()
        there = frozenset(one for one in asked if _is_commit(repo, one))
    except pygit2.GitError as error:
        raise UnreadableRepository(
            f"The git repository of {directory} cannot be read: {error}.\n"
            "Repair it, or use a full clone."
        ) from error
    return History(commits, there)


def versions_of(directory: Path, path: str, limit_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Yield each version of a file in the local branches with the newest commit that has it."""
    repo = opened(directory)
    seen: set[object] = set()
    try:
        commits = _newest_first(repo) if repo is not None else ()
        for commit in islice(commits, MOST_COMMITS):
            blob = _entry(commit, path)
            if blob is None or blob in seen or repo is None:
                continue
            seen.add(blob)
            found = repo[blob]
            if isinstance(found, pygit2.Blob) and found.size <= limit_bytes:
                yield str(commit.id), found.data
    except (pygit2.GitError, KeyError):  # a partial clone, a damaged repository
        return


def _newest_first(repo: pygit2.Repository) -> Iterator[pygit2.Commit]:
    """Walk HEAD and all local branches: another branch may have what this one lacks."""
    walker = repo.walk(None, SortMode.TIME)
    if not repo.head_is_unborn:
        walker.push(repo.head.target)
    for name in repo.branches.local:
        walker.push(repo.branches.local[name].peel(pygit2.Commit).id)
    return iter(walker)


def _walk(repo: pygit2.Repository, places: Sequence[str]) -> Iterator[CommitHistory]:
    walker = repo.walk(repo.head.target, SortMode.TOPOLOGICAL | SortMode.TIME)
    for number, commit in enumerate(walker):
        if number >= MOST_COMMITS:
            return
        touched = frozenset(place for place in places if _touches(commit, place))
        yield CommitHistory(str(commit.id), commit.message[:LONGEST_MESSAGE], touched)


def _touches(commit: pygit2.Commit, place: str) -> bool:
    mine = _entry(commit, place)
    parents = commit.parents
    return all(_entry(parent, place) != mine for parent in parents) and bool(parents or mine)


def _entry(commit: pygit2.Commit, place: str) -> pygit2.Oid | None:
    try:
        return commit.tree[place].id if place else commit.tree.id
    except KeyError:
        return None


def _is_commit(repo: pygit2.Repository, id_: str) -> bool:
    try:
        return isinstance(repo.get(id_), pygit2.Commit)
    except ValueError:  # several ids begin like this
        return True
