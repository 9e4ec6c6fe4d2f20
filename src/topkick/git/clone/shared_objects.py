"""Copy the objects of a commit from one repository to another without reading the settings of
either.

A fetch would read them, and a setting can turn an address into a program or another machine.

`borrow` shares whole object directories, whatever their paths are. git and libgit2 read
`objects/info/alternates` differently: git undoes C quotes, libgit2 does not, and neither of them
can read a plain line with a newline in it. So no path of the user's is ever written into that
file. Each lender gets a symbolic link of a plain name in the borrower's git directory, and the file
names the links, relative to `objects`, which both programs read alike.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pygit2


def lend(source: pygit2.Repository, borrower: pygit2.Repository, commit: str) -> None:
    """Copy the commit and all it needs; objects that the borrower has are skipped."""
    lacking = list(dict.fromkeys(_lacking(source, borrower, commit)))
    if lacking:
        pack = pygit2.PackBuilder(source)
        for oid in lacking:
            pack.add(oid)
        place = Path(borrower.path) / "objects" / "pack"
        place.mkdir(exist_ok=True)
        pack.write(place)


def _lacking(
    source: pygit2.Repository, borrower: pygit2.Repository, commit: str
) -> Iterator[pygit2.Oid]:
    seen: set[pygit2.Oid] = set()
    open_ones = [pygit2.Oid(hex=commit)]
    while open_ones:
        oid = open_ones.pop()
        if oid in seen or oid in borrower or oid not in source:
            continue
        seen.add(oid)
        yield oid
        found = source[oid].peel(pygit2.Commit)
        yield from _of_tree(found.tree, borrower, seen)
        open_ones += found.parent_ids


def _of_tree(
    tree: pygit2.Tree, borrower: pygit2.Repository, seen: set[pygit2.Oid]
) -> Iterator[pygit2.Oid]:
    if tree.id in seen or tree.id in borrower:
        return
    seen.add(tree.id)
    yield tree.id
    for entry in tree:
        if isinstance(entry, pygit2.Tree):
            yield from _of_tree(entry, borrower, seen)
        elif isinstance(entry, pygit2.Blob) and entry.id not in borrower:
            yield entry.id


# --- borrowed objects ----------------------------------------------------------------------------


LINK = "topkick-borrows-"


def borrow(git_dir: Path, objects: Sequence[Path]) -> None:
    """Let the repository at `git_dir` read these object directories, and no others."""
    for old in git_dir.glob(f"{LINK}*"):
        old.unlink()
    names = [f"{LINK}{number}" for number in range(len(objects))]
    for name, lender in zip(names, objects, strict=True):
        (git_dir / name).symlink_to(lender.absolute())
    info = git_dir / "objects" / "info"
    info.mkdir(parents=True, exist_ok=True)
    alternates = info / "alternates"
    alternates.unlink(missing_ok=True)  # a link there would redirect the write
    alternates.write_text("".join(f"../{name}\n" for name in names))
