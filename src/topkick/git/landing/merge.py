"""Merge branches in memory: no program runs, and no checkout is touched.

The ref is moved last, in one step; if the process is killed before that, the same merge is made
again. The merge builds on the commit that the journal names, never on what the ref happens to point
to.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pygit2
from pygit2.enums import CheckoutStrategy

from topkick.engine.errors import TopkickError
from topkick.engine.io import crash_points
from topkick.git.clone.clone import follow
from topkick.git.clone.places import Clone
from topkick.git.clone.shared_objects import lend
from topkick.git.isolation import MISSION_IN_CLONE
from topkick.git.landing.fetch_commits import NotGathered, keep, opened_clone, opened_main
from topkick.git.landing.moved_branch import (
    BranchMoved,
    describe,
    details,
    is_own_merge,
    stands_at,
    summary,
)
from topkick.git.locks import free_ref
from topkick.git.program import Name, Signed
from topkick.git.read.repository import UNBORN
from topkick.git.salvage import blob, content

CONFLICTS_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Merged:
    """The result of a merge: the branch should move from `was` to `commit`; with conflicts it
    stays.
    """

    commit: str
    conflicts: tuple[str, ...] = ()
    was: str = ""


class BranchInUse(TopkickError):
    """The mission's branch is checked out and cannot be moved."""


def integrate(clone: Clone, commit: str, signed: Signed, told: str) -> Merged:
    """Merge a gathered commit into the mission's branch."""
    merged = prepare(clone, commit, signed, told)
    if not merged.conflicts:
        move_branch(clone, merged)
    return merged


def prepare(
    clone: Clone, commit: str, signed: Signed, told: str, checked: Sequence[str] = ()
) -> Merged:
    """Make the merge without moving the branch; raise BranchMoved if it was moved by others."""
    repo = opened_main(clone)
    tip = _own_tip(repo, clone, (commit, *checked))
    if tip == UNBORN:
        return Merged(commit, was=tip)
    if tip == commit or repo.descendant_of(tip, commit):
        return Merged(tip, was=tip)
    if repo.descendant_of(commit, tip):
        return Merged(commit, was=tip)
    index = repo.merge_commits(tip, commit)
    if conflicts := tuple(conflicts_of(index)):
        return Merged(tip, conflicts, was=tip)
    who = signed.now()
    made = repo.create_commit(None, who, who, told, index.write_tree(repo), [tip, commit])
    crash_points.here("tree.before-merge")
    return Merged(str(made), was=tip)


def tip_of(clone: Clone) -> str:
    """Return where the mission's branch was left, or where it will start."""
    return clone.tip or clone.base


def _own_tip(repo: pygit2.Repository, clone: Clone, checked: Sequence[str]) -> str:
    """Return where topkick left the branch: by the journal, or by a merge that was not recorded."""
    tip, now = tip_of(clone), stands_at(repo, clone.mission)
    if tip != UNBORN and tip not in repo:
        raise NotGathered(
            f"{clone.main} no longer has commit {tip[:12]}, at which topkick left {clone.mission}. "
            "Nothing was merged.\n"
            f"Restore it (git reflog {clone.mission}; git fsck --lost-found), then: topkick resume"
        )
    if now in ("", tip):
        return tip
    if is_own_merge(repo, tip, now, checked):
        return now
    moved = describe(repo, clone.main, clone.mission, clone.tip or clone.base)
    raise BranchMoved(f"{summary(moved)}\n{details(moved)}")


def move_branch(clone: Clone, merged: Merged) -> bool:
    """Move or create the branch in one step; return whether it had been deleted."""
    repo = opened_main(clone)
    free_ref(Path(repo.path), clone.mission_ref)
    gone = clone.mission_ref not in repo.references
    if gone and (clone.tip or merged.commit != clone.base):
        repo.references.create(clone.mission_ref, merged.commit)
    elif merged.commit != merged.was:
        _move(repo, clone, merged.was, merged.commit)
    crash_points.here("tree.after-merge")
    return gone and bool(clone.tip)


def _move(repo: pygit2.Repository, clone: Clone, was: str, now: str) -> None:
    if repo.branches.local[clone.mission].is_checked_out():
        raise BranchInUse(
            f"{clone.mission} is checked out in {clone.main}, so finished work cannot be merged "
            "into it.\nSwitch that checkout to another branch (git switch -), then: topkick resume"
        )
    reference = repo.references[clone.mission_ref]
    if str(reference.target) != was:
        raise BranchInUse(
            f"Another program moved {clone.mission} during the merge, so nothing was merged. Look: "
            "topkick land --dry-run    Then: topkick resume"
        )
    reference.set_target(now, "topkick: integrated")


def conflicts_of(index: pygit2.Index) -> Iterator[str]:
    if index.conflicts is None:
        return
    for number, sides in enumerate(index.conflicts):
        if number == CONFLICTS_SHOWN:
            yield "..."
            return
        yield next(side.path for side in sides if side is not None)


# --- into a unit's clone -------------------------------------------------------------------


def lend_mission(clone: Clone, tip: str = "") -> str:
    """Give the clone the mission's branch as it was left, under a name of its own."""
    tip, repo = tip or tip_of(clone), opened_clone(clone)
    if tip != UNBORN:
        lend(opened_main(clone), repo, tip)
        keep(repo, f"refs/heads/{MISSION_IN_CLONE}", tip)
    return tip


def catch_up(clone: Clone, signed: Signed, told: str) -> Merged:
    """Merge the mission's branch into the unit's, in its clone, whose tree must be clean.

    libgit2 writes the files: nothing from the clone is executed.
    """
    tip, repo = lend_mission(clone), opened_clone(clone)
    finish(repo, clone)
    merged = _brought_together(repo, clone, tip, signed, told)
    if not merged.conflicts and merged.commit != UNBORN:
        follow(repo, clone, merged.commit)
    return merged


def _brought_together(
    repo: pygit2.Repository, clone: Clone, tip: str, signed: Signed, told: str
) -> Merged:
    head = str(repo.head.peel(pygit2.Commit).id) if not repo.head_is_unborn else UNBORN
    if tip in (UNBORN, head) or (head != UNBORN and repo.descendant_of(head, tip)):
        return Merged(head)
    if head == UNBORN or repo.descendant_of(tip, head):
        return Merged(stand_on(repo, clone, tip))
    index = repo.merge_commits(head, tip)
    if conflicts := tuple(conflicts_of(index)):
        return Merged(head, conflicts)
    who = signed.now()
    made = repo.create_commit(None, who, who, told, index.write_tree(repo), [head, tip])
    return Merged(stand_on(repo, clone, str(made)))


# --- the clone's checkout ------------------------------------------------------------------------
# Files and branch of a clone move to another commit so that the move can be interrupted anywhere.
# The target commit is stored as a ref of the clone first. If the process is killed, the next one
# finds the ref and finishes the move: files with their old or their new content may be written, any
# other content belongs to the agent.


WISH = "refs/topkick/standing"


class InTheWay(TopkickError):
    """An agent left uncommitted files that a merge would overwrite."""


def stand_on(repo: pygit2.Repository, clone: Clone, commit: str) -> str:
    keep(repo, WISH, commit)
    how = CheckoutStrategy.SAFE | CheckoutStrategy.RECREATE_MISSING
    try:
        repo.checkout_tree(repo[commit].peel(pygit2.Tree), strategy=how)  # type: ignore[no-untyped-call]
    except pygit2.GitError as error:
        repo.references.delete(WISH)
        raise InTheWay(
            f"Uncommitted files in {clone.at} conflict with the work of other units: {error}.\n"
            "No order was given there. Commit the files or move them away, then: topkick resume"
        ) from error
    crash_points.here("tree.before-stand")
    _arrive(repo, clone, commit)
    return commit


def finish(repo: pygit2.Repository, clone: Clone) -> None:
    """Finish a move that was interrupted while files were written."""
    if WISH not in repo.references:
        return
    commit = str(repo.references[WISH].peel(pygit2.Commit).id)
    head = UNBORN if repo.head_is_unborn else str(repo.head.peel(pygit2.Commit).id)
    paths = _between(repo, head, commit)
    if paths is None or any(_is_agents_work(repo, head, commit, path) for path in paths):
        repo.references.delete(WISH)
        return
    if paths:
        how = CheckoutStrategy.FORCE | CheckoutStrategy.DISABLE_PATHSPEC_MATCH
        tree, names = repo[commit].peel(pygit2.Tree), [Name(path) for path in paths]
        repo.checkout_tree(tree, strategy=how, paths=names)  # type: ignore[no-untyped-call]
    _arrive(repo, clone, commit)


def _between(repo: pygit2.Repository, head: str, commit: str) -> list[str] | None:
    """Return the paths that differ; None if the target does not follow from the clone's HEAD."""
    after = repo[commit].peel(pygit2.Tree)
    if head == UNBORN:
        deltas = after.diff_to_tree(swap=True).deltas
    elif head == commit or repo.descendant_of(commit, head):
        deltas = repo[head].peel(pygit2.Tree).diff_to_tree(after).deltas
    else:
        return None
    return list(dict.fromkeys(p for d in deltas for p in (d.old_file.path, d.new_file.path)))


def _is_agents_work(repo: pygit2.Repository, head: str, commit: str, path: str) -> bool:
    found = content(Path(repo.workdir) / path)
    trees = [repo[c].peel(pygit2.Tree) for c in (head, commit) if c != UNBORN]
    before = [None] if head == UNBORN else []
    return found not in [*before, *(blob(tree, path) for tree in trees)]


def _arrive(repo: pygit2.Repository, clone: Clone, commit: str) -> None:
    keep(repo, f"refs/heads/{clone.branch}", commit)
    repo.set_head(f"refs/heads/{clone.branch}")
    repo.references.delete(WISH)
