"""A gate as a place for people: it waits for a word, and the word is on record."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from gated import ended, past, uncharged
from story_project import Project, plan, unit

from topkick.sprint.gates.model import GateVerdict

TWO = plan(unit("a"), unit("b"))
ASKS = {"isolation": "clone", "gate": "ask"}


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


def begun(project: Project, top: dict[str, object], code: int = 3) -> str:
    project.make(TWO, top=top)
    return ended(project.begin("start", "--yes", "--foreground"), code)


@pytest.mark.spec("GT-02")
def test_a_gate_that_asks_waits_until_a_person_lets_it_pass(project: Project) -> None:
    said = begun(project, {"isolation": "clone", "gate": {"mode": "ask", "command": "true"}})
    assert "topkick accept G1" in said
    (gate,) = project.mission().gates.values()
    assert (gate.verdict, len(gate.runs)) == (GateVerdict.PASSED, 1)
    assert [project.state(name) for name in "ab"] == ["RUNNING", "RUNNING"]
    assert "topkick accept G1" in project.says("status")
    project.says("accept", "G1", "--why", "I looked at all of it")
    ended(project.begin("resume", "--yes", "--foreground"))
    (passed,) = past(project)
    assert (passed.passed, passed.accepted, len(passed.runs)) == (True, "I looked at all of it", 1)
    assert [project.state(name) for name in "ab"] == ["COMPLETED", "COMPLETED"]
    assert len(project.starts()) == 2
    assert uncharged(project)


@pytest.mark.spec("GT-02")
def test_a_gate_that_asks_waits_though_nothing_could_be_run(alone: Project) -> None:
    said = begun(alone, ASKS)
    assert "topkick accept G1" in said
    (gate,) = alone.mission().gates.values()
    assert gate.verdict is GateVerdict.NOT_RUN
    assert "passed" not in said


@pytest.mark.spec("GT-02", "GT-03")
def test_a_gate_that_is_refused_is_mended_by_whose_it_is(alone: Project) -> None:
    begun(alone, ASKS)
    said = alone.says("reject", "G1", "--why", "the page is blank", code=2)
    assert "--unit" in said
    assert "U1 or U2" in said
    assert "G1 is refused" in alone.says(
        "reject", "G1", "--unit", "b", "--why", "the page is blank"
    )
    alone.script("b.repair-1", "commit('page.txt')")
    said = ended(alone.begin("resume", "--yes", "--foreground"), 3)
    assert "topkick accept G2" in said, "what was mended is looked at again"
    repair = alone.starts()[-1]
    assert (repair.unit, repair.sprint) == ("b", "repair-1")
    assert "the page is blank" in alone.prompt(repair)
    alone.says("accept", "G2", "--why", "there it is")
    ended(alone.begin("resume", "--yes", "--foreground"))
    assert [(g.id, g.passed, g.accepted) for g in past(alone)] == [
        ("G1", False, ""),
        ("G2", True, "there it is"),
    ]
    assert uncharged(alone)


@pytest.mark.spec("GT-02")
def test_what_is_said_of_a_gate_that_does_not_ask_is_refused(alone: Project) -> None:
    alone.make(TWO, top=ASKS)
    assert "no run here" in alone.says("accept", "G1", "--why", "x", code=2)
    ended(alone.begin("start", "--yes", "--foreground"), 3)
    assert "Say why" in alone.says("accept", "G1", code=2)
    for words in (("accept", "G7"), ("reject", "G7")):
        said = alone.says(*words, "--why", "x", code=2)
        assert "G7 does not wait for a person; waiting: G1" in said
    assert "--unit is for gates" in alone.says("reject", "a", "--unit", "a", "--why", "x", code=2)
    alone.says("reject", "G1", "--unit", "nobody", "--why", "x", code=2)
    alone.says("accept", "g1", "--why", "in small letters too")
    said = alone.says("accept", "G1", "--why", "again", code=2)
    assert "no gate waits for a person now" in said


@pytest.mark.spec("GT-02")
def test_a_gate_that_cannot_run_is_let_pass_by_a_person_or_run_again(alone: Project) -> None:
    absent = "no-such-program-anywhere"
    said = begun(alone, {"isolation": "clone", "gate": {"command": absent}})
    assert "cannot run here: no program no-such-program-anywhere" in said
    assert "topkick accept G1" in alone.says("status")
    ended(alone.begin("resume", "--yes", "--foreground"), 3)
    (gate,) = alone.mission().gates.values()
    assert (gate.verdict, len(gate.runs)) == (GateVerdict.CANNOT_RUN, 1), "run again, once"
    alone.says("accept", gate.id, "--why", "built by hand")
    ended(alone.begin("resume", "--yes", "--foreground"))
    last = past(alone)[-1]
    assert (last.id, last.passed, last.accepted) == (gate.id, True, "built by hand")
    assert uncharged(alone)
