"""Make a unit's clones atomically: a clone that exists is complete."""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pygit2
from pygit2.enums import CheckoutStrategy, FileMode, FileStatus

from topkick.engine.errors import TopkickError
from topkick.engine.io import crash_points
from topkick.git.clone.places import DRAFT, Clone
from topkick.git.clone.shared_objects import lend
from topkick.git.program import git, program_path
from topkick.git.read.changes import follows
from topkick.git.read.directory import find_git
from topkick.git.read.repository import UNBORN

_SETTINGS = {
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "push.default": "nothing",
    "tag.gpgSign": "false",
}
_LFS = {
    "filter.lfs.clean": "git-lfs clean -- %f",
    "filter.lfs.process": "git-lfs filter-process",
    "filter.lfs.required": "true",
    "filter.lfs.smudge": "git-lfs smudge -- %f",
}


class NoClone(TopkickError):
    """A unit cannot have a tree of its own here."""


def make_clone(clone: Clone, identity: Mapping[str, str]) -> None:
    """Make a clone unless it exists; renaming the draft is the last step."""
    _clear_drafts(clone.at)
    if (clone.at / ".git").exists():
        return
    if clone.at.is_dir() and any(clone.at.iterdir()):
        raise NoClone(
            f"{clone.at} has no .git any more, so its unit gets no order.\nMove it away (its "
            "files may be an agent's work), then: topkick resume"
        )
    clone.at.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = clone.at.with_name(f"{DRAFT}{clone.at.name}-{os.getpid()}")
    crash_points.here("tree.before-clone")
    git_dir = _git_dir(clone.main)
    # git hard-links objects where it can and else copies them; `--local` would insist on links
    how = ["--no-hardlinks"] if (git_dir / "shallow").exists() else []
    git("clone", "--quiet", *how, "--no-checkout", "--template=", "--origin=topkick-source",
        str(git_dir), str(draft), at=clone.at.parent)  # fmt: skip
    _settle(clone, draft, identity)
    crash_points.here("tree.before-name")
    draft.rename(clone.at)
    crash_points.here("tree.after-name")


def _settle(clone: Clone, draft: Path, identity: Mapping[str, str]) -> None:
    """Set the unit's branch and settings, and remove the remote, so that there is nothing to push
    to.
    """
    start = start_of(clone)
    _write_settings(clone, draft, identity)
    pygit2.Repository(os.fspath(draft)).set_head(f"refs/heads/{clone.branch}")
    _keep_only(draft, clone, start)
    if start != UNBORN:
        filters = lfs_filters(pygit2.Repository(os.fspath(draft)), start)
        git("reset", "--quiet", "--hard", start, at=draft, settings=filters)
        fill_submodules(clone.main, draft)


def start_of(clone: Clone) -> str:
    """Return the unit's last commit, else the mission's tip, else the commit the mission began at.

    All are taken from the journal, because agents can move the refs of the user's repository.
    """
    return work_of(clone, _opened(clone.main)) or clone.tip or clone.base


def work_of(clone: Clone, repo: pygit2.Repository) -> str:
    """Return the unit's last commit that the repository has; empty if there is none.

    The unit's ref counts only if the journal knows the commit, or if the mission's branch contains
    it.
    """
    found = repo.references.get(clone.gathered)
    kept = found.target if found is not None else None
    if isinstance(kept, pygit2.Oid) and kept in repo:
        on_branch = bool(clone.tip) and follows(repo, clone.tip, str(kept))
        if on_branch or str(kept) in clone.heads:
            return str(kept)
    return next((head for head in reversed(clone.heads) if head in repo), "")


def _git_dir(main: Path) -> Path:
    found = find_git(main)
    if found is None:
        raise NoClone(
            f"{main} is no longer a git repository, so no clone can be made. Restore its .git, "
            "then: topkick resume"
        )
    return found.common


def _opened(main: Path) -> pygit2.Repository:
    return pygit2.Repository(os.fspath(_git_dir(main)))


def _write_settings(clone: Clone, draft: Path, identity: Mapping[str, str]) -> None:
    _set(draft, {**_SETTINGS, **identity, **_lfs_settings(clone)})
    exclude = draft / ".git" / "info" / "exclude"
    theirs = _git_dir(clone.main) / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_bytes(theirs.read_bytes() if theirs.is_file() else b"")


def _set(at: Path, settings: Mapping[str, str]) -> None:
    config = pygit2.Repository(os.fspath(at)).config
    for name, value in settings.items():
        config[name] = value


def _keep_only(draft: Path, clone: Clone, start: str) -> None:
    """Keep the unit's own branch and the user's current one; remove all others and the remote."""
    git("remote", "remove", "topkick-source", at=draft)
    repo = pygit2.Repository(os.fspath(draft))
    for name in [n for n in repo.references if n.startswith(("refs/heads/", "refs/remotes/"))]:
        repo.references.delete(name)
    if start == UNBORN:
        return
    lend(_opened(clone.main), repo, start)  # commits of a deleted branch are not cloned
    repo.references.create(f"refs/heads/{clone.branch}", start)
    stands_on = _user_branch(clone.main)
    if stands_on and stands_on != clone.branch and clone.base != UNBORN:
        repo.references.create(f"refs/heads/{stands_on}", clone.base)


def _user_branch(main: Path) -> str:
    repo = pygit2.Repository(os.fspath(main))
    if repo.head_is_unborn or repo.head_is_detached:
        return ""
    return str(repo.head.shorthand)


# --- large files and submodules ------------------------------------------------------------


def _lfs_settings(clone: Clone) -> dict[str, str]:
    """Return settings for git-lfs; without the program, large files stay pointers."""
    if shutil.which("git-lfs", path=program_path()) is None:
        return {}
    return {**_LFS, "lfs.storage": str(_git_dir(clone.main) / "lfs")}


def lfs_filters(repo: pygit2.Repository, start: str) -> dict[str, str]:
    """Return the filters for git-lfs, the only program that may run at a checkout."""
    if shutil.which("git-lfs", path=program_path()) is None:
        return {}
    tree = repo[start].peel(pygit2.Tree)
    said = tree[".gitattributes"] if ".gitattributes" in tree else b""  # noqa: SIM401
    asked = isinstance(said, pygit2.Blob) and b"filter=lfs" in said.data
    return _LFS if asked else {}


def fill_submodules(main: Path, draft: Path) -> None:
    """Fill submodules from the user's own checkouts, never from the network; a missing one stays
    empty.
    """
    modules = _modules_of(draft)
    for name, path, commit in _submodules(draft):
        source = find_git(main / path)
        at = draft / path
        if source is None or source.top != (main / path) or not _has(source.common, commit):
            continue
        module = modules / name
        module.parent.mkdir(parents=True, exist_ok=True)
        git("clone", "--quiet", "--no-checkout", "--template=", "--origin=topkick-source",
            f"--separate-git-dir={module}", str(source.common), str(at), at=draft)  # fmt: skip
        git("remote", "remove", "topkick-source", at=at)
        _set(at, _SETTINGS)
        _set(draft, {f"submodule.{name}.active": "true"})
        _make_relative(at, module)
        git("reset", "--quiet", "--hard", commit, at=at)
        git("checkout", "--quiet", "--detach", commit, at=at)
        fill_submodules(main / path, at)


def _modules_of(draft: Path) -> Path:
    return Path(pygit2.Repository(os.fspath(draft)).path) / "modules"


def _make_relative(at: Path, module: Path) -> None:
    """Make paths relative: the draft will be renamed."""
    (at / ".git").write_text(f"gitdir: {os.path.relpath(module, at)}\n")
    git("config", "core.worktree", os.path.relpath(at, module), at=at, git_dir=module)


def _submodules(draft: Path) -> Iterator[tuple[str, str, str]]:
    repo = pygit2.Repository(os.fspath(draft))
    if not (draft / ".gitmodules").is_file():
        return
    try:
        modules = list(repo.submodules)
    except pygit2.GitError as error:
        raise NoClone(
            f"The submodules of {draft} cannot be read: {error}. No clone was made. Correct "
            ".gitmodules, then: topkick resume"
        ) from error
    for module in modules:
        inside = _is_inside(draft, module.path) and _is_inside(_modules_of(draft), module.name)
        if module.head_id is not None and inside and module.name.isprintable():
            yield module.name, module.path, str(module.head_id)


def _is_inside(draft: Path, path: str) -> bool:
    return (draft / path).resolve().is_relative_to(draft.resolve()) and ".." not in Path(path).parts


def _has(git_dir: Path, commit: str) -> bool:
    return commit in pygit2.Repository(os.fspath(git_dir))


def _clear_drafts(at: Path) -> None:
    """Remove drafts of processes that died while making a clone."""
    if at.parent.is_dir():
        for draft in at.parent.glob(f"{DRAFT}{at.name}-*"):
            shutil.rmtree(draft, ignore_errors=True)


# --- submodules of a clone -----------------------------------------------------------------------
# Each submodule is a repository with commits of its own.


def moved_submodules(repo: pygit2.Repository, base: str, commit: str) -> Iterator[tuple[str, str]]:
    """Yield submodules that differ from the base, with their commits; their settings are not
    read.
    """
    tree = repo[commit].peel(pygit2.Tree)
    old = None if base == UNBORN else repo[base].peel(pygit2.Tree)
    diff = tree.diff_to_tree(swap=True) if old is None else old.diff_to_tree(tree)
    for delta in diff.deltas:
        if delta.new_file.mode == FileMode.COMMIT:
            yield delta.new_file.path, str(delta.new_file.id)


def home_of(clone: Clone, path: str) -> pygit2.Repository | None:
    """Return the user's own repository of the submodule, if it is checked out."""
    found = find_git(clone.main / path)
    if found is None or found.top != clone.main / path:
        return None
    return pygit2.Repository(os.fspath(found.common))


def opened_submodule(clone: Clone, path: str) -> pygit2.Repository | None:
    """Open the submodule; None if it is missing, or if an agent made it lead out of its clone."""
    place = clone.at / path
    if not (place / ".git").exists():
        return None
    repo = pygit2.Repository(os.fspath(place))
    inside = Path(repo.path).resolve().is_relative_to(clone.at.resolve())
    own_tree = not repo.is_bare and Path(repo.workdir).resolve() == place.resolve()
    alone = not (Path(repo.path) / "commondir").exists()
    return repo if inside and own_tree and alone else None


def follow(repo: pygit2.Repository, clone: Clone, commit: str) -> None:
    """Update submodules that other units have moved, if the agent has no changes in them."""
    for path, wanted in moved_submodules(repo, clone.base, commit):
        home, module = home_of(clone, path), opened_submodule(clone, path)
        if home is None or module is None or module.head_is_unborn:
            continue
        lend(home, module, wanted)
        head = str(module.head.peel(pygit2.Commit).id)
        if wanted in module and module.descendant_of(wanted, head) and _is_clean(module):
            tree = module[wanted].peel(pygit2.Tree)
            module.checkout_tree(tree, strategy=CheckoutStrategy.SAFE)  # type: ignore[no-untyped-call]
            module.set_head(pygit2.Oid(hex=wanted))


def _is_clean(repo: pygit2.Repository) -> bool:
    unimportant = (FileStatus.CURRENT, FileStatus.IGNORED)
    return all(status in unimportant for status in repo.status().values())
