"""Watch the user's own checkout while agents work in clones; the cause of a change is not known."""

from collections.abc import Iterator
from pathlib import Path

from topkick.checks.request import Ours
from topkick.git.clone.places import common_place
from topkick.git.read.repository import UnreadableRepository, read_tree

FILES_NAMED = 8


def changed_in_main(ours: Ours, since_s: float) -> tuple[str, ...]:
    """Return some uncommitted files there that were written since the order."""
    if ours.isolation is None:
        return ()
    common = common_place(Path(ours.root), ours.isolation)
    tops = [common / repository.path for repository in ours.isolation.repositories]
    found = [name for top in tops for name in _changed(top, since_s)]
    more = [f"and {len(found) - FILES_NAMED} more"] if len(found) > FILES_NAMED else []
    return (*found[:FILES_NAMED], *more)


def _changed(top: Path, since_s: float) -> Iterator[str]:
    try:
        tree = read_tree(top, None)
    except UnreadableRepository:
        return
    for name in tree.uncommitted if tree is not None else ():
        try:
            if (top / name).lstat().st_mtime >= since_s:
                yield name
        except OSError:
            continue
