"""Rules for every journal: the part of the oracle that all share."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from proof.simulation import plain
from topkick.engine import messages as h
from topkick.engine.codec.chain import Record
from topkick.engine.messages import CODEC

STEPS_AT_ONCE = 500


class Violation(AssertionError):
    """A violation; `rule` is the id of the invariant."""

    def __init__(self, rule: str, what: str) -> None:
        super().__init__(f"{rule}: {what}")
        self.rule = rule


class JournalOracle(ABC):
    def __init__(self, now_s: Callable[[], float]) -> None:
        self.now_s = now_s
        self.records: list[Record] = []
        self.epoch = 0
        self.steps = 0
        self.edges: set[tuple[str, str, str]] = set()
        self._moment_s, self._steps_then = 0.0, 0

    @abstractmethod
    def _step(self, fact: h.Fact, events: tuple[h.Event, ...], at_us: int) -> None: ...

    def complain(self, rule: str, what: str) -> None:
        raise Violation(rule, what)

    def require(self, holds: object, rule: str, what: str) -> None:
        if not holds:
            raise Violation(rule, what)

    # --- the journal -----------------------------------------------------------------------

    def epoch_begun(self, epoch: int) -> None:
        self.require(epoch > self.epoch, "J4", f"epoch {epoch} after {self.epoch}")
        self.epoch = epoch

    def opened(self, found: Sequence[Record]) -> None:
        """Check that all acknowledged records are there, and at most one more step."""
        known = len(self.records)
        self.require(
            len(found) >= known, "J3", f"{known} records were acknowledged, {len(found)} left"
        )
        same = list(found[:known]) == self.records
        self.require(same, "J1", "a record is not what was written")
        self.take(found[known:])

    def take(self, records: Sequence[Record]) -> None:
        """Check one more step."""
        if not records:
            return
        steps = {r.step for r in records}
        last = self.records[-1] if self.records else None
        self.require(len(steps) == 1, "J3", f"{len(steps)} steps were written at once")
        for record in records:
            self._chained(last, record)
            last = record
        self.records += records
        happened = [self._read(r) for r in records]
        self._step(happened[0], tuple(happened[1:]), records[0].at_us)  # type: ignore[arg-type]

    def _read(self, record: Record) -> object:
        """Decode a record with the program's codec, and check it without the codec."""
        happened = CODEC.decode(record.kind, record.body)
        where = plain.differs(happened, record.body)
        self.require(not where, "J2", f"record {record.seq} is not read as written: {where}")
        return happened

    def _chained(self, last: Record | None, record: Record) -> None:
        seq, step, epoch, at_us = (
            (last.seq, last.step, last.epoch, last.at_us) if last else (0,) * 4
        )
        self.require(record.seq == seq + 1, "J1", f"record {record.seq} follows {seq}")
        self.require(record.step in (step, step + 1), "J1", f"step {record.step} follows {step}")
        self.require(record.epoch >= epoch, "J4", f"epoch {record.epoch} follows {epoch}")
        self.require(record.epoch == self.epoch, "J4", f"a holder of epoch {record.epoch} wrote")
        self.require(record.at_us >= at_us, "J1", "time went backwards in the journal")

    def _watch_for_livelock(self) -> None:
        self.steps += 1
        now_s = self.now_s()
        if now_s != self._moment_s:
            self._moment_s, self._steps_then = now_s, self.steps
        at_once = self.steps - self._steps_then
        self.require(at_once < STEPS_AT_ONCE, "livelock", f"{at_once} steps, and no time passes")
