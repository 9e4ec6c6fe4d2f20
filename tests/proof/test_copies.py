"""Copied, moved, cloned: whose the agents are that a project's files speak of."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.stories.story_project import Project, is_alive, plan, unit, wait_for

PATIENCE_S = 90.0
ANYWHERE = "wait('a'); PROJECT = Path.cwd(); HERE = PROJECT / UNIT; work()"


def end_of(process: "subprocess.Popen[str]") -> tuple[int, str]:
    said, _ = process.communicate(timeout=PATIENCE_S)
    return process.returncode, said


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


def at_work(project: Project, directions: str = "wait('a'); work()") -> "subprocess.Popen[str]":
    project.make(plan(unit("a"), unit("b", needs="a")))
    project.script("a.1.1", directions)
    first = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail, PATIENCE_S)
    return first


def copied(project: Project) -> Path:
    copy = project.root.with_name("copy")
    subprocess.run(["cp", "-a", project.root, copy], check=True)
    return copy


def said_in(project: Project, where: Path, *words: str, code: int) -> str:
    done = project.run(*words, cwd=where)
    said = done.stdout + done.stderr
    assert done.returncode == code, f"topkick {' '.join(words)}: {done.returncode}\n{said}"
    return said


def status_in(project: Project, where: Path) -> Any:
    return json.loads(said_in(project, where, "status", "--json", code=0))


@pytest.mark.spec("K7", "D3")
@pytest.mark.parametrize("supervised", [True, False], ids=["while it runs", "after a crash"])
def test_a_copy_leaves_the_agents_of_the_original_alone(project: Project, supervised: bool) -> None:
    first = at_work(project)
    if not supervised:
        project.die(first)
    copy = copied(project)
    agent = project.starts()[0].pid
    page = said_in(project, copy, "status", code=0)
    assert "This project is a copy." in page
    assert "still working" not in page
    for words in (("resume", "--foreground"), ("killall",), ("stop",)):
        said = said_in(project, copy, *words, code=2)
        assert "topkick resume --adopt-copy" in said
        assert str(project.place.state_dir) in said
    assert is_alive(agent)
    assert len(project.starts()) == 1
    said_in(project, copy, "resume", "--foreground", "--adopt-copy", code=0)
    assert status_in(project, copy)["overall"] == "completed"
    assert is_alive(agent)
    assert [s.unit for s in project.starts()] == ["a", "a", "b"]
    assert project.overall() == "running"
    project.let_go("a")
    if supervised:
        assert end_of(first)[0] == 0
    else:
        project.says("resume", "--foreground")
    assert project.overall() == "completed"
    assert [s.unit for s in project.starts()] == ["a", "a", "b", "b"]


@pytest.mark.spec("SD-04")
def test_a_copy_of_a_project_at_rest_goes_on_by_itself(project: Project) -> None:
    first = at_work(project)
    project.says("killall")
    end_of(first)
    copy = copied(project)
    project.script("a.1.2", "work()")
    said_in(project, copy, "resume", "--foreground", code=0)
    assert status_in(project, copy)["overall"] == "completed"
    assert project.overall() == "killed"


@pytest.mark.spec("SD-04", "D3")
def test_a_project_moved_at_rest_goes_on(project: Project) -> None:
    first = at_work(project)
    project.says("killall")
    end_of(first)
    project.root = project.root.rename(project.root.with_name("moved"))
    project.says("resume", "--foreground")
    assert project.overall() == "completed"
    project.root = project.root.rename(project.root.with_name("moved again"))
    assert "completed" in project.says("status")


@pytest.mark.spec("SD-04", "D3", "K7")
@pytest.mark.parametrize("supervised", [True, False], ids=["under a supervisor", "after a crash"])
def test_a_project_moved_while_an_agent_works_finds_it_again(
    project: Project, supervised: bool
) -> None:
    first = at_work(project, ANYWHERE)
    if not supervised:
        project.die(first)
    project.root = project.root.rename(project.root.with_name("moved"))
    assert project.status()["live_agents"] == 1
    second = project.begin("resume", "--foreground")
    if supervised:
        code, said = end_of(first)
        assert code == 4, said
        assert "was moved, removed or replaced" in said
    wait_for(lambda: project.supervisor() == second.pid, PATIENCE_S)
    project.let_go("a")
    code, said = end_of(second)
    assert code == 0, said
    assert [s.unit for s in project.starts()] == ["a", "b"]
    assert project.overall() == "completed"


@pytest.mark.spec("PL-01")
def test_worktrees_have_each_their_own_run_and_a_clone_has_none(project: Project) -> None:
    first = at_work(project)
    beside = project.root.with_name("beside")
    project.git("worktree", "add", "-q", str(beside))
    assert "No run here yet" in said_in(project, beside, "status", code=0)
    project.script("a.1.2", "work()")
    said_in(project, beside, "start", "--yes", "--foreground", code=0)
    said_in(project, beside, "killall", code=0)
    assert is_alive(project.starts()[0].pid)
    clone = project.root.with_name("clone")
    project.git("clone", "-q", str(project.root), str(clone))
    assert "No run here yet" in said_in(project, clone, "status", code=0)
    project.let_go("a")
    assert end_of(first)[0] == 0


@pytest.mark.spec("K7")
def test_a_copied_worktree_is_not_taken_for_the_worktree(project: Project) -> None:
    project.make(plan(unit("a")))
    beside = project.root.with_name("beside")
    project.git("worktree", "add", "-q", str(beside))
    project.script("a.1.1", "wait('a'); work()")
    project.root, main = beside, project.root
    first = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail, PATIENCE_S)
    copy = copied(project)
    for words in (("resume", "--foreground"), ("killall",)):
        said = said_in(project, copy, *words, code=2)
        assert f"is a copy of the git worktree {beside}" in said
    assert is_alive(project.starts()[0].pid)
    project.let_go("a")
    assert end_of(first)[0] == 0
    assert "No run here yet" in said_in(project, main, "status", code=0)


def test_a_plan_under_another_name_is_found_after_a_move(project: Project) -> None:
    project.make(plan(unit("a")))
    (project.root / "EXECUTION_PLAN.md").rename(project.root / "night.md")
    said_in(project, project.root, "start", "night.md", "--yes", "--foreground", code=0)
    project.root = project.root.rename(project.root.with_name("moved"))
    assert "completed" in project.says("status")
