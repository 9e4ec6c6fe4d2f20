"""Post messages durably, each under its own number, and answer queries about a bus."""

import errno
import os
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from topkick.engine.errors import BusUnavailable, UsageError
from topkick.engine.io import crash_points
from topkick.engine.io.file_events import Changes
from topkick.engine.io.files import fsync_dir
from topkick.team.bus import roles_state
from topkick.team.bus.files import (
    LARGEST_BYTES,
    LONGEST_META_BYTES,
    BusPlace,
    BusReader,
    open_plain,
)
from topkick.team.bus.model import (
    LARGEST_NUMBER,
    SHOWN,
    STATE_UPDATE,
    Member,
    Message,
    MessageFilter,
    Page,
    in_place,
    members,
    number_of,
    page,
    read_line,
    ready,
    write_line,
)
from topkick.team.bus.roles_state import Legacy, Meta

SHARED_MEMORY = "shared-memory.json"
SESSION_FILES = ("team-session.json", "session.json")
NO_WANTS = MessageFilter()
RECENT = 1000
GLUED_TRIES = 3


class Bus:
    """The bus of a session directory. A message survives a power cut once `post` has returned."""

    def __init__(self, session_dir: Path) -> None:
        self._place = BusPlace(session_dir)
        self._tail = BusReader(session_dir)
        self._recent: deque[Message] = deque(maxlen=RECENT)
        self._given = 0

    # --- writing -----------------------------------------------------------------------------

    def post(self, message: Message) -> Message:
        """Post a message; return it with its number and time."""
        return self._post((message,), None)[0]

    def post_once(self, messages: Sequence[Message], after: int) -> tuple[Message, ...]:
        """Post messages that are not on the bus yet with a number above `after`.

        A poster that was killed may have posted some of them already.
        """
        return self._post(messages, after)

    def _post(self, messages: Sequence[Message], after: int | None) -> tuple[Message, ...]:
        wanted = tuple(ready(message) for message in messages)
        with self._place.told(), self._place.locked():
            there = () if after is None else self.messages(after)
            found = in_place(wanted, there)
            new = self._numbered(w for w, f in zip(wanted, found, strict=True) if f is None)
            if new:
                self._append(new)
                self._given = new[-1].number
            if any(m.type == STATE_UPDATE for m in wanted):
                self._follow()
        posted = iter(new)
        return tuple(next(posted) if old is None else old for old in found)

    def _numbered(self, messages: Iterable[Message]) -> tuple[Message, ...]:
        number = self._highest()
        ts = datetime.now(UTC).isoformat(timespec="milliseconds")
        numbered = [replace(m, number=number + n, ts=ts) for n, m in enumerate(messages, 1)]
        if number + len(numbered) > LARGEST_NUMBER:
            raise BusUnavailable(
                f"The numbers of {self._place.messages} are used up: a program wrote a "
                f"message with a very large number.\nMove the bus away to begin a new one: "
                f"mv {self._place.directory} {self._place.directory}-old"
            )
        return tuple(numbered)

    def _highest(self) -> int:
        """Return the highest number of existing and deleted messages; other tools append without
        the lock.
        """
        self._recent.extend(self._tail.read())
        return max(self._given, self._tail.newest, self._mark())

    def _mark(self) -> int:
        """Return the stored mark; an invalid or missing mark counts as 0, because the file still
        has the numbers.
        """
        text = self._place.read(self._place.mark, 64).decode("ascii", "replace").strip()
        number = int(text) if text.isascii() and text.isdecimal() else 0
        return number if number <= LARGEST_NUMBER else 0

    def _append(self, messages: tuple[Message, ...]) -> None:
        data = "".join(write_line(message) + "\n" for message in messages).encode()
        descriptor = open_plain(self._place.messages, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            size = os.fstat(descriptor).st_size
            self._require_room(size + len(data))
            crash_points.here("bus.before-append")
            for _ in range(GLUED_TRIES):
                if _is_alone(descriptor, _written(descriptor, data)):
                    break
            os.fsync(descriptor)
            if size == 0:
                fsync_dir(self._place.directory)
            crash_points.here("bus.after-append")
        finally:
            os.close(descriptor)

    def _require_room(self, size: int) -> None:
        if size > LARGEST_BYTES:
            raise BusUnavailable(
                f"{self._place.messages} is full: {LARGEST_BYTES >> 20} MiB. Nothing was posted.\n"
                f"Make room: topkick bus clear {self._place.session_dir}"
            )

    # --- meta.json ---------------------------------------------------------------------------

    def _follow(self) -> None:
        """Write the result of the state updates to meta.json; errors are ignored, as it can be
        rebuilt.
        """
        self._recent.extend(self._tail.read())
        with suppress(OSError):
            old = self._read_meta()
            known = tuple(self._recent)
            if old is None or not known or old.through < known[0].number:
                known = self.messages()
            new = roles_state.written(old, known, self._legacy())
            if old is None or new.values != old.values:
                crash_points.here("bus.before-meta")
                self._place.replace(self._place.meta, new.text.encode())
                crash_points.here("bus.after-meta")

    def _read_meta(self) -> Meta | None:
        try:
            data = self._place.read(self._place.meta, LONGEST_META_BYTES)
        except OSError as trouble:
            if trouble.errno == errno.EFBIG:  # too large; the messages have the state
                return None
            raise
        return roles_state.read_meta(data.decode("utf-8", "replace"))

    def _legacy(self) -> Legacy:
        session = next(filter(None, map(self._older, SESSION_FILES)), "")
        return Legacy(self._older(SHARED_MEMORY), session)

    def _older(self, name: str) -> str:
        try:
            data = self._place.read(self._place.session_dir / name, LONGEST_META_BYTES)
        except OSError:
            return ""
        return data.decode("utf-8", "replace")

    # --- reading -----------------------------------------------------------------------------

    def messages(self, after: int = 0) -> tuple[Message, ...]:
        return BusReader(self._place.session_dir, after).read()

    def reader(self, after: int = 0) -> BusReader:
        return BusReader(self._place.session_dir, after)

    def newest_number(self) -> int:
        """Return the highest number ever used, even by messages that are deleted."""
        with self._place.told():
            return self._highest()

    def read(self, name: str) -> Message | None:
        """Return the message with this id."""
        number = _required(name)
        return next((m for m in self.messages() if m.number == number), None)

    def page(self, wanted: MessageFilter = NO_WANTS, last: int = SHOWN) -> Page:
        return page(self.messages(), wanted, last)

    def status(self) -> tuple[Member, ...]:
        return members(self.messages())

    def meta(self) -> Meta:
        with self._place.told():
            old = self._read_meta()
            return roles_state.current(old, self.messages(), self._legacy())

    def states(self) -> Mapping[str, Mapping[str, object]]:
        return self.meta().role_state

    def state(self, role: str) -> Mapping[str, object] | None:
        return self.states().get(role)

    def changes(self) -> Changes:
        """Return a descriptor that wakes processes waiting for messages; create the directory."""
        with self._place.told():
            self._place.make()
        return Changes(self._place.directory)

    # --- deleting ----------------------------------------------------------------------------

    def delete(self, name: str) -> Message | None:
        """Delete a message, without undoing its state update; return None if it does not exist."""
        number = _required(name)
        with self._place.told(), self._place.locked():
            lines = self._place.read(self._place.messages, LARGEST_BYTES).split(b"\n")
            for place, line in enumerate(lines):
                message = read_line(line.decode("utf-8", "replace"))
                if message is not None and message.number == number:
                    del lines[place]
                    self._rewrite(b"\n".join(lines))
                    return message
        return None

    def clear(self) -> int:
        """Delete all messages and their state; numbering continues. Return how many there were."""
        self._place.require_session()
        if not self._place.directory.is_dir():
            return 0
        with self._place.told(), self._place.locked():
            count = len(self.messages())
            self._raise_mark()
            self._place.meta.unlink(missing_ok=True)  # first: it is rebuilt from what is left
            self._rewrite(b"")
        return count

    def _rewrite(self, data: bytes) -> None:
        self._raise_mark()
        crash_points.here("bus.before-rewrite")
        self._place.replace(self._place.messages, data)
        crash_points.here("bus.after-rewrite")

    def _raise_mark(self) -> None:
        """Store the highest number before anything is deleted, so that no number is used twice."""
        highest = self._highest()
        if highest > self._mark():
            crash_points.here("bus.before-mark")
            self._place.replace(self._place.mark, b"%d\n" % highest)
            crash_points.here("bus.after-mark")


def _required(name: str) -> int:
    number = number_of(name)
    if number is None:
        raise UsageError(f"'{name[:40]}' is not the id of a message; ids look like MSG-007.")
    return number


def _written(descriptor: int, data: bytes) -> int:
    """Append with one write, after a newline if a dead writer left a line open; return the start
    offset.
    """
    size = os.fstat(descriptor).st_size
    open_line = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
    data = b"\n" + data if open_line else data
    if os.write(descriptor, data) < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return os.lseek(descriptor, 0, os.SEEK_CUR) - len(data) + int(open_line)


def _is_alone(descriptor: int, begin: int) -> bool:
    """Return False if a tool without the lock wrote half a line just before: the lines are
    glued.
    """
    return begin == 0 or os.pread(descriptor, 1, begin - 1) == b"\n"
