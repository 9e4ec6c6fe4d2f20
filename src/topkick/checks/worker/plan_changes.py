"""Tell which changes of a plan are not uncommitted work of an agent (NM-01).

They are the operation's name, which topkick writes into the plan, and a tracked plan that is gone.
"""

import os
from dataclasses import replace
from pathlib import Path

import pygit2

from topkick.checks.request import LookRequest
from topkick.engine.io.files import read_plain
from topkick.git.read.changes import opened
from topkick.git.read.repository import GitTree
from topkick.plan_format.front_matter import same_but_for_the_name

MOST_BYTES = 8 << 20


def without_named_plan(tree: GitTree | None, look: LookRequest) -> GitTree | None:
    """Drop the plan from what is uncommitted if only its name is, or if the file is gone.

    A run uses the plan as it was accepted, and every screen says that the file is missing and how
    to restore it. So a missing plan is not uncommitted work of an agent.
    """
    if tree is None or not tree.uncommitted or not look.own_files:
        return tree
    plan = (Path(look.project) / look.own_files[0]).resolve()
    name = next((n for n in tree.uncommitted if Path(n).name == plan.name), None)
    repo = opened(Path(look.directory)) if name is not None else None
    if repo is None or repo.is_bare or not plan.is_relative_to(_top(repo)):
        return tree
    inside = plan.relative_to(_top(repo)).as_posix()
    if inside not in tree.uncommitted or not _is_nobodys_work(repo, inside, plan):
        return tree
    return replace(tree, uncommitted=tuple(n for n in tree.uncommitted if n != inside))


def _top(repo: pygit2.Repository) -> Path:
    return Path(repo.workdir).resolve()


def _is_nobodys_work(repo: pygit2.Repository, inside: str, plan: Path) -> bool:
    try:
        committed = repo.revparse_single(f"HEAD:{inside}")
        if not os.path.lexists(plan):
            return True
        lying = read_plain(plan, MOST_BYTES)
    except (KeyError, ValueError, pygit2.GitError, OSError):
        return False
    if not isinstance(committed, pygit2.Blob) or committed.size > MOST_BYTES:
        return False
    return same_plan(committed.data, lying)


def same_plan(one: bytes, other: bytes) -> bool:
    """Return whether two plans differ only in the name of the operation."""
    texts = (data.decode("utf-8", "surrogateescape") for data in (one, other))
    return same_but_for_the_name(*texts)
