"""Play one scenario to its end: a process dies on the way, a person continues, and it is
recorded.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import assert_never

from proof.crash import home, points
from proof.crash.ledgers import Ledgers, lost_between, seen_after
from proof.crash.place import LOOK_EVERY_S, PATIENCE_S, Picture, Place
from proof.crash.points import Point
from proof.crash.steps import (
    RESUME,
    START,
    Agree,
    AgreeToAll,
    Die,
    Done,
    Look,
    Meanwhile,
    Open,
    Recorded,
    Say,
    Scenario,
    Step,
    Supervise,
    Until,
)
from proof.crash.subject import Subject
from topkick.engine.io.crash_points import AT

RECOVERIES = 8
KILLED = -signal.SIGKILL
ENDS = (0, 3, 4, 6)
CODES = tuple(range(8))
"""The documented exit codes; a crash changes which one, but it is one of them."""
RUN = "MissionBegan"
SHORT_LOOK_S = 0.002


@dataclass(slots=True)
class Story:
    """The observations on the way."""

    crashes: int = 0
    alive: tuple[str, ...] = ()
    lost: list[str] = field(default_factory=list)
    half: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    said: str = ""


class Stuck(Exception):
    """Something that was expected never happened."""


class Interrupted(Exception):
    """The user pressed Ctrl-C."""


INTERRUPT = threading.Event()


@dataclass(slots=True)
class _Running:
    process: subprocess.Popen[bytes]
    output: Path
    aimed: bool


class Episode:
    def __init__(
        self,
        subject: Subject,
        scenario: Scenario,
        place: Place,
        point: Point | None,
        *,
        counting: str = "",
    ) -> None:
        self._subject = subject
        self._scenario = scenario
        self.place = self._place = place
        self._point = point
        self._counting = counting
        self._running: list[_Running] = []
        self._started = 0
        self._runs = 0
        self._needed = False
        self._ending = False
        self._picture: Picture | None = None
        self._tips: list[str] = []
        self._seen: Ledgers = {}
        self._stamp: object = None
        self.story = Story()
        for name in ("logs", "out"):
            (place.root / name).mkdir()

    def log(self, kind: str) -> Path:
        return self._place.root / "logs" / kind

    def play(self) -> Story:
        try:
            for step in self._scenario.steps:
                self._do(step)
            self._watch()
            self._look_at_home()
        except Stuck as stuck:
            self.story.wrong.append(str(stuck))
            self.story.wrong += [f"alive: {p.words[:150]}" for p in self._place.living()]
        self.story.said = "".join(_text(p) for p in sorted((self._place.root / "out").iterdir()))
        return self.story

    def _do(self, step: Step) -> None:
        match step:
            case Supervise(words, dies_at=str(name)) if name:
                dying = self._start(self._subject.argv(words), aimed=False, more={AT: name})
                self._wait(partial(self._has_ended, dying), str(step))
            case Supervise(words, aimed):
                self._runs += words[0] == "start"
                self._supervise(words, aimed=aimed)
                self._needed = True
            case Say():
                self._say(step)
            case Until(word, count):
                noted = self._place.noted
                self._wait(lambda: sum(n.what == word for n in noted()) >= count, str(step))
            case Recorded(kind, count):
                found = self._subject.counted
                self._wait(lambda: found(self._place, kind) >= count, str(step))
            case Open(gate):
                self._place.open_gate(gate)
            case Die():
                self._die()
            case Done(codes):
                self._done(codes)
            case Look(same):
                self._look(same=same)
            case Meanwhile():
                home.meanwhile(self._place)
            case Agree(aimed):
                self._wait(self._asked, str(step))
                self._agree(aimed=aimed)
            case AgreeToAll():
                self._agree_to_all()
            case _:
                assert_never(step)

    # --- starting processes ----------------------------------------------------------------

    def _supervise(self, words: Sequence[str], *, aimed: bool, again: str = "") -> None:
        argv = self._subject.argv(words)
        wanted = aimed and not self.story.crashes
        forked = [p for p in points.FORKING if wanted and self._aims_at(p)]
        if forked:
            python = self._place.root / "python"
            logs = {process: (self.log(process), self._call(process)) for process in forked}
            points.write_launcher(python, sys.executable, logs)
            argv = self._subject.argv(words, str(python))
        if wanted and self._aims_at("sup"):
            argv = self._traced(argv, "sup", self._call("sup"))
        if again:
            argv = self._traced(argv, "again", again)
        self._running.append(self._start(argv, aimed=wanted or bool(again)))

    def _start(
        self, argv: Sequence[str], *, aimed: bool, more: Mapping[str, str] | None = None
    ) -> _Running:
        self._started += 1
        output = self._place.root / "out" / f"{self._started:02}"
        armed = not self.story.crashes and (self._counting == "names" or self._is_named)
        names = points.named(self._point, self.log("names")) if armed and not more else {}
        with open(output, "wb") as out:
            process = subprocess.Popen(
                argv,
                cwd=self._place.project,
                env={**self._subject.env(self._place), **names, **(more or {})},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
        return _Running(process, output, aimed)

    def _traced(self, argv: Sequence[str], log: str, call: str) -> list[str]:
        if loads := self._subject.loads:
            return points.traced_late(argv, loads, self.log(log), call)
        return points.traced(argv, self.log(log), call, threads=self._subject.threads)

    @property
    def _is_named(self) -> bool:
        return self._point is not None and self._point.is_named

    def _aims_at(self, process: str) -> bool:
        if self._counting:
            return self._counting == "calls"
        return self._point is not None and self._point.process == process

    def _call(self, process: str) -> str:
        return self._point.call if self._point and self._point.process == process else ""

    # --- a person's steps ------------------------------------------------------------------

    def _say(self, step: Say) -> None:
        """Run a command; if it is killed, run it again."""
        asked_at_s = time.time()
        for _ in range(RECOVERIES):
            argv = self._subject.argv(step.words)
            if step.aimed and not self.story.crashes and self._aims_at("cmd"):
                argv = self._traced(argv, "cmd", self._call("cmd"))
            said = self._start(argv, aimed=step.aimed)
            self._wait(partial(self._has_ended, said), str(step), recover=False)
            if said.process.returncode != KILLED:
                break
            self._crashed()
            if (step.once,) in self._subject.ledgers(self._place).values():
                return
        code = said.process.returncode
        exact = step.insists or not self.story.crashes
        if code not in (step.codes if exact else CODES):
            self.story.wrong.append(f"{' '.join(step.words)}: {code}\n{_text(said.output)}")
        self._needed = self._needed and not step.settles
        if step.words[0] == "stop":
            self._none_began_since(asked_at_s)

    def _asked(self) -> str:
        return self._subject.asked(self._place)

    def _agree(self, *, aimed: bool = False) -> None:
        """Accept the gate that asks; after a crash it may be another one, or none."""
        self._say(Say(("accept", self._asked() or "G1", "--why", "seen"), aimed=aimed))

    def _agree_to_all(self) -> None:
        for _ in range(RECOVERIES):
            self._done((0, 3))
            if not self._asked():
                return
            self._agree()
            self._supervise(RESUME, aimed=False)
        raise Stuck("gates never ended")

    def _has_ended(self, said: _Running) -> bool:
        """Return whether the command has ended; it may have become the supervisor and continue."""
        died = any(running.process.poll() == KILLED for running in self._running)
        if died or self.story.crashes:
            self._open_all()
        return said.process.poll() is not None

    def _none_began_since(self, asked_at_s: float) -> None:
        """Check D7 for agents that began after the answer; an order under way may just have
        begun.
        """
        answered_at_s = time.time()
        if self.story.crashes:
            return
        late = [n for n in self._place.noted() if n.what == "start" and n.at_s > answered_at_s]
        self.story.wrong += [f"{n.run_id} began after the stop at {asked_at_s}" for n in late]

    def _die(self) -> None:
        for running in self._running:
            running.process.kill()
            running.process.wait()
        self._running = []

    def _look(self, *, same: bool) -> None:
        picture = self._place.picture(self._subject.ours)
        if same and self._picture is not None:
            self.story.changed += _differences(self._picture, picture)
        self._picture = None if same else picture

    def _look_at_home(self) -> None:
        """Check that isolated units don't touch the user's tree, and no half merge is ever seen."""
        if not self._scenario.isolated:
            return
        self.story.lost += self._subject.torn(self._place, self._tips)
        if self._picture is not None:
            picture = self._place.picture(self._subject.ours)
            self.story.changed += _differences(self._picture, picture)

    def _done(self, codes: tuple[int, ...]) -> None:
        self._ending = True
        if self.story.crashes and self._needed:
            self._open_all()
        self._wait(lambda: not self._running, "the supervisor never ended", codes=codes)
        self._ending = False

    def _open_all(self) -> None:
        """Open all gates after a crash, so that no agent waits forever."""
        for step in self._scenario.steps:
            if isinstance(step, Open):
                self._place.open_gate(step.gate)

    # --- watching --------------------------------------------------------------------------

    def _wait(
        self,
        look: Callable[[], object],
        what: str,
        *,
        recover: bool = True,
        codes: tuple[int, ...] = ENDS,
    ) -> None:
        ends_at_s = time.monotonic() + PATIENCE_S
        while True:
            self._watch()
            if recover:
                self._see_to_the_dead(codes)
            if look():
                return
            if INTERRUPT.is_set():
                raise Interrupted
            if time.monotonic() >= ends_at_s:
                raise Stuck(f"never: {what}")
            self._rest()

    def _rest(self) -> None:
        """Wait until the death of a forked process is seen, before the next one comes as far."""
        ends_at_s = time.monotonic() + LOOK_EVERY_S
        while self._point is not None and self._point.process in points.FORKING:
            self._watch_others_die()
            if time.monotonic() >= ends_at_s or self.story.crashes:
                break
            time.sleep(SHORT_LOOK_S)
        time.sleep(max(0.0, ends_at_s - time.monotonic()))

    def _watch(self) -> None:
        """Observe like another terminal: what was seen once must stay."""
        self._place.beat()
        self._watch_others_die()
        tip = self._subject.tip(self._place) if self._scenario.isolated else ""
        if tip and tip not in self._tips:
            self._tips.append(tip)
        stamp = self._subject.stamp(self._place)
        if stamp is not None and stamp == self._stamp:
            return
        self._stamp = stamp
        seen = seen_after(self._seen, lambda: self._subject.ledgers(self._place))
        self.story.lost += lost_between(self._seen, seen)
        self._seen = seen

    def _watch_others_die(self) -> None:
        """Notice deaths that no exit code shows: of keepers and checkers."""
        if self.story.crashes or self._point is None:
            return
        point = self._point
        if point.process in points.FORKING and points.was_killed(self.log(point.process)):
            for pid in self._place.tracers():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._crashed()
        elif point.is_named and _times(self.log("names"), point.kind) >= point.number:
            time.sleep(LOOK_EVERY_S)  # it was noted a moment before the death
            self._crashed()

    def _crashed(self) -> None:
        self.story.crashes += 1
        noted = self._place.noted()
        over = {n.run_id for n in noted if n.what == "end"}
        pids = {p.pid for p in self._place.living()}
        open_ones = [n for n in noted if n.what == "start" and n.run_id not in over]
        alive = [n.run_id for n in open_ones if n.pid in pids]
        self.story.alive = tuple({*self.story.alive, *alive})
        self.story.half += self._subject.half_files(self._place)
        said = "".join(_text(p) for p in sorted((self._place.root / "out").iterdir()))
        self.story.lost += self._subject.unkept(self._place, said)
        self._look_at_home()

    def _see_to_the_dead(self, codes: tuple[int, ...]) -> None:
        for running in list(self._running):
            code = running.process.poll()
            if code is None:
                continue
            self._running.remove(running)
            if code == KILLED:
                self._crashed()
                self._recover(None)
            elif code in CODES and self.story.crashes and self._is_refused(code):
                self._recover(_text(running.output))
            elif code not in (ENDS if self.story.crashes else codes):
                self.story.wrong.append(f"ended with {code}: {_text(running.output)[-2000:]}")

    def _is_refused(self, code: int) -> bool:
        """Return whether it was refused: by message, or the requested run has not begun."""
        return code == 2 or self._subject.counted(self._place, RUN) < self._runs

    def _recover(self, refusal: str | None) -> None:
        words = self._subject.recovery(refusal)
        if not self._needed or words is None or self._started > 4 * RECOVERIES:
            return
        if words[0] == START[0] and self._subject.counted(self._place, RUN) >= self._runs:
            return  # of two that should start, the other one did
        if self._ending:
            self._open_all()
        point = self._point
        again = point.again if point is not None and self.story.crashes == 1 else ""
        contenders = self._scenario.contenders if refusal is None else 1
        for number in range(contenders):
            self._supervise(words, aimed=False, again=again if number == 0 else "")


def _times(trace: Path, name: str) -> int:
    return trace.read_text().split().count(name) if trace.exists() else 0


def _differences(before: Picture, after: Picture) -> list[str]:
    found = ["HEAD"] if before.head != after.head else []
    found += ["the index"] if before.index != after.index else []
    names = {*before.files, *after.files}
    return found + sorted(n for n in names if before.files.get(n) != after.files.get(n))


def _text(path: Path) -> str:
    return path.read_text(errors="replace")
