"""Files that hold the state themselves, such as a kanban board: read and replaced as a whole."""

from pathlib import Path

from topkick.engine.codec.texts import Text
from topkick.engine.io import crash_points
from topkick.engine.io.files import read_plain, replace_atomically

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
