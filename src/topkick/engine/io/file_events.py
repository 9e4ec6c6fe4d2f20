"""A descriptor that becomes readable when the files of a directory change.

Without inotify or kqueue, and with `TOPKICK_PORTABLE=1`, there is no descriptor, and the caller
polls every POLL_S seconds.
"""

import ctypes
import os
import select
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

POLL_S = 2.0
DRAIN_BYTES = 65536

_CHANGES = 0x2 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800  # modify, moves, create, deletes, self
_MADE_BESIDE = 0x80 | 0x100  # the directory itself, made again
_VNODE_CHANGES = 0x1 | 0x2 | 0x4 | 0x20  # delete, write, extend, rename
_ONLY_DIRECTORIES, _NO_LINKS = 0x01000000, 0x02000000


class Changes:
    """Watches a directory. It may wake needlessly but misses nothing: read the files after
    `drain`.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._source: _Inotify | _Kqueue | None = None
        if os.environ.get("TOPKICK_PORTABLE") != "1":
            with suppress(OSError):  # for example, the limit on watches is reached
                self._source = _source(directory)
        self._next_s = time.monotonic() + POLL_S

    def fileno(self) -> int | None:
        return None if self._source is None else self._source.descriptor

    def wake_in_s(self) -> float | None:
        """Return when to poll, or None if there is a descriptor."""
        return None if self._source is not None else max(0.0, self._next_s - time.monotonic())

    def drain(self) -> None:
        """Clear the descriptor and continue watching, even if the directory was made anew."""
        self._next_s = time.monotonic() + POLL_S
        if self._source is not None:
            self._source.drain()

    def close(self) -> None:
        if self._source is not None:
            self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _source(directory: Path) -> "_Inotify | _Kqueue | None":
    if hasattr(select, "kqueue"):
        return _Kqueue(directory)
    return _Inotify(directory) if hasattr(ctypes.CDLL(None), "inotify_init1") else None


class _Inotify:
    """Linux: inotify, which the standard library does not offer."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = self._checked(self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        try:
            self._watch(directory.parent, _MADE_BESIDE)
            self._watch(directory, _CHANGES | _NO_LINKS)
        except OSError:
            self.close()
            raise

    def _watch(self, path: Path, events: int) -> None:
        name = os.fsencode(path)
        flags = ctypes.c_uint32(events | _ONLY_DIRECTORIES)
        self._checked(self._libc.inotify_add_watch(self.descriptor, name, flags))

    @staticmethod
    def _checked(answer: int) -> int:
        if answer < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return answer

    def drain(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self.descriptor, DRAIN_BYTES):
                pass
        with suppress(OSError):  # it may be gone; its parent reports when it is made again
            self._watch(self._directory, _CHANGES | _NO_LINKS)

    def close(self) -> None:
        os.close(self.descriptor)


class _Kqueue:
    """macOS and the BSDs: a directory reports only its names, so its files are watched too."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._queue = select.kqueue()  # type: ignore[attr-defined,unused-ignore]
        self.descriptor: int = self._queue.fileno()
        self._watched: list[int] = []
        self._watch_all()

    def _watch_all(self) -> None:
        for path in (self._directory.parent, self._directory, *self._files()):
            with suppress(OSError):
                flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
                self._watched.append(os.open(path, flags))
                self._queue.control([self._event(self._watched[-1])], 0)

    def _files(self) -> list[Path]:
        try:
            return [p for p in self._directory.iterdir() if p.is_file() and not p.is_symlink()]
        except OSError:
            return []

    @staticmethod
    def _event(descriptor: int) -> object:
        return select.kevent(  # type: ignore[attr-defined,unused-ignore]
            descriptor,
            filter=select.KQ_FILTER_VNODE,  # type: ignore[attr-defined,unused-ignore]
            flags=select.KQ_EV_ADD | select.KQ_EV_CLEAR,  # type: ignore[attr-defined,unused-ignore]
            fflags=_VNODE_CHANGES,
        )

    def drain(self) -> None:
        """Watch the files that are there now before the old ones are released: files may be
        replaced.

        The caller reads the files after this, so a change in between is not missed.
        """
        old, self._watched = self._watched, []
        self._watch_all()
        for descriptor in old:
            os.close(descriptor)
        self._queue.control(None, 64, 0)

    def close(self) -> None:
        for descriptor in self._watched:
            os.close(descriptor)
        self._queue.close()
