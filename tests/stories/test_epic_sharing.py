"""Two hosts tick one epic that they share by a branch: real clones, processes and pushes."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from story_project import Project, wait_for

from topkick.app.project import find_file_project
from topkick.epic.body import Epic, read_epic

pytestmark = pytest.mark.spec("EP-03")
AGENT = Path(__file__).with_name("epic_agent.py")
EPIC = "tasks/old-headers.md"
TABLE = "| # | ID | Title | Status |\n|---|---|---|---|\n| 1 | t-1 | One | queued |\n"


@pytest.fixture
def hosts(project: Project, tmp_path: Path) -> Iterator[tuple[Project, Project]]:
    """The same epic in two clones; their agents note what they begin in one place."""
    project.make("# Nothing to run by units\n", top={"agent": "scripted"})
    (project.root / "EXECUTION_PLAN.md").unlink()
    command = [sys.executable, "-I", "-S", str(AGENT), str(project.scripts)]
    project.configure(json.dumps(project.agent_command()), json.dumps(command))
    settings = project.root / "topkick.toml"
    settings.write_text(settings.read_text() + '\n[epic]\nshare = "origin/epics"\n')
    (project.root / "tasks").mkdir()
    text = "---\nid: old-headers\ntype: epic\nstatus: queued\n---\n# Old headers\n"
    (project.root / EPIC).write_text(f"{text}\n## Work Items\n\n{TABLE}")
    (project.root / "tasks/t-1.md").write_text("---\nid: t-1\nstatus: queued\n---\n# One\n")
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", project.root, bare], check=True)
    project.git("remote", "add", "origin", str(bare))
    (tmp_path / "other").mkdir()
    other = Project(tmp_path / "other", portable=project.portable)
    shutil.copytree(project.root, other.root, dirs_exist_ok=True)
    yield project, other
    assert not other.close()


def epic(host: Project) -> Epic:
    text = (host.root / EPIC).read_text()
    return read_epic(text, fallback_id="old-headers", at_us=0, host="")


def begun(host: Project) -> list[str]:
    lines = (host.scripts / "starts").read_text().splitlines()
    return [line.partition(" ")[2] for line in lines]


def wait_for_worker(host: Project) -> None:
    item = epic(host).item("t-1")
    assert item is not None
    place = find_file_project(host.root / EPIC, "epic").runs / item.dispatch
    wait_for((place / "exit.json").exists)


def test_one_of_two_hosts_sends_the_worker_and_the_other_hands_over(
    hosts: tuple[Project, Project],
) -> None:
    here, there = hosts
    ticks = [host.begin("epic", "tick", EPIC) for host in hosts]
    ends = [host.end_of(tick) for host, tick in zip(hosts, ticks, strict=True)]
    assert [code for code, _ in ends] == [0, 0]
    assert begun(here).count("worker t-1") == 1
    sender = next(h for h, (_, said) in zip(hosts, ends, strict=True) if "dispatch t-1" in said)
    other = there if sender is here else here
    wait_for_worker(sender)
    assert "waits for t-1" in other.says("epic", "tick", EPIC), "its claim is on the other host"
    assert "verifier PASS on t-1" in sender.says("epic", "tick", EPIC)
    assert "is at its review surface: 1 item" in other.says("epic", "tick", EPIC)
    assert "status: ready_for_user_review" in (other.root / "tasks/t-1.md").read_text()
    assert "t-1 is done" in other.says("epic", "merged", EPIC, "t-1")
    assert "every decision agrees with the rules" in here.says("journal", "replay", "--check")


def test_whoever_pushes_may_die_and_is_sent_again(hosts: tuple[Project, Project]) -> None:
    here, there = hosts
    trace = str(here.scripts / "trace")
    env = {"TOPKICK_CRASH_AT": "share.after-push", "TOPKICK_CRASH_TRACE": trace}
    assert "dispatch t-1" in here.run("epic", "tick", EPIC, env=env).stdout
    (there.root / "tasks/t-1.md").unlink()
    assert "waits for t-1" in there.says("epic", "tick", EPIC)
    assert (there.root / "tasks/t-1.md").exists(), "it came with the branch"
    assert begun(here).count("worker t-1") == 1
    wait_for_worker(here)
