"""Bringing branches together, in memory: no program runs, and no checkout is touched.

The ref is moved last, in one step; killed before that, the same merge is made again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pygit2

from topkick.core.errors import TopkickError
from topkick.core.isolation import MISSION_IN_CLONE
from topkick.outside.ground import crash_points
from topkick.outside.ground.git_reading import UNBORN
from topkick.outside.trees.gathering import keep, opened_clone, opened_main
from topkick.outside.trees.lending import lend
from topkick.outside.trees.locks import free_ref
from topkick.outside.trees.places import Clone
from topkick.outside.trees.signed import Signed
from topkick.outside.trees.standing import finish, stand_on
from topkick.outside.trees.submodules import follow

CONFLICTS_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Merged:
    """`commit` is where the branch stands; it has not moved if there are conflicts."""

    commit: str
    conflicts: tuple[str, ...] = ()


class BranchInUse(TopkickError):
    """Somebody stands on the mission's branch: it cannot be moved under them."""


def integrate(clone: Clone, commit: str, signed: Signed, told: str) -> Merged:
    """Merge a gathered commit into the mission's branch."""
    repo = opened_main(clone)
    tip = tip_of(clone)
    if tip == UNBORN:
        _move(repo, clone, None, commit)
        return Merged(commit)
    if tip == commit or repo.descendant_of(tip, commit):
        return Merged(tip)
    if repo.descendant_of(commit, tip):
        _move(repo, clone, tip, commit)
        return Merged(commit)
    index = repo.merge_commits(tip, commit)
    if conflicts := tuple(conflicts_of(index)):
        return Merged(tip, conflicts)
    who = signed.now()
    made = repo.create_commit(None, who, who, told, index.write_tree(repo), [tip, commit])
    crash_points.here("tree.before-merge")
    _move(repo, clone, tip, str(made))
    crash_points.here("tree.after-merge")
    return Merged(str(made))


def tip_of(clone: Clone) -> str:
    """Where the mission's branch stands, or will stand when there is one."""
    repo = opened_main(clone)
    if clone.mission_ref in repo.references:
        return str(repo.references[clone.mission_ref].peel(pygit2.Commit).id)
    return clone.base


def _move(repo: pygit2.Repository, clone: Clone, was: str | None, now: str) -> None:
    free_ref(Path(repo.path), clone.mission_ref)
    if clone.mission_ref not in repo.references:
        repo.references.create(clone.mission_ref, now)
        return
    if repo.branches.local[clone.mission].is_checked_out():
        raise BranchInUse(
            f"{clone.mission} is checked out in {clone.main}, so finished work cannot be merged "
            "into it.\nSwitch that checkout to another branch (git switch -), then: topkick resume"
        )
    reference = repo.references[clone.mission_ref]
    if was is not None and str(reference.target) != was:
        raise BranchInUse(f"{clone.mission} was moved by somebody else meanwhile.")
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


def lend_mission(clone: Clone) -> str:
    """Let the clone have the mission's branch as it stands now, under a name of its own."""
    tip, repo = tip_of(clone), opened_clone(clone)
    if tip != UNBORN:
        lend(opened_main(clone), repo, tip)
        keep(repo, f"refs/heads/{MISSION_IN_CLONE}", tip)
    return tip


def catch_up(clone: Clone, signed: Signed, told: str) -> Merged:
    """Merge the mission's branch into the unit's, in its clone; its tree has to be clean.

    libgit2 writes the files: nothing that stands in the clone is run.
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
