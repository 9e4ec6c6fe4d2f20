"""A unit begins only when what it waits for verifies now, as the plan has it (GT-01)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from gated import ended, orders, past, uncharged, until, waiting
from story_project import Project, UnitText, plan, unit

from topkick.sprint.gates.model import GateKind


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


def verified(command: str, *units: UnitText) -> str:
    """Return a plan whose first unit is verified by this command."""
    before, rule, first, *rest = plan(*units).split("\n|")
    head = [f"{before}", f"{rule} Verify |", f"{first}---|"]
    first, *rest = rest
    return "\n|".join([*head, f"{first} `{command}` |", *rest])


@pytest.mark.spec("GT-01")
def test_what_does_not_verify_holds_who_waits_for_it_until_another_completes(
    alone: Project,
) -> None:
    text = verified("test -f a/ok.txt", unit("a"), unit("x"), unit("b", needs="a"))
    alone.make(text, top={"isolation": "clone"})
    mends = "(PROJECT / 'a').mkdir(exist_ok=True)\n(PROJECT / 'a' / 'ok.txt').write_text('ok')\n"
    mends += "git('add', '-A')\nassert git('commit', '-q', '-m', 'ok')\n"
    alone.script("x.1", f"wait('x')\n{mends}work()")
    alone.script("b.1", "assert (PROJECT / 'a' / 'ok.txt').exists()\nwork()")
    running = alone.begin("start", "--yes", "--foreground")
    waiting(alone, "x")
    until(lambda: alone.unit("b").hold if alone.mission().units else "")
    assert (alone.state("a"), alone.state("b")) == ("COMPLETED", "NOT_STARTED")
    said = alone.says("status")
    assert "does not verify: `test -f a/ok.txt` ended with 1" in said
    assert "b" not in [start.unit for start in alone.starts()]
    alone.let_go("x")
    ended(running)
    held, cleared = past(alone)
    assert (held.kind, held.clears, held.passed) == (GateKind.CLEARANCE, "b", False)
    assert (cleared.kind, cleared.clears, cleared.passed) == (GateKind.CLEARANCE, "b", True)
    assert orders(alone)[-1] == "b/1"
    assert uncharged(alone)


@pytest.mark.spec("GT-01")
def test_it_is_tried_again_on_resume(alone: Project) -> None:
    alone.make(verified("test -f ok.txt", unit("a"), unit("b", needs="a")))
    said = ended(alone.begin("start", "--yes", "--foreground"), 3)
    assert "does not verify" in said
    assert alone.state("b") == "NOT_STARTED"
    said = ended(alone.begin("resume", "--yes", "--foreground"), 3)
    assert "does not verify" in said
    assert [gate.passed for gate in past(alone)] == [False, False]
    (alone.root / "ok.txt").write_text("ok\n")
    alone.git("add", "ok.txt")
    alone.git("commit", "-q", "-m", "By a person")
    ended(alone.begin("resume", "--yes", "--foreground"))
    assert [gate.passed for gate in past(alone)] == [False, False, True]
    assert orders(alone) == ["a/1", "b/1"]
    assert uncharged(alone)


@pytest.mark.spec("GT-01")
def test_what_verifies_at_once_holds_nobody(alone: Project) -> None:
    alone.make(verified("test -f a/done-1.txt", unit("a"), unit("b", needs="a")))
    ended(alone.begin("start", "--yes", "--foreground"))
    assert [(gate.clears, gate.passed, len(gate.runs)) for gate in past(alone)] == [("b", True, 1)]
