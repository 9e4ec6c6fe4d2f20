"""Everything that is written while the viewer looks reaches its screen, however the two cross."""

import pickle
import signal
import sqlite3
import subprocess
import sys

import pytest
from story_project import Project, plan, sprint, unit, wait_for

# Puts a part of the journal back each time that the viewer is between reading and drawing.
CROSSED = """
import pickle, sqlite3, sys
from topkick.cli.main import main
from topkick.app.run_view import Follow
path, parts = pickle.load(open(sys.argv.pop(), "rb"))
draw = Follow.view
def write_then_draw(self):
    with sqlite3.connect(path) as journal:
        rows = parts.pop(0) if parts else []
        journal.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    journal.close()
    return draw(self)
Follow.view = write_then_draw
main()
"""
PARTS = 5


@pytest.mark.spec("RP-02")
def test_a_record_written_between_reading_and_drawing_is_told(project: Project) -> None:

    project.make(plan(unit("a", sprint(), sprint())))
    project.says("start", "--yes", "--foreground")
    everything = project.says("logs").splitlines()
    path = project.place.journal_path
    (project.root / "SUPERVISOR_STATE.md").unlink()  # names the record that the journal ends with
    with sqlite3.connect(path) as journal:
        rows = journal.execute("SELECT * FROM records ORDER BY seq").fetchall()
        steps = sorted({row[1] for row in rows})
        first = steps[len(steps) // 4]
        journal.execute("DELETE FROM records WHERE step > ?", (first,))
    journal.close()
    later = [row for row in rows if row[1] > first]
    size = -(-len(later) // PARTS)
    parts = [later[at : at + size] for at in range(0, len(later), size)]
    (project.home / "parts").write_bytes(pickle.dumps((str(path), parts)))
    done = subprocess.run(
        [sys.executable, "-c", CROSSED, "watch", str(project.home / "parts")],
        cwd=project.root,
        env=project.env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert done.stdout.splitlines()[: len(everything)] == everything
    assert done.returncode == 0


@pytest.mark.spec("SD-01")
def test_ctrl_c_ends_the_watching_into_a_file_too(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(project.trail)
    watching = project.begin("watch")
    assert watching.stdout is not None
    watching.stdout.readline()  # it is at it
    watching.send_signal(signal.SIGINT)
    code, said = project.end_of(watching)
    assert (code, said.splitlines()[-1]) == (
        0,
        "The run continues. Stop: topkick stop    Follow: topkick watch",
    )
    assert project.state("a") == "RUNNING"
    project.let_go("gate")
    project.wait_for_rest()
