"""The requests that the server received: limited in number, and searched for leaked keys."""

import re
from collections import Counter, deque
from dataclasses import dataclass
from threading import Lock
from typing import Any

# The form of providers' real keys; the dummy keys of a rehearsal are shorter.
REAL_KEY = re.compile(
    r"sk-ant-[a-z]+\d\d-[\w-]{60,}|sk-(?:proj|svcacct)-[\w-]{60,}|\bAIza[\w-]{35}\b"
)


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """One request. `body` is the parsed JSON, None if there was none."""

    scenario: str
    run: str
    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: Any

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")


@dataclass(frozen=True, slots=True)
class Leak:
    """A key was in a request; `where` is `path`, `body` or `header <name>`. The key is not kept."""

    run: str
    path: str
    where: str


class Requests:
    """The requests, written by many threads. Leaks are searched on arrival, so old requests count
    too.
    """

    def __init__(self, keep: int, canaries: tuple[str, ...]) -> None:
        self._lock = Lock()
        self._kept: deque[SeenRequest] = deque(maxlen=keep)
        self._counts: Counter[tuple[str, ...]] = Counter()
        self._leaks: list[Leak] = []
        self._canaries = canaries

    def add(self, seen: SeenRequest, raw: str) -> None:
        leaks = [Leak(seen.run, seen.path, where) for where in self._leaking(seen, raw)]
        with self._lock:
            self._kept.append(seen)
            self._leaks = (self._leaks + leaks)[:1000]

    def next_number(self, *key: str) -> int:
        """Return 0, 1, 2 … for each key."""
        with self._lock:
            number = self._counts[key]
            self._counts[key] += 1
            return number

    def kept(self, run: str | None) -> tuple[SeenRequest, ...]:
        with self._lock:
            return tuple(seen for seen in self._kept if run is None or seen.run == run)

    def leaks(self) -> tuple[Leak, ...]:
        with self._lock:
            return tuple(self._leaks)

    def _leaking(self, seen: SeenRequest, raw: str) -> list[str]:
        places = [("path", seen.path), ("body", raw)]
        places += [(f"header {name.lower()}", value) for name, value in seen.headers]
        return [where for where, text in places if self._has_key(text)]

    def _has_key(self, text: str) -> bool:
        return any(canary in text for canary in self._canaries) or bool(REAL_KEY.search(text))
