"""Stories of the naming ritual: `start` gives a plan its name, and trips over nothing of it."""

import pytest
from story_project import Project, plan, unit, wait_for

from topkick.engine import messages as h
from topkick.plan_format.front_matter import (
    feature_name_in,
    is_operation_name,
    with_feature_name,
    without_prefix,
)

PLAN = "EXECUTION_PLAN.md"
TWO = plan(unit("a"), unit("b"))


def _text(project: Project) -> str:
    return (project.root / PLAN).read_bytes().decode()


def _is_all_done_at_the_first_try(project: Project, sprints: int) -> None:
    assert project.overall() == "completed"
    assert len(project.starts()) == sprints
    checked = [x.evidence for x in project.happenings() if isinstance(x, h.WorkChecked)]
    assert checked
    assert [finding for evidence in checked for finding in evidence.findings] == []
    assert [n for n in project.decisions() if "the plan" in n.lower()] == []


@pytest.mark.spec("NM-01")
def test_a_run_in_clones_begins_with_a_name_and_is_taken_home(project: Project) -> None:
    project.make(TWO, top={"isolation": "clone"})
    before = project.picture()
    told = project.says("start", "--dry-run")
    assert project.picture() == before
    (line,) = [line for line in told.splitlines() if line.startswith("Name  ")]
    name = line.removeprefix("Name").removesuffix("(new)").strip()
    assert is_operation_name(name)
    said = project.says("start", "--yes", "--foreground")
    for words in (f"\n{name}\n", "COMMENCING", "2 sprints across 2 work units", "Mission: Story"):
        assert words in said
    assert _text(project) == with_feature_name(TWO, name)
    branch = "topkick/" + without_prefix(name).lower().replace(" ", "-").replace("'", "-")
    assert f"Work is on {branch}." in said
    _is_all_done_at_the_first_try(project, 2)
    assert name in project.says("status")
    assert project.status()["operation"] == name
    assert "Nothing changed: the run uses the plan as it is." in project.says("plan", "diff")
    project.says("land", "--yes")
    assert project.git("status", "--porcelain") == f" M {PLAN}\n"
    assert PLAN not in project.git("log", "--name-only", "--format=", "HEAD~2..HEAD")
    again = project.says("start", "--yes", "--foreground", "--again")
    assert "COMMENCING" not in again
    assert _text(project) == with_feature_name(TWO, name)
    assert f"Work is on {branch}-2." in again


@pytest.mark.spec("NM-01")
def test_a_start_that_dies_around_the_name_is_begun_by_the_next(project: Project) -> None:
    project.make(TWO, top={"isolation": "clone"})
    before = project.picture()
    _dies(project, "files.before-rename:1")
    assert project.picture() == before
    _dies(project, "start.before-plan-note:1")
    name = feature_name_in(_text(project))
    assert is_operation_name(name)
    assert "COMMENCING" not in project.says("start", "--yes", "--foreground")
    assert _text(project) == with_feature_name(TWO, name)


def _dies(project: Project, where: str) -> None:
    died = project.run("start", "--yes", "--foreground", env={"TOPKICK_CRASH_AT": where})
    assert died.returncode == -9


@pytest.mark.spec("NM-01")
def test_an_agent_that_commits_all_commits_the_name_without_a_finding(project: Project) -> None:
    project.make(plan(unit("a")).replace("| a | a |", "| a | . |"))
    project.script("a.1", "work()\ngit('commit', '-q', '--allow-empty', '-a', '-m', 'All of it')")
    project.says("start", "--yes", "--foreground")
    _is_all_done_at_the_first_try(project, 1)
    assert "UNCOMMITTED" not in project.prompt(project.starts()[0])
    assert [d for d in project.decisions() if "Uncommitted work saved" in d] == []
    assert project.git("status", "--porcelain") == ""
    assert is_operation_name(feature_name_in(_text(project)))


@pytest.mark.spec("NM-01")
def test_a_read_only_plan_is_left_and_the_run_keeps_the_name(project: Project) -> None:
    project.make(plan(unit("a")))
    (project.root / PLAN).chmod(0o444)
    project.script("a.1", "wait('gate'); work()")
    said = project.says("start", "--yes")
    assert f"{PLAN} does not have this name: it is read-only, or another user's." in said
    wait_for(project.trail)
    project.says("stop", "--now")
    project.wait_for_rest()
    name = project.status()["operation"]
    assert is_operation_name(name)
    project.let_go("gate")
    project.says("resume", "--foreground", "--yes")
    assert project.overall() == "completed"
    assert project.status()["operation"] == name
    assert _text(project) == plan(unit("a"))


@pytest.mark.spec("NM-01", "GT-06")
def test_the_name_in_a_plan_behind_a_link_is_no_uncommitted_work(project: Project) -> None:
    project.make(TWO, top={"isolation": "clone"})
    (project.root / "docs").mkdir()
    (project.root / PLAN).rename(project.root / "docs" / "plan.md")
    (project.root / PLAN).symlink_to("docs/plan.md")
    project.git("add", ".")
    project.git("commit", "-q", "-m", "Elsewhere")
    (project.root / "docs" / "plan.md").write_text(with_feature_name(TWO, "OPERATION LAST COOKIE"))
    assert "topkick/last-cookie" in project.says("start", "--dry-run")


@pytest.mark.spec("NM-01")
def test_without_the_ritual_nothing_is_named_or_written(project: Project) -> None:
    project.make(plan(unit("a")), top={"ritual": False})
    said = project.says("start", "--yes", "--foreground")
    assert "COMMENCING" not in said
    assert _text(project) == plan(unit("a"))
    assert project.status()["operation"] == ""
