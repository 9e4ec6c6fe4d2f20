"""Five packages in three layers, as they begin and end: each exactly when it may."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gated import ended, until, waiting
from story_project import Project, sprint

from topkick.engine import messages as h
from topkick.sprint.gates.model import GateKind
from topkick.sprint.transitions import UnitState

# name, layer, and what it waits for; each but the last is verified before others build on it
PACKAGES = (
    ("parser", 0, "none"),
    ("validation-profiles", 0, "none"),
    ("wcag-algs", 0, "none"),
    ("validation", 1, "validation-profiles"),
    ("biblioteca", 2, "parser, validation-profiles, wcag-algs, validation"),
)
NAMES = tuple(name for name, _, _ in PACKAGES)


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


def layered() -> str:
    lines = ["# EXECUTION_PLAN.md — Story", "", "## Work Units", ""]
    lines += ["| Package | Directory | Sprints | Layer | Dependencies | Verify |"]
    lines += ["|---|---|---|---|---|---|"]
    for name, layer, needs in PACKAGES:
        verify = "" if name == "biblioteca" else f"`test -f {name}/done-1.txt`"
        lines += [f"| {name} | {name} | 1 | {layer} | {needs} | {verify} |"]
    for name in NAMES:
        lines += ["", f"## {name}", "", sprint()(name, 1)]
    return "\n".join(lines)


def timeline(project: Project) -> Iterator[str]:
    """Yield the begins and ends of units, and the gates opened and passed between them."""
    gates = {}
    for one in project.happenings():
        match one:
            case h.UnitMoved(name, _, _, UnitState.RUNNING):
                yield f"{name}: begins"
            case h.UnitMoved(name, _, _, UnitState.COMPLETED):
                yield f"{name}: completed"
            case h.GateOpened(gate) if gate.kind is GateKind.CLEARANCE:
                gates[gate.id] = f"{gate.id}, before {gate.clears}"
                yield f"{gates[gate.id]}: {len(gate.commands)} to verify"
            case h.GateOpened(gate):
                gates[gate.id] = f"{gate.id}, {gate.phase}"
                final = ", the last" if gate.final else ""
                yield f"{gates[gate.id]}: opened for {', '.join(gate.units)}{final}"
            case h.GateClosed(gate_id, passed):
                yield f"{gates[gate_id]}: {'passed' if passed else 'red'}"
            case _:
                pass


@pytest.mark.spec("GT-01", "GT-02", "GT-06", "GT-07")
def test_each_begins_exactly_when_it_may(
    alone: Project, golden: Callable[[str, str], None]
) -> None:
    alone.make(layered(), top={"isolation": "auto", "gate": {"command": "ls */done-1.txt"}})
    for name in NAMES:
        alone.script(f"{name}.1", f"wait('{name}')\nwork()")
    running = alone.begin("start", "--yes", "--foreground")
    waiting(alone, "parser", "validation-profiles", "wcag-algs")
    alone.let_go("validation-profiles")
    waiting(alone, "validation")
    assert "COMPLETED" not in (alone.state("parser/1"), alone.state("wcag-algs/1"))
    alone.let_go("validation")
    until(lambda: alone.state("validation") == "COMPLETED")
    alone.let_go("parser")
    until(lambda: alone.unit("parser").integrated == 1)
    assert alone.state("parser") == "RUNNING", "its layer is not at rest"
    assert alone.state("biblioteca") == "NOT_STARTED"
    alone.let_go("wcag-algs")
    waiting(alone, "biblioteca")
    alone.let_go("biblioteca")
    ended(running)
    golden("gates/layered-timeline.txt", "\n".join(timeline(alone)) + "\n")
