"""Stories of failure: retried with a stronger tier, FATAL after three, moved on by a person."""

import json

import pytest
from story_project import Project, plan, sprint, unit, wait_for

from topkick.engine import messages as h
from topkick.sprint.transitions import SprintState, UnitState

MODELS = {"models": {"haiku": "small-1", "sonnet": "middle-1", "opus": "big-1"}}


@pytest.mark.spec("DP-04", "SM-04")
def test_a_failure_is_retried_by_a_stronger_model_that_is_told_why(project: Project) -> None:
    check = "test -f {here}/done-1.txt || { echo the song is missing; exit 7; }"
    project.make(plan(unit("a", sprint(check))), agent=MODELS)
    project.script("a.1.1", "fail(5)")
    said = project.says("start", "--yes", "--foreground")
    first, second = project.starts()
    assert (first.attempt, first.model) == (1, "small-1")
    assert (second.attempt, second.model) == (2, "middle-1")
    prompt = project.prompt(second)
    assert "Sprint 1 failed on attempt 1. What went wrong:" in prompt
    assert "ended with 7" in prompt
    assert "the song is missing" in prompt
    assert "the agent ended with 5" in prompt
    assert "What went wrong" not in project.prompt(first)
    assert "attempt 2/3" in said
    assert project.sprint("a/1").failures == 1


@pytest.mark.spec("SM-05", "SM-03", "G4", "S3", "LP-04", "RP-02", "MS-03", "J6")
def test_three_failures_block_the_unit_and_only_it(project: Project) -> None:
    project.make(plan(unit("a"), unit("b"), unit("c", needs="a")))
    project.script("a.1", "say('I cannot'); fail()")
    said = project.says("start", "--yes", "--foreground", code=3)
    assert "BLOCKED U1 a" in said
    assert [project.state(name) for name in ("a", "a/1", "b", "c")] == [
        "BLOCKED",
        "FATAL",
        "COMPLETED",
        "NOT_STARTED",
    ]
    assert [s.attempt for s in project.starts() if s.unit == "a"] == [1, 2, 3]
    page = project.says("status")
    assert "BLOCKED: a Sprint 1 failed after 3 attempts." in page
    assert "topkick retry U1/1" in page
    assert "`test -f a/done-1.txt` ended with 1" in page
    _fatal_and_blocked_are_one_step(project)
    assert project.says("logs", "U1/1") == "I cannot\n"
    _it_is_explained(project)
    _it_is_replayed(project)


def _fatal_and_blocked_are_one_step(project: Project) -> None:
    happened = project.happenings()
    at = next(
        n
        for n, x in enumerate(happened)
        if isinstance(x, h.SprintMoved) and x.now is SprintState.FATAL
    )
    follows = happened[at + 1]
    assert isinstance(follows, h.UnitMoved)
    assert follows.now is UnitState.BLOCKED


def _it_is_explained(project: Project) -> None:
    told = project.says("explain", "U1/1")
    assert "Waits for a person: FATAL: " in told
    assert 'topkick retry U1/1 --note "..."' in told
    assert "3 of 3 attempts failed, 0 left" in told
    for n in (1, 2, 3):
        assert f"charged as failure {n} of 3: `test -f a/done-1.txt` ended with 1" in told
    assert "score " in told.partition("Model: ")[2].splitlines()[0]
    all_of_it = project.says("explain")
    assert "U1/1 a: FATAL: " in all_of_it
    assert "U3 c: waits for U1 a (BLOCKED, sprint 1/1) [GT-01]" in all_of_it
    rows = {row["handle"]: row for row in json.loads(project.says("explain", "--json"))}
    assert (rows["U1/1"]["waits_for_a_person"], rows["U3"]["waits_for_a_person"]) == (True, False)
    last = len(project.happenings())
    then = project.says("explain", "U1", "--at", "5")
    assert "U1 a: RUNNING, 0 of 1 sprints done" in then
    assert "FATAL" not in then
    gone = project.says("explain", "U1", "--at", str(last + 1), code=2)
    assert f"the journal has records 1 to {last}" in gone


def _it_is_replayed(project: Project) -> None:
    last = len(project.happenings())
    then = project.says("journal", "replay", "--to", "10")
    assert then.startswith(f"As of record 10 of {last}, 20")
    assert "0 of 3 sprints done" in then
    assert "BLOCKED: a Sprint 1 failed after 3 attempts." in project.says("journal", "replay")
    said = project.says("journal", "replay", "--check")
    assert said.startswith(f"{last} records, ")
    assert said.endswith(" steps: every decision agrees with the rules.\n")
    lines = project.says("journal", "show", "--all", "--json").splitlines()
    assert [json.loads(line)["seq"] for line in lines] == [*range(1, last + 1)]


@pytest.mark.spec("SM-06", "SD-04")
def test_retry_with_a_note_and_a_model_then_resume_finishes(project: Project) -> None:
    project.make(plan(unit("a")), agent=MODELS)
    project.script("a.1", "fail()")
    project.says("start", "--yes", "--foreground", code=3)
    assert "U1/1" in project.says("resume", "--foreground", code=3)
    assert len(project.starts()) == 3
    project.script("a.1", "work()")
    assert "--model opus?" in project.says("retry", "U1/1", "--model", "opsu", code=2)
    said = project.says("retry", "U1/1", "--note", "look into the cellar", "--model", "haiku")
    page = project.says("status")
    assert "No supervisor is running; topkick resume takes over" in page
    assert "dead" not in page
    assert "in the same way; the next failure of that kind is FATAL" in said
    assert "Next: topkick resume" in said
    assert project.state("a/1") == "PENDING"
    assert "Retried by a person: 3 of 3 attempts had failed" in project.decisions()
    project.says("resume", "--foreground")
    last = project.starts()[-1]
    assert (last.attempt, last.model) == (1, "small-1")
    assert "A PERSON ADDS:\nlook into the cellar" in project.prompt(last)
    assert project.sprint("a/1").failures_ever == 3
    assert project.overall() == "completed"


@pytest.mark.spec("SM-06", "SD-04")
def test_resume_gives_a_blocked_unit_new_tries_only_when_it_is_named(project: Project) -> None:
    project.make(plan(unit("a")), limits={"max_retries": 1})
    project.script("a.1", "fail()")
    project.says("start", "--yes", "--foreground", code=3)
    project.script("a.1", "work()")
    project.says("resume", "--foreground", code=3)
    assert project.state("a") == "BLOCKED"
    project.says("resume", "U1", "--foreground")
    assert project.overall() == "completed"


@pytest.mark.spec("SD-05")
def test_accept_takes_a_fatal_sprint_on_a_persons_word(project: Project) -> None:
    project.make(plan(unit("a")), limits={"max_retries": 1})
    project.script("a.1", "fail()")
    project.says("start", "--yes", "--foreground", code=3)
    assert "Say why" in project.says("accept", "U1/1", code=2)
    assert "Everything is done." in project.says("accept", "U1/1", "--why", "seen it work")
    assert project.status()["sprints"]["accepted"] == 1
    assert "accepted by a person: seen it work" in project.says("journal", "show")


@pytest.mark.spec("SD-05", "LP-04")
def test_retry_while_other_units_still_work_is_done_at_once(project: Project) -> None:
    project.make(plan(unit("a"), unit("b")), limits={"max_retries": 1})
    project.script("a.1.1", "fail()")
    project.script("b.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(lambda: project.state("a") == "BLOCKED")
    project.says("retry", "U1/1")
    wait_for(lambda: project.state("a") == "COMPLETED")
    project.let_go("gate")
    project.wait_for_rest()
    assert project.overall() == "completed"
