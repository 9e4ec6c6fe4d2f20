"""Stories of the emergency brake: forged records, a lost state directory, a disk that is full."""

import json
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from story_project import Project, is_alive, plan, sprint, unit, wait_for

FORGE = """
import zlib
runs = PROJECT / ".git/topkick/main/current/runs" / RUN_ID
def forge(name, text):
    sealed = f'{text[:-1]}, "sum": {zlib.crc32(text.encode())}}}'
    (runs / "draft").write_text(sealed)
    (runs / "draft").rename(runs / name)
    wire = os.open(runs / "wire", os.O_WRONLY | os.O_NONBLOCK)
    os.write(wire, b"x")
    os.close(wire)
"""
NOT_A_KEEPER = '{"keeper": {"x": 1}, "boot_id": 5}'
DEEP = '{"how": ' + "[" * 100_000 + "]" * 100_000 + "}"
WRONG_TYPES = '{"how": "exited", "code": "0", "survivors": 5, "cpu_s": NaN}'
DEAF = "deaf(); hang()"


def _forge(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.write_text(f'{text[:-1]}, "sum": {zlib.crc32(text.encode())}}}')


def _pids(project: Project) -> list[int]:
    return [start.pid for start in project.starts()]


@pytest.mark.spec("K4", "K6", "SD-05")
@pytest.mark.parametrize("words", [("killall",), ("stop", "--now")])
def test_a_forged_record_saves_no_agent(project: Project, words: tuple[str, ...]) -> None:
    project.make(plan(unit("a"), unit("b"), unit("c")))
    project.script("default", DEAF)
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(lambda: sum("hangs" in line for line in project.trail()) == 3)
    project.die(supervisor)
    runs = {start.unit: project.place.runs / start.run_id for start in project.starts()}
    _forge(runs["a"] / "claim", NOT_A_KEEPER)
    _forge(runs["b"] / "agent", '{"pid": "1", "started": []}')
    _forge(runs["b"] / "stop.json", '{"grace_s": 1e300}')
    _forge(runs["c"] / "exit.json", DEEP)
    _forge(runs["c"] / "order.json", WRONG_TYPES)
    (project.place.runs / "-not-a-run").mkdir()
    assert "RUNNING" in project.says("status")
    said = project.says(*words)
    assert not [pid for pid in _pids(project) if is_alive(pid)]
    assert "Agents after kill:" in said
    assert sum(" dead " in line for line in said.splitlines()) >= 3
    assert "damaged: claim" in said
    assert project.overall() == "killed"
    project.script("default", "work()")
    project.says("resume", "--foreground")
    assert project.overall() == "completed"


@pytest.mark.spec("K4", "K6")
def test_an_agent_that_holds_the_lock_of_a_forged_claim_is_ended(project: Project) -> None:
    """Earlier it looked like an agent in another container, and `killall` refused to act."""
    project.make(plan(unit("a"), unit("b")))
    lock = """
import fcntl
claim = json.loads((runs / "claim").read_text())
del claim["sum"]
claim["keeper"] = {"pid": 4_000_000, "started": 1}
forge("claim", json.dumps(claim))
held = open(runs / "claim")
fcntl.flock(held, fcntl.LOCK_EX)
"""
    project.script("default", DEAF)
    project.script("a.1", f"{FORGE}{lock}{DEAF}")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(lambda: sum("hangs" in line for line in project.trail()) == 2)
    project.die(supervisor)
    project.says("killall")
    assert not [pid for pid in _pids(project) if is_alive(pid)]


@pytest.mark.spec("D1", "D2", "K4")
def test_forged_records_of_a_living_agent_stop_no_supervisor(project: Project) -> None:
    """One wrong field with a right checksum ended the supervisor and every resume after it."""
    project.make(plan(unit("a"), unit("b"), unit("c"), unit("d")))
    for name, text in {"a": '{"how": 7}', "b": DEEP, "c": WRONG_TYPES}.items():
        project.script(f"{name}.1", f"{FORGE}\nforge('exit.json', {text!r}); work()")
    project.script("d.1.1", f"{FORGE}\nforge('claim', {NOT_A_KEEPER!r}); {DEAF}")
    project.says("start", "--yes", "--foreground")
    assert project.overall() == "completed"
    assert [s.unit for s in project.starts()].count("d") == 2
    assert len(project.starts()) == 5
    assert not [pid for pid in _pids(project) if is_alive(pid)]


@pytest.mark.spec("D2", "D6")
def test_an_exit_record_of_a_living_agent_does_not_count(project: Project) -> None:
    """Earlier the record was believed, and the next agent was sent into the same tree."""
    project.make(plan(unit("a", sprint(), sprint()), unit("b", sprint(), sprint())))
    ended = json.dumps({"how": "exited", "code": 0})
    project.script("a.1", f"{FORGE}\nforge('exit.json', {ended!r}); work(); wait('gate')")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(lambda: any("waits gate" in line for line in project.trail()))
    wait_for(lambda: project.state("b") == "COMPLETED")
    assert [s.sprint for s in project.starts() if s.unit == "a"] == ["1"]
    assert project.state("a/1") in {"DISPATCHED", "RUNNING"}
    assert len(project.status()["active_agents"]) == 1
    project.let_go("gate")
    assert project.end_of(supervisor)[0] == 0
    assert [s.sprint for s in project.starts() if s.unit == "a"] == ["1", "2"]


@pytest.mark.spec("D2", "K2")
def test_an_agent_that_ended_its_keeper_and_forged_its_end_is_ended(project: Project) -> None:
    project.make(plan(unit("a", sprint(), sprint())))
    ended = json.dumps({"how": "exited", "code": 0})
    rid = "os.kill(os.getppid(), signal.SIGKILL)"
    project.script("a.1", f"{FORGE}\nwork(); forge('exit.json', {ended!r}); {rid}; {DEAF}")
    project.says("start", "--yes", "--foreground")
    first, second = project.starts()
    assert (first.sprint, second.sprint) == ("1", "2")
    assert not is_alive(first.pid)


@pytest.mark.spec("K4", "K6", "K7")
def test_killall_finds_agents_whose_state_is_gone(project: Project) -> None:
    project.make(plan(unit("a"), unit("b")))
    project.script("default", DEAF)
    project.start_in_background()
    wait_for(lambda: sum("hangs" in line for line in project.trail()) == 2)
    shutil.rmtree(project.root / ".git" / "topkick")
    mark = {"TOPKICK_RUN": "0123456789abcdef.r1-0123456789ab", "PATH": os.environ["PATH"]}
    words = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
    with subprocess.Popen(words, env=mark) as of_another_project:
        try:
            said = project.says("killall", code=5)
            is_left_alone = of_another_project.poll() is None
        finally:
            of_another_project.kill()
    assert said.count("found by its mark") == 2, said
    assert "Agents terminated: 2" in said
    assert not [pid for pid in _pids(project) if is_alive(pid)]
    assert is_left_alone


@pytest.mark.spec("D2", "D3", "C3")
def test_an_agent_that_deletes_its_own_records_is_not_doubled(project: Project) -> None:
    """Earlier it counted as never begun, and `resume` sent a second agent into the tree."""
    project.make(plan(unit("a")))
    runs = project.root / ".git/topkick/main/current/runs"
    gone = f"import shutil; shutil.rmtree('{runs}/' + os.environ['TOPKICK_ORDER'])"
    project.script("a.1.1", f"{gone}\nwait('gate'); work()")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(lambda: any("waits" in line for line in project.trail()))
    project.says("retry", "U1/1", "--note", "again", code=2)  # the supervisor has had a turn
    project.let_go("gate")
    code, said = project.end_of(supervisor)
    assert code == 0, said
    assert len(project.starts()) == 1
    assert "Kill All" not in said
    assert project.state("a/1") == "COMPLETED"


# --- disks that take nothing ---------------------------------------------------------------


def _mount(*words: str) -> None:
    done = subprocess.run(["mount", *words], capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"it cannot be mounted here: {done.stderr.decode().strip()}")


@pytest.fixture
def small_disk(project: Project) -> Iterator[Project]:
    """The project, its root on a disk of its own."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    _mount("-t", "tmpfs", "-o", "size=8m", "tmpfs", str(project.root))
    yield project
    project.run("killall")
    wait_for(lambda: not project.processes())
    subprocess.run(["umount", "-l", project.root], check=True)


def _fill(project: Project) -> None:
    with (project.root / "filler").open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue


def _ends_and_holds(project: Project) -> None:
    said = project.says("killall", code=1)
    assert not is_alive(_pids(project)[0])
    assert "topkick left a stop mark" in said
    assert "The kill could not be recorded" in said
    said = project.says("status")
    assert "could not be written to the journal" in said
    assert "· killed ·" in said
    assert "· running ·" not in said
    assert "Active agents: 0" in said
    assert project.status()["overall"] == "killed"


@pytest.mark.spec("K6", "D7")
def test_killall_on_a_full_disk_holds_once_there_is_room(small_disk: Project) -> None:
    project = small_disk.make(plan(unit("a")))
    project.script("a.1", DEAF)
    project.start_in_background()
    wait_for(lambda: any("hangs" in line for line in project.trail()))
    _fill(project)
    _ends_and_holds(project)
    (project.root / "filler").unlink()
    project.wait_for_rest()
    assert project.overall() == "killed"
    assert len(project.starts()) == 1
    assert "could not be written" not in project.says("status")
    project.script("a.1", "work()")
    project.says("resume", "--foreground")
    assert project.overall() == "completed"


@pytest.mark.spec("K6", "D7")
def test_killall_on_a_read_only_disk_holds_for_a_supervisor_that_comes_later(
    small_disk: Project,
) -> None:
    project = small_disk.make(plan(unit("a")))
    project.script("a.1", DEAF)
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(lambda: any("hangs" in line for line in project.trail()))
    project.die(supervisor)
    wait_for(lambda: project.supervisor() is None)
    state = str(project.place.state_dir)
    _mount("--bind", state, state)
    _mount("-o", "remount,ro,bind", state)
    _ends_and_holds(project)
    subprocess.run(["umount", state], check=True)
    project.says("supervise", "EXECUTION_PLAN.md", code=6)
    assert project.overall() == "killed"
    assert len(project.starts()) == 1


# --- forced stops --------------------------------------------------------------------------


@pytest.mark.spec("SD-03", "SD-06")
def test_a_forced_stop_reports_and_records_like_killall(project: Project) -> None:
    project.make(plan(unit("a"), unit("b")))
    project.script("a.1", f"write('half.txt'); {DEAF}")
    project.script("b.1", "work()")
    project.start_in_background()
    wait_for(lambda: any("hangs" in line for line in project.trail()))
    wait_for(lambda: project.state("b") == "COMPLETED")
    project.says("stop")
    said = project.says("stop")
    assert "Ending 1 active agent.\n" in said
    assert "Kill All Complete\n\nAgents terminated: 1\n" in said
    assert "Work units with uncommitted work: a" in said
    assert "a/1" in said
    assert "stash push -u -- " in said
    project.wait_for_rest()
    assert "a: has uncommitted work from killed Sprint 1 (a/half.txt)" in project.board()
    assert "uncommitted work: a/half.txt" in project.says("status")
    assert project.overall() == "stopped"


# --- settings ------------------------------------------------------------------------------


def test_settings_without_bounds_are_refused_in_a_sentence(project: Project) -> None:
    project.make(plan(unit("a")))
    path = project.root / "topkick.toml"
    whole = path.read_text()
    path.write_text(whole + "\nx = " + "[" * 20_000 + "]" * 20_000 + "\n")
    said = project.says("start", "--dry-run", code=2)
    assert "nests lists or tables too deep" in said
    assert "Traceback" not in said
    path.write_text(whole.replace("[limits]", f"[limits]\nmax_agents = {'9' * 24}\nmax_turns = 0"))
    said = project.says("start", "--dry-run", code=2)
    assert "limits.max_agents" in said
    assert "limits.max_turns" in said
    path.write_text(whole.replace("[limits]", f"[limits]\nmax_agents = {'9' * 5_000}"))
    assert "too long" in project.says("start", "--dry-run", code=2)


def test_little_memory_is_enough_to_read_small_files(project: Project) -> None:
    """A limit of a gibibyte was asked for whole before the first byte was read."""
    project.make(plan(unit("a")))
    project.says("start", "--yes", "--foreground")
    done = project.shell("ulimit -v 120000; {topkick} status && {topkick} killall")
    assert "MemoryError" not in done.stderr
    assert done.returncode == 0, done.stderr
