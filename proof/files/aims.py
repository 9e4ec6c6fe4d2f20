"""Where a try must die: a named moment over all of its processes, or a call of one command."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from proof.crash import points
from topkick.engine.io.crash_points import AT, NAMES, TRACE

_CALL = re.compile(r"(\d+)\.(\w+)")


@dataclass(frozen=True, slots=True)
class Aim:
    """The place to die; `name` is a crash point or a system call, for which `command` counts from
    1.
    """

    name: str
    number: int
    command: int = 0

    def __str__(self) -> str:
        return f"{self.command}.{self.name}:{self.number}" if self.command else self._named

    @property
    def _named(self) -> str:
        return f"{self.name}:{self.number}"

    @property
    def env(self) -> dict[str, str]:
        return {} if self.command else {AT: self._named}

    def call_of(self, command: int) -> str:
        """Return the call at which that command dies, for strace; empty if another one dies."""
        return f"{self.name}.{self.number}" if command == self.command else ""


def parse(text: str) -> Aim:
    name, _, number = text.partition(":")
    if name in NAMES:
        return Aim(name, int(number or 1))
    found = _CALL.fullmatch(name)
    if found is None or found[2] not in points.CALLS:
        raise ValueError(f"{text} is neither a crash point nor a command's number and a call")
    return Aim(found[2], int(number or 1), int(found[1]))


class Watch:
    """Records the named moments of all commands and the system calls of each, if requested."""

    def __init__(self, notes: Path) -> None:
        self._trace = notes / "trace"
        self._notes = notes
        self._commands = 0
        self.aim: Aim | None = None
        self.counts = ""  # "names" or "calls"

    def __call__(self, argv: Sequence[str]) -> tuple[list[str], dict[str, str]]:
        """Return the next command line and its environment."""
        self._commands += 1
        call = self.aim.call_of(self._commands) if self.aim is not None else ""
        words = [*argv]
        if call or self.counts == "calls":
            words = points.traced(argv, self._log(self._commands), call)
        named = self.aim.env if self.aim is not None else {}
        return words, {TRACE: str(self._trace), **named} if named or self.counts else {}

    def _log(self, command: int) -> Path:
        return self._notes / f"calls-{command}"

    def passed(self) -> list[str]:
        return self._trace.read_text().split() if self._trace.exists() else []

    def hit(self, aim: Aim) -> bool:
        if aim.command:
            return points.was_killed(self._log(aim.command))
        return self.passed().count(aim.name) >= aim.number

    def names(self) -> list[Aim]:
        return [Aim(name, n) for name, n in _each(Counter(self.passed()))]

    def calls(self) -> list[Aim]:
        return [
            Aim(name, n, command)
            for command in range(1, self._commands + 1)
            for name, n in _each(points.calls_in(self._log(command)))
        ]


def _each(counts: Counter[str]) -> Iterable[tuple[str, int]]:
    return ((name, n) for name in sorted(counts) for n in range(1, counts[name] + 1))
