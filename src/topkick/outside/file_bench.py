"""Where files that are the truth are read and written: whole, plain, and inside the project."""

from collections.abc import Callable, Sequence
from pathlib import Path

from topkick.core import happenings as h
from topkick.core.files import Edit, Seen, SeenBranch, SeenRun
from topkick.core.texts import Text
from topkick.outside.ground import crash_points
from topkick.outside.ground.files import read_plain, replace_atomically
from topkick.outside.ground.git_branches import tip_ahead

LONGEST_BYTES = 1 << 20


class FileBench:
    """Small files, so it is done at once; a file changed by others is never overwritten."""

    def __init__(
        self, root: Path, text: Callable[[Text], str], state_of: Callable[[str], tuple[str, int]]
    ) -> None:
        self._root = root
        self._state_of = state_of
        self._text = text
        self._facts: list[h.Fact] = []
        self._done: set[str] = set()

    def takes(self, order: h.Order) -> bool:
        return isinstance(order, h.ReadFiles | h.EditFiles)

    def ensure(self, order: h.Order) -> None:
        if order.id in self._done:
            return
        self._done.add(order.id)
        match order:
            case h.ReadFiles(_, look, glance):
                files = tuple(map(self._seen, glance.paths))
                runs = tuple(SeenRun(run, *self._state_of(run)) for run in glance.runs)
                branches = tuple(SeenBranch(x, tip_ahead(self._root, x)) for x in glance.branches)
                self._facts.append(h.FilesObserved(files, look, runs, branches))
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

    def _seen(self, path: str) -> Seen:
        try:
            data = self._read(path)
        except FileNotFoundError:
            return Seen(path)
        except OSError as trouble:
            return Seen(path, trouble=f"{path} cannot be read: {trouble.strerror or trouble}")
        return Seen(path, Text.of(data.decode("utf-8", "surrogateescape")))

    def _read(self, path: str) -> bytes:
        data = read_plain(self._inside(path), LONGEST_BYTES + 1)
        if len(data) > LONGEST_BYTES:
            raise OSError(f"it is larger than {LONGEST_BYTES >> 20} MiB")
        return data

    def _inside(self, path: str) -> Path:
        """What lies outside the project is none of its files, whatever a board says."""
        place = self._root / path
        root = self._root.resolve()
        if not place.parent.resolve().is_relative_to(root) or place.name in {"", "..", "."}:
            raise OSError("it is not inside the project")
        return place

    # --- writing -----------------------------------------------------------------------------

    def _edited(self, number: int, edits: tuple[Edit, ...]) -> h.FilesEdited:
        for edit in edits:
            try:
                if not self._write(edit):
                    return h.FilesEdited(number, changed=edit.path)
            except OSError as trouble:
                why = f"{edit.path} cannot be written: {trouble.strerror or trouble}"
                return h.FilesEdited(number, trouble=why)
        return h.FilesEdited(number)

    def _write(self, edit: Edit) -> bool:
        """False if others have changed it since it was read."""
        try:
            found = _hash(self._read(edit.path))
        except FileNotFoundError:
            found = ""
        new = self._text(edit.content).encode("utf-8", "surrogateescape")
        if found == _hash(new):  # in place already, by a supervisor before us
            return True
        if found != edit.was:
            return False
        place = self._inside(edit.path)
        mode = place.stat().st_mode & 0o777 if found else 0o644
        crash_points.here("files.before-edit")
        replace_atomically(place, new, mode=mode)
        crash_points.here("files.after-edit")
        return True


def _hash(data: bytes) -> str:
    """As `Text.of` has it for what is read."""
    return Text.of(data.decode("utf-8", "surrogateescape")).sha256
