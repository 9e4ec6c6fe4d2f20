"""Borrow the objects of other repositories, whatever their paths are.

git and libgit2 read `objects/info/alternates` differently: git undoes C quotes, libgit2 does not,
and neither of them can read a plain line with a newline in it. So no path of the user's is ever
written into that file. Each lender gets a symbolic link of a plain name in the borrower's git
directory, and the file names the links, relative to `objects`, which both programs read alike.
"""

from collections.abc import Sequence
from pathlib import Path

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
