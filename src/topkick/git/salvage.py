"""Save uncommitted work under refs of its own before anything can touch it.

The saved commit has the work as its tree and the commit it was based on as its parent; staged
content that differs is its second parent. Ignored files are not saved, and there are size limits;
files left out are named in the message.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pygit2
from pygit2.enums import FileMode, FileStatus

from topkick.engine.errors import UsageError
from topkick.engine.io import crash_points
from topkick.engine.io.files import replace_atomically
from topkick.git.locks import common_dir, free_ref
from topkick.git.program import Signed
from topkick.git.read.repository import UNBORN

REFS = "refs/topkick/salvage/"
FILE_LIMIT_BYTES = 10 << 20
TOTAL_LIMIT_BYTES = 200 << 20
FILES_LIMIT = 20_000
FILES_NAMED = 10
_STAGED = (
    FileStatus.INDEX_NEW
    | FileStatus.INDEX_MODIFIED
    | FileStatus.INDEX_DELETED
    | FileStatus.INDEX_RENAMED
    | FileStatus.INDEX_TYPECHANGE
)


@dataclass(frozen=True, slots=True)
class Saved:
    """A saved piece of work; `files` are paths from the repository's top, `left_out` includes the
    reasons.
    """

    ref: str
    commit: str
    files: tuple[str, ...]
    left_out: tuple[str, ...] = ()


@dataclass(slots=True)
class _Taking:
    """The tree while it is built, in an index of its own; the real index is not touched."""

    lies_in: pygit2.Repository
    kept_in: pygit2.Repository
    index: pygit2.Index
    files: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    taken_bytes: int = 0

    def take(self, path: str) -> None:
        top = Path(self.lies_in.workdir)
        place = top / path
        try:
            found = None if is_behind_a_link(top, path) else place.lstat()
        except (FileNotFoundError, NotADirectoryError):
            found = None
        if found is None:
            _drop(self.index, path)
            self.files.append(path)
            return
        if why := self._why_not(found):
            self.left_out.append(f"{path} ({why})")
            return
        try:
            is_link = stat.S_ISLNK(found.st_mode)
            data = os.fsencode(place.readlink()) if is_link else place.read_bytes()
        except OSError as error:
            self.left_out.append(f"{path} ({error.strerror})")
            return
        self.taken_bytes += len(data)
        blob = self.kept_in.create_blob(data)
        _drop(self.index, path)
        self.index.add(pygit2.IndexEntry(path, blob, _mode(found)))
        self.files.append(path)

    def _why_not(self, found: os.stat_result) -> str:
        if stat.S_ISDIR(found.st_mode):
            return "it is a separate repository"
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
            return "not a plain file"
        if found.st_size > FILE_LIMIT_BYTES:
            return f"larger than {FILE_LIMIT_BYTES >> 20} MiB"
        full = self.taken_bytes + found.st_size > TOTAL_LIMIT_BYTES
        return (
            "the limit for saved work is reached" if full or len(self.files) >= FILES_LIMIT else ""
        )


def is_behind_a_link(top: Path, path: str) -> bool:
    """Return whether a parent is a link: then the path is another file, which may be anywhere."""
    return any((top / parent).is_symlink() for parent in Path(path).parents[:-1])


def _drop(index: pygit2.Index, path: str) -> None:
    if path in index:
        index.remove(path)


def _mode(found: os.stat_result) -> FileMode:
    if stat.S_ISLNK(found.st_mode):
        return FileMode.LINK
    return FileMode.BLOB_EXECUTABLE if found.st_mode & stat.S_IXUSR else FileMode.BLOB


# --- saving --------------------------------------------------------------------------------


def save(
    lies_in: Path, kept_in: Path, name: str, signed: Signed, told: str, inside: str = ""
) -> Saved | None:
    """Save uncommitted work; None if there is none. Its base commit must exist in `kept_in`."""
    tree = pygit2.Repository(os.fspath(lies_in))
    kept = pygit2.Repository(os.fspath(kept_in))
    status = dict(_uncommitted(tree, inside))
    if not status:
        return None
    head = None if tree.head_is_unborn else str(tree.head.peel(pygit2.Commit).id)
    taking = _Taking(tree, kept, _index_of(kept, head))
    for path in sorted(status):
        taking.take(path)
    found = taking.index.write_tree(kept)
    staged = _staged(tree, kept, head, status)
    if found == _tree_of(kept, head) and staged in (None, found):
        return None  # only files that are left out
    return _keep(kept, name, signed, told, taking, (head, found, staged))


def _keep(
    kept: pygit2.Repository,
    name: str,
    signed: Signed,
    told: str,
    taking: _Taking,
    trees: tuple[str | None, pygit2.Oid, pygit2.Oid | None],
) -> Saved:
    head, found, staged = trees
    who, parents = signed.now(), [head] if head is not None else []
    if staged is not None and staged != found:
        if head is None:  # the first parent is the base commit
            nothing = _tree_of(kept, None)
            parents = [str(kept.create_commit(None, who, who, "No commit yet\n", nothing, []))]
        below = kept.create_commit(None, who, who, f"Staged: {told}\n", staged, list(parents))
        parents.append(str(below))
    files, left_out = tuple(taking.files), tuple(taking.left_out)
    message = "\n".join([told, "", *(f"Left out: {why}" for why in left_out)]).strip() + "\n"
    ref, same = _free_ref(kept, f"{REFS}{name}", found, len(parents))
    if same:
        return Saved(ref, same, files, left_out)
    commit = kept.create_commit(None, who, who, message, found, parents)
    crash_points.here("tree.before-salvage")
    free_ref(common_dir(kept), ref)
    kept.references.create(ref, commit)
    crash_points.here("tree.after-salvage")
    return Saved(ref, str(commit), files, left_out)


def _free_ref(
    kept: pygit2.Repository, wanted: str, found: pygit2.Oid, parents: int
) -> tuple[str, str]:
    """Return an unused ref, or the ref and commit that already hold exactly this work."""
    for number in range(1, FILES_LIMIT):
        ref = wanted if number == 1 else f"{wanted}.{number}"
        if ref not in kept.references:
            return ref, ""
        commit = kept.references[ref].peel(pygit2.Commit)
        if commit.tree_id == found and len(commit.parents) == parents:
            return ref, str(commit.id)
    raise UsageError(
        f"There are {FILES_LIMIT} refs under {wanted}, so no more work can be saved there. "
        "Look: topkick salvage list"
    )


def _uncommitted(tree: pygit2.Repository, inside: str) -> Iterator[tuple[str, FileStatus]]:
    below = f"{inside}/" if inside else ""
    for path, status in tree.status(untracked_files="all").items():
        if status not in (FileStatus.CURRENT, FileStatus.IGNORED) and path.startswith(below):
            yield path, FileStatus(status)


def _index_of(kept: pygit2.Repository, head: str | None) -> pygit2.Index:
    index = pygit2.Index()
    if head is not None:
        index.read_tree(kept[head].peel(pygit2.Tree))
    return index


def _tree_of(kept: pygit2.Repository, head: str | None) -> pygit2.Oid:
    return _index_of(kept, head).write_tree(kept)


def _staged(
    tree: pygit2.Repository,
    kept: pygit2.Repository,
    head: str | None,
    status: dict[str, FileStatus],
) -> pygit2.Oid | None:
    """Return the tree of staged content, if there is any."""
    chosen = [path for path, found in status.items() if found & _STAGED]
    if not chosen:
        return None
    index = _index_of(kept, head)
    for path in chosen:
        _drop(index, path)
        if path not in tree.index:
            continue
        entry = tree.index[path]
        if entry.mode == FileMode.COMMIT:
            continue
        blob = kept.create_blob(tree[entry.id].data)  # type: ignore[attr-defined]
        index.add(pygit2.IndexEntry(path, blob, entry.mode))
    return index.write_tree(kept)


def snapshot(top: Path, name: str, signed: Signed, told: str) -> str:
    """Commit what is in a checkout now on top of its HEAD, kept by a ref."""
    repo = pygit2.Repository(os.fspath(top))
    looked = _Taking(repo, repo, pygit2.Index())
    for path, _ in _uncommitted(repo, ""):
        looked.take(path)
    saved = save(top, top, name, signed, told)
    if looked.left_out:
        names = "\n".join(f"  {what}" for what in looked.left_out[:FILES_NAMED])
        raise UsageError(
            f"Some uncommitted files in {top} cannot be copied to the clones:\n{names}\n"
            "No run was started. Commit them or add them to .gitignore, then run the command again."
        )
    if saved is None:
        return UNBORN if repo.head_is_unborn else str(repo.head.peel(pygit2.Commit).id)
    kept = repo[saved.commit].peel(pygit2.Commit)
    parents = [str(repo.head.peel(pygit2.Commit).id)] if not repo.head_is_unborn else []
    who = signed.now()
    made = str(repo.create_commit(None, who, who, f"{told}\n", kept.tree_id, parents))
    repo.references.create(f"{saved.ref}.base", made, force=True)
    return made


# --- listing and restoring saved work ----------------------------------------------------------

_NO_FILE = b"\0no plain file"


@dataclass(frozen=True, slots=True)
class Kept:
    """A piece of saved work; `name` is how the user refers to it."""

    name: str
    commit: str
    at_s: int
    told: str
    files: tuple[str, ...]


def kept_in(top: Path) -> list[Kept]:
    """Return the saved pieces, newest first."""
    repo = pygit2.Repository(os.fspath(top))
    refs = [r for r in repo.references if r.startswith(REFS) and not r.endswith(".base")]
    found = [_kept(repo, ref) for ref in refs]
    return sorted(found, key=lambda k: (-k.at_s, k.name))


def _kept(repo: pygit2.Repository, ref: str) -> Kept:
    commit = repo.references[ref].peel(pygit2.Commit)
    files = tuple(d.new_file.path for d in _diff(commit).deltas)
    told = commit.message.strip()
    return Kept(ref.removeprefix(REFS), str(commit.id), commit.commit_time, told, files)


def _diff(commit: pygit2.Commit) -> pygit2.Diff:
    if not commit.parents:
        return commit.tree.diff_to_tree(swap=True)
    return commit.parents[0].tree.diff_to_tree(commit.tree)


def patch_of(top: Path, kept: Kept) -> bytes:
    """Return a patch for `git apply`, whatever the files' encoding."""
    repo = pygit2.Repository(os.fspath(top))
    return b"".join(p.data for p in _diff(repo[kept.commit].peel(pygit2.Commit)) if p is not None)


def restore(top: Path, kept: Kept, *, force: bool = False) -> tuple[str, ...]:
    """Write saved work into a checkout, without overwriting files that were changed since."""
    repo = pygit2.Repository(os.fspath(top))
    commit = repo[kept.commit].peel(pygit2.Commit)
    before = commit.parents[0].tree if commit.parents else None
    if blocked := [path for path in kept.files if _is_blocked(top, path)]:
        names = "\n".join(f"  {path}" for path in blocked[:10])
        raise UsageError(
            f"In {top}, there is now a directory or a link in place of these files:\n{names}\n"
            f"Nothing was written. Move it away, or copy single files from: git show "
            f"{kept.commit[:12]}"
        )
    in_the_way = [
        path
        for path in kept.files
        if content(top / path) not in (blob(before, path), blob(commit.tree, path))
    ]
    if in_the_way and not force:
        names = "\n".join(f"  {path}" for path in in_the_way[:10])
        raise UsageError(
            f"These files in {top} were changed since the work was saved:\n{names}\n"
            "Nothing was written. Commit or stash them first, or overwrite them: add --force"
        )
    for path in kept.files:
        _write(top, path, commit.tree)
    return kept.files


def _is_blocked(top: Path, path: str) -> bool:
    """Return whether the file cannot be written, or only by following a link."""
    place = top / path
    parents = [top / parent for parent in Path(path).parents[:-1]]
    if any(p.is_symlink() or (p.exists() and not p.is_dir()) for p in parents):
        return True
    return place.exists() and not (place.is_file() or place.is_symlink())


def blob(tree: pygit2.Tree | None, path: str) -> bytes | None:
    try:
        found = tree[path] if tree is not None else None
    except KeyError:
        return None
    return found.data if isinstance(found, pygit2.Blob) else None


def content(path: Path) -> bytes | None:
    """Return the file's bytes; None without a file. A pipe is not waited for."""
    if path.exists() and not (path.is_file() or path.is_dir() or path.is_symlink()):
        return _NO_FILE
    try:
        return os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def _write(top: Path, path: str, tree: pygit2.Tree) -> None:
    place = top / path
    data = blob(tree, path)
    if data is None:
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    mode = tree[path].filemode
    place.unlink(missing_ok=True)
    if mode == FileMode.LINK:
        place.symlink_to(os.fsdecode(data))
    else:
        replace_atomically(place, data, mode=0o755 if mode == FileMode.BLOB_EXECUTABLE else 0o644)
