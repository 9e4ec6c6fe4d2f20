"""One case in a project of its own: the gate's verdict, its runs, and the charged units."""

import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from proof.gates.cases import Case
from tests.stories.story_project import Project, plan, unit
from topkick.sprint.gates.model import Gate
from topkick.sprint.model import Mission, Unit
from topkick.sprint.transitions import UnitState

PATIENCE_S = 300.0
# The agents start at once and end one after the other: each when the work of the one before it is
# integrated. So the places are those of the case.
AFTER = """
words = ["git", "-C", {root!r}, "cat-file", "-e", "topkick/story:{before}/done-1.txt"]
ends_at_s = time.monotonic() + 120
while subprocess.run(words, check=False, stderr=subprocess.DEVNULL).returncode:
    assert time.monotonic() < ends_at_s
    time.sleep(0.05)
"""
MEND = "git('rm', '-q', '{name}/broken.txt'); git('commit', '-q', '-m', 'mended')"


@dataclass(frozen=True, slots=True)
class Found:
    """The result; `wrong` is everything that is not as expected."""

    case: Case
    verdict: str = ""
    groups: tuple[tuple[str, ...], ...] = ()
    runs: int = 0
    charged: int = 0
    took_s: float = 0.0
    wrong: tuple[str, ...] = ()


def tried(case: Case, project: Project) -> Found:
    made(case, project)
    running = project.begin("start", "--yes", "--foreground")
    said, _ = running.communicate(timeout=PATIENCE_S)
    mission = project.mission()
    if not (mission.past_gates or mission.gates):
        return Found(case, wrong=(f"no gate was opened: {said[-2000:]}",))
    gate = (*mission.past_gates, *mission.gates.values())[0]
    charged = sum(s.failures + s.failures_ever for u in mission.units.values() for s in u.sprints)
    verdict = gate.verdict.value if gate.verdict is not None else ""
    found = Found(case, verdict, gate.groups, len(gate.runs), charged)
    code = running.returncode
    return replace(found, wrong=(*_of_gate(case, gate), *_of_mission(case, mission, code)))


def made(case: Case, project: Project) -> None:
    names = case.names
    if case.kind.broken_before:
        (project.root / "broken.txt").write_text("before\n")
    project.make(
        plan(*(unit(name) for name in names)),
        limits={"max_agents": len(names)},
        top={
            "isolation": "clone",
            "ritual": False,
            "gate": {"command": case.kind.command, "minutes": case.kind.minutes},
        },
    )
    for place, name in enumerate(names):
        after = AFTER.format(root=str(project.root), before=names[place - 1]) if place else ""
        breaks = "commit('broken.txt')\n" if name in case.culprits else ""
        project.script(f"{name}.1", f"{after}{breaks}work()")
        project.script(f"{name}.repair-1", MEND.format(name=name))


def _of_gate(case: Case, gate: Gate) -> Iterator[str]:
    kind = case.kind
    if gate.units != case.names:
        yield f"met in the order {gate.units}"
    if gate.verdict is not kind.verdict:
        yield f"verdict {gate.verdict}, not {kind.verdict}: {gate.why}"
    if sorted(gate.groups) != sorted(case.groups):
        yield f"laid to {gate.groups}, not to {case.groups}"
    if len(gate.runs) > kind.most_runs or (not kind.culprits and len(gate.runs) < kind.most_runs):
        yield f"{len(gate.runs)} runs, not {kind.most_runs}"


def _of_mission(case: Case, mission: Mission, code: int) -> Iterator[str]:
    if code != (3 if case.kind.stays else 0):
        yield f"ended with {code}"
    for one in mission.units.values():
        yield from (f"{one.name}: {what}" for what in _of_unit(case, one))
    if case.kind.stays:
        return
    last = mission.past_gates[-1]
    if not last.passed or not last.final or len(mission.past_gates) != 1 + bool(case.culprits):
        yield f"the last gate is {last.id}, {last.verdict}"


def _of_unit(case: Case, one: Unit) -> Iterator[str]:
    menders = {group[-1] for group in case.groups}
    if any(s.failures or s.failures_ever or s.dispatches != 1 for s in one.sprints):
        yield "charged, or sent more than once"
    wanted = ["1", "repair-1"] if one.name in menders else ["1"]
    if [s.id for s in one.sprints] != wanted:
        yield f"has the sprints {[s.id for s in one.sprints]}"
    state = UnitState.RUNNING if case.kind.stays else UnitState.COMPLETED
    if one.state is not state:
        yield f"is {one.state}"


class Bench:
    """Runs each case in a throw-away project; `stop` ends everything in them."""

    def __init__(self) -> None:
        self._open: set[Project] = set()
        self._lock = threading.Lock()

    def try_it(self, case: Case) -> Found:
        began_at_s = time.monotonic()
        place = Path(tempfile.mkdtemp(prefix="topkick-gates-"))
        project = Project(place, portable=False)
        with self._lock:
            self._open.add(project)
        try:
            found = tried(case, project)
        finally:
            left = project.close()
            with self._lock:
                self._open.discard(project)
            shutil.rmtree(place, ignore_errors=True)
        wrong = (*found.wrong, *(f"still alive: {one}" for one in left))
        return replace(found, took_s=time.monotonic() - began_at_s, wrong=wrong)

    def stop(self) -> None:
        with self._lock:
            projects = tuple(self._open)
        for project in projects:
            for process in project.processes():
                with suppress(psutil.Error):
                    process.kill()
