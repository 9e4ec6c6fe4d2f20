"""Stories of failure: retried with a stronger tier, FATAL after three, moved on by a person."""

import pytest
from story_project import Project, plan, sprint, unit, wait_for

from topkick.core import happenings as h
from topkick.core.model import SprintState, UnitState

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


@pytest.mark.spec("SM-05", "SM-03", "G4", "S3", "LP-04", "RP-02")
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


@pytest.mark.spec("SM-06", "SD-04")
def test_retry_with_a_note_and_a_model_then_resume_finishes(project: Project) -> None:
    project.make(plan(unit("a")), agent=MODELS)
    project.script("a.1", "fail()")
    project.says("start", "--yes", "--foreground", code=3)
    assert "U1/1" in project.says("resume", "--foreground", code=3)
    assert len(project.starts()) == 3
    project.script("a.1", "work()")
    said = project.says("retry", "U1/1", "--note", "look into the cellar", "--model", "haiku")
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
