"""Read and write a branch of a remote through a bare repository of topkick's own.

libgit2 reads the address from the user's repository, and git gets it as an argument: git never sees
settings that an agent may have written, nor the user's index, checkout or branches.
"""

import fcntl
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path

import pygit2
from pygit2.enums import FileMode

from topkick.engine.io.files import NOTE_BYTES, read_plain, replace_atomically
from topkick.git.locks import free_clone
from topkick.git.program import GitFailed, Signed, git
from topkick.git.read.changes import opened

PATIENCE_S = 120.0
MOST_COMMITS = 2000
_THERE, _LEVEL, _ATTEMPT = "refs/there", "refs/level/", "refs/attempt/"
_ADDRESS = re.compile(r"(?:https|ssh|file)://\S+|/.+|[\w.@-]{1,200}:(?!:)\S+")


@dataclass(frozen=True, slots=True)
class Remote:
    """A branch of a remote; `inside` is the project's path in the repository, ending with a
    slash.
    """

    url: str
    branch: str
    inside: str = ""


def find_remote(root: Path, where: str) -> Remote:
    """Find a remote branch; `where` is a remote and a branch: origin/epics."""
    name, _, branch = where.partition("/")
    repo = opened(root)
    if repo is None or repo.workdir is None:
        raise GitFailed(
            f"{where} needs a git repository, and there is none here. Make one: git init"
        )
    if not pygit2.reference_is_valid_name(f"refs/heads/{branch}"):
        raise GitFailed(
            f"{where} names no branch. Write a remote and a branch, such as origin/epics"
        )
    top = Path(repo.workdir).resolve()
    inside = root.resolve().relative_to(top).as_posix()
    return Remote(address_of(repo, name), branch, "" if inside == "." else f"{inside}/")


def address_of(repo: pygit2.Repository, name: str) -> str:
    found = next((r.url for r in repo.remotes if r.name == name), None)
    if not found:
        raise GitFailed(f"There is no remote {name}. Add it: git remote add {name} ADDRESS")
    if found.startswith("."):
        found = os.path.normpath(Path(repo.workdir) / found)
    if _ADDRESS.fullmatch(found) is None:
        raise GitFailed(
            f"{name} is at {found}, which is not an https, ssh or file address. Correct it: "
            f"git remote set-url {name} ADDRESS"
        )
    return found


class Store:
    """The known states of the branch: the remote's, the last common one, and the last attempt."""

    def __init__(self, directory: Path, remote: Remote, signed: Signed) -> None:
        self._dir = directory
        self._remote = remote
        self._signed = signed
        if not (directory / "HEAD").exists():
            pygit2.init_repository(os.fspath(directory), bare=True)
        _require_same(directory / "address", f"{remote.url} {remote.branch}")
        free_clone(directory)
        self._repo = pygit2.Repository(os.fspath(directory))

    # --- the remote --------------------------------------------------------------------------

    def fetch(self) -> str:
        """Return the commit of the remote branch; empty if it does not exist yet."""
        words = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", self._remote.url)
        try:
            self._git(*words, f"+refs/heads/{self._remote.branch}:{_THERE}")
        except GitFailed as trouble:
            if "couldn't find remote ref" not in str(trouble):
                raise
            return ""
        self._repo = pygit2.Repository(os.fspath(self._dir))
        return str(self._repo.references[_THERE].target)

    def push(self, commit: str) -> str:
        """Push without force, so that nothing of others is lost; return what went wrong."""
        into = f"{commit}:refs/heads/{self._remote.branch}"
        try:
            self._git("push", "--quiet", self._remote.url, into)
        except GitFailed as trouble:
            return str(trouble)
        return ""

    def _git(self, *words: str) -> None:
        git(*words, at=self._dir, git_dir=self._dir, timeout_s=PATIENCE_S, reaches=True)

    # --- the remote's content ----------------------------------------------------------------

    def text_at(self, commit: str, path: str) -> str | None:
        if not commit:
            return None
        try:
            found = self._repo[commit].peel(pygit2.Tree)[self._remote.inside + path]
        except KeyError:
            return None
        return _text(found)

    def was_once(self, head: str, path: str, text: str) -> bool:
        """Return whether the file had this content in one of the last commits."""
        wanted, name = self._blob(text), self._remote.inside + path
        trees = (commit.tree for commit in islice(self._repo.walk(head), MOST_COMMITS))
        return any(name in tree and tree[name].id == wanted for tree in trees)

    def commit(self, parent: str, texts: Mapping[str, str], told: str) -> str:
        """Commit on top of `parent`, with only these files changed."""
        index = pygit2.Index()
        if parent:
            index.read_tree(self._repo[parent].peel(pygit2.Tree))
        for path, text in texts.items():
            index.add(self._entry(self._remote.inside + path, text))
        tree, signature = index.write_tree(self._repo), self._signed.now()
        parents = [pygit2.Oid(hex=parent)] if parent else []
        return str(self._repo.create_commit(None, signature, signature, told, tree, parents))

    def contains(self, head: str, commit: str) -> bool:
        """Return whether a pushed commit is part of the remote branch."""
        if not head or commit not in self._repo:
            return False
        return head == commit or self._repo.descendant_of(head, commit)

    def parent_of(self, commit: str) -> str:
        parents = self._repo[commit].peel(pygit2.Commit).parent_ids
        return str(parents[0]) if parents else ""

    # --- remembered states -------------------------------------------------------------------

    def level(self, path: str) -> str | None:
        """Return the text that this file last had both here and there."""
        found = self._repo.references.get(_level_ref(path))
        return _text(self._repo[found.target]) if found is not None else None

    def note_level(self, path: str, text: str) -> None:
        if self.level(path) != text:
            self._repo.references.create(_level_ref(path), self._blob(text), force=True)

    def attempt(self, errand: str) -> str:
        found = self._repo.references.get(_ATTEMPT + errand)
        return str(found.target) if found is not None else ""

    def note_attempt(self, errand: str, commit: str) -> None:
        """Record the commit of this attempt; only the last attempt can still be on its way."""
        for old in [x for x in self._repo.references if x.startswith(_ATTEMPT)]:
            self._repo.references.delete(old)
        self._repo.references.create(_ATTEMPT + errand, pygit2.Oid(hex=commit))

    def merged(self, before: str, here: str, there: str) -> str | None:
        """Merge both changes, if they are on different lines."""
        base, ours, theirs = (self._entry("x", text) for text in (before, here, there))
        try:
            found = self._repo.merge_file_from_index(base, ours, theirs)
        except UnicodeDecodeError:
            return None
        return found.contents if found.automergeable else None

    def _entry(self, path: str, text: str) -> pygit2.IndexEntry:
        return pygit2.IndexEntry(path, self._blob(text), FileMode.BLOB)

    def _blob(self, text: str) -> pygit2.Oid:
        return self._repo.create_blob(text.encode("utf-8", "surrogateescape"))


def _text(found: pygit2.Object) -> str | None:
    blob = found if isinstance(found, pygit2.Blob) else None
    return blob.data.decode("utf-8", "surrogateescape") if blob is not None else None


def _level_ref(path: str) -> str:
    return _LEVEL + sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:20]


def _require_same(note: Path, address: str) -> None:
    """Raise if the remote's address has changed: otherwise everything would go to another place
    unnoticed.
    """
    try:
        known = read_plain(note, NOTE_BYTES).decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        replace_atomically(note, address.encode("utf-8", "surrogateescape"))
        return
    if known != address:
        raise GitFailed(
            f"The remote was {known} and is now {address}, so nothing was shared.\n"
            "If the new address is right, delete topkick's copy of the old one: rm -r "
            f"{note.parent}"
        )


@contextmanager
def alone(directory: Path) -> Iterator[None]:
    """Take the lock: an operation of a dead supervisor may still be running."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
