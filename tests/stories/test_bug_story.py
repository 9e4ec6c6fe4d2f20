"""A bug of topkick's own is one paragraph, and the run that it did not touch goes on."""

import subprocess
import sys
from pathlib import Path

import pytest
from story_project import Project, plan, unit, wait_for

# The program with a bug planted in one function of it.
PLANTED = """
import importlib, sys
from topkick.cli.main import main
module, _, name = sys.argv.pop().rpartition(":")
owner, _, attribute = name.rpartition(".")
place = importlib.import_module(module)
def fails(*_, **__):
    {bug}
setattr(getattr(place, owner) if owner else place, attribute, fails)
main()
"""
BUGS = {
    "KeyError: 'f470b026-7'": "{}['f470b026-7']",
    "MemoryError:": "raise MemoryError",
    "RecursionError: maximum recursion": "fails()",
}
LOOKING = "topkick.app.run_view:Follow.view"


def _run(project: Project, bug: str, where: str, *words: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", PLANTED.replace("{bug}", bug), *words, where],
        cwd=project.root,
        env=project.env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def _details(told: str) -> Path:
    (line,) = [line for line in told.splitlines() if line.startswith("Details: ")]
    return Path(line.removeprefix("Details: "))


def test_a_bug_is_a_paragraph_and_the_run_goes_on(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(project.trail)
    for what, bug in BUGS.items():
        code, _, told = _run(project, bug, LOOKING, "watch")
        assert code == 70
        assert told.startswith(f"topkick has a bug: {what}")
        assert f"The run continues: its supervisor is another process ({project.supervisor()})" in (
            told.replace("(process ", "(")
        )
        assert "Traceback" not in told
        assert len(told.splitlines()) == 4
        kept = _details(told)
        assert kept.stat().st_mode & 0o777 == 0o600
        assert "Traceback" in kept.read_text()
        assert "Please report it" in told
    assert project.state("a") == "RUNNING"
    project.let_go("gate")
    project.wait_for_rest()
    assert project.overall() == "completed"


def test_a_bug_in_the_foreground_says_who_takes_over(project: Project) -> None:
    project.make(plan(unit("a")))
    words = ("start", "--yes", "--foreground")
    code, _, told = _run(project, "{}[1]", "topkick.runner.local_runner:LocalRunner.ensure", *words)
    assert (code, told.splitlines()[0]) == (70, "topkick has a bug: KeyError: 1")
    assert "No supervisor is running now; agents at work continue" in told
    assert "Continue: topkick resume" in told
    assert "Traceback" in _details(told).read_text()
    project.says("resume", "--yes", "--foreground")
    assert project.overall() == "completed"


@pytest.mark.parametrize("writable", [True, False])
def test_a_bug_where_there_is_no_run_touches_none(project: Project, writable: bool) -> None:
    if not writable:
        (project.home / ".local").write_text("no directory")
    code, _, told = _run(project, "{}[1]", "topkick.cli.main:Verbs.list_commands", "nonsense")
    assert (code, "No run was changed." in told) == (70, True)
    assert "Traceback" not in told
    assert ("Details: " in told) is writable
    assert ("Details could not be written (" in told) is not writable
