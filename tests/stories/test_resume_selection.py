"""Stories of `resume U`: it resumes U, and what runs side by side has trees of its own."""

import pytest
from story_project import Project, plan, unit

AUTO = {"isolation": "auto"}
RESUME = ("resume", "--foreground")


@pytest.mark.spec("SD-04", "GT-06")
def test_resume_of_a_unit_begins_no_unit_that_only_left_out(project: Project) -> None:
    project.make(plan(unit("a"), unit("b"), unit("c"), unit("d")), top=AUTO)
    project.says("start", "--yes", "--foreground", "--only", "a")
    project.says(*RESUME, "b")
    assert [s.unit for s in project.starts()] == ["a", "b"]
    assert project.state("c") == project.state("d") == "NOT_STARTED"
    project.says(*RESUME)
    assert sorted(s.unit for s in project.starts()) == ["a", "b", "c", "d"]
    assert project.overall() == "completed"
    assert project.mission().isolation is not None


@pytest.mark.spec("GT-06")
def test_a_run_in_the_checkout_does_not_put_units_side_by_side_later(project: Project) -> None:
    project.make(plan(unit("a"), unit("b"), unit("c")), top=AUTO)
    project.says("start", "--yes", "--foreground", "--max-agents", "1", "--only", "a")
    assert project.mission().isolation is None
    said = project.says(*RESUME, "--max-agents", "3")
    assert "its units run one after another" in said
    settings = project.mission().settings
    assert settings is not None
    assert settings.max_agents == 1
    assert project.overall() == "completed"
