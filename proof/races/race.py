"""One race, from its seed to the verdict."""

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass

from topkick.engine.errors import TopkickError
from topkick.sprint.model import Overall
from topkick.sprint.status import overall

from . import judge
from .arena import PATIENCE_S, Arena, arena, small_plan, wait_for
from .entrants import Entrant
from .shapes import RESUME, START, Blow, Entry, Shape, draw


@dataclass(frozen=True, slots=True)
class Outcome:
    seed: int
    violations: tuple[str, ...]
    supervisors: int
    blows: int
    refused: int
    agents: int
    duration_s: float


def run_race(seed: int, *, planted: bool = False) -> Outcome:
    began_s = time.monotonic()
    shape, chance = draw(seed)
    with arena(small_plan(chance)) as place:
        _prepare(place, shape)
        entrants = _enter(place, shape.entries, planted=planted)
        try:
            struck = _strike(place, entrants, shape.blows)
            late = not wait_for(lambda: all(e.look() for e in entrants), PATIENCE_S)
        finally:
            for entrant in entrants:
                entrant.end()
        found = ["an entrant never ended"] if late else []
        try:
            found += judge.of_entrants(entrants)
            found += _settle(place, shape)
            found += judge.of_the_end(place)
            found += judge.of_files(place)
        except TopkickError as damage:
            found.append(f"the journal cannot be read: {damage}")
        return Outcome(
            seed=seed,
            violations=tuple(found),
            supervisors=len(entrants),
            blows=struck,
            refused=sum(e.code == 4 for e in entrants),
            agents=len(place.starts()),
            duration_s=time.monotonic() - began_s,
        )


def _prepare(place: Arena, shape: Shape) -> None:
    if shape.before == "fresh":
        return
    (first,) = _enter(place, (Entry(START, 0.0),))
    wait_for(lambda: place.starts() or first.look(), PATIENCE_S)
    if shape.before == "crashed":
        first.end()
        return
    (killer,) = _enter(place, (Entry(("killall",), 0.0),))
    wait_for(lambda: all(e.look() for e in (first, killer)), PATIENCE_S)
    first.end()
    killer.end()


def _enter(place: Arena, entries: Sequence[Entry], *, planted: bool = False) -> list[Entrant]:
    line, signal_end = os.pipe()
    entrants = [Entrant(place, e.words, e.delay_s, line, planted=planted) for e in entries]
    os.close(line)
    os.write(signal_end, b"!" * len(entrants))
    os.close(signal_end)
    return entrants


def _strike(place: Arena, entrants: Sequence[Entrant], blows: Sequence[Blow]) -> int:
    """Hit the project's holder; return how many blows hit a process."""
    began_s, struck = time.monotonic(), 0
    for blow in sorted(blows, key=lambda b: b.after_s):
        time.sleep(max(0.0, began_s + blow.after_s - time.monotonic()))
        pid = place.holder_pid()
        target = next((e for e in entrants if e.pid == pid), None)
        if target is None or target.look():
            continue
        struck += 1
        target.strike(blow.signal)
        if blow.signal == signal.SIGSTOP:
            time.sleep(blow.lasts_s)
            target.strike(signal.SIGCONT)
    return struck


def _settle(place: Arena, shape: Shape) -> list[str]:
    """Finish the rest with one more supervisor, which must succeed."""
    wait_for(lambda: not place.background_supervisors(), PATIENCE_S)
    current = place.project.journal_path
    mission = judge.mission_of(current) if current.exists() else None
    if mission is None or mission.plan is None:
        words = START
    elif overall(mission) in judge.ENDED and not mission.runs and not shape.resumes_at_the_end:
        return []
    else:
        words = RESUME
    (last,) = _enter(place, (Entry(words, 0.0),))
    wait_for(last.look, PATIENCE_S)
    last.end()
    how = overall(judge.mission_of(current))
    if last.code == 0 and how is Overall.COMPLETED:
        return []
    return [f"after the race, {' '.join(words)} ended with {last.code}, {how}:\n{last.said}"]
