"""A tree in which checks run, at exactly the commit that is judged (VF-04).

It stays at one path, so that build caches serve the next check. Only checks use it; files that a
check leaves and that are neither committed nor ignored are removed before the next one. It borrows
the objects of the user's repository and can be rebuilt at any time.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pygit2

from topkick.engine.errors import TopkickError
from topkick.engine.io import crash_points
from topkick.git.clone.clone import fill_submodules, lfs_filters
from topkick.git.clone.places import SourceRepository
from topkick.git.clone.shared_objects import borrow
from topkick.git.clone.temporary import COLD, fleeting, locked, sweep
from topkick.git.program import GitFailed, git
from topkick.git.read.repository import UNBORN

MADE = "topkick-made"
MOST_REFS = 20_000
_SETTINGS = b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tlogallrefupdates = false\n"


class NotStanding(TopkickError):
    """The tree for checks cannot be made."""


@contextmanager
def stood_up(
    place: Path, sources: Sequence[SourceRepository], *, cold: bool = False
) -> Iterator[Path]:
    """Check out the repositories; yield their directory, held exclusively inside the block."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    sweep(place)
    with _taken(place, cold=cold) as mine:
        try:
            for source in sorted(sources, key=lambda s: len(Path(s.path).parts)):
                if _stand(mine / source.path, source, _inside(source, sources)):
                    prepared(mine).unlink(missing_ok=True)
        except (GitFailed, pygit2.GitError, OSError) as error:
            shutil.rmtree(mine, ignore_errors=True)
            raise NotStanding(
                f"The tree for checks in {mine} cannot be made: {error}. No check was run.\n"
                "Make sure that there is room and that it can be written, then: topkick resume"
            ) from error
        yield mine


def prepared(mine: Path) -> Path:
    """Return the note that says what this tree was prepared with; deleted when the tree is
    rebuilt.
    """
    return mine.with_name(f"{mine.name}.prepared")


def _inside(outer: SourceRepository, sources: Sequence[SourceRepository]) -> tuple[str, ...]:
    """Return the paths of repositories inside `outer`: their files are not files of `outer`."""
    above = Path(outer.path)
    return tuple(
        Path(s.path).relative_to(above).as_posix()
        for s in sources
        if s is not outer and Path(s.path).is_relative_to(above)
    )


# --- ownership -----------------------------------------------------------------------------


@contextmanager
def _taken(place: Path, *, cold: bool) -> Iterator[Path]:
    """Take the first free tree: with one check at a time it is always the same."""
    if cold:
        with fleeting(place, COLD) as mine:
            yield mine
        return
    for number in count(1):
        mine = place / f"{number}"
        lock = locked(mine)
        if lock is None:
            continue
        try:
            mine.mkdir(exist_ok=True)
            yield mine
        finally:
            os.close(lock)
        return


# --- checkout ------------------------------------------------------------------------------


def _stand(at: Path, source: SourceRepository, inside: tuple[str, ...]) -> bool:
    """Check out a repository; return whether it was made anew, as an incomplete or damaged one
    is.
    """
    anew = source.commit == UNBORN or not _is_made(at)
    if anew:
        _begin(at)
    try:
        _bring(at, source, inside)
    except (GitFailed, pygit2.GitError, OSError):
        _begin(at)
        _bring(at, source, inside)
        anew = True
    return anew


def _is_made(at: Path) -> bool:
    git_dir = at / ".git"
    is_ours = (git_dir / MADE).is_file() and not git_dir.is_symlink()
    return is_ours and not (at / ".gitmodules").exists()


def _begin(at: Path) -> None:
    shutil.rmtree(at, ignore_errors=True)
    pygit2.init_repository(os.fspath(at))


def _bring(at: Path, source: SourceRepository, inside: tuple[str, ...]) -> None:
    git_dir = at / ".git"
    _settle(git_dir, source, inside)
    if source.commit == UNBORN:
        return
    repo = pygit2.Repository(os.fspath(git_dir))
    if source.commit not in repo:
        raise NotStanding(
            f"{source.work} no longer has commit {source.commit[:12]}, so it cannot be checked.\n"
            "Restore the commit (git reflog), then: topkick resume"
        )
    _write_refs(repo, source, f"refs/heads/{source.branch or 'topkick-verify'}")
    filters = lfs_filters(repo, source.commit)
    git("reset", "--quiet", "--hard", source.commit, at=at, settings=filters)
    git("clean", "-ffdq", at=at)
    if ".gitmodules" in repo[source.commit].peel(pygit2.Tree):
        fill_submodules(source.work, at)
    (git_dir / MADE).write_bytes(b"")
    crash_points.here("verify.after-stand")


def _settle(git_dir: Path, source: SourceRepository, inside: tuple[str, ...]) -> None:
    """Restore the settings that a check may have changed."""
    shallow = source.refs_of / "shallow"
    ours = {
        "config": _SETTINGS,
        "info/exclude": b"".join(b"/%s/\n" % os.fsencode(path) for path in inside),
        "shallow": shallow.read_bytes() if shallow.is_file() else None,
    }
    gone = dict.fromkeys(("config.worktree", "info/attributes", "index.lock", "HEAD.lock"))
    for name, data in (ours | gone).items():
        path = git_dir / name
        path.unlink(missing_ok=True)  # a link there would redirect the write
        if data is not None:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
    borrow(git_dir, source.objects)


def _write_refs(repo: pygit2.Repository, source: SourceRepository, branch: str) -> None:
    """Write the refs that commands may use; HEAD is on a branch, as where the work was done."""
    git_dir = Path(repo.path)
    shutil.rmtree(git_dir / "refs" / "heads", ignore_errors=True)
    (git_dir / "refs" / "heads").mkdir(parents=True, exist_ok=True)
    names = {branch: source.commit, **_refs(source, repo)}
    names[branch] = source.commit
    lines = [f"{oid} {name}\n" for name, oid in sorted(names.items())]
    packed = "# pack-refs with: sorted \n" + "".join(lines)
    (git_dir / "packed-refs").write_bytes(packed.encode("utf-8", "surrogateescape"))
    (git_dir / "HEAD").write_bytes(f"ref: {branch}\n".encode("utf-8", "surrogateescape"))


def _refs(source: SourceRepository, ours: pygit2.Repository) -> dict[str, str]:
    """Return the refs to copy; skip a ref that cannot be read because it is being written."""
    theirs = pygit2.Repository(os.fspath(source.refs_of))
    found = {}
    for name in [n for n in theirs.references if _is_told(n)][:MOST_REFS]:
        with suppress(pygit2.GitError, KeyError, ValueError):
            target = theirs.references[name].target
            if isinstance(target, pygit2.Oid) and target in ours:
                found[name] = str(target)
    return found


def _is_told(name: str) -> bool:
    return name.startswith(("refs/heads/", "refs/tags/", "refs/remotes/")) and "\n" not in name


def restored(root: Path, files: Sequence[tuple[str, bytes]]) -> None:
    """Overwrite files with earlier versions; the next checkout removes them."""
    for path, data in files:
        target = root / path
        if not target.parent.resolve().is_relative_to(root.resolve()):
            continue  # a committed link leads out
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_symlink():
            target.unlink()
        target.write_bytes(data)
