"""One bus, many writers, a cleaner, a reader and a killer; then a clear, and all of it again."""

import json
import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from proof.bus.judge import findings, given_again
from proof.bus.ledger import CLEANER, Known, Ledger
from proof.bus.reader import TORN, Seen, read, watch
from proof.bus.writers import clean, clear, spawn, write
from topkick.engine.io import crash_points as io_crash_points
from topkick.team.bus.model import Message
from topkick.team.bus.store import Bus

POINTS = sorted(name for name in io_crash_points.NAMES if name.startswith("bus."))
OF_CLEANERS = ["bus.before-mark", "bus.after-mark", "bus.before-rewrite", "bus.after-rewrite"]
OF_WRITERS = [
    *(name for name in POINTS if name not in OF_CLEANERS),
    "files.before-rename",
]
LOOK_EVERY_S = 0.005
BYTES_EACH = 180


@dataclass(frozen=True, slots=True)
class Size:
    writers: int = 64
    messages: int = 200
    deletions: int = 100
    kills: int = 300
    torn: int = 200


@dataclass
class Outcome:
    acknowledged: int = 0
    kills: int = 0
    crash_points: int = 0
    torn: int = 0
    readings: int = 0
    bad_lines: int = 0
    seconds: float = 0.0
    findings: list[str] = field(default_factory=list)


class Campaign:
    """Two halves around a clear, with separate ledgers."""

    def __init__(self, at: Path, size: Size, seed: int, planted: str = "") -> None:
        self._session = at / "session"
        self._session.mkdir(parents=True)
        self._at, self._size, self._planted = at, size, planted
        self._chance = random.Random(seed)
        self._hanged: set[int] = set()
        self._armed = 0
        self.outcome = Outcome()

    def run(self) -> Outcome:
        began = time.monotonic()
        first = self._half("first", self._size.messages // 2)
        self._clear()
        second = self._half("second", self._size.messages - self._size.messages // 2)
        before = {i: w for i, w in second["words"].items() if i in first["words"]}
        seen = Seen()
        there = read(self._session / ".msg" / "messages.jsonl", seen)
        self.outcome.findings += [*given_again(first["words"], there), *_same(before, first)]
        self.outcome.seconds = time.monotonic() - began
        return self.outcome

    # --- one half ----------------------------------------------------------------------------

    def _half(self, name: str, messages: int) -> dict[str, Any]:
        ledgers, stop = self._at / f"{name}-ledgers", self._at / f"{name}-stop"
        told = self._at / f"{name}-seen.json"
        ledgers.mkdir()
        reader = spawn(partial(watch, self._session, ledgers, stop, told), "")
        self._post_all(ledgers, messages)
        stop.touch()
        _, status = os.waitpid(reader, 0)
        if status:
            self.outcome.findings.append(f"the reader ended with {status}")
            return {"words": {}}
        watched: dict[str, Any] = json.loads(told.read_text())
        known = Known(ledgers)
        known.read_on()
        self.outcome.findings += findings(self._session, known, watched)
        self.outcome.acknowledged += len(known.acknowledged)
        self.outcome.readings += watched["readings"]
        self.outcome.bad_lines += watched["bad_lines"]
        return watched

    def _post_all(self, ledgers: Path, messages: int) -> None:
        works: dict[str, Callable[[], None]] = {
            f"w{n}": partial(write, self._session, ledgers, f"w{n}", messages)
            for n in range(self._size.writers)
        }
        deletions = self._size.deletions // 2
        works[CLEANER] = lambda: clean(self._session, ledgers, self._chance.getrandbits(30), 1)
        alive = {self._spawned(name, work): name for name, work in works.items()}
        pace = _Pace(self._session / ".msg" / "messages.jsonl", self._size, messages)
        while any(name != CLEANER for name in alive.values()):
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid in alive:
                name = alive.pop(pid)
                deletions -= name == CLEANER
                self._told(name, status, pid)
                if os.WIFSIGNALED(status) or (name == CLEANER and deletions > 0):
                    alive[self._spawned(name, works[name])] = name
            elif pid == 0:
                self._trouble(alive, pace)
                time.sleep(LOOK_EVERY_S)
        for pid in alive:
            os.waitpid(pid, 0)
        self._settle(ledgers)

    def _told(self, name: str, status: int, pid: int = 0) -> None:
        if os.WIFSIGNALED(status):
            self.outcome.kills += pid in self._hanged
            self.outcome.crash_points += pid not in self._hanged
        elif status:
            self.outcome.findings.append(f"{name} ended with {os.waitstatus_to_exitcode(status)}")

    def _spawned(self, name: str, work: Callable[[], None]) -> int:
        points = OF_CLEANERS if name == CLEANER else OF_WRITERS
        armed = self._chance.random() < 0.5 and self._armed < self._size.kills
        if not armed:
            return spawn(work, self._planted)
        self._armed += 1
        passing = 1 if name == CLEANER else self._chance.randint(1, 8)
        return spawn(work, self._planted, f"{self._chance.choice(points)}:{passing}")

    def _trouble(self, alive: dict[int, str], pace: "_Pace") -> None:
        if pace.kills_now() and alive:
            one = self._chance.choice(list(alive))
            self._hanged.add(one)
            os.kill(one, signal.SIGKILL)
        if pace.tears_now():
            self._tear()

    def _tear(self) -> None:
        """Write half a line, as a tool without the lock that dies."""
        path = self._session / ".msg" / "messages.jsonl"
        if path.exists():
            with open(path, "ab", buffering=0) as file:
                file.write((TORN + "x" * self._chance.randint(0, 300)).encode())
            self.outcome.torn += 1

    def _settle(self, ledgers: Path) -> None:
        """Let one more poster write meta.json, in case the last one died before it."""
        pid = spawn(partial(_last_word, self._session, ledgers), self._planted)
        self._told("the last one", os.waitpid(pid, 0)[1])

    def _clear(self) -> None:
        """Clear the bus, killed at each point, and repeat until it is done."""
        ledgers = self._at / "first-ledgers"
        work = partial(clear, self._session, ledgers)
        for point in (*OF_CLEANERS, "files.before-rename:2", ""):
            pid = spawn(work, self._planted, point)
            self._told("whoever clears", os.waitpid(pid, 0)[1])


class _Pace:
    """Spreads kills and torn lines over the half as the file grows."""

    def __init__(self, path: Path, size: Size, messages: int) -> None:
        self._path = path
        self._whole_bytes = messages * size.writers * BYTES_EACH
        self._due = [size.kills // 2, size.torn // 2]
        self._done = [0, 0]

    def kills_now(self) -> bool:
        return self._is_due(0)

    def tears_now(self) -> bool:
        return self._is_due(1)

    def _is_due(self, which: int) -> bool:
        try:
            share = min(self._path.stat().st_size / self._whole_bytes, 1.0)
        except FileNotFoundError:
            share = 0.0
        now = self._done[which] < self._due[which] * share
        self._done[which] += now
        return now


def _last_word(session: Path, ledgers: Path) -> None:
    ledger = Ledger(ledgers, "last")
    ledger.note("meant", "last-word")
    posted = Bus(session).post(
        Message("last", type="state_update", summary="last-word", data='{"n": 1}')
    )
    ledger.note("stands", posted.summary, posted.id)


def _same(words: dict[str, str], first: dict[str, Any]) -> list[str]:
    return [f"{i} was given again" for i, w in words.items() if first["words"][i] != w]
