"""Commands from several terminals that cross: each has its effect, and none another's."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.story_project import Project, is_alive, plan, unit, wait_for
from topkick.app.state_dir.lock import ProjectLock
from topkick.engine import messages as h
from topkick.engine.journal import JournalReader

PATIENCE_S = 90.0

BEGIN = """
import sys
from topkick.app.config.file import load_config
from topkick.app.config.settings import make_settings
from topkick.sprint.run.load_plan import read_plan
from topkick.app.project import find_project
from topkick.app.run import begin
project = find_project()
begin(project, read_plan(project).plan, make_settings(load_config(project), only=("b",)))
print("begun", flush=True)
sys.stdin.read()
"""


def end_of(process: "subprocess.Popen[str]") -> tuple[int, str]:
    said, _ = process.communicate(timeout=PATIENCE_S)
    return process.returncode, said


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


@pytest.mark.spec("ST-03", "D12")
def test_a_start_is_not_swept_away_by_a_second_one_before_its_supervisor_is_up(
    project: Project,
) -> None:
    project.make(plan(unit("a"), unit("b")))
    first = subprocess.Popen(
        [sys.executable, "-c", BEGIN],
        cwd=project.root,
        env=project.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert first.stdout is not None
    assert first.stdout.readline() == "begun\n"
    said = project.says("start", "--yes", "--foreground", code=4)
    assert f"Another start is under way here (process {first.pid})" in said
    assert project.starts() == []
    first.communicate(timeout=PATIENCE_S)
    project.says("start", "--yes", "--foreground")  # the process that began that one is gone
    assert sorted(s.unit for s in project.starts()) == ["a", "b"]


@pytest.mark.spec("SD-04", "SD-05")
def test_a_resume_while_another_terminal_attends_finds_that_nobody_drives(
    project: Project,
) -> None:
    project.make(plan(unit("a"), unit("b", needs="a")))
    project.script("a.1.1", "wait('a'); work()")
    first = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail, PATIENCE_S)
    project.says("killall")
    end_of(first)
    with ProjectLock(project.place.state_dir).acquire(now_us=time.time_ns() // 1000):
        second = project.begin("resume", "--foreground")
        wait_for(lambda: _letters(project), PATIENCE_S)
    code, said = end_of(second)
    assert code == 0, said
    assert "is at work already" not in said
    assert project.overall() == "completed"


def _letters(project: Project) -> int:
    with JournalReader(project.place.journal_path) as reader:
        return len(reader.unanswered())


@pytest.mark.spec("SD-02", "K4", "K7")
def test_a_slow_killall_leaves_the_agents_of_a_later_resume_alone(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1.1", "wait('a'); work()")
    project.script("a.1.2", "wait('b'); work()")
    first = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail, PATIENCE_S)
    killer = project.begin("killall")
    wait_for(lambda: _is_killed(project) or killer.poll() is not None, PATIENCE_S)
    os.kill(killer.pid, signal.SIGSTOP)
    assert end_of(first)[0] == 6
    second = project.begin("resume", "--foreground")
    wait_for(lambda: len(project.starts()) == 2, PATIENCE_S)
    os.kill(killer.pid, signal.SIGCONT)
    assert end_of(killer)[0] == 0
    assert is_alive(project.starts()[1].pid)
    project.let_go("b")
    code, said = end_of(second)
    assert code == 0, said
    assert len(project.starts()) == 2


def _is_killed(project: Project) -> bool:
    given = [x.command for x in project.happenings() if isinstance(x, h.CommandGiven)]
    return any(isinstance(command, h.KillAll) for command in given)
