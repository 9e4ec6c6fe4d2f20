"""Read branches of the user's repository as deliverables; nothing in them is executed."""

from pathlib import Path


def tip_ahead(directory: Path, name: str) -> str:
    """Return the tip of a branch that has commits which HEAD lacks; empty if there is nothing
    new.
    """
    import pygit2  # imported only when needed: it is slow to load

    from topkick.git.read.changes import opened

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
