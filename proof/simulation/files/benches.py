"""The real file executor, intercepted by the simulator, and the executor that reads answers."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from proof.simulation.timeline import Timeline
from topkick.app.state_dir import lock
from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.io import crash_points, file_executor

if TYPE_CHECKING:
    from proof.simulation.files.story import FileStory


@contextmanager
def in_files(story: FileStory) -> Iterator[None]:
    """Intercept every read and write of the file executor, and every crash point, inside the
    block.
    """
    read, replace = file_executor.read_plain, file_executor.replace_atomically
    here, tip, pause_s = crash_points.here, file_executor.tip_ahead, lock.PAUSE_S

    def reading(path: Path, limit_bytes: int) -> bytes:
        story.seam("file: before read")
        data = read(path, limit_bytes)
        story.oracle.read(path.relative_to(story.root).as_posix(), data.decode())
        return data

    def replacing(path: Path, data: bytes, **more: object) -> object:
        name = path.relative_to(story.root).as_posix()
        if story.disk.is_full():
            raise OSError(errno.ENOSPC, "No space left on device")
        try:
            return replace(path, data, **more)  # type: ignore[arg-type]
        finally:  # even if it dies right after
            story.oracle.written(name, path.read_text() if path.exists() else "")

    file_executor.read_plain = reading  # type: ignore[assignment]
    file_executor.replace_atomically = replacing  # type: ignore[assignment]
    file_executor.tip_ahead = lambda _root, name: story.branches.get(name, "")
    crash_points.here = story.seam
    lock.PAUSE_S = 0.0
    try:
        yield
    finally:
        file_executor.read_plain, file_executor.replace_atomically = read, replace
        crash_points.here, file_executor.tip_ahead, lock.PAUSE_S = here, tip, pause_s


class Files:
    """The file executor, readable when it has results."""

    def __init__(self, bench: file_executor.FileBench) -> None:
        self._bench = bench

    def __getattr__(self, name: str) -> object:
        return getattr(self._bench, name)

    def readable(self) -> bool:
        return self._bench.wake_in_s() is not None


class HearBench:
    """Reads agents' answers; it ends with its supervisor."""

    def __init__(self, timeline: Timeline, hear: Callable[[str], Evidence]) -> None:
        self._timeline = timeline
        self._hear = hear
        self._busy: set[str] = set()
        self._ready: list[tuple[str, h.Fact]] = []

    def takes(self, order: h.Order) -> bool:
        return isinstance(order, h.CheckWork)

    def live(self) -> frozenset[str]:
        return frozenset(self._busy)

    def wake_in_s(self) -> float | None:
        return None

    def readable(self) -> bool:
        return bool(self._ready)

    def ensure(self, order: h.Order) -> None:
        assert isinstance(order, h.CheckWork)
        assert order.listens, "outside a plan nothing else is looked at"
        if order.id in self._busy:
            return
        self._busy.add(order.id)
        takes_s = 0.05 + crc32(order.id.encode()) % 100 / 40

        def end() -> None:
            heard = h.WorkChecked(order.run_id, self._hear(order.output_of))
            self._ready.append((order.id, heard))

        self._timeline.after(takes_s, end)

    def cancel(self, order_id: str) -> None:
        self._busy.discard(order_id)

    def close(self) -> None:
        self._busy.clear()

    def poll(self) -> Sequence[h.Fact]:
        ready, self._ready = self._ready, []
        heard = [fact for id_, fact in ready if id_ in self._busy]
        self._busy -= {id_ for id_, _ in ready}
        return heard
