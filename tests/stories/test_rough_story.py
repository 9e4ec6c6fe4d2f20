"""Stories of things that went wrong once: each was a bug, and stays one test."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from story_project import Project, plan, sprint, unit, wait_for

LEAVE_A_SERVER = """
import subprocess
subprocess.run([os.environ['TOPKICK'], 'background', 'run', 'server', 'sleep', '1000'], check=True)
"""


def test_half_an_emoji_in_an_agents_last_words_kills_nobody(project: Project) -> None:
    project.make(plan(unit("a")))
    said = json.dumps({"status": "partial", "summary": "nearly \ud83d"})
    project.script("a.1.1", f"work(); say({said!r})")
    project.says("start", "--yes", "--foreground")
    assert "nearly ?" in project.prompt(project.starts()[1])


@pytest.mark.parametrize("last", ['{"status": {"ok": true}}', '{"status": ["done"]}', "[" * 5000])
def test_odd_json_as_last_words_is_no_claim(project: Project, last: str) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", f"work(); say({last!r})")
    project.says("start", "--yes", "--foreground")
    assert project.state("a/1") == "COMPLETED"


def test_a_secret_that_a_check_prints_stays_out_of_everything(project: Project) -> None:
    check = "echo the token is $CHECK_TOKEN; false"
    project.make(
        plan(unit("a", sprint(check))),
        verify={"pass_env": ["CHECK_TOKEN"]},
        limits={"max_retries": 2},
    )
    env = {"CHECK_TOKEN": "sesame-open-now"}
    done = project.run("start", "--yes", "--foreground", env=env)
    assert done.returncode == 3
    assert "the token is [hidden]" in project.prompt(project.starts()[1])
    assert "sesame-open-now" not in done.stdout + project.board()
    for path in project.place.state_dir.rglob("*"):
        assert not path.is_file() or b"sesame-open-now" not in path.read_bytes(), path


@pytest.mark.spec("SD-05")
def test_a_stop_without_a_supervisor_answers_at_once(project: Project) -> None:
    project.make(plan(unit("a", sprint(), sprint())))
    project.script("a.1", "wait('gate'); work()")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail)
    project.die(supervisor)
    assert "a new one waits for them in the background" in project.says("stop")
    assert "still stopping" in project.says("resume", "--yes", code=2)
    project.let_go("gate")
    project.wait_for_rest()
    assert (project.state("a"), project.state("a/1")) == ("STOPPED", "COMPLETED")


@pytest.mark.spec("SD-04")
def test_a_supervisor_that_died_while_stopping_is_resumed_from(project: Project) -> None:
    project.make(plan(unit("a", sprint(), sprint())))
    project.script("a.1", "wait('gate'); work()")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail)
    project.says("stop")
    project.die(supervisor)
    resumed = project.begin("resume", "--yes", "--foreground")
    project.let_go("gate")
    code, said = project.end_of(resumed)
    assert (code, project.state("a")) == (0, "COMPLETED"), said
    assert "a new one waits for its agents" in said


def test_what_runs_in_the_background_is_not_forgotten_by_the_next_start(project: Project) -> None:
    project.make(plan(unit("a", sprint(kind="background", unchecked=True))))
    project.script("a.1", LEAVE_A_SERVER)
    project.says("start", "--yes", "--foreground", "--accept-unchecked")
    refused = project.says("start", "--yes", "--foreground", code=2)
    assert "server" in refused
    assert "topkick background stop" in refused
    project.says("background", "stop")
    wait_for(lambda: "Nothing runs" in project.says("background", "list"))


def test_two_plans_in_one_directory_do_not_disturb_each_other(project: Project) -> None:
    project.make(plan(unit("a")))
    (project.root / "other.md").write_text(plan(unit("b")))
    project.says("start", "--yes", "--foreground")
    project.says("start", "other.md", "--yes", "--foreground")
    assert "The journal is whole" in project.says("journal", "check")
    other = {"TOPKICK_PLAN": str(project.root / "other.md")}
    assert project.run("journal", "check", env=other).returncode == 0


def test_a_run_of_a_plan_under_another_name_is_found_again(project: Project) -> None:
    project.make(plan(unit("a")))
    project.git("mv", "EXECUTION_PLAN.md", "night.md")
    project.says("start", "night.md", "--yes", "--foreground")
    assert "completed" in project.says("status")


def test_a_repository_that_cannot_be_read_is_said_in_words(project: Project) -> None:
    project.make(plan(unit("a")))
    project.git("config", "core.repositoryformatversion", "1")
    project.git("config", "extensions.partialClone", "origin")
    said = project.says("start", "--yes", "--foreground", code=1)
    assert "cannot read partial clones" in said
    assert "Traceback" not in said


BEGIN = """
from topkick.app.config.file import load_config
from topkick.app.config.settings import make_settings
from topkick.sprint.run.load_plan import read_plan
from topkick.app.project import find_project
from topkick.app.run import begin
project = find_project()
begin(project, read_plan(project).plan, make_settings(load_config(project)))
"""


def test_a_start_that_never_came_to_be_is_not_obeyed_later(project: Project) -> None:
    """The process that queued the start died before a supervisor took it."""
    project.make(plan(unit("a")))
    subprocess.run([sys.executable, "-c", BEGIN], cwd=project.root, env=project.env, check=True)
    (project.root / "EXECUTION_PLAN.md").write_text(plan(unit("b")))
    project.says("start", "--yes", "--foreground")
    assert list(project.mission().units) == ["b"]


def test_a_supervisor_without_its_journal_says_so_and_can_be_ended(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "wait('gate'); work()")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail)
    journal = project.place.journal_path
    away = journal.with_name("away.db")
    journal.rename(away)
    project.let_go("gate")
    wait_for(lambda: not [s for s in project.starts() if _lives(s.pid)])
    os.kill(supervisor.pid, signal.SIGTERM)
    code, said = project.end_of(supervisor)
    assert code != 0
    assert "Traceback" not in said
    away.rename(journal)
    project.says("resume", "--yes", "--foreground")
    assert project.state("a") == "COMPLETED"


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_directory_that_was_removed_is_said_in_words(project: Project) -> None:
    done = project.shell("mkdir gone && cd gone && rmdir ../gone && {topkick} status")
    assert done.returncode == 2
    assert done.stderr == (
        "The current directory was removed, so topkick finds no project. "
        "Change to the project's directory and run the command again.\n"
    )


def _letters(project: Project) -> int:
    with closing(sqlite3.connect(project.place.journal_path)) as db:
        (count,) = db.execute("SELECT count(*) FROM inbox WHERE outcome IS NULL").fetchone()
    return int(count)


@pytest.mark.spec("SD-01", "SD-05")
def test_a_stop_whose_terminal_died_is_not_taken_for_a_second_stop(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(project.trail)
    supervisor = wait_for(project.supervisor)
    os.kill(supervisor, signal.SIGSTOP)
    died = project.run("stop", env={"TOPKICK_CRASH_AT": "inbox.after-post"})
    assert died.returncode == -signal.SIGKILL
    again = project.begin("stop")
    wait_for(lambda: _letters(project) == 2)
    os.kill(supervisor, signal.SIGCONT)
    code, said = project.end_of(again)
    assert code == 0
    assert "graceful shutdown. Waiting for 1 active agent to finish" in said
    project.let_go("gate")
    project.wait_for_rest()
    assert project.state("a/1") == "COMPLETED"
    assert "Force-terminated" not in " ".join(project.decisions())


def test_a_blocked_run_is_not_resumed_into_nothing(project: Project) -> None:
    project.make(plan(unit("a")), limits={"max_retries": 1})
    project.script("a.1", "sys.exit(1)")
    project.says("start", "--yes", "--foreground", code=3)
    assert "Nothing can continue without a person" in project.says("resume", "--yes", code=3)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('agent = "scripted"', 'agnet = "scripted"', "did you mean agent?"),
        ("check_minutes = 0.3", 'check_minutes = "x"', "limits.check_minutes"),
        ("[verify]", '[verify]\nalways = "make lint"', "write a list of texts"),
        ("[limits]", 'prompt = "argument"\n[limits]', "needs {prompt} in the command"),
        ('"{run_id}"', '"{run_id}", "{promt}"', "did you mean {prompt}?"),
    ],
)
def test_a_mistake_in_the_configuration_is_told_plainly(
    project: Project, before: str, after: str, said: str
) -> None:
    project.make(plan(unit("a")))
    project.configure(before, after)
    assert said in project.says("start", "--yes", "--foreground", code=2)


def test_a_closed_or_full_output_is_no_reason_for_a_traceback(project: Project) -> None:
    project.make(plan(unit("a")))
    project.says("start", "--yes", "--foreground")
    for redirection in (">&-", ">/dev/full"):
        done = project.shell(f"{{topkick}} status {redirection}")
        assert "Traceback" not in done.stderr, redirection
