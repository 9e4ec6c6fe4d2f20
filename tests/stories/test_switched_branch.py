"""Stories of a user who switches the checkout to another branch while a run rests."""

from story_project import Project, plan, sprint, unit, wait_for


def _killed_at_work(project: Project) -> None:
    project.start_in_background()
    wait_for(project.trail)
    project.says("killall")
    project.wait_for_rest()


def test_resume_on_another_branch_gives_no_order_and_says_how_to_go_back(project: Project) -> None:
    """Honest work became the finding "the work is on other; the order was given on main"."""
    project.make(plan(unit("a")))
    project.script("a.1.1", "hang()")
    _killed_at_work(project)
    project.git("switch", "-q", "-c", "other")
    said = project.says("resume", "--foreground", code=2)
    assert "The checkout is on other now; the orders of this run were given on main." in said
    assert len(project.starts()) == 1
    back = next(line for line in said.splitlines() if line.startswith("Go back: "))
    command = back.removeprefix("Go back: ").partition("    ")[0]
    assert project.shell(command).returncode == 0
    project.says("resume", "--foreground")
    assert project.overall() == "completed"
    assert project.sprint("a/1").failures == 0


def test_a_renamed_branch_and_one_between_two_sprints_are_noticed_too(project: Project) -> None:
    project.make(plan(unit("a", sprint(), sprint())))
    project.script("a.2.1", "hang()")
    project.start_in_background()
    wait_for(lambda: "hangs" in " ".join(project.trail()))
    project.says("killall")
    project.wait_for_rest()
    project.git("branch", "-m", "trunk")
    said = project.says("resume", "--foreground", code=2)
    assert "Go back: git switch -c main" in said
    project.git("switch", "-q", "-c", "main")
    project.says("resume", "--foreground")
    assert project.overall() == "completed"
