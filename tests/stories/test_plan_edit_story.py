"""Stories of a plan that a person edits while it runs."""

import pytest
from story_project import Project, plan, sprint, unit, wait_for

BEFORE = plan(unit("a"), unit("b", sprint(), sprint("test -f {here}/old.txt")))
AFTER = plan(unit("a"), unit("b", sprint(), sprint("test -f {here}/new.txt"), sprint()), unit("c"))


@pytest.mark.spec("LP-05", "V7", "ST-05")
def test_an_edited_plan_is_noticed_and_taken_over_on_resume(project: Project) -> None:
    project.make(BEFORE)
    project.script("b.1", "wait('gate'); work()")
    project.script("b.2", "commit('new.txt')")
    project.start_in_background()
    wait_for(lambda: project.state("a") == "COMPLETED" and project.trail())
    path = project.root / "EXECUTION_PLAN.md"
    path.write_text(AFTER)
    wait_for(lambda: project.mission().plan_edited)
    assert "The plan was edited during this run" in project.says("status")
    assert "c" not in project.mission().units
    told = project.says("plan", "diff", code=1)
    assert "~ U2/2 " in told
    assert "+ U2/3 " in told
    assert "+ c work unit, 1 sprint" in told
    assert "resume --yes" in project.says("resume", code=2)
    project.says("resume", "--yes")
    assert not project.mission().plan_edited
    assert "Nothing changed: the run uses the plan as it is." in project.says("plan", "diff")
    project.let_go("gate")
    project.wait_for_rest()
    assert project.overall() == "completed"
    assert [f"{s.unit}/{s.sprint}" for s in project.starts()].count("a/1") == 1
    assert len(project.starts()) == 5
    assert path.read_text() == AFTER


@pytest.mark.spec("LP-05", "V7")
def test_a_plan_edited_between_stop_and_resume_is_taken_over(project: Project) -> None:
    project.make(plan(unit("a", sprint(), sprint("test -f {here}/old.txt"))))
    project.script("a.1", "wait('gate'); work()")
    project.script("a.2", "commit('new.txt')")
    project.start_in_background()
    wait_for(project.trail)
    project.says("stop")
    project.let_go("gate")
    project.wait_for_rest()
    after = plan(unit("a", sprint(), sprint("test -f {here}/new.txt")))
    (project.root / "EXECUTION_PLAN.md").write_text(after)
    said = project.says("resume", "--foreground", "--yes")
    assert "test -f a/new.txt" in said
    assert project.overall() == "completed"
    assert len(project.starts()) == 2
    assert (project.root / "EXECUTION_PLAN.md").read_text() == after


@pytest.mark.spec("G3", "LP-05")
def test_who_waits_for_whom_is_by_the_plan_that_was_accepted(project: Project) -> None:
    project.make(plan(unit("a"), unit("b", needs="a")))
    project.script("a.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(project.trail)
    (project.root / "EXECUTION_PLAN.md").write_text(plan(unit("a"), unit("b")))
    wait_for(lambda: project.mission().plan_edited)
    assert project.state("b") == "NOT_STARTED"
    assert [s.unit for s in project.starts()] == ["a"]
    project.says("resume", "--yes")
    wait_for(lambda: project.state("b") == "RUNNING")
    assert project.state("a") == "RUNNING"
    project.let_go("gate")
    project.wait_for_rest()
    assert project.overall() == "completed"
