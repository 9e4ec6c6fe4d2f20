"""Read and edit files that hold the state themselves, such as a kanban board, and its executor."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from topkick.engine import messages as h
from topkick.engine.codec.texts import Text
from topkick.engine.effects import Edit, Seen, SeenBranch, SeenRun
from topkick.engine.io import crash_points
from topkick.engine.io.files import append_durably, create_once, read_plain, replace_atomically
from topkick.git.read.branches import tip_ahead
from topkick.team.bus.model import Message

LONGEST_BYTES = 1 << 20


class TruthFiles:
    """Reads and writes such files by their paths from the root; OSError says what is wrong."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, path: str) -> str | None:
        """Return the file's text; None if it does not exist."""
        try:
            data = read_plain(self.inside(path), LONGEST_BYTES + 1)
        except FileNotFoundError:
            return None
        if len(data) > LONGEST_BYTES:
            raise OSError(f"it is larger than {LONGEST_BYTES >> 20} MiB")
        return data.decode("utf-8", "surrogateescape")

    def write(self, path: str, was: str, new: str) -> bool:
        """Replace the file; return False if its hash is no longer `was`, even if it changes during
        the write.
        """
        found = self.read(path)
        if found == new:  # an earlier supervisor wrote it already
            return True
        if hash_of(found) != was:
            return False
        place = self.inside(path)
        mode = place.stat().st_mode & 0o777 if found is not None else 0o644
        crash_points.here("files.before-edit")
        data = new.encode("utf-8", "surrogateescape")
        done = replace_atomically(
            place, data, mode=mode, still=lambda: hash_of(self.read(path)) == was
        )
        crash_points.here("files.after-edit")
        return done

    def inside(self, path: str) -> Path:
        """Return the path; raise OSError if it is outside the project, whatever a board says."""
        place = self._root / path
        root = self._root.resolve()
        if not place.parent.resolve().is_relative_to(root) or place.name in {"", "..", "."}:
            raise OSError("it is outside the project")
        return place


def hash_of(text: str | None) -> str:
    """Return the hash as `Edit.was` has it: empty if there is no file."""
    return Text.of(text).sha256 if text is not None else ""


# --- the executor --------------------------------------------------------------------------------


MOST_BY_PATTERNS = 500


def anything(_edit: Edit) -> str:
    return ""


def no_bus(_last: int) -> tuple[Message, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Door:
    """The way edits are written. `refusal` returns why an edit is not allowed. With `drafts`, only
    new files are made, from drafts in that directory; without it, drafts are next to their files.
    """

    refusal: Callable[[Edit], str] = anything
    drafts: Path | None = None


OPEN = Door()


class FileBench:
    """Reads and edits small files at once; a file that others changed is never overwritten."""

    def __init__(
        self,
        root: Path,
        text: Callable[[Text], str],
        state_of: Callable[[str], tuple[str, int]],
        door: Door = OPEN,
        messages: Callable[[int], tuple[Message, ...]] = no_bus,
    ) -> None:
        self._root = root
        self._files = TruthFiles(root)
        self._state_of = state_of
        self._text = text
        self._door = door
        self._messages = messages
        self._facts: list[h.Fact] = []
        self._done: set[str] = set()

    def takes(self, order: h.Order) -> bool:
        return isinstance(order, h.ReadFiles | h.EditFiles)

    def ensure(self, order: h.Order) -> None:
        if order.id in self._done:
            return
        self._done.add(order.id)
        match order:
            case h.ReadFiles():
                self._facts.append(self._observed(order))
            case h.EditFiles(_, number, edits):
                self._facts.append(self._edited(number, edits))
            case _:
                return

    def cancel(self, _order_id: str) -> None:
        return

    def live(self) -> frozenset[str]:
        return frozenset()

    def wake_in_s(self) -> float | None:
        return 0.0 if self._facts else None

    def poll(self) -> Sequence[h.Fact]:
        facts, self._facts = self._facts, []
        return facts

    # --- reading -----------------------------------------------------------------------------

    def _observed(self, order: h.ReadFiles) -> h.FilesObserved:
        glance = order.glance
        found = dict.fromkeys((*glance.paths, *self._matching(glance.patterns)))
        return h.FilesObserved(
            tuple(map(self._seen, found)),
            order.look,
            tuple(SeenRun(run, *self._state_of(run)) for run in glance.runs),
            tuple(SeenBranch(name, tip_ahead(self._root, name)) for name in glance.branches),
            self._messages(glance.messages) if glance.messages else (),
        )

    def _matching(self, patterns: tuple[str, ...]) -> Iterator[str]:
        """Yield matching files in a fixed order, and at most MOST_BY_PATTERNS of them."""
        for pattern in patterns:
            place, _, name = pattern.rpartition("/")
            try:
                listed = sorted((self._root / place).glob(name))
            except OSError:
                continue
            plain = (path for path in listed if path.is_file() and not path.is_symlink())
            for path, _ in zip(plain, range(MOST_BY_PATTERNS), strict=False):
                yield path.relative_to(self._root).as_posix()

    def _seen(self, path: str) -> Seen:
        try:
            text = self._files.read(path)
        except OSError as trouble:
            return Seen(path, trouble=f"{path} cannot be read: {trouble.strerror or trouble}")
        return Seen(path, Text.of(text) if text is not None else None)

    def _to_write(self, path: str) -> Path:
        """Return the path; with `drafts`, raise OSError if a link leads to it. Reading may follow
        links.
        """
        place = self._files.inside(path)
        straight = self._root.resolve() / Path(path).parent
        if self._door.drafts is not None and place.parent.resolve() != straight:
            raise OSError("a parent directory is a link")
        return place

    # --- writing -----------------------------------------------------------------------------

    def _edited(self, number: int, edits: tuple[Edit, ...]) -> h.FilesEdited:
        for edit in edits:
            try:
                if refused := self._door.refusal(edit):
                    return h.FilesEdited(number, trouble=refused)
                if not self._write(edit):
                    return h.FilesEdited(number, changed=edit.path)
            except OSError as trouble:
                why = f"{edit.path} cannot be written: {trouble.strerror or trouble}"
                return h.FilesEdited(number, trouble=why)
        return h.FilesEdited(number)

    def _write(self, edit: Edit) -> bool:
        """Write an edit; return False if others have changed the file since it was read."""
        new = self._text(edit.content)
        if not edit.appends and self._door.drafts is None:
            return self._files.write(edit.path, edit.was, new)
        before = self._files.read(edit.path)
        if before is not None and (new in before if edit.appends else new == before):
            return True  # an earlier supervisor wrote it
        if not edit.appends and hash_of(before) != edit.was:
            return False
        place = self._to_write(edit.path)
        crash_points.here("files.before-edit")
        if edit.appends or self._door.drafts is None:
            append_durably(place, _bytes(_on_a_line_of_its_own(before or "", new)))
        else:
            create_once(place, _bytes(new), 0o644, self._door.drafts)
        crash_points.here("files.after-edit")
        return True


def _on_a_line_of_its_own(before: str, new: str) -> str:
    """Start a new line if the file's last line is not ended: another writer may have been cut
    off.
    """
    return f"\n{new}" if before and not before.endswith("\n") else new


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
