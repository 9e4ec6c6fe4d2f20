"""Reports of a finished run, by the real program."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from gated import ended
from story_project import Project, plan, sprint, unit

from topkick.app.run_view import journal_happenings
from topkick.sprint.report.completion import MARKER


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


@pytest.mark.spec("RP-03", "RP-04", "MS-03")
def test_the_report_of_a_run(alone: Project) -> None:
    alone.make(plan(unit("a", sprint(), sprint()), unit("b", needs="a")))
    said = alone.says("report", code=2)
    assert said == "There is no run here yet. Begin one: topkick start\n"
    alone.script("a.2.1", "fail()")
    theirs = alone.root / "COMPLETE_project.md"
    theirs.write_text("# Completed Work, by somebody else\n")
    ended(alone.begin("start", "--yes", "--foreground"))

    text = alone.says("report")
    assert (alone.root / "COMPLETE_project-2.md").read_text() == text, "the supervisor keeps it"
    assert theirs.read_text() == "# Completed Work, by somebody else\n"
    assert "COMPLETE" not in alone.git("status", "--porcelain")
    assert text.startswith(f"{MARKER}\n# Completed Work — ")
    assert "- Total sprints completed: 3 (all)\n" in text
    assert "### ✓ Sprint U1/2: Part 2\n" in text
    assert "Order 1: " in text
    assert "✓ VERIFICATION PASSED" in text

    done = alone.shell("{topkick} report --json | python3 -m json.tool")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["schema"] == "topkick.report/1"
    assert figures["verification"]["passed"] is True
    assert [len(s["orders"]) for s in figures["sprints"]] == [1, 2, 1]
    mission = alone.mission()
    busy_us = sum(s.spent.busy_us for u in mission.units.values() for s in u.sprints)
    assert figures["cadence"]["overall"]["active_s"] >= round(busy_us / 1e6, 3)

    kinds = {item.seq: type(item.happening).__name__ for item in journal_happenings(alone.place)}
    for one in figures["sprints"]:
        assert kinds[one["records"]["completed"]] == "SprintMoved"
        for order in one["orders"]:
            assert [kinds[seq] for seq in order["records"]] == [
                "RunDispatched",
                "AgentExited",
                "SprintJudged",
            ]


@pytest.mark.spec("RP-03", "RP-04")
def test_the_file_can_be_written_anew_and_an_old_run_be_told_of(alone: Project) -> None:
    alone.make(plan(unit("a")))
    ended(alone.begin("start", "--yes", "--foreground"))
    assert alone.says("report", "--write") == "Written: COMPLETE_project.md\n"
    path = alone.root / "COMPLETE_project.md"
    before = path.read_text()
    assert before == alone.says("report")
    path.write_text(f"{MARKER}\nscribbles\n")
    alone.says("report", "--write")
    assert path.read_text() == before
    first = alone.mission().id

    assert "is for the current run" in alone.says("report", "--write", "--json", code=2)
    assert "No archived run" in alone.says("report", "--of", first, code=2)
    (alone.root / "a" / "done-1.txt").unlink()
    alone.git("commit", "-q", "-a", "-m", "Once more")
    ended(alone.begin("start", "--yes", "--foreground", "--again"))
    assert alone.mission().id != first
    assert json.loads(alone.says("report", "--of", first, "--json"))["mission"] == first
    assert alone.says("report", "--of", first) == before
