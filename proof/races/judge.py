"""The observer's verdict: from records of agents and entrants, the journals, and living
processes.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from proof.bug_signs import bug_in
from topkick.engine import messages as h
from topkick.engine.fold import apply
from topkick.engine.journal import JournalReader
from topkick.engine.journal.checkup import check
from topkick.engine.messages import CODEC
from topkick.sprint import invariants
from topkick.sprint.model import Mission, Overall
from topkick.sprint.status import overall

from .arena import Arena, Start
from .entrants import DRIVE, Entrant

ENDED = frozenset({Overall.COMPLETED, Overall.KILLED, Overall.STOPPED})
CODES = {
    "start": {0, 2, 3, 4, 6},
    "resume": {0, 2, 3, 4, 6},
    DRIVE: {0, 2, 3, 4, 6},
    "stop": {0, 2},
    "killall": {0},
    "status": {0},
}


def of_entrants(entrants: Sequence[Entrant]) -> Iterator[str]:
    """Check that losers ended with a documented code and a message, and none with a bug."""
    for entrant in entrants:
        name = " ".join(entrant.words)
        if bug_in(entrant.said):
            yield f"{name} ended with a bug:\n{entrant.said}"
        elif entrant.code not in CODES[entrant.words[0]] and not entrant.killed:
            yield f"{name} ended with {entrant.code}:\n{entrant.said}"
        elif entrant.code in {2, 4} and not entrant.said.strip():
            yield f"{name} ended with {entrant.code} and said nothing"


def of_acts(path: Path) -> Iterator[str]:
    """Check that once another supervisor has acted, the earlier one never acts again."""
    rows = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    now, done = "", set[str]()
    for _, who, what in sorted(rows, key=lambda row: int(row[0])):
        if who in done:
            yield f"two that act: {who} did {what} after {now} had acted"
        if who != now:
            done.add(now)
            now = who


def of_starts(starts: Sequence[Start], known: set[str]) -> Iterator[str]:
    """Check D3: at most one process for each dispatch id; D1: none without a record."""
    for run_id, count in Counter(s.run_id for s in starts).items():
        if count > 1:
            yield f"D3: {run_id} was started {count} times"
        if run_id not in known:
            yield f"D1: {run_id} was started and is in no journal"


def of_journal(path: Path) -> Iterator[str]:
    """Check J1, J4, J5: whole, of one epoch after the other, and valid at every prefix."""
    yield from (f"journal: {finding}" for finding in check(path, None))
    mission, before, events, epoch, step = Mission(), Mission(), [], 0, 0
    with JournalReader(path) as reader:
        for record in reader.records():
            if record.epoch < epoch:
                yield f"J4: record {record.seq} is of epoch {record.epoch}, after {epoch}"
            epoch = record.epoch
            if record.step != step:
                yield from _of_step(before, events, mission)
                before, events, step = mission, [], record.step
            happening = CODEC.decode(record.kind, record.body)
            mission = apply(mission, happening, record.at_us)  # type: ignore[arg-type]
            events.append(happening)
    yield from _of_step(before, events, mission)


def _of_step(before: Mission, happened: list[object], after: Mission) -> Iterator[str]:
    if after.settings is None:
        return
    yield from invariants.of_state(after)
    if before.settings is not None:
        yield from invariants.of_moves(before, tuple(happened), after)  # type: ignore[arg-type]


def dispatched(path: Path) -> set[str]:
    with JournalReader(path) as reader:
        found = [CODEC.decode(r.kind, r.body) for r in reader.records()]
    return {x.run_id for x in found if isinstance(x, h.RunDispatched)}


def count(path: Path) -> int:
    with JournalReader(path) as reader:
        return reader.head().seq


def mission_of(path: Path) -> Mission:
    mission = Mission()
    with JournalReader(path) as reader:
        for record in reader.records():
            happening = CODEC.decode(record.kind, record.body)
            mission = apply(mission, happening, record.at_us)  # type: ignore[arg-type]
    return mission


def of_the_end(arena: Arena) -> Iterator[str]:
    """Check that it is finished, stopped or killed, and nothing is left running."""
    left = arena.wait_until_empty()
    if left:
        yield f"still alive at the end: {left}"
    for path in arena.journals():
        mission = mission_of(path)
        if mission.plan is not None and overall(mission) not in ENDED:
            yield f"the run ends as {overall(mission)}"
        if mission.runs:
            yield f"the run ends with {', '.join(mission.runs)} open"


def of_files(arena: Arena) -> Iterator[str]:
    known: set[str] = set()
    for path in arena.journals():
        yield from of_journal(path)
        known |= dispatched(path)
    yield from of_starts(arena.starts(), known)
    yield from of_acts(arena.acts_path)
