"""Stories of a state directory that is deleted while agents work."""

import shutil
import sqlite3
from contextlib import closing

import pytest
from story_project import Project, is_alive, plan, unit, wait_for


@pytest.mark.spec("J8", "D2")
@pytest.mark.parametrize("lost", [".git/topkick", ".git"])
def test_a_lost_journal_is_told_and_nothing_is_started_beside_its_agents(
    project: Project, lost: str
) -> None:
    project.make(plan(unit("a")))
    project.script("a.1.1", "wait('gate')")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(lambda: project.trail() and "<!-- topkick journal" in project.board())
    shutil.rmtree(project.root / lost)
    for words in (("status",), ("start", "--yes", "--foreground"), ("resume",), ("stop",)):
        said = project.says(*words, code=5)
        assert "The journal of the run in SUPERVISOR_STATE.md is gone" in said
        assert "If agents of that run are still at work" in said
        assert "topkick killall" in said
        assert ("There is no .git here either" in said) == (lost == ".git")
    assert len(project.starts()) == 1
    assert is_alive(project.starts()[0].pid)
    project.let_go("gate")
    project.end_of(supervisor)
    wait_for(lambda: not project.processes())
    anew = project.says("status", code=5).splitlines()[-1].strip()
    assert anew.startswith("mv ")
    assert anew.endswith(" && topkick start")
    begin = anew.replace("topkick start", "{topkick} start --yes --foreground")
    said = project.shell(begin).stdout
    assert len(project.starts()) >= 2, said
    assert (project.root / "SUPERVISOR_STATE.lost.md").exists()


@pytest.mark.spec("J8")
def test_a_journal_from_before_the_first_release_is_put_aside_as_printed(project: Project) -> None:
    """The command that was printed moved the journal alone, and the next start refused."""
    project.make(plan(unit("a")))
    project.says("start", "--yes", "--foreground")
    with closing(sqlite3.connect(project.place.journal_path)) as db, db:
        db.execute("UPDATE meta SET value = '2' WHERE key = 'schema'")
    for words in (("status",), ("start", "--yes"), ("journal", "repair", "--salvage"), ("stop",)):
        said = project.says(*words, code=2)
        assert "from before the first release" in said
        assert "the version that began it" in said
    anew = project.says("status", code=2).splitlines()[-1].partition("Then begin anew: ")[2]
    assert anew.startswith("mv ")
    begin = anew.replace("topkick start", "{topkick} start --yes --foreground")
    assert "1 done" in project.shell(begin).stdout


@pytest.mark.spec("J8")
def test_the_anchor_is_outside_before_the_first_record_is_written(project: Project) -> None:
    project.make(plan(unit("a")))
    trace = str(project.scripts / "trace")
    env = {"TOPKICK_CRASH_AT": "loop.written:1", "TOPKICK_CRASH_TRACE": trace}
    assert project.run("start", "--yes", "--foreground", env=env).returncode != 0
    assert "<!-- topkick journal" in project.board()
    state, away = project.place.state_dir, project.home / "away"
    state.rename(away)
    assert "is gone" in project.says("start", "--yes", "--foreground", code=5)
    away.rename(state)
    project.says("start", "--yes", "--foreground")
    assert project.overall() == "completed"


@pytest.mark.spec("ST-03")
@pytest.mark.parametrize("point", ["start.before-archive", "start.after-archive"])
def test_a_start_killed_while_it_archives_the_last_run_can_be_said_again(
    project: Project, point: str
) -> None:
    project.make(plan(unit("a")))
    again = ("start", "--yes", "--foreground", "--again")
    project.says(*again)
    env = {"TOPKICK_CRASH_AT": point, "TOPKICK_CRASH_TRACE": str(project.scripts / "trace")}
    assert project.run(*again, env=env).returncode != 0
    project.says(*again)
    assert project.overall() == "completed"
