"""Synchronise task files between hosts: before a tick, and remote first when writing (EP-03).

The files are merged by lines, from the text that both sides had last. A push without force is the
compare-and-swap: of two hosts that write on top of the same commit, one loses. If the operation is
killed at any point, it is repeated and finds out what had happened.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from topkick.checks.request import Trip
from topkick.engine.effects import Came, Edit, Share, Upshot
from topkick.engine.io import crash_points
from topkick.engine.io.file_executor import TruthFiles, hash_of
from topkick.git.program import GitFailed, Signed
from topkick.git.remote.remotes import Store, alone, find_remote

TRIES = 8


def share_files(trip: Trip) -> Upshot:
    """Synchronise the trip's files; the trip's errand is to share them."""
    assert isinstance(trip.errand, Share)
    root, store = Path(trip.root), Path(trip.store) / "share.git"
    remote = find_remote(root, trip.errand.where)
    with alone(store):
        known = Store(store, remote, Signed(trip.name, trip.email))
        return Sharing(trip.id, trip.errand, trip.texts, TruthFiles(root), known).run()


@dataclass(frozen=True, slots=True)
class SharedFile:
    """One file: its text here, its text there, and its text when both were last the same."""

    path: str
    here: str | None
    there: str | None
    level: str | None


class Sharing:
    """One remote operation; `texts` are the new contents of its edits, in order."""

    def __init__(
        self, errand_id: str, share: Share, texts: tuple[str, ...], files: TruthFiles, store: Store
    ) -> None:
        self._id = errand_id
        self._share = share
        self._files = files
        self._store = store
        self._new = {edit.path: text for edit, text in zip(share.edits, texts, strict=True)}

    def run(self) -> Upshot:
        return self._write() if self._share.edits else self._bring_level()

    # --- before a tick -----------------------------------------------------------------------

    def _bring_level(self) -> Upshot:
        trouble = ""
        for _ in range(TRIES):
            head = self._store.fetch()
            agreed = {s: self._agreed(s, head) for s in self._standings(head)}
            texts = {s.path: t for s, t in agreed.items() if t is not None and t != s.there}
            if texts:
                trouble = self._store.push(self._commit(head, texts))
            if not (texts and trouble) and all(self._settled(s, t) for s, t in agreed.items()):
                return Upshot(Came.DONE)
        return Upshot(Came.FAILED, trouble or "other programs keep changing the files")

    def _standings(self, head: str) -> Iterator[SharedFile]:
        for path in self._share.paths:
            there, level = self._store.text_at(head, path), self._store.level(path)
            yield SharedFile(path, self._files.read(path), there, level)

    def _agreed(self, s: SharedFile, head: str) -> str | None:
        """Return the text that both sides should have; None if the file exists nowhere."""
        where = self._share.where
        if s.there is None and s.level is not None:
            raise GitFailed(
                f"{s.path} was removed on {where}, so nothing was shared. Remove it here too, or "
                "restore it there, then tick again."
            )
        if s.here == s.there or s.there in {s.level, None}:
            return s.here if s.here is not None else s.there
        if s.here in {s.level, None}:
            return s.there
        if s.level is None and self._store.was_once(head, s.path, s.here or ""):
            return s.there
        if s.level is None:
            raise GitFailed(
                f"{s.path} differs from the file on {where} and was never shared from here.\n"
                "Choose one of the two for both places, then tick again."
            )
        assert s.here is not None
        assert s.there is not None
        merged = self._store.merged(s.level, s.here, s.there)
        if merged is None:
            raise GitFailed(
                f"{s.path} was changed here and on {where}, in the same lines, so nothing was "
                "shared.\nMerge the remote change into the file here, then tick again."
            )
        return merged

    def _settled(self, s: SharedFile, text: str | None) -> bool:
        """Write the agreed text; return False if a person changed the file meanwhile, to start
        again.
        """
        if text is None:
            return True
        if not self._files.write(s.path, hash_of(s.here), text):
            return False
        self._store.note_level(s.path, text)
        return True

    # --- the end of a tick -------------------------------------------------------------------

    def _write(self) -> Upshot:
        trouble = ""
        for _ in range(TRIES):
            head = self._store.fetch()
            mine = self._store.attempt(self._id)
            if mine and self._store.contains(head, mine):
                return self._landed(head)
            if refused := self._refused(head):
                return refused
            if not mine or self._store.parent_of(mine) != head:
                mine = self._commit(head, self._new)
                self._store.note_attempt(self._id, mine)
            crash_points.here("share.before-push")
            trouble = self._store.push(mine)
            crash_points.here("share.after-push")
        return Upshot(Came.FAILED, trouble or "other hosts keep changing the branch")

    def _refused(self, head: str) -> Upshot | None:
        """Return the refusal if others wrote first: there another host, here a person."""
        for edit in self._share.edits:
            there = self._store.text_at(head, edit.path)
            if there != self._store.level(edit.path) and hash_of(there) != edit.was:
                return Upshot(Came.LOST, edit.path)
        for edit in self._share.edits:
            if hash_of(self._files.read(edit.path)) not in {edit.was, edit.content.sha256}:
                return Upshot(Came.CHANGED, edit.path)
        return None

    def _landed(self, head: str) -> Upshot:
        """Update the local files after the push, unless a person has changed them."""
        passed = ""
        for edit in self._share.edits:
            there = self._store.text_at(head, edit.path)
            text = self._new[edit.path] if there is None else there
            passed = passed or (edit.path if text != self._new[edit.path] else "")
            self._follow(edit, text)
        crash_points.here("share.after-write")
        return Upshot(Came.OVERTAKEN, passed) if passed else Upshot(Came.DONE)

    def _follow(self, edit: Edit, text: str) -> None:
        for was in (edit.was, edit.content.sha256):
            if self._files.write(edit.path, was, text):
                self._store.note_level(edit.path, text)
                return

    def _commit(self, head: str, texts: dict[str, str]) -> str:
        names = ", ".join(texts)
        told = f"Share {names}"[:200] + f"\n\nTopkick-Errand: {self._id}\n"
        return self._store.commit(head, texts, told)
