"""Copy the user's uncommitted files into a unit's tree."""

import shutil
from pathlib import Path

import pygit2

from topkick.engine.io.files import replace_atomically
from topkick.engine.settings import TreeSetup
from topkick.git.program import git

PROGRESS = "PROGRESS.md"


def bring(
    main: Path, here: Path, place: Path, setup: TreeSetup, own_files: tuple[str, ...]
) -> None:
    """Copy the plan and the progress as the user has them now, and the files that settings name.

    Repositories next to the project get such files too; nothing is written outside the unit's
    place.
    """
    for name in own_files:
        if (main / name).is_file() and not _leads_out(place, here / name):
            _bring_own(main, here, name)
    for pattern in setup.copy:
        for source in _matching(main, pattern):
            _copy(source, here / source.relative_to(main), here)
    for pattern in setup.link:
        for source in _matching(main, pattern):
            _link(source, here / source.relative_to(main), here)


def _bring_own(main: Path, here: Path, name: str) -> None:
    data = (main / name).read_bytes()
    if data == _bytes(here / name):
        return
    (here / name).parent.mkdir(parents=True, exist_ok=True)
    replace_atomically(here / name, data, mode=0o644)
    if Path(name).name != PROGRESS:  # agents write to PROGRESS.md and commit it
        _hide(here, name)


def _hide(root: Path, name: str) -> None:
    """Hide the user's uncommitted file from git in the clone: only the user commits it."""
    repo = pygit2.Repository(pygit2.discover_repository(str(root)) or str(root))
    top = Path(repo.workdir).resolve()
    inside = (root / name).resolve().relative_to(top).as_posix()
    if inside in repo.index:
        git("update-index", "--skip-worktree", "--", inside, at=top)
        return
    exclude = Path(repo.path) / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    with exclude.open("a") as file:
        file.write(f"/{inside}\n")


def _bytes(path: Path) -> bytes | None:
    try:
        return None if path.is_symlink() else path.read_bytes()
    except OSError:
        return None


def _leads_out(here: Path, target: Path) -> bool:
    """Return whether a committed link leads out of the tree, where nothing may be written."""
    return not target.parent.resolve().is_relative_to(here.resolve())


def _matching(main: Path, pattern: str) -> list[Path]:
    found = sorted(main.glob(pattern))
    return [path for path in found if ".git" not in path.relative_to(main).parts]


def _copy(source: Path, target: Path, here: Path) -> None:
    if target.exists() or target.is_symlink() or _leads_out(here, target):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target, follow_symlinks=False)


def _link(source: Path, target: Path, here: Path) -> None:
    if target.exists() or target.is_symlink() or _leads_out(here, target):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.symlink_to(source)
