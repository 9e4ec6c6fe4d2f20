"""The simulated world around one supervisor: waiting, the state file, and the journal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil
from typing import Protocol

from proof.simulation.oracle_journal import JournalOracle, Violation
from proof.simulation.timeline import SECOND_US, Timeline
from topkick.engine import messages as h
from topkick.engine.codec.chain import ChainEntry, Head, Record
from topkick.engine.journal import QueueAnswer, QueuedCommand
from topkick.engine.journal.writer import Journal
from topkick.sprint.model import Mission

EMPTY_TURNS = 400
BOARD_EVERY_S = 0.5


class Readable(Protocol):
    def readable(self) -> bool: ...


class SimWorld:
    def __init__(
        self,
        timeline: Timeline,
        seam: Callable[[str], None],
        sources: Sequence[Readable],
        waiting: Callable[[], None],
    ) -> None:
        self._timeline = timeline
        self._seam = seam
        self._sources = sources
        self._waiting = waiting
        self._empty = 0

    def now_us(self) -> int:
        return self._timeline.wall_us()

    def monotonic_us(self) -> int:
        return self._timeline.now_us

    def rest(self, duration_s: float) -> None:
        self._seam("rest")
        self._timeline.pass_s(duration_s)

    def wait(self, timeout_s: float | None) -> None:
        """Wait until a descriptor is readable or the time has come, as a real supervisor does."""
        self._seam("wait")
        self._waiting()
        before_us = self._timeline.now_us
        self._until(None if timeout_s is None else before_us + ceil(timeout_s * SECOND_US) + 1)
        idle = self._timeline.now_us - before_us <= 1 and not self._readable()
        self._empty = self._empty + 1 if idle else 0
        if self._empty > EMPTY_TURNS:
            raise Violation("livelock", f"{EMPTY_TURNS} turns, and no time passes")

    def _until(self, until_us: int | None) -> None:
        timeline = self._timeline
        while not self._readable():
            next_us = timeline.next_us()
            if until_us is not None and (next_us is None or next_us > until_us):
                timeline.pass_s(max(0, until_us - timeline.now_us) / SECOND_US)
                return
            if next_us is None:
                raise Violation("Y1", "it waits for ever: nothing will ever wake it")
            timeline.happen()

    def _readable(self) -> bool:
        return any(source.readable() for source in self._sources)


class Bell:
    def __init__(self) -> None:
        self.rung = False

    def readable(self) -> bool:
        rung, self.rung = self.rung, False
        return rung


class SimBoard:
    """The state file, replaced at most twice a second; its anchor outlives the supervisor."""

    trouble = ""

    def __init__(
        self, timeline: Timeline, seam: Callable[[str], None], keep: Callable[[Head], None]
    ) -> None:
        self._timeline = timeline
        self._seam = seam
        self._keep = keep
        self._written: Head | None = None
        self._next_s = 0.0
        self._behind = False

    def show(self, mission: Mission, head: Head) -> None:
        self._behind = head != self._written
        if self._behind and self._timeline.monotonic_s() >= self._next_s:
            self.flush(mission, head)

    def flush(self, mission: Mission, head: Head) -> None:
        if head == self._written or mission.plan is None:
            return
        self._next_s = self._timeline.monotonic_s() + BOARD_EVERY_S
        self._seam("before board")
        self._keep(head)
        self._written, self._behind = head, False
        self._seam("after board")

    def wake_in_s(self) -> float | None:
        left_s = self._next_s - self._timeline.monotonic_s()
        return max(0.0, left_s) if self._behind else None


class WatchedJournal:
    """The real journal, with the oracle reading what was acknowledged."""

    def __init__(self, inner: Journal, oracle: JournalOracle, turning: Callable[[], None]) -> None:
        self._inner = inner
        self._turning = turning
        self._oracle = oracle
        self.epoch = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    @property
    def head(self) -> Head:
        return self._inner.head

    def records(self, after_seq: int = 0) -> Iterable[Record]:
        return self._inner.records(after_seq)

    def unanswered(self) -> Sequence[QueuedCommand]:
        self._turning()
        return self._inner.unanswered()

    def begin_epoch(self, holder: str) -> int:
        self.epoch = self._inner.begin_epoch(holder)
        self._oracle.epoch_begun(self.epoch)
        return self.epoch

    def append(
        self,
        at_us: int,
        entries: Sequence[ChainEntry],
        texts: Mapping[str, str],
        answers: Mapping[int, QueueAnswer],
    ) -> Head:
        head = self._inner.append(at_us, entries, texts, answers)
        known = self._oracle.records
        first = head.seq - len(entries)  # where the step begins
        step = known[first - 1].step + 1 if first else 1
        records = [
            Record(first + n, step, self.epoch, at_us, e.kind, e.body)
            for n, e in enumerate(entries, start=1)
        ]
        self._oracle.require(first <= len(known), "J1", f"the head is {head.seq}")
        if known[first:] != records:  # a reader may have seen it before its writer knew
            self._oracle.require(first == len(known), "J1", f"the head is {head.seq}")
            self._oracle.take(records)
        return head


class PlanDesk:
    """The executor that notices an edited plan."""

    def __init__(self, accepted: Callable[[], str], edition: Callable[[], str]) -> None:
        self._accepted = accepted
        self._edition = edition
        self._told = edition()

    def takes(self, _order: h.Order) -> bool:
        return False

    def ensure(self, _order: h.Order) -> None:
        return

    def cancel(self, _order_id: str) -> None:
        return

    def live(self) -> frozenset[str]:
        return frozenset()

    def wake_in_s(self) -> float | None:
        return None

    def readable(self) -> bool:
        return self._told != self._edition()

    def poll(self) -> Sequence[h.Fact]:
        if not self.readable():
            return ()
        self._told = self._edition()
        return (h.PlanEdited(self._told),) if self._told != self._accepted() else ()
