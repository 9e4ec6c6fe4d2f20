"""One project seen from two containers: process ids of one mean nothing in the other."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.stories.story_project import Project, is_alive, plan, unit, wait_for
from topkick.runner import run_dir

PATIENCE_S = 90.0
CAN = os.geteuid() == 0
WHY = "only root may make a PID namespace, so this suite proves nothing here"


def end_of(process: "subprocess.Popen[str]") -> tuple[int, str]:
    said, _ = process.communicate(timeout=PATIENCE_S)
    return process.returncode, said


@pytest.fixture
def project(tmp_path: Path, need: Callable[[str], str]) -> Iterator[Project]:
    need("unshare")
    if not CAN:
        pytest.skip(WHY)
    probe = ["unshare", "-p", "-f", "--mount-proc", "true"]
    if subprocess.run(probe, check=False, capture_output=True).returncode != 0:
        pytest.skip("PID namespaces cannot be made here, so this suite proves nothing")
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


def at_work(project: Project) -> "subprocess.Popen[str]":
    project.make(plan(unit("a")))
    project.script("a.1", "wait('a'); work()")
    first = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail, PATIENCE_S)
    return first


def elsewhere(project: Project, *words: str, twin_of: int) -> tuple[int, str]:
    """Run a command in another container, where a process has the pid that `twin_of` has here."""
    topkick = shlex.join([sys.executable, "-m", "topkick", *words])
    script = f"""
      echo {twin_of - 1} > /proc/sys/kernel/ns_last_pid
      sleep 80 & twin=$!
      {topkick}; code=$?
      kill -0 $twin && echo the twin $twin lives
      kill -9 $twin
      exit $code
    """
    done = subprocess.run(
        ["unshare", "-p", "-f", "--mount-proc", "/bin/sh", "-c", script],
        cwd=project.root,
        env={**project.env, "HOME": f"{project.home}-elsewhere"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    said = done.stdout + done.stderr
    assert " lives" in said, f"a process that is none of ours was ended:\n{said}"
    return done.returncode, said


def keeper_of(project: Project) -> int:
    (path,) = (p for p in project.place.runs.iterdir() if (p / "claim").exists())
    claim = run_dir.read_claim(path)
    assert claim is not None
    assert claim.keeper is not None
    return claim.keeper.pid


@pytest.mark.spec("J4", "K7", "SD-05")
def test_a_supervisor_in_another_container_is_seen_and_does_what_it_is_told(
    project: Project,
) -> None:
    first = at_work(project)
    code, said = elsewhere(project, "status", twin_of=first.pid)
    assert code == 0, said
    assert f"runs in another container (there as process {first.pid})" in said
    code, said = elsewhere(project, "resume", "--foreground", twin_of=first.pid)
    assert code == 4, said
    assert "A supervisor is at work already; it got the command." in said
    agent = project.starts()[0].pid
    assert is_alive(agent)
    code, said = elsewhere(project, "killall", twin_of=keeper_of(project))
    assert code == 0, said
    assert "Agents terminated: 1" in said
    assert end_of(first)[0] == 6
    assert not is_alive(agent)
    assert len(project.starts()) == 1


@pytest.mark.spec("K7", "D3", "SD-05")
def test_agents_of_a_dead_supervisor_in_another_container_are_left_alone(
    project: Project,
) -> None:
    first = at_work(project)
    project.die(first)
    agent, keeper = project.starts()[0].pid, keeper_of(project)
    for words in (("killall",), ("resume", "--foreground"), ("stop", "--now")):
        code, said = elsewhere(project, *words, twin_of=keeper)
        assert code == 4, said
        assert "work in another container" in said
        assert "nothing was signalled" in said
        assert is_alive(agent)
    code, said = elsewhere(project, "status", twin_of=agent)
    assert code == 0, said
    assert "The supervisor is dead; 1 agent still working" in said
    assert "Agents terminated: 1" in project.says("killall")
    assert not is_alive(agent)
    assert project.overall() == "killed"
