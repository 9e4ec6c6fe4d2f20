"""The times of gates: after dependencies, at the end, and again if a process dies in between."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gated import ended, past, until
from story_project import Project, plan, sprint, unit

from topkick.engine import messages as h
from topkick.sprint.gates.model import GateVerdict
from topkick.sprint.transitions import UnitState

TWO = plan(unit("a"), unit("b"))
DEPENDENCIES = plan(unit("a", sprint(), sprint()), unit("b"))
DEPENDENCIES = DEPENDENCIES.replace("Part 1", "Add dependencies", 1)
DEPENDENCIES = DEPENDENCIES.replace("Do part 1.", "Add Yams to `Package.swift`.", 1)


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


def clones(command: str = "") -> dict[str, object]:
    return {"isolation": "clone", **({"gate": {"command": command}} if command else {})}


# --- when ----------------------------------------------------------------------------------


@pytest.mark.spec("GT-07")
def test_dependencies_are_built_before_anything_is_built_on_them(alone: Project) -> None:
    alone.make(DEPENDENCIES, top=clones("! ls */broken.txt"))
    alone.script("a.1", "commit('broken.txt')\nwork()")
    mend = "git('rm', '-q', 'a/broken.txt')\ngit('commit', '-q', '-m', 'mended')"
    alone.script("a.repair-1", mend)
    alone.script("a.2", "assert not (HERE / 'broken.txt').exists()\nwork()")
    alone.script("b.1", "wait('b')\nwork()")
    running = alone.begin("start", "--yes", "--foreground")
    until(lambda: alone.state("a/2") == "COMPLETED")
    assert alone.state("b/1") != "COMPLETED", "nobody waits for the other unit"
    alone.let_go("b")
    ended(running)
    red, mended, last = past(alone)
    assert [(c.unit, c.sprints) for c in red.covers] == [("a", 1)]
    assert (red.verdict, red.groups, red.final) == (GateVerdict.CULPRITS, (("a",),), False)
    assert [(c.unit, c.sprints) for c in mended.covers] == [("a", 2)]
    assert (mended.passed, mended.final) == (True, False)
    assert set(last.units) == {"a", "b"}
    assert (last.passed, last.final) == (True, True)
    assert [s.sprint for s in alone.starts() if s.unit == "a"] == ["1", "repair-1", "2"]


@pytest.mark.spec("GT-02", "GT-07")
def test_the_last_gate_stands_in_what_is_said_at_the_end(alone: Project) -> None:
    alone.make(TWO, top=clones("test -f a/done-1.txt && test -f b/done-1.txt"))
    said = ended(alone.begin("start", "--yes", "--foreground"))
    (gate,) = past(alone)
    assert (gate.final, gate.passed, len(gate.runs)) == (True, True, 1)
    assert "passed" in said.rpartition("2 done")[2]
    assert "passed" in alone.says("explain", "G1")


@pytest.mark.spec("GT-02", "GT-07")
def test_what_manifests_call_for_is_run(alone: Project, need: Callable[[str], str]) -> None:
    need("make")
    (alone.root / "Makefile").write_text("test:\n\ttest -f a/done-1.txt\n\ttest -f b/done-1.txt\n")
    alone.make(TWO, top=clones())
    ended(alone.begin("start", "--yes", "--foreground"))
    (gate,) = past(alone)
    assert (gate.verdict, gate.commands) == (GateVerdict.PASSED, ())
    (run,) = gate.runs
    assert run.detected
    assert [r.command.split()[0] for r in run.results] == ["make"]


@pytest.mark.spec("GT-02")
def test_a_gate_that_is_not_run_is_never_called_passed(alone: Project) -> None:
    alone.make(TWO, top=clones())
    said = ended(alone.begin("start", "--yes", "--foreground"))
    shown = said + alone.says("status") + alone.board()
    assert "not run" in shown
    assert "Gate passed" not in shown
    assert not any(gate.verdict is GateVerdict.PASSED for gate in past(alone))


@pytest.mark.spec("GT-02")
def test_gates_that_are_off_are_not_held(alone: Project) -> None:
    alone.make(TWO, top={"isolation": "clone", "gate": {"mode": "off", "command": "false"}})
    ended(alone.begin("start", "--yes", "--foreground"))
    assert not past(alone)


# --- in the middle of a run ----------------------------------------------------------------


def slow(project: Project) -> str:
    """A command that leaves a trace and waits for the test."""
    os.mkfifo(project.scripts / "hold")
    return f'echo run >>"$HOME/trace"; : <{project.scripts / "hold"}'


def traced(project: Project) -> int:
    path = project.home / "trace"
    return len(path.read_text().splitlines()) if path.exists() else 0


def recorded(project: Project) -> int:
    return sum(isinstance(x, h.GateRan) for x in project.happenings())


@pytest.mark.spec("GT-02")
def test_a_run_that_its_supervisor_did_not_live_to_see_is_made_again(project: Project) -> None:
    project.make(TWO, top=clones(slow(project)))
    running = project.begin("start", "--yes", "--foreground")
    until(lambda: traced(project) == 1)
    project.die(running)
    assert recorded(project) == 0
    resumed = project.begin("resume", "--yes", "--foreground")
    until(lambda: traced(project) == 2)
    project.let_go("hold")
    ended(resumed)
    (gate,) = past(project)
    assert (gate.id, len(gate.runs), recorded(project), traced(project)) == ("G1", 1, 1, 2)
    assert len(project.starts()) == 2
    assert all(u.state is UnitState.COMPLETED for u in project.mission().units.values())


@pytest.mark.spec("GT-02", "SD-01")
def test_stop_while_a_gate_runs(alone: Project) -> None:
    alone.make(TWO, top=clones(slow(alone)))
    running = alone.begin("start", "--yes", "--foreground")
    until(lambda: traced(alone) == 1)
    alone.says("stop")
    ended(running, 6)
    assert not any(u.state is UnitState.COMPLETED for u in alone.mission().units.values())
    alone.let_go("hold")
    ended(alone.begin("resume", "--yes", "--foreground"))
    (gate,) = past(alone)
    assert (gate.passed, len(gate.runs), recorded(alone)) == (True, 1, 1)
    assert len(alone.starts()) == 2
