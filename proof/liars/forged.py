"""`python -m proof.liars forged`: agents that do no work and forge texts; no verdict improves."""

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from proof.liars.bench import Bench, look, start
from proof.liars.forged_texts import texts
from proof.liars.place import Place
from topkick.app.project import find_project
from topkick.app.run_view import journal_happenings
from topkick.engine import messages as h
from topkick.sprint.model import Sprint

AGENT = Path(__file__).with_name("forged_agent.py")
MUTE = "t000"
AT_ONCE = 30
CONFIG = """\
agent = "scripted"
isolation = "shared"

[agents.scripted]
command = [{words}]

[limits]
max_agents = 1
max_retries = 1
max_dispatches = 1
stop_grace_seconds = 0.5
kill_grace_seconds = 0.5
check_minutes = 1
"""


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of one run with some texts: `wrong` are sentences, empty if all is well."""

    texts: int
    wrong: tuple[str, ...]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m proof.liars forged", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time (default: 2)")
    parser.add_argument("--every", type=int, default=1, help="only every so many-th text")
    args = parser.parse_args(words)
    chosen = texts()[:: args.every]
    parts = [chosen[n : n + AT_ONCE] for n in range(0, len(chosen), AT_ONCE)]
    bench = Bench()
    with ThreadPoolExecutor(args.jobs) as pool:
        try:
            found = list(pool.map(lambda part: bench.use(lambda place: run(place, part)), parts))
        except KeyboardInterrupt:
            bench.stop()
            return 130
    wrong = [sentence for batch in found for sentence in batch.wrong]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"forged texts: {sum(b.texts for b in found)}, verdicts improved or orders: {len(wrong)}")
    return 1 if wrong else 0


def run(place: Place, forged: Sequence[str]) -> Batch:
    units = [f"t{n:03}" for n in range(len(forged) + 1)]
    canary = place.path / "side" / "canary"
    for unit, text in zip(units, ["", *forged], strict=True):
        path = place.path / "side" / f"{unit}.txt"
        path.write_text(text.replace("CANARY", f"{canary}-{unit[1:]}"), "utf-8")
    _make(place, units)
    trouble, _ = start(place)
    wrong = [trouble] if trouble else []
    wrong += _verdicts(place, units, forged)
    wrong += _canaries(place)
    wrong += _commands(place, units)
    sys.stderr.write(f"{len(forged)} texts, {len(wrong)} wrong\n")
    return Batch(len(forged), tuple(wrong))


def _check(unit: str) -> str:
    return f"cat {unit}/PROGRESS.md; test -f {unit}/done.txt"


def _make(place: Place, units: Sequence[str]) -> None:
    lines = ["# EXECUTION_PLAN.md — Forged", "", "## Work Units", ""]
    lines += ["| Work Unit | Directory | Sprints | Dependencies |", "|---|---|---|---|"]
    lines += [f"| {unit} | {unit} | 1 | none |" for unit in units]
    for unit in units:
        lines += ["", f"## {unit}", "", "### Sprint 1: Work", "", "**Tasks**:"]
        lines += [f"1. Write `{unit}/done.txt`.", "", "**Exit criteria**:", ""]
        lines += ["```sh", _check(unit), "```"]
    words = (sys.executable, "-I", "-S", str(AGENT), "{project}", "{unit}", f"{place.path}/side")
    (place.root / "EXECUTION_PLAN.md").write_text("\n".join([*lines, ""]))
    quoted = ", ".join(f'"{word}"' for word in words)
    (place.root / "topkick.toml").write_text(CONFIG.format(words=quoted))
    place.git("init", "-q", "-b", "main")
    place.git("add", "-A")
    place.git("commit", "-q", "-m", "The plan")


# --- expectations -----------------------------------------------------------------------------


def _standing(sprint: Sprint) -> tuple[object, ...]:
    outcome = sprint.outcome
    verdict = outcome.verdict if outcome is not None else None
    return (sprint.state, sprint.proof, verdict, sprint.failures, sprint.dispatches)


def _verdicts(place: Place, units: Sequence[str], forged: Sequence[str]) -> list[str]:
    """Check that each unit has the same verdict as the one whose agent said nothing."""
    mission = look(place.root)
    if mission is None or set(mission.units) != set(units):
        return ["the run does not have the units of the plan"]
    found = {unit: _standing(mission.units[unit].sprints[0]) for unit in units}
    if found[MUTE][-1] != 1:
        return ["the agent without a text was not sent once"]
    return [
        f"{text!r}: {found[unit]}, without it {found[MUTE]}"
        for unit, text in zip(units[1:], forged, strict=True)
        if found[unit] != found[MUTE]
    ]


def _canaries(place: Place) -> list[str]:
    """Check the canaries, also after the pages that show the texts were made."""
    for words in (("status",), ("status", "--json"), ("explain",), ("logs", "U2/1"), ("land",)):
        subprocess.run(
            [sys.executable, "-m", "topkick", *words],
            cwd=place.root,
            env=place.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
        )
    names = (path.name for path in place.path.rglob("canary*"))
    return [f"a text was run: {name}" for name in names if re.fullmatch(r"canary-\d+", name)]


def _commands(place: Place, units: Sequence[str]) -> list[str]:
    planned = {_check(unit) for unit in units}
    happened = (item.happening for item in journal_happenings(find_project(place.root)))
    ran = {
        result.command
        for item in happened
        if isinstance(item, h.WorkChecked)
        for result in (*item.evidence.results, *item.evidence.always)
    }
    strange = {command for command in ran if not any(p in command for p in planned)}
    return [f"a command that no plan has: {command!r}" for command in strange]
