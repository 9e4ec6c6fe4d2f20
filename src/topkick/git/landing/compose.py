"""Compose the base with the work of some units, for a gate that searches for a culprit (GT-03).

It happens in a repository of topkick's own that borrows the user's objects. Nothing is written to
the user's repository, and the result is deleted when the gate's run is over.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pygit2
from pygit2.enums import SortMode

from topkick.engine.errors import TopkickError
from topkick.engine.io import crash_points
from topkick.git.clone.shared_objects import borrow
from topkick.git.clone.temporary import COMPOSED, fleeting
from topkick.git.read.changes import shared_by
from topkick.git.read.repository import UNBORN
from topkick.sprint.gates.model import Covered

WHO = pygit2.Signature("topkick", "topkick@localhost", 0, 0)
MOST_COMMITS = 5_000


class NotComposed(TopkickError):
    """The work of these units cannot be separated from that of the others."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One unit's share: a `commit` to merge, or its own `commits` to pick one by one."""

    unit: str
    commit: str = ""
    commits: tuple[str, ...] = ()


@contextmanager
def workshop(place: Path, objects: Path) -> Iterator[pygit2.Repository]:
    """Make a temporary repository that borrows the user's objects."""
    with fleeting(place, COMPOSED) as at:
        crash_points.here("gate.before-compose")
        pygit2.init_repository(os.fspath(at), bare=True)
        borrow(at, [objects])
        yield pygit2.Repository(os.fspath(at))
        crash_points.here("gate.before-clear")


def merged(repo: pygit2.Repository, base: str, pieces: Sequence[Piece]) -> str:
    """Merge each unit's commit into the base, in the order in which they were integrated."""
    tip = base
    for piece in pieces:
        if not piece.commit or piece.commit not in repo:
            continue
        if tip == UNBORN or _follows(repo, piece.commit, tip):
            tip = piece.commit
        elif not _follows(repo, tip, piece.commit):
            index = repo.merge_commits(tip, piece.commit)
            tip = _committed(repo, _written(repo, index, piece), [tip, piece.commit])
    return tip


def picked(repo: pygit2.Repository, base: str, commits: Sequence[tuple[str, str]]) -> str:
    """Cherry-pick commits of one history, with their units, onto the base."""
    tree = _tree_at(repo, base)
    for commit, unit in commits:
        found = repo[commit].peel(pygit2.Commit)
        before = found.parents[0].tree if found.parents else _tree_at(repo, UNBORN)
        index = repo.merge_trees(before, tree, found.tree)
        tree = repo[_written(repo, index, Piece(unit))].peel(pygit2.Tree)
    return _committed(repo, tree.id, [] if base == UNBORN else [base])


def _written(repo: pygit2.Repository, index: pygit2.Index, piece: Piece) -> pygit2.Oid:
    if index.conflicts is not None and any(True for _ in index.conflicts):
        raise NotComposed(f"the work of {piece.unit} cannot be separated from that of the others")
    return index.write_tree(repo)


def _committed(repo: pygit2.Repository, tree: pygit2.Oid, parents: Sequence[str]) -> str:
    ids = [pygit2.Oid(hex=parent) for parent in parents]
    return str(repo.create_commit(None, WHO, WHO, "for a gate", tree, list(ids)))


def _follows(repo: pygit2.Repository, later: str, earlier: str) -> bool:
    return later == earlier or bool(repo.descendant_of(later, earlier))


def _tree_at(repo: pygit2.Repository, commit: str) -> pygit2.Tree:
    if commit == UNBORN:
        return repo[repo.TreeBuilder().write()].peel(pygit2.Tree)
    return repo[commit].peel(pygit2.Tree)


# --- owners of commits in a shared tree ----------------------------------------------------


def oldest(repo: pygit2.Repository, commits: Sequence[str], head: str) -> str:
    """Return the commit that all others build on; without any, HEAD, so that nothing is
    separated.
    """
    if UNBORN in commits:
        return UNBORN
    known = [c for c in dict.fromkeys(commits) if c in repo] if any(commits) else []
    found = known[0] if known else head
    for commit in known[1:]:
        found = shared_by(repo, found, commit) or UNBORN
        if found == UNBORN:
            return UNBORN
    return found


def owned(
    repo: pygit2.Repository,
    base: str,
    head: str,
    covers: Sequence[Covered],
    inside: Callable[[str], str],
) -> tuple[tuple[str, str], ...]:
    """Return the commits since the base, oldest first, each with its unit, or empty if it has none.

    `inside` maps a unit's directory to its path in the repository ('' for all of it).
    """
    walker = repo.walk(head, SortMode.TOPOLOGICAL | SortMode.REVERSE)
    if base != UNBORN:
        walker.hide(base)
    walker.simplify_first_parent()
    found = []
    for commit in walker:
        found.append((str(commit.id), _owner(repo, commit, covers, inside)))
        if len(found) > MOST_COMMITS:
            raise NotComposed(f"there are over {MOST_COMMITS} commits since the last gate")
    return tuple(found)


def _owner(
    repo: pygit2.Repository,
    commit: pygit2.Commit,
    covers: Sequence[Covered],
    inside: Callable[[str], str],
) -> str:
    paths = touched(repo, commit)
    homes = {c.unit: inside(c.directory) for c in covers}
    alone = [u for u, home in homes.items() if home and all(_below(p, home) for p in paths)]
    if len(alone) == 1 and paths:
        return alone[0]
    during = [c.unit for c in covers if _made_during(repo, str(commit.id), c)]
    return during[0] if len(during) == 1 else ""


def _below(path: str, home: str) -> bool:
    return path.startswith(f"{home}/")


def _made_during(repo: pygit2.Repository, commit: str, covered: Covered) -> bool:
    """Return whether the commit was made between the unit's first order and its last check."""
    base, head = covered.base, covered.head
    if not head or head not in repo or not _follows(repo, head, commit):
        return False
    if base in ("", UNBORN):
        return True
    return base not in repo or (commit != base and _follows(repo, commit, base))


def touched(repo: pygit2.Repository, commit: pygit2.Commit) -> tuple[str, ...]:
    before = commit.parents[0].tree if commit.parents else _tree_at(repo, UNBORN)
    return changed_paths(before, commit.tree)


def changed_paths(before: pygit2.Tree, after: pygit2.Tree) -> tuple[str, ...]:
    deltas = before.diff_to_tree(after).deltas
    return tuple(dict.fromkeys(f.path for d in deltas for f in (d.old_file, d.new_file)))
