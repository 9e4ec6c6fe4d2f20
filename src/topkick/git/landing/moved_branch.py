"""Notice that a person or an agent has moved the mission's branch, and describe what changed.

Where the branch should be is recorded in the journal. The ref in the user's repository is only a
copy, which every agent can change with `git update-ref`; so can a person who commits there. topkick
compares ref and journal before it writes the ref and before work is landed. If they differ, a
person decides: accept what is there, or put the branch back.

A supervisor that dies between moving the ref and recording that leaves a difference of its own
making. `is_own_merge` recognises it by its content: the recorded commit, merged with work that
topkick has checked, and nothing else.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import pygit2

from topkick.engine.errors import UsageError
from topkick.git.read.repository import UNBORN
from topkick.text.format import counted

SHOWN = 10
LONGEST = 100


@dataclass(frozen=True, slots=True)
class Moved:
    """A branch that was `left_at` one commit and found at another; `commits` and `files` are what
    was added since, `lost` is how many of topkick's commits are gone.
    """

    top: Path
    branch: str
    left_at: str
    stands_at: str
    commits: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    lost: int = 0


class BranchMoved(UsageError):
    """The mission's branch is not where topkick left it."""


def stands_at(repo: pygit2.Repository, branch: str) -> str:
    """Return the branch's commit, or the ref that it follows; empty if there is no branch."""
    reference = repo.references.get(f"refs/heads/{branch}")
    return "" if reference is None else str(reference.target)


def find_moved(top: Path, branch: str, left_at: str) -> Moved | None:
    """Return the difference; None if the branch is as it was left, or deleted."""
    repo = pygit2.Repository(os.fspath(top))
    now = stands_at(repo, branch)
    return None if now in ("", left_at) else describe(repo, top, branch, left_at)


def describe(repo: pygit2.Repository, top: Path, branch: str, left_at: str) -> Moved:
    now = stands_at(repo, branch)
    try:
        tip = str(repo.references[f"refs/heads/{branch}"].peel(pygit2.Commit).id)
        known = left_at != UNBORN and left_at in repo
        commits = tuple(_brought(repo, left_at if known else "", tip))
        files = tuple(_changed(repo, left_at if known else "", tip))
        lost = repo.ahead_behind(left_at, tip)[0] if known else 0
    except (pygit2.GitError, KeyError, ValueError) as error:
        return Moved(top, branch, left_at, now, (f"it cannot be read: {error}",))
    return Moved(top, branch, left_at, tip, commits, files, lost)


def _brought(repo: pygit2.Repository, old: str, new: str) -> Iterator[str]:
    walker = repo.walk(new)
    if old:
        walker.hide(old)
    for commit in walker:
        subject = commit.message.strip().partition("\n")[0]
        yield f"{str(commit.id)[:12]} {commit.author.name} <{commit.author.email}>: {subject}"


def _changed(repo: pygit2.Repository, old: str, new: str) -> Iterator[str]:
    after = repo[new].peel(pygit2.Tree)
    before = repo[old].peel(pygit2.Tree) if old else None
    diff = after.diff_to_tree(swap=True) if before is None else before.diff_to_tree(after)
    yield from dict.fromkeys(f.path for d in diff.deltas for f in (d.old_file, d.new_file))


def is_own_merge(repo: pygit2.Repository, tip: str, now: str, checked: Iterable[str]) -> bool:
    """Return whether the branch is at topkick's own merge of `tip` and one checked commit."""
    if len(now) != len(UNBORN) or not isinstance(repo.get(now), pygit2.Commit):
        return False  # it follows another ref, or is not a commit
    parents = [str(parent) for parent in repo[now].peel(pygit2.Commit).parent_ids]
    for commit in (c for c in checked if c in repo):
        if now == commit and (tip == UNBORN or repo.descendant_of(commit, tip)):
            return True
        if parents == [tip, commit] and _is_clean_merge(repo, tip, commit, now):
            return True
    return False


def _is_clean_merge(repo: pygit2.Repository, tip: str, commit: str, now: str) -> bool:
    index = repo.merge_commits(tip, commit)
    clean = index.conflicts is None or not any(True for _ in index.conflicts)
    return clean and index.write_tree(repo) == repo[now].peel(pygit2.Tree).id


# --- messages ------------------------------------------------------------------------------


def summary(moved: Moved) -> str:
    """Describe the move in one line, for a small screen."""
    brought = counted(len(moved.commits), "commit")
    return (
        f"A person or another program moved {moved.branch}; it has {brought} that topkick never "
        "checked. Look: topkick land --dry-run"
    )


def details(moved: Moved) -> str:
    """Describe what is there, what it means, and both ways to continue, as commands to paste."""
    left = moved.left_at[:12] if moved.left_at and moved.left_at != UNBORN else ""
    was = f"topkick left it at {left}" if left else "topkick has not made this branch"
    lines = [f"{moved.branch} in {moved.top} is at {moved.stands_at[:12]}; {was}."]
    lines += _listed("Commits on it that topkick did not make or check:", moved.commits)
    lines += _listed("Files that differ:", moved.files)
    if moved.lost:
        lines.append(f"It no longer has {moved.lost} of the commits that topkick put there.")
    lines += [
        "topkick neither merges into it nor lands it until you decide:",
        f'  keep what is there:  topkick accept {moved.branch} --why "..."',
        f"  put it back:         {put_back(moved)}",
        "Then: topkick resume (or topkick land, if the run has ended)",
    ]
    return "\n".join(lines)


def put_back(moved: Moved) -> str:
    at, ref = quote(os.fspath(moved.top)), f"refs/heads/{moved.branch}"
    if not moved.left_at or moved.left_at == UNBORN:
        return f"git -C {at} update-ref --no-deref -d {ref}"
    return f"git -C {at} update-ref --no-deref {ref} {moved.left_at}"


def _listed(head: str, lines: tuple[str, ...]) -> list[str]:
    if not lines:
        return []
    shown = [f"  {line[:LONGEST]}" for line in lines[:SHOWN]]
    more = [f"  … and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return [head, *shown, *more]
