"""Move a clone's files and branch to another commit, so that it can be interrupted anywhere.

The target commit is stored as a ref of the clone first. If the process is killed, the next one
finds the ref and finishes the move: files with their old or their new content may be written, any
other content belongs to the agent.
"""

from pathlib import Path

import pygit2
from pygit2.enums import CheckoutStrategy

from topkick.engine.errors import TopkickError
from topkick.engine.io import crash_points
from topkick.git.clone.places import Clone
from topkick.git.landing.fetch_commits import keep
from topkick.git.program import Name
from topkick.git.read.repository import UNBORN
from topkick.git.salvage import blob, content

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
    if paths is None or any(_is_somebodys(repo, head, commit, path) for path in paths):
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


def _is_somebodys(repo: pygit2.Repository, head: str, commit: str, path: str) -> bool:
    found = content(Path(repo.workdir) / path)
    trees = [repo[c].peel(pygit2.Tree) for c in (head, commit) if c != UNBORN]
    before = [None] if head == UNBORN else []
    return found not in [*before, *(blob(tree, path) for tree in trees)]


def _arrive(repo: pygit2.Repository, clone: Clone, commit: str) -> None:
    keep(repo, f"refs/heads/{clone.branch}", commit)
    repo.set_head(f"refs/heads/{clone.branch}")
    repo.references.delete(WISH)
