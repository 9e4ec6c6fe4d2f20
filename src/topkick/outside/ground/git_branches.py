"""Branches of the user's repository, as deliverables: read, and never run."""

from pathlib import Path


def tip_ahead(directory: Path, name: str) -> str:
    """The tip of a branch with commits that HEAD has not; empty where there is nothing new."""
    import pygit2  # by those who need it: it takes time

    from topkick.outside.ground.git_changes import opened

    repo = opened(directory)
    reference = None if repo is None else repo.references.get(f"refs/heads/{name}")
    if repo is None or reference is None:
        return ""
    try:
        tip = reference.peel(pygit2.Commit).id
        head = repo.references["HEAD"].peel(pygit2.Commit).id
    except (KeyError, pygit2.GitError):
        return ""
    behind = tip == head or repo.descendant_of(head, tip)
    return "" if behind else str(tip)
