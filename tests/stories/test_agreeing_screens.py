"""Stories of screens that contradicted each other after a person had decided something."""

import pytest
from story_project import Project, plan, sprint, unit

BEFORE = sprint("test -d .git")


def _waiting(project: Project, **limits: int) -> None:
    """A run that waits for a person: its agent found nothing to do."""
    project.make(plan(unit("a", BEFORE)), limits=limits)
    project.script("a.1", "say('nothing to do')")
    assert project.run("start", "--yes", "--foreground").returncode == 3


@pytest.mark.spec("ER-04")
def test_after_a_reject_no_screen_says_running(project: Project) -> None:
    """The headline said "running" beside "No supervisor is running"."""
    _waiting(project)
    project.says("reject", "U1/1", "--why", "look again")
    said = project.says("status")
    assert "No supervisor is running; topkick resume takes over" in said
    assert "· no supervisor ·" in said
    assert "· running ·" not in said
    said = project.says("report")
    assert "The run is not at its end (no supervisor)" in said
    assert "topkick watch" not in said


@pytest.mark.spec("ER-04")
def test_a_reject_is_no_order_of_its_own(project: Project) -> None:
    """`status` listed it as a second order that changed nothing, `report` had one order."""
    _waiting(project, max_retries=1)
    project.says("reject", "U1/1", "--why", "look again")
    said = project.says("status")
    assert "failed after 1 attempt." in said
    assert "1. PARTIAL (haiku): nothing; rejected by a person: look again" in said
    assert "2. FAILURE" not in said
    assert "haiku: 1 order" in said
    said = project.says("report")
    assert "(1 order)" in said
    assert "Order 2" not in said


def test_a_program_without_a_model_is_given_none_and_one_is_not_several(project: Project) -> None:
    """The report named the tier "haiku" as the model of a script; "1 agents", "1 sprints"."""
    project.make(plan(unit("a", sprint(unchecked=True))), limits={"max_agents": 1})
    path = project.root / "topkick.toml"
    lines = [x for x in path.read_text().splitlines() if not x.startswith("models = ")]
    path.write_text("\n".join(lines))
    project.git("commit", "-qam", "No models")
    said = project.says("start", "--yes", "--foreground", "--accept-unchecked")
    assert "1 agent at once" in said
    assert "1 sprint (accepted)" in said
    assert "1 work unit, 1 sprint" in project.run("doctor").stdout
    assert "(Part 1, 0.0min)" in project.says("report")


@pytest.mark.spec("SM-10")
def test_a_sprint_that_has_had_all_its_orders_is_not_offered_another(project: Project) -> None:
    """`explain` offered a `retry` that is refused, where `status` offered none."""
    project.make(plan(unit("a", sprint("false"))), limits={"max_retries": 1, "max_dispatches": 2})
    said = project.run("start", "--yes", "--foreground").stdout
    assert "FATAL" in said
    for words in (("explain",), ("status",)):
        said = project.says(*words)
        assert "topkick accept U1/1" in said
        assert "topkick retry" not in said
