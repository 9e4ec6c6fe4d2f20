"""A run that a model supervised is taken over half-way: what it called done is checked first."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from story_project import Project, plan, sprint, unit

from topkick.planning.import_state.project import look_over
from topkick.sprint.commands import import_run
from topkick.sprint.model import Proof
from topkick.sprint.run.load_plan import read_plan

STATE = """\
# SUPERVISOR_STATE.md — OPERATION HALF WAY

## Plan Summary
- Work units: 2
- Max retries: 3

## Work Units

| Name | Directory | Sorties | Dependencies |
|------|-----------|---------|--------------|
| a | a | 3 | none |
| b | b | 2 | none |

### a
- Work unit state: IN_PROGRESS
- Current sortie: 3 of 3
- Sortie state: DISPATCHED
- Attempt: 1 of 3

### b
- Work unit state: RUNNING
- Current sortie: 2 of 2
- Sortie state: PENDING

## Active Agents

| Work Unit | Sortie | Sortie State | Attempt | Model | Task ID |
|---|---|---|---|---|---|
| a | 1 | COMPLETED | 1/3 | sonnet | t1 |
| a | 2 | ✅ DONE | 1/3 | opus | t2 |
| a | 3 | DISPATCHED | 1/3 | opus | t3 |
| post-run | tidy | DISPATCHED | 1/3 | haiku | t4 |

## Overall Status
Status: running
"""


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


def left_by_a_model(project: Project, state: str = STATE) -> None:
    """a/1 is done, a/2 is a lie (its file is not there), b/1 was done and nothing can check it."""
    project.make(plan(unit("a", sprint(), sprint(), sprint()), unit("b", sprint(unchecked=True),
                 sprint())))  # fmt: skip
    for name, message in (
        ("a/done-1.txt", "Sortie 1: Part 1"),
        ("a/notes.txt", "Sortie 2: Part 2"),
        ("b/text.txt", "[b sortie 1] Part 1"),
    ):
        path = project.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("by another\n")
        project.git("add", name)
        project.git("commit", "-q", "-m", message)
    (project.root / "SUPERVISOR_STATE.md").write_text(state)


@pytest.mark.spec("ST-04", "ST-02")
def test_what_it_called_done_is_checked_before_anybody_goes_on(alone: Project) -> None:
    left_by_a_model(alone)
    said = alone.says("import", "--yes", "--foreground", "--accept-unchecked")
    assert "it says COMPLETED" in said
    assert alone.overall() == "completed"
    given = {(start.unit, start.sprint) for start in alone.starts()}
    assert given == {("a", "2"), ("a", "3"), ("b", "2")}, "1 was done, 2 was not"
    assert alone.sprint("a/1").proof is Proof.CHECKED
    assert alone.sprint("b/1").proof is Proof.ACCEPTED
    kept = list(alone.place.archive.glob("*-SUPERVISOR_STATE.md"))
    assert [path.read_text() for path in kept] == [STATE], "put aside, not lost"


@pytest.mark.spec("ST-04")
def test_a_dry_run_shows_it_all_and_changes_nothing(alone: Project) -> None:
    left_by_a_model(alone)
    before = alone.picture(), alone.board()
    said = alone.says("import", "--dry-run")
    assert "IN_PROGRESS" in said
    assert "3 of 3" not in said, "two are believed to be done"
    assert "post-run | tidy" in said
    assert "taken on your word" in said
    found = json.loads(alone.says("import", "--json"))  # which never goes on
    assert (alone.picture(), alone.board()) == before
    assert not alone.place.journal_path.exists()
    a, b = found["units"]
    assert [s["fate"] for s in a["sprints"]] == ["check", "check", "go on"]
    assert [s["fate"] for s in b["sprints"]] == ["take", "do"]
    assert [len(s["commits"]) for s in (*a["sprints"], *b["sprints"])] == [1, 1, 0, 1, 0]


@pytest.mark.spec("ST-04", "ST-03")
def test_resume_and_start_name_it(alone: Project) -> None:
    left_by_a_model(alone)
    said = alone.says("resume", code=2)
    assert "SUPERVISOR_STATE.md of another supervisor" in said
    assert "topkick import" in said
    assert "topkick import" in alone.says("start", "--dry-run")
    assert "There is no" in alone.says("import", "nowhere.md", code=2)


@pytest.mark.spec("ST-02")
def test_what_the_files_deny_is_shown(alone: Project) -> None:
    gone = STATE.replace("| a | 1 | COMPLETED | 1/3 | sonnet | t1 |",
                         "| a | 1 | COMPLETED at commit 1234567 | 1/3 | sonnet | t1 |")  # fmt: skip
    left_by_a_model(alone, gone)
    (alone.root / "a" / "PROGRESS.md").write_text("## Sprint 2: Part 2\n\n**Status:** blocked\n")
    place = alone.place
    found = look_over(place, read_plan(place).plan, place.board_path)
    one, two, _ = found.units[0].sprints
    assert one.differs
    assert two.differs
    assert "1234567 does not exist" in import_run.found(one)
    assert "its progress file says blocked" in import_run.found(two)
    assert [(c.unit, c.sprint, c.taken) for c in found.claims] == [
        ("a", "1", False),
        ("a", "2", False),
        ("b", "1", True),
    ]
