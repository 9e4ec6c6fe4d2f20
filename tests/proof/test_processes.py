"""Agents that try to escape: nothing survives, and no other process gets a signal."""

import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from proof.bug_signs import bug_in
from proof.processes import campaign
from proof.processes.batch import FENCED, MODES, shapes_for
from proof.processes.fences import fence
from proof.processes.innocents import Innocents, own_namespace
from proof.processes.many import kill_many
from proof.processes.planted import PLANTS, SHOWN_BY
from proof.processes.yard import Yard, end, lives
from proof.terminal import Terminal
from tests.stories.story_project import Project, is_alive, plan, sprint, unit, wait_for
from topkick.engine.io import files
from topkick.runner import run_dir, watch
from topkick.runner.local_runner import Active
from topkick.runner.process import processes

ROOT = Path(__file__).parents[2]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may do this to the machine")
native_only = pytest.mark.parametrize("mode", ["native"], indirect=True)


@pytest.fixture(params=["native", "portable"])
def mode(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    for name, value in MODES[request.param].items():
        monkeypatch.setenv(name, value)
    return str(request.param)


@pytest.fixture
def yard(mode: str, tmp_path: Path) -> Iterator[Yard]:
    made = Yard(tmp_path, mode)
    yield made
    made.close()


@pytest.fixture
def project(mode: str, tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=mode == "portable")
    yield made
    with suppress(AssertionError):
        wait_for(lambda: not made.processes(), 60)
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


@pytest.fixture
def innocents(tmp_path: Path) -> Iterator[Innocents]:
    made = Innocents(tmp_path)
    yield made
    assert made.let_go() == []


# --- escaping ------------------------------------------------------------------------------


@pytest.mark.spec("K1", "K2", "K7")
@pytest.mark.parametrize("shape", [s for s in shapes_for("native", "stop") if s not in FENCED])
def test_no_shape_of_agent_survives_a_stop(yard: Yard, innocents: Innocents, shape: str) -> None:
    innocents.add()
    yard.shape("r1", shape)
    innocents.wait_until_ready()
    yard.runner.stop("r1", 0.1)
    assert yard.end_of("r1").survivors == ()
    assert yard.alive("r1") == []


@pytest.mark.spec("K2")
@native_only
@pytest.mark.parametrize("cgroup", ["1", "0"])
@pytest.mark.parametrize("shape", FENCED)
def test_what_leaves_family_session_and_environment_is_caught_natively(
    yard: Yard, monkeypatch: pytest.MonkeyPatch, shape: str, cgroup: str
) -> None:
    monkeypatch.setenv("TOPKICK_CGROUP", cgroup)
    yard.shape("r1", shape)
    yard.runner.stop("r1", 0.1)
    assert yard.end_of("r1").survivors == ()
    assert yard.alive("r1") == []
    ticks = yard.home / "log.r1.ticks"
    if ticks.exists():
        told = ticks.stat().st_size
        yard.turn()
        assert ticks.stat().st_size == told


SLOW_CHAIN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pause_s, ends_at = float(sys.argv[1]), time.time() + 20
open("chain", "w").write("1\\n")
while time.time() < ends_at:
    if os.fork():
        os._exit(0)
    os.setsid()
    open("last", "w").write(f"{os.getpid()}\\n")
    time.sleep(pause_s)
"""


@pytest.mark.spec("K2")
def test_the_limit_of_portable_mode_is_a_link_that_lives_shorter_than_a_look(yard: Yard) -> None:
    """A chain whose every link forks, leaves its session and exits is caught if a link lives longer
    than a look takes: one `ps` and the signal that follows it, 30 ms on a quiet machine. Measured
    while a `ps` took 250 ms: links of 200 ms were caught 4 times of 4, of 100 ms never.

    Quicker ones outrun portable mode. What also throws the mark away and loses its parent before
    the first census (`unmarked_daemon`) cannot be found there at any speed. Natively the keeper is
    the reaper of all orphans, or a control group holds them: neither can be outrun.
    """
    (yard.home / "chain.py").write_text(SLOW_CHAIN)
    yard.shell("r1", f"{sys.executable} -I -S chain.py 5; sleep 50")
    yard.number_in("chain")
    yard.runner.stop("r1", 0.1)
    assert yard.end_of("r1").survivors == ()
    assert not lives(yard.number_in("last"))


@pytest.mark.spec("D6")
def test_an_exit_is_reported_though_a_grandchild_keeps_the_output_open(yard: Yard) -> None:
    yard.shell("r1", "exec 3>&1; (sleep 50 >&3 2>&1 &); echo before; exit 4")
    ended = yard.end_of("r1")
    assert (ended.how, ended.code, ended.survivors) == ("exited", 4, ())
    assert yard.runner.tail("r1", 0, 100).data == b"before\n"


def test_an_agent_that_closes_its_descriptors_is_followed_to_its_end(yard: Yard) -> None:
    waits = "while [ ! -e go ]; do sleep 0.02; done"
    yard.shell("r1", f"echo first; exec >&- 2>&- <&-; {waits}; exit 5")
    yard.until(lambda: Active("r1") in yard.notices)
    assert yard.ends("r1") == []
    (yard.home / "go").touch()
    assert yard.end_of("r1").code == 5
    assert yard.runner.tail("r1", 0, 100).data == b"first\n"


@pytest.mark.spec("K2")
def test_an_agent_that_fills_the_limit_on_processes_is_ended(mode: str, tmp_path: Path) -> None:
    """In portable mode the list of processes cannot be had then: `ps` is one too many."""
    told = _told("proof.processes.crowd", tmp_path, mode)
    if told == "unfenced\n":
        pytest.skip("no limit on processes can be set here: no control group, and root has none")
    assert json.loads(told) == {"how": "stopped", "survivors": [], "left": []}


@needs_root
@pytest.mark.spec("K2", "D6")
def test_zombies_of_a_process_1_that_does_not_reap_are_no_survivors(
    mode: str, tmp_path: Path, need: Callable[[str], str]
) -> None:
    need("unshare")
    told = json.loads(_told("proof.processes.pid_one", tmp_path, mode, *own_namespace()))
    assert told["zombies"], "then nothing was shown"
    assert (told["survivors"], told["alive"], told["how"]) == ([], [], ["stopped", "stopped"])


def _told(module: str, place: Path, mode: str, *before: str) -> str:
    done = subprocess.run(
        [*before, sys.executable, "-m", module, str(place)],
        cwd=ROOT,
        env={**os.environ, "PROOF_MODE": mode},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- what befalls keepers and agents -------------------------------------------------------

WAITS = "echo one >> starts; while [ ! -e go ]; do sleep 0.02; done; exit 3"


@pytest.mark.spec("D3", "D6")
def test_an_agent_whose_keeper_is_killed_is_followed_and_nothing_starts_twice(yard: Yard) -> None:
    yard.shell("r1", WAITS)
    yard.until(yard.starts)
    end(yard.running("r1").keeper_pid)
    yard.until(lambda: yard.describe("r1").state == "orphaned")
    yard.again()
    yard.shell("r1", WAITS)
    yard.until(lambda: yard.describe("r1").state == "orphaned")
    yard.turn()
    assert yard.ends("r1") == []
    (yard.home / "go").touch()
    assert yard.end_of("r1").how == "lost"
    assert yard.starts() == 1


@pytest.mark.spec("K2")
def test_an_orphan_that_prints_gets_a_broken_pipe_and_its_end_is_seen(yard: Yard) -> None:
    """With its keeper an agent loses the reader of its output. That ends most programs at once,
    which is judged like any lost run; a program that ignores it continues and is followed.
    """
    yard.shell("r1", "trap '' PIPE; " + WAITS.replace("sleep", "echo x; sleep"))
    yard.shell("r2", "while :; do echo x; sleep 0.02; done")
    yard.until(yard.starts)
    for run_id in ("r1", "r2"):
        end(yard.running(run_id).keeper_pid)
    assert yard.end_of("r2").how == "lost"
    assert yard.ends("r1") == []
    (yard.home / "go").touch()
    assert yard.end_of("r1").how == "lost"


@pytest.mark.spec("K1", "K2")
def test_a_frozen_keeper_does_not_save_its_agent_from_the_deadline(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "LATE_S", 0.5)
    yard.shell("r1", "exec sleep 50", deadline_s=4.0)
    yard.until(lambda: yard.ends("r1") or yard.describe("r1").state == "running")
    found = yard.describe("r1")
    if found.state == "running":  # else the machine is so slow that it is too late to freeze it
        end(found.keeper_pid, signal.SIGSTOP)
    assert yard.end_of("r1").how == "deadline"
    assert found.agent_pid is not None
    assert not lives(found.agent_pid)


@pytest.mark.spec("K1", "K2")
def test_a_frozen_keeper_hears_the_stop(yard: Yard) -> None:
    yard.shell("r1", "echo $$ > pid; exec sleep 50")
    pid = yard.number_in("pid")
    end(yard.running("r1").keeper_pid, signal.SIGSTOP)
    yard.runner.stop("r1", 0.2)
    assert yard.end_of("r1").how == "stopped"
    assert not lives(pid)


def test_an_agent_that_the_memory_killer_took_is_reported_as_such(yard: Yard) -> None:
    """By the kernel where we may set a limit, else by the same signal from outside."""
    eat = "x = []\nwhile len(x) < 300: x.append(bytearray(os.urandom(1) * (1 << 20)))"
    names = {"memory.limit_in_bytes": str(48 << 20), "memory.max": str(48 << 20)}
    with fence("memory", names) as path:
        if path is None:
            yard.shell("r1", "echo $$ > pid; exec sleep 50")
            end(yard.number_in("pid"))
        else:
            enter = f"import os\nopen({str(path / 'cgroup.procs')!r}, 'w').write(str(os.getpid()))"
            yard.python("r1", f"{enter}\n{eat}\nprint('never printed')")
        ended = yard.end_of("r1")
    assert (ended.how, ended.signal, ended.survivors) == ("signaled", signal.SIGKILL, ())


@pytest.mark.spec("D3")
def test_a_frozen_launcher_is_replaced(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    yard.shell("r0", "exit 0")
    yard.end_of("r0")
    monkeypatch.setattr(watch, "LAUNCH_LIMIT_S", 2.0)
    monkeypatch.setattr(watch, "LAUNCHES", 40)
    frozen = yard.runner.launcher_pid
    end(frozen, signal.SIGSTOP)
    yard.shell("r1", "echo one >> starts")
    assert yard.end_of("r1").code == 0
    assert yard.runner.launcher_pid != frozen
    assert yard.starts() == 1


@pytest.mark.spec("D3")
def test_a_keeper_that_never_comes_to_its_claim_is_given_up(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run directory that keepers cannot read from: each hangs in opening its order."""
    yard.shell("r1", "echo one >> starts")
    yard.end_of("r1")
    monkeypatch.setattr(watch, "LAUNCH_LIMIT_S", 0.3)
    order = yard.runs / "r2" / "order.json"
    prepare = run_dir.prepare

    def nobody_can_read(
        path: Path, run_id: str, placement: run_dir.Placement, project: str = ""
    ) -> None:
        if not order.is_fifo():
            prepare(path, run_id, placement, project)
            order.unlink()
            os.mkfifo(order)

    monkeypatch.setattr(run_dir, "prepare", nobody_can_read)
    yard.shell("r2", "echo one >> starts")
    ended = yard.end_of("r2")
    assert ended.how == "cannot_start"
    assert ended.errno_text is not None
    assert "keeper.log" in ended.errno_text
    yard.until(lambda: _let_go(order) and not _keepers(yard))
    assert yard.starts() == 1


def _let_go(order: Path) -> bool:
    """Give a process that waits for a writer one, and then the end of the file."""
    os.close(os.open(order, os.O_RDWR | os.O_NONBLOCK))
    return True


def _keepers(yard: Yard) -> set[int]:
    launcher = yard.runner.launcher_pid
    return processes.family([launcher], processes.table()) if launcher else set()


# --- pids of other processes ---------------------------------------------------------------


def _rewrite(yard: Yard, run_id: str, pid: int, *, boot_id: str | None = None) -> None:
    """Have the records of a dead run name a stranger, as when its pids have new owners."""
    path = yard.runs / run_id
    claim = files.unseal((path / "claim").read_bytes())
    agent = files.unseal((path / "agent").read_bytes())
    assert claim is not None
    assert agent is not None
    for who in (claim["keeper"], agent):
        who["pid"] = pid
        who["started"] -= 1000
    claim["boot_id"] = boot_id or claim["boot_id"]
    (path / "claim").write_bytes(files.seal(claim))
    (path / "agent").write_bytes(files.seal(agent))


@pytest.mark.spec("K7", "D3")
@pytest.mark.parametrize("boot_id", [None, "another-boot"])
def test_a_stranger_with_the_pid_of_a_dead_agent_is_never_signalled(
    yard: Yard, innocents: Innocents, boot_id: str | None
) -> None:
    """After a reboot all pids are strangers', and the run is lost without a look at them."""
    innocents.add(own_session=True)
    (stranger,) = innocents.wait_until_ready()
    yard.shell("r1", "echo one >> starts; exec sleep 50")
    yard.until(yard.starts)
    found = yard.running("r1")
    yard.runner.close()  # before it sees anything
    for pid in (found.keeper_pid, found.agent_pid):
        end(pid)
        wait_for(lambda pid=pid: not lives(pid or 0), 60)
    _rewrite(yard, "r1", stranger, boot_id=boot_id)
    yard.again()
    assert yard.describe("r1").state == "lost"
    assert yard.runner.kill_everything(0.1) == []
    yard.again()
    yard.shell("r1", "echo one >> starts")
    yard.runner.stop("r1", 0.1)
    assert yard.end_of("r1").how == "lost"
    assert yard.starts() == 1


@pytest.mark.spec("K7")
def test_a_stranger_with_the_pid_of_a_dead_keeper_is_never_signalled(
    yard: Yard, innocents: Innocents
) -> None:
    """An agent that will not hear, without its keeper, is ended; the keeper's pid is let alone."""
    innocents.add(own_session=True)
    (stranger,) = innocents.wait_until_ready()
    yard.shell("r1", "trap '' TERM; echo one >> starts; while :; do sleep 0.2; done")
    yard.until(yard.starts)
    keeper = yard.running("r1").keeper_pid
    yard.runner.close()
    end(keeper)
    wait_for(lambda: not lives(keeper or 0), 60)
    path = yard.runs / "r1" / "claim"
    claim = files.unseal(path.read_bytes())
    assert claim is not None
    claim["keeper"]["pid"] = stranger
    path.write_bytes(files.seal(claim))
    yard.again()
    yard.shell("r1", "unused")
    yard.runner.stop("r1", 0.1)
    assert yard.end_of("r1").survivors == ()


@needs_root
@native_only
@pytest.mark.spec("K7")
def test_a_pid_that_the_kernel_gave_to_a_stranger_is_never_signalled(
    mode: str, tmp_path: Path, need: Callable[[str], str]
) -> None:
    need("unshare")
    told = json.loads(_told("proof.processes.pid_reuse", tmp_path, mode, *own_namespace()))
    assert told["taken_over"] == 1
    assert (told["heard"], told["survivors"], told["alive"]) == ([], [], [])


@pytest.mark.spec("D3")
@pytest.mark.parametrize("mode", ["portable"], indirect=True)
def test_an_unknown_boot_is_not_another_boot(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    """There a program tells it, and that may fail: what lives must still be found."""
    yard.shell("r1", WAITS)
    yard.until(yard.starts)
    end(yard.running("r1").keeper_pid)
    with monkeypatch.context() as patch:
        patch.setattr(processes, "_boot_ids", {})
        patch.setattr(processes, "_portable_boot_id", lambda: "")
        yard.again()
        yard.shell("r1", WAITS)
        yard.turn()
        assert yard.ends("r1") == []
    (yard.home / "go").touch()
    assert yard.end_of("r1").how == "lost"
    assert yard.starts() == 1


# --- programs that cannot be started -------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing", "No such file or directory"),
        ("not-executable", "Permission denied"),
        ("directory", "Permission denied"),
        ("bad-interpreter", "No such file or directory"),
        ("a-fifo", "Permission denied"),
        ("interpreter-is-a-fifo", "Permission denied"),
    ],
)
def test_a_program_that_cannot_be_started_is_named(yard: Yard, name: str, said: str) -> None:
    home = yard.home
    (home / "not-executable").write_text("#!/bin/sh\n")
    (home / "directory").mkdir()
    os.mkfifo(home / "a-fifo", 0o755)
    for script, interpreter in (
        ("bad-interpreter", "/no/such/interpreter"),
        ("interpreter-is-a-fifo", str(home / "a-fifo")),
    ):
        (home / script).write_text(f"#!{interpreter}\n")
        (home / script).chmod(0o755)
    yard.argv("r1", f"./{name}")
    ended = yard.end_of("r1")
    assert (ended.how, ended.code) == ("cannot_start", None)
    assert ended.errno_text == f"{said}: ./{name}"


@pytest.mark.spec("K1")
def test_the_deadline_ends_a_program_that_hangs_in_exec(yard: Yard) -> None:
    """A lease on the program makes exec wait for its holder, which is us."""
    program = yard.home / "slow"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    before = signal.signal(signal.SIGIO, signal.SIG_IGN)
    try:
        with program.open("r+") as held:
            fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            yard.argv("r1", str(program), deadline_s=0.3)
            assert yard.end_of("r1").how == "deadline"
    finally:
        signal.signal(signal.SIGIO, before)


# --- through the whole program -------------------------------------------------------------

LISTENS = "signal.signal(signal.SIGINT, lambda *_: note('interrupted')); wait('gate'); work()"


@pytest.mark.spec("SD-01", "K7")
def test_ctrl_c_in_the_terminal_drains_and_does_not_reach_agents(project: Project) -> None:
    project.make(plan(unit("a", sprint(), sprint())))
    project.script("a.1", LISTENS)
    words = [sys.executable, "-m", "topkick", "start", "--yes", "--foreground"]
    terminal = Terminal(words, project.root, project.env)
    try:
        wait_for(project.trail, 60)
        terminal.press(b"\x03")
        terminal.until(lambda _: project.state("a") == "STOPPING")
        project.let_go("gate")
        assert terminal.end() == 6
    finally:
        terminal.close()
    assert not [line for line in project.trail() if "interrupted" in line]
    assert (project.state("a"), project.state("a/1")) == ("STOPPED", "COMPLETED")
    assert not bug_in(terminal.written)


def _kill_the_keepers(project: Project, *, and_agents: bool) -> list[Path]:
    paths = [p for p in project.place.runs.iterdir() if (p / "claim").exists()]
    for path in paths:
        for name in ("claim", "agent"):
            found = files.unseal((path / name).read_bytes())
            assert found is not None
            if name == "claim" or and_agents:
                end((found.get("keeper") or found)["pid"])
    return paths


@pytest.mark.spec("D3", "N5", "V1")
def test_work_of_an_agent_whose_keeper_died_is_judged_and_not_done_again(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "wait('gate'); work()")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail, 60)
    _kill_the_keepers(project, and_agents=False)
    project.let_go("gate")
    supervisor.communicate(timeout=120)
    assert supervisor.returncode == 0
    assert len(project.starts()) == 1
    assert project.sprint("a/1").failures == 0


@native_only  # the rest that follows a lost run takes its time, and the modes do not differ here
@pytest.mark.spec("C3", "D3")
def test_after_a_reboot_the_run_is_lost_charged_to_nobody_and_given_out_again(
    project: Project,
) -> None:
    project.make(plan(unit("a")))
    project.script("a.1.1", "write('half.txt'); wait('gate')")
    supervisor = project.begin("start", "--yes", "--foreground")
    wait_for(project.trail, 60)
    project.die(supervisor)
    (path,) = _kill_the_keepers(project, and_agents=True)
    (start,) = project.starts()
    wait_for(lambda: not is_alive(start.pid), 60)
    claim = files.unseal((path / "claim").read_bytes())
    assert claim is not None
    claim["boot_id"] = "another-boot"
    (path / "claim").write_bytes(files.seal(claim))
    project.says("resume", "--foreground")
    first, second = project.starts()
    assert (first.attempt, second.attempt) == (1, 1)
    assert first.run_id != second.run_id
    assert project.sprint("a/1").failures == 0
    assert project.overall() == "completed"


# --- the campaign --------------------------------------------------------------------------


@pytest.mark.spec("K1", "K2", "K4", "K7")
@pytest.mark.parametrize(
    ("of", "kills"), [("native", 48), ("no-cgroup", 32), ("portable", 40)], ids=str
)
def test_a_share_of_the_campaign_has_no_survivor_and_no_victim(of: str, kills: int) -> None:
    figures = campaign.run(campaign.plan(kills, [of], seed=3), 1, lambda _: None)
    assert figures.good, figures
    assert figures.kills == kills


@pytest.mark.parametrize("plant", PLANTS)
def test_the_campaign_catches_a_planted_bug(plant: str) -> None:
    way = SHOWN_BY.get(plant, "stop")
    orders = [campaign.Order(n, 7, "native", way, 8, plant) for n in range(2)]
    figures = campaign.run(orders, 1, lambda _: None)
    hit = figures.foreign if plant in ("by-name", "no-start-time") else figures.survivors
    assert hit, f"{plant} was not caught: {figures}"


@pytest.mark.spec("Y3", "K4")
@pytest.mark.parametrize("supervised", [True, False])
def test_killall_ends_agents_of_which_half_are_deaf(supervised: bool) -> None:
    """`python -m proof.processes.many` has 64 of them, and a bound in time."""
    found = kill_many(4, supervised=supervised)
    assert (found.agents, found.left, found.code) == (4, 0, 0), found.said
