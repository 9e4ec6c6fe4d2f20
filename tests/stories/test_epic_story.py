"""Epics moved on by the real command line, with scripted agents and real processes."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from story_project import Project, wait_for

from topkick.app.project import find_file_project
from topkick.cli import main
from topkick.epic.body import Epic, read_epic

AGENT = Path(__file__).with_name("epic_agent.py")
EPIC = "tasks/old-headers.md"
LONG_AGO = "2020-01-01T00:00:00Z"


def make(project: Project, *, queued: bool = True) -> Project:
    """Make a project with an epic; with `queued`, the epic has one queued item."""
    project.make("# Nothing to run by units\n", top={"agent": "scripted"})
    (project.root / "EXECUTION_PLAN.md").unlink()
    command = [sys.executable, "-I", "-S", str(AGENT), str(project.scripts)]
    project.configure(json.dumps(project.agent_command()), json.dumps(command))
    text = "---\nid: old-headers\ntype: epic\nstatus: queued\n---\n# Old headers\n"
    (project.root / "tasks").mkdir()
    (project.root / EPIC).write_text(text)
    if queued:
        table = "| # | ID | Title | Status |\n|---|---|---|---|\n| 1 | t-1 | One | queued |\n"
        (project.root / EPIC).write_text(f"{text}\n## Work Items\n\n{table}")
        (project.root / "tasks/t-1.md").write_text("---\nid: t-1\nstatus: queued\n---\n# One\n")
    return project


def epic(project: Project) -> Epic:
    text = (project.root / EPIC).read_text()
    return read_epic(text, fallback_id="old-headers", at_us=0, host="")


def asked(project: Project) -> list[str]:
    path = project.scripts / "starts"
    lines = path.read_text().splitlines() if path.exists() else []
    ids = [line.split(" ")[0] for line in lines]
    assert len(ids) == len(set(ids)), "an order was begun twice"
    return [line.partition(" ")[2] for line in lines]


def wait_for_worker(project: Project, name: str = "t-1") -> None:
    """Until the worker's end is on record."""
    item = epic(project).item(name)
    assert item is not None
    place = find_file_project(project.root / EPIC, "epic").runs / item.dispatch
    wait_for((place / "exit.json").exists)


Says = Callable[..., str]


@pytest.fixture
def says(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Says:
    """The command line in this very process, where no other is what the story is about."""
    for name, value in project.env.items():
        monkeypatch.setenv(name, value)

    def run(*words: str, code: int = 0) -> str:
        monkeypatch.chdir(project.root)
        ended = main.run(list(words))
        said = "".join(capsys.readouterr())
        assert ended == code, f"topkick {' '.join(words)}: {ended}\n{said}"
        return said

    return run


@pytest.mark.spec("EP-10", "EP-14", "EP-16", "EP-35")
def test_from_a_title_to_the_review_surface(project: Project, says: Says):
    make(project, queued=False)
    (project.root / EPIC).unlink()
    assert "Next: topkick epic tick" in says("epic", "new", "Old headers")
    assert "2 subtasks proposed" in says("epic", "tick", "old-headers", code=3)
    assert "No epic here is queued or in progress" in says("epic", "drain")
    assert "For a person to decide" in says("epic", "show", "old-headers")
    says("epic", "clear", EPIC)
    for name in ("old-headers-1", "old-headers-2"):
        assert f"dispatch {name} to scripted" in says("epic", "tick", EPIC)
        wait_for_worker(project, name)
        assert f"verifier PASS on {name}" in says("epic", "drain")
    assert "is at its review surface: 2 items" in says("epic", "loop", "1s", EPIC, "--ticks", "1")
    assert asked(project) == [
        "planner old-headers",
        *("planner old-headers", "worker old-headers-1", "verifier old-headers-1"),
        *("planner old-headers", "worker old-headers-2", "verifier old-headers-2"),
    ]
    assert "Epic run" in says("status")
    assert '"summary": "Done."' in says("logs", "worker old-headers-1")
    assert "every decision agrees with the rules" in says("journal", "replay", "--check")
    assert project.git("branch", "--list", "topkick/*").split() == [
        "topkick/old-headers-1",
        "topkick/old-headers-2",
    ]
    assert "is done" in says("epic", "merged", EPIC, "topkick/old-headers-1")
    assert "is done" in says("epic", "merged", EPIC, "old-headers-2")
    assert epic(project).status == "done"
    assert "status: done" in (project.root / "tasks/old-headers-1.md").read_text()


@pytest.mark.spec("EP-03", "EP-35")
def test_two_ticks_at_once_and_a_worker_that_outlives_its_tick(project: Project, says: Says):
    make(project)
    (project.scripts / "hold").touch()
    first = project.begin("epic", "tick", EPIC)
    others = [project.begin("epic", "tick", EPIC) for _ in range(2)]
    ends = [project.end_of(process) for process in (first, *others)]
    assert [code for code, _ in ends] == [0, 0, 0]
    assert asked(project).count("worker t-1") == 1
    assert "waits for t-1" in says("epic", "tick", EPIC)
    silent = (project.root / EPIC).read_text().replace(epic(project).items[0].active, LONG_AGO)
    (project.root / EPIC).write_text(silent)
    assert "its worker is alive on this host" in says("epic", "stale", EPIC)
    assert epic(project).items[0].status == "in_progress"
    (project.scripts / "hold").unlink()
    wait_for_worker(project)
    assert "verifier PASS on t-1" in says("epic", "tick", EPIC)


@pytest.mark.spec("EP-01", "EP-03")
def test_moved_and_without_its_journal_it_goes_on_from_the_body(project: Project, says: Says):
    make(project)
    says("epic", "tick", EPIC)
    wait_for_worker(project)
    says("epic", "tick", EPIC)
    shutil.rmtree(project.root / ".git" / "topkick")
    moved = project.root.parent / "elsewhere"
    project.root.rename(moved)
    project.root = moved
    assert "is at its review surface: 1 item" in says("epic", "tick", EPIC)
    assert "- [ ]" not in (project.root / EPIC).read_text()


@pytest.mark.spec("EP-03")
@pytest.mark.parametrize("point", ["files.before-edit:1", "files.after-edit:2", "loop.written:14"])
def test_killed_the_next_tick_goes_on(project: Project, says: Says, point: str):
    make(project)
    trace = str(project.scripts / "trace")
    env = {"TOPKICK_CRASH_AT": point, "TOPKICK_CRASH_TRACE": trace}
    project.run("epic", "tick", EPIC, env=env)
    says("epic", "tick", EPIC)
    wait_for_worker(project)
    says("epic", "tick", EPIC)
    assert asked(project) == ["planner old-headers", "worker t-1", "verifier t-1"]
    assert epic(project).items[0].status == "ready_for_user_review"


@pytest.mark.spec("EP-03", "EP-35")
def test_stale_items_of_other_hosts_are_queued_again(project: Project, says: Says):
    make(project)
    text = (project.root / EPIC).read_text()
    header = "| # | ID | Status | Dispatch | Last activity |\n|---|---|---|---|---|\n"
    table = f"{header}| 1 | t-1 | in_progress | far-1 | {LONG_AGO} |\n"
    (project.root / EPIC).write_text(text.split("| # |")[0] + table)
    assert "waits for t-1" in says("epic", "tick", EPIC)
    assert "Queued again: 1 stale item" in says("epic", "stale", EPIC, "--hours", "4")
    assert epic(project).items[0].status == "queued"
    assert "dispatch t-1" in says("epic", "tick", EPIC)
    wait_for_worker(project)


GH = """#!/bin/sh
echo "$*" >> {at}/said
case "$*" in *list*) echo '[]' ;; *) cat >> {at}/said; echo https://example.test/o/r/pull/7 ;; esac
"""
SSH = """#!/bin/sh
for last; do :; done
exec sh -c "$(echo "$last" | sed "s#'.*'#'{at}/bare.git'#")"
"""


@pytest.mark.spec("EP-14")
def test_the_pull_request_of_what_has_passed_is_opened_by_gh(
    project: Project, says: Says, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    make(project)
    settings = project.root / "topkick.toml"
    settings.write_text(settings.read_text() + '\n[epic]\nreview = "gh"\n')
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "bare.git"], check=True)
    project.git("remote", "add", "origin", "git@example.test:o/r.git")
    (tmp_path / "bin").mkdir()
    for name, text in (("gh", GH), ("ssh", SSH)):
        (tmp_path / "bin" / name).write_text(text.format(at=tmp_path))
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{project.env['PATH']}")
    says("epic", "tick", EPIC)
    wait_for_worker(project)
    says("epic", "tick", EPIC)
    assert "https://example.test/o/r/pull/7" in says("epic", "tick", EPIC)
    said = (tmp_path / "said").read_text()
    assert "pr create --repo example.test/o/r --head topkick/t-1 --title One" in said
    assert "The verifier passed t-1 on:" in said
    pushed = subprocess.run(["git", "rev-parse", "topkick/t-1"], cwd=tmp_path / "bare.git",
                            capture_output=True, text=True, check=True)  # fmt: skip
    assert pushed.stdout.strip() == project.git("rev-parse", "topkick/t-1").strip()
    assert epic(project).items[0].status == "ready_for_user_review"


@pytest.mark.spec("EP-02", "EP-11")
def test_mistakes_are_told_with_what_to_do_next(project: Project, says: Says):
    make(project)
    assert "create one: topkick epic new" in says("epic", "tick", "nowhere", code=2)
    assert "It has: t-1" in says("epic", "clear", EPIC, "t-9", code=2)
    assert "Write it as 90s, 30m or 2h" in says("epic", "loop", "often", EPIC, code=2)
    assert "exists already" in says("epic", "new", "Old headers", code=2)
    assert "No work item has" in says("epic", "merged", EPIC, "t-9", code=2)
    assert json.loads(says("schema", "epic-verifier"))["title"] == "epic-verifier"
