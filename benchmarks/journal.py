"""The journal with 100,000 records: open and verify, decode, append, and an inbox letter."""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from topkick.engine.codec.codec import Codec, texts_of
from topkick.engine.journal import ChainEntry, JournalReader, answer_of, post
from topkick.engine.journal.writer import Journal

RECORDS_A_STEP = 10


class Tier(StrEnum):
    HAIKU = "haiku"
    OPUS = "opus"


@dataclass(frozen=True, slots=True)
class AgentExited:
    run_id: str
    unit: str
    code: int | None
    cost_usd: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class SprintMoved:
    unit: str
    sprint: str
    tier: Tier
    criteria: tuple[str, ...] = ()


CODEC = Codec(AgentExited | SprintMoved)


@contextmanager
def timed(what: str, per: int = 0) -> Iterator[None]:
    began = time.perf_counter()
    yield
    spent = time.perf_counter() - began
    print(f"{what:<42} {spent:8.3f} s" + (f"  {spent / per * 1e6:8.2f} µs each" if per else ""))


def happening(number: int) -> object:
    unit = f"U{number % 20}"
    if number % 2:
        return AgentExited(f"{unit}-{number:06d}", unit, number % 3, cost_usd=0.25)
    return SprintMoved(unit, f"S{number % 50}", Tier.OPUS, ("tests pass", "lint is clean"))


def fill(path: Path, count: int) -> None:
    with Journal.create(path, now_us=0) as journal:
        journal.begin_epoch("benchmark")
        for first in range(0, count, 5000):
            happenings = [happening(n) for n in range(first, min(first + 5000, count))]
            journal.append(first, [ChainEntry(*CODEC.encode(one)) for one in happenings])


def percentiles(what: str, action: Callable[[int], object], times: int) -> None:
    spent = []
    for number in range(times):
        began = time.perf_counter()
        action(number)
        spent.append(time.perf_counter() - began)
    spent.sort()
    p50, p99 = spent[times // 2] * 1e3, spent[times * 99 // 100] * 1e3
    print(f"{what:<42} p50 {p50:.3f} ms  p99 {p99:.3f} ms")


def measure(path: Path, count: int) -> None:
    with timed(f"write {count} records in steps of 5000", count):
        fill(path, count)
    with timed("open, verify and iterate", count), Journal.open(path, anchor=None) as journal:
        records = list(journal.records())
    with timed("the same, through a Reader", count), JournalReader(path) as reader:
        assert sum(1 for _ in reader.records()) == count
    with timed("decode", count):
        values = [CODEC.decode(record.kind, record.body) for record in records]
    with timed("encode", count):
        assert [CODEC.encode(value) for value in values[:2]] == [
            (record.kind, record.body) for record in records[:2]
        ]
        for value in values:
            CODEC.encode(value)
    with timed("look for texts", count):
        for value in values:
            texts_of(value)
    with Journal.open(path, anchor=None) as journal:
        journal.begin_epoch("benchmark")
        for size in (1, RECORDS_A_STEP):
            step = [ChainEntry(*CODEC.encode(happening(n))) for n in range(size)]
            percentiles(
                f"append a step of {size}", lambda n, step=step: journal.append(n, step), 300
            )
        percentiles("post a letter", lambda n: post(path, "bench", "Stop", "{}", n), 100)
        percentiles("ask for an answer", lambda n: answer_of(path, n), 100)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        measure(Path(directory) / "journal.db", given.records)
    return 0


if __name__ == "__main__":
    sys.exit(main())
