"""A mission of 100,000 records opened again: chain proven, decoded and folded to its last state.

python benchmarks/replay.py [--records 100000]
"""

import argparse
import tempfile
import time
from pathlib import Path

from topkick.checks.model import CheckOutcome, CheckResult, Evidence, Ground
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit, AgentProgram, Ending
from topkick.engine.agents.runs import Stage
from topkick.engine.codec.chain import ChainEntry
from topkick.engine.codec.codec import texts_of
from topkick.engine.journal.writer import Journal
from topkick.engine.kernel import step
from topkick.engine.loop import replay
from topkick.engine.messages import CODEC
from topkick.engine.settings import Settings
from topkick.plan_format.model import Criterion, CriterionKind, Plan, SprintPlan, UnitPlan
from topkick.sprint.model import Mission
from topkick.sprint.policy import decide as sprint

UNITS, SPRINTS = 20, 50
CHECK = Criterion("`true`", CriterionKind.COMMAND, "true")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--records", type=int, default=100_000)
    given, _ = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="topkick-replay-") as place:
        path = Path(place) / "journal.db"
        records, mission = write(path, given.records)
        began, cpu = time.perf_counter(), time.process_time()
        with Journal.open(path, anchor=None) as journal:
            again = replay(journal.records())
        took_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu
        assert again == mission
    each_us = cpu_s / records * 1e6
    print(f"{records} records opened in {took_s:.2f} s ({cpu_s:.2f} s CPU, {each_us:.1f} us each)")


def write(path: Path, wanted: int) -> tuple[int, Mission]:
    """Real missions one after the other, as a kernel would write them, until there are enough."""
    journal = Journal.create(path, 0)
    journal.begin_epoch("benchmark")
    written, round_, mission = 0, 0, Mission()
    with journal:
        while written < wanted:
            round_ += 1
            mission = Mission()
            for fact in facts(round_):
                mission, count = take(journal, mission, fact)
                written += count
                while (next_ := answer(mission)) is not None and written < wanted:
                    mission, count = take(journal, mission, next_)
                    written += count
    return written, mission


def take(journal: Journal, mission: Mission, fact: h.Fact) -> tuple[Mission, int]:
    taken = step(sprint.decide, mission, fact, mission.at_us + 1000)
    entries = [ChainEntry(*CODEC.encode(x)) for x in (taken.fact, *taken.events)]
    texts: dict[str, str] = {}
    for event in taken.events:
        texts |= texts_of(event)
    journal.append(taken.mission.at_us, entries, texts)
    return taken.mission, len(entries)


def facts(round_: int) -> tuple[h.Fact, ...]:
    sprints = tuple(SprintPlan(str(n), f"Sprint {n}", exit=(CHECK,)) for n in range(SPRINTS))
    units = tuple(UnitPlan(f"unit {n}", sprints=sprints) for n in range(UNITS))
    settings = Settings(AgentProgram("true", ("true",)), max_agents=8)
    start = h.Start(f"m{round_}", Plan("Bench", "0" * 64, units=units), settings)
    return (h.SupervisorWoke(1, driven=True), h.CommandGiven(start))


def answer(mission: Mission) -> h.Fact | None:
    """Return the fact that an executor would report next about the oldest run."""
    for run in mission.runs.values():
        match run.stage:
            case Stage.SURVEYING:
                return h.GroundSurveyed(run.id, Ground(head="0" * 40))
            case Stage.WORKING if not run.active:
                return h.AgentActive(run.id)
            case Stage.WORKING:
                return h.AgentExited(run.id, AgentExit(Ending.EXITED, 0, cpu_ms=1200))
            case _:
                passed = CheckResult("true", CheckOutcome.PASSED, 0, 12)
                ahead = Ground(head="1" * 40)
                return h.WorkChecked(
                    run.id,
                    Evidence(
                        (passed,), head="1" * 40, commits=("1" * 40,), substance=True, ahead=ahead
                    ),
                )
    return None


if __name__ == "__main__":
    main()
