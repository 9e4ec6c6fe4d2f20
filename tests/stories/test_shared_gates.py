"""Several agents in one tree: none builds while they work; one build at the end is for all."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from gated import ended, past, until, waiting
from story_project import Project, plan, sprint, unit

from topkick.engine import messages as h
from topkick.sprint.gates.model import GateVerdict, Held
from topkick.sprint.model import Proof
from topkick.sprint.transitions import UnitState

TESTS = f"{sys.executable} -m unittest -q {{here}}.test_it"
BUILT = sprint("test -f {here}/done-1.txt", TESTS)
TEST = """
import unittest
from .it import VALUE
class It(unittest.TestCase):
    def test_it(self):
        self.assertEqual(VALUE, 1)
"""


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


def written(value: int = 1) -> str:
    """Return the script of an agent that writes a package with a test."""
    return f"commit('__init__.py', '#\\n'); commit('test_it.py', {TEST!r}); {valued(value)}\n"


def valued(value: int) -> str:
    return f"commit('it.py', 'VALUE = {value}\\n')"


def held_by(name: str) -> str:
    return TESTS.replace("{here}", name)


@pytest.mark.spec("GT-02", "DP-03")
def test_what_builds_is_held_for_one_gate(shared: Project) -> None:
    shared.make(plan(unit("a", BUILT), unit("b", BUILT)))
    for name in "ab":
        shared.script(f"{name}.1", f"wait('{name}')\n{written()}work()")
    running = shared.begin("start", "--yes", "--foreground")
    waiting(shared, "a", "b")
    shared.let_go("a")
    until(lambda: shared.state("a/1") == "COMPLETED")
    first = shared.unit("a")
    assert (first.sprints[0].proof, first.sprints[0].held) == (Proof.HELD, (held_by("a"),))
    assert first.state is UnitState.RUNNING, "not before what it holds has passed"
    assert shared.mission().gates_opened == 0, "not while others work in the tree"
    shared.let_go("b")
    ended(running)
    (gate,) = past(shared)
    assert gate.held == (Held("a", held_by("a")), Held("b", held_by("b")))
    assert (gate.verdict, len(gate.runs), gate.final) == (GateVerdict.PASSED, 1, True)
    assert [r.command for r in gate.runs[0].results] == [held_by("a"), held_by("b")]
    for name in "ab":
        assert shared.state(name) == "COMPLETED"
        assert shared.sprint(f"{name}/1").proof is Proof.CHECKED
    for start in shared.starts():
        assert "BUILD COORDINATION" in shared.prompt(start)
        assert held_by(start.unit) in shared.prompt(start)


@pytest.mark.spec("GT-02", "GT-05")
def test_syntax_is_looked_at_although_all_else_is_held(shared: Project) -> None:
    shared.make(plan(unit("a", sprint(TESTS)), unit("b", sprint(TESTS))))
    shared.script("a.1.1", "wait('a')\ncommit('wrong.py', 'def f(:\\n')\nclaim('success')")
    shared.script("a.1.2", "fail()")
    shared.script("a.1.3", f"commit('wrong.py', 'right = 1\\n')\n{written()}")
    shared.script("b.1", f"wait('b')\n{written()}")
    running = shared.begin("start", "--yes", "--foreground")
    waiting(shared, "a", "b")
    shared.let_go("a")
    until(lambda: shared.sprint("a/1").failures_ever == 1)
    shared.let_go("b")
    ended(running)
    first = next(x.outcome for x in shared.happenings() if isinstance(x, h.SprintJudged))
    assert any("wrong.py" in reason for reason in first.reasons), first.reasons
    second = next(s for s in shared.starts() if (s.unit, s.attempt) == ("a", 2))
    assert "wrong.py" in shared.prompt(second)
    assert shared.sprint("b/1").failures_ever == 0


@pytest.mark.spec("GT-02", "GT-03")
def test_the_culprit_of_a_shared_tree_is_found_by_its_commits(shared: Project) -> None:
    shared.make(plan(unit("a", BUILT), unit("b", BUILT), unit("c", BUILT)))
    for name in "abc":
        shared.script(f"{name}.1", f"wait('go')\n{written()}work()")
    shared.script("b.1", f"wait('go')\n{written(2)}work()")
    shared.script("b.repair-1", valued(1))
    running = shared.begin("start", "--yes", "--foreground")
    waiting(shared, "a", "b", "c")
    shared.let_go("go")
    ended(running)
    red, green = past(shared)
    assert (red.verdict, red.groups) == (GateVerdict.CULPRITS, (("b",),))
    assert (green.verdict, green.passed) == (GateVerdict.PASSED, True)
    repairs = [s for s in shared.starts() if s.sprint.startswith("repair")]
    assert [(s.unit, s.sprint) for s in repairs] == [("b", "repair-1")]
    assert "FAIL: test_it" in shared.prompt(repairs[0])
    for name in "abc":
        assert [(s.failures_ever, s.dispatches) for s in shared.unit(name).sprints[:1]] == [(0, 1)]


@pytest.mark.spec("GT-04")
def test_who_is_alone_may_build_and_nobody_enters_meanwhile(shared: Project) -> None:
    """`a` waits for a condition, without an agent, while `b` is dispatched; then `a` is next."""
    condition = shared.home / "met"
    waits = sprint(f"test -f {condition}", kind="deferred")
    shared.make(
        plan(unit("a", waits, sprint()), unit("b", BUILT)),
        limits={"deferred_poll_seconds": 0.05},
    )
    shared.script("b.1", f"wait('b')\n{written()}work()")
    running = shared.begin("start", "--yes", "--foreground")
    waiting(shared, "b")
    condition.touch()
    until(lambda: shared.state("a/1") == "COMPLETED")
    assert "U2/1" in shared.says("status")
    assert shared.state("a/2") == "PENDING"
    shared.let_go("b")
    ended(running)
    seen = shared.happenings()
    whose = {x.run_id: x.unit for x in seen if isinstance(x, h.RunOpened)}
    given = {whose[x.run_id]: n for n, x in enumerate(seen) if isinstance(x, h.RunDispatched)}
    exits = [n for n, x in enumerate(seen) if isinstance(x, h.AgentExited)]
    assert given["b"] < exits[0] < given["a"]
    order = next(x.dispatch for x in seen if isinstance(x, h.RunDispatched))
    assert (order.alone, order.held) == (True, ())
    assert "BUILD COORDINATION" not in shared.prompt(shared.starts()[0])
    assert shared.sprint("b/1").proof is Proof.CHECKED


@pytest.mark.spec("GT-04")
def test_one_agent_at_a_time_builds_inside_its_sprints(shared: Project) -> None:
    shared.make(plan(unit("a", BUILT), unit("b", BUILT)), limits={"max_agents": 1})
    shared.script("default", f"{written()}work()")
    ended(shared.begin("start", "--yes", "--foreground"))
    given = [x.dispatch for x in shared.happenings() if isinstance(x, h.RunDispatched)]
    assert [(order.alone, order.held) for order in given] == [(True, ()), (True, ())]
    assert all("BUILD COORDINATION" not in shared.prompt(start) for start in shared.starts())
    assert all(shared.sprint(f"{name}/1").proof is Proof.CHECKED for name in "ab")
