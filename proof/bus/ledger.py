"""Each writer's own record of intended and acknowledged messages, line by line.

A line is one small write, so a killed writer leaves whole lines; readers continue where they
stopped.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CLEANER = "cleaner"


class Ledger:
    def __init__(self, place: Path, name: str) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._descriptor = os.open(place / name, flags, 0o600)

    def note(self, *words: object) -> None:
        os.write(self._descriptor, (" ".join(map(str, words)) + "\n").encode())


@dataclass
class Known:
    """All ledgers together, as far as they were read."""

    place: Path
    meant: set[str] = field(default_factory=set)
    acknowledged: dict[str, str] = field(default_factory=dict)
    taken_away: set[str] = field(default_factory=set)
    """Ids that a cleaner intended to delete: they may be there or not."""
    cleared: bool = False
    _read_bytes: dict[str, int] = field(default_factory=dict)

    def read_on(self) -> None:
        for path in sorted(self.place.iterdir()):
            for words in self._new(path):
                self._learn(words)

    def _new(self, path: Path) -> Iterator[list[str]]:
        with open(path, "rb") as file:
            file.seek(self._read_bytes.get(path.name, 0))
            data = file.read()
        whole = data.rfind(b"\n") + 1
        self._read_bytes[path.name] = self._read_bytes.get(path.name, 0) + whole
        for line in data[:whole].decode().splitlines():
            yield line.split(" ")

    def _learn(self, words: list[str]) -> None:
        match words:
            case ["meant", name]:
                self.meant.add(name)
            case ["stands", name, id_]:
                self.acknowledged[name] = id_
            case ["deleting", id_]:
                self.taken_away.add(id_)
            case ["clearing"]:
                self.taken_away |= set(self.acknowledged.values())
                self.cleared = True
            case _:
                raise AssertionError(f"a ledger says {words}")


def standing(path: Path) -> tuple[int, int, bool]:
    """Return a writer's next message, its last known number, and whether a message is open."""
    said = [line.split(" ") for line in path.read_text().splitlines()] if path.exists() else []
    meant = sum(words[0] == "meant" for words in said)
    ids = [words[2] for words in said if words[0] == "stands"]
    last = int(ids[-1].removeprefix("MSG-")) if ids else 0
    return meant, last, bool(said) and said[-1][0] == "meant"
