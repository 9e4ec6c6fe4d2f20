"""Begin a run, and supervise it in this process until it is over."""

import itertools
import json
import os
import secrets
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from types import FrameType

import topkick
from topkick.app.clock import WallClock, now_us
from topkick.app.listeners import Say
from topkick.app.project import (
    Project,
    exclude_our_files,
    make_state_dir,
    note_plan,
    put_board_away,
    require_local_disk,
    stamp,
    stop_mark,
)
from topkick.app.run_view import read_anchor, take_a_look, who_am_i
from topkick.app.state_dir.lock import ProjectLock
from topkick.app.state_dir.ownership import settle
from topkick.app.state_dir.supervisor_deaths import forget_deaths, read_deaths
from topkick.engine import messages as h
from topkick.engine.errors import AnotherSupervisor, JournalUnavailable, UsageError
from topkick.engine.io import crash_points
from topkick.engine.io.files import NOTE_BYTES, fsync_dir, read_plain, replace_atomically
from topkick.engine.io.view_file import write_board
from topkick.engine.journal import EMPTY, post
from topkick.engine.journal.writer import Journal
from topkick.engine.loop import Supervisor
from topkick.engine.messages import COMMANDS
from topkick.engine.settings import OnSigterm, Settings
from topkick.engine.wake_notices import SupervisorWake
from topkick.git.isolation import Isolation
from topkick.plan_format.model import Plan
from topkick.runner.process import processes
from topkick.runner.process.processes import Identity
from topkick.sprint.model import Claimed, Mission, Overall, Stance
from topkick.sprint.run.missing_plan import keep_copy
from topkick.sprint.spending import run_share
from topkick.sprint.status import asked_for_is_done, overall
from topkick.sprint.views.state_file import first_board

# --- fingerprint of topkick's source files -----------------------------------------------------
# The supervisor notices with it that the files changed during a run.

SHOWN = 12


def fingerprint() -> str:
    """Return the version with a hash over every source file; empty if they cannot be read."""
    place = Path(topkick.__file__).parent
    whole = sha256()
    try:
        for path in sorted(place.rglob("*.py")):
            whole.update(f"{path.relative_to(place)}\n".encode("utf-8", "surrogateescape"))
            whole.update(sha256(path.read_bytes()).digest())
    except OSError:  # topkick may be upgraded just now
        return ""
    return f"{topkick.__version__} ({whole.hexdigest()[:SHOWN]})"


# --- the process that starts a run -------------------------------------------------------------
# It has queued a `start` command and waits until a supervisor reads it.

STARTER_FILE = "starter.json"


def sign(state_dir: Path) -> None:
    """Record this process, before the queued start can be found."""
    said = json.dumps(processes.identify(os.getpid())).encode()
    replace_atomically(state_dir / STARTER_FILE, said, durable=False)


def living(state_dir: Path) -> int | None:
    """Return the pid of the process that signed last, if it lives and is not this process."""
    try:
        who = Identity(*json.loads(read_plain(state_dir / STARTER_FILE, NOTE_BYTES)))
        return who.pid if who.pid != os.getpid() and processes.alive(who) else None
    except (OSError, ValueError, TypeError, RecursionError, OverflowError):
        return None


LOCK_PATIENCE_S = 2.0
ABANDONED = "abandoned-"


def silence(_line: str) -> None:
    return


# --- start of a run ----------------------------------------------------------------------------


def begin(
    project: Project,
    plan: Plan,
    settings: Settings,
    isolation: Isolation | None = None,
    claims: tuple[Claimed, ...] = (),
) -> None:
    """Create the journal and queue the start; a finished run is archived (ST-03)."""
    require_local_disk(project)
    make_state_dir(project)
    with ProjectLock(project.state_dir).acquire(now_us()):
        settle(project)
        view = take_a_look(project)
        if view is not None and view.mission.plan is not None:
            _require_finished(view.mission)
            put_board_away(project, now_us())  # without its journal it would stop the start
            _archive(project, view.mission)
        elif view is not None:  # an abandoned start: its queued command must not run now
            _require_abandoned(project)
            put_board_away(project, now_us())
            _move_away(project)
        for abandoned in project.archive.glob(f"{ABANDONED}*"):
            shutil.rmtree(abandoned, ignore_errors=True)
        stop_mark(project).release()  # it was meant for the run before
        forget_deaths(project.state_dir)
        sign(project.state_dir)
        exclude_our_files(project)
        put_board_away(project, now_us())
        project.current.mkdir(mode=0o700, exist_ok=True)
        crash_points.here("start.before-plan-note")
        note_plan(project)
        crash_points.here("start.after-plan-note")
        keep_copy(project, plan)
        Journal.create(project.journal_path, now_us()).close()
        _anchor(project)
        start = h.Start(secrets.token_hex(4), plan, settings, isolation, claims)
        post(project.journal_path, who_am_i(), *COMMANDS.encode(start), now_us())


def _anchor(project: Project) -> None:
    """Write the empty journal's head to the state file before the start can be obeyed (law 2).

    So even a journal that is deleted before its supervisor wrote the state file is missed.
    """
    text = first_board(EMPTY).encode()
    with suppress(OSError):  # as for every board: the run does not depend on it
        write_board(project.board_path, text, project.state_dir)


def _require_abandoned(project: Project) -> None:
    """Raise if another start is under way; the lock is free until that supervisor runs."""
    pid = living(project.state_dir)
    if pid is not None:
        raise AnotherSupervisor(
            f"Another start is under way here (process {pid}), so this one did nothing. "
            "Look: topkick status"
        )


def _require_finished(mission: Mission) -> None:
    if mission.backgrounds:
        names = ", ".join(b.name for b in mission.backgrounds.values())
        raise UsageError(
            f"Processes of the last run are still running: {names}.\n"
            "No run was started. End them first: topkick background stop"
        )
    how = overall(mission)
    if how is Overall.COMPLETED:
        return
    raise UsageError(
        f"A run is here already ({how}), and `start` would abandon it. Nothing was started.\n"
        "Continue it: topkick resume    Look: topkick status    Follow: topkick watch"
    )


def _archive(project: Project, mission: Mission) -> None:
    project.archive.mkdir(mode=0o700, exist_ok=True)
    crash_points.here("start.before-archive")
    project.current.rename(project.archive / f"{stamp(mission.began_at_us)}-{mission.id}")
    crash_points.here("start.after-archive")


def _move_away(project: Project) -> None:
    """Move everything at once, before any of it is removed: half a journal would count as
    damaged.
    """
    project.archive.mkdir(mode=0o700, exist_ok=True)
    gone = f"{ABANDONED}{stamp(now_us())}-{secrets.token_hex(2)}"
    project.current.rename(project.archive / gone)
    fsync_dir(project.archive)
    fsync_dir(project.state_dir)


# --- the supervisor's process ------------------------------------------------------------------


def drive(
    project: Project,
    *,
    say: Say = silence,
    driven: bool = True,
    at_rest: h.Command | None = None,
    at_once: h.Command | None = None,
    background: bool = False,
) -> int:
    """Become the supervisor in this process, and return the exit code at the end.

    `at_once` is a command to take first, `at_rest` one to take first unless the run is working.
    With either, don't wait for the project's lock: without the lock, no command is given. SIGTERM
    ends the agents too, unless the settings say otherwise or the supervisor is in the `background`.
    """
    said = at_once or at_rest
    patience_s = LOCK_PATIENCE_S if driven and said is None else 0.0
    with _lock(project, patience_s, driven=driven) as lock:
        settle(project)
        said_first = (at_once, at_rest)
        mission = _supervise(project, lock, say, said_first, driven=driven, background=background)
        return exit_code(mission)


def _supervise(
    project: Project,
    lock: ProjectLock,
    say: Say,
    said_first: tuple[h.Command | None, h.Command | None],
    *,
    driven: bool,
    background: bool,
) -> Mission:
    from topkick.app.assemble import assemble  # `start` and `stop` need none of the parts

    at_once, at_rest = said_first
    with ExitStack() as held:
        journal = held.enter_context(
            Journal.open(project.journal_path, anchor=read_anchor(project))
        )

        def look_first() -> None:
            lock.require_in_place()
            with suppress(JournalUnavailable):  # the next write handles it
                journal.require_ours()

        world = WallClock(look_first)
        held.callback(world.close)
        supervisor = assemble(project, journal, world, held, say)
        begun = supervisor.mission.plan is not None
        rests = supervisor.mission.stance is not Stance.WORKING
        for command in (at_once, at_rest if rests else None):
            if command is not None and begun:
                supervisor.say(command)
        with _signals(supervisor, world, driven=driven, background=background):
            holder = f"{who_am_i()} pid {os.getpid()}"
            wake = _wake(project, supervisor.mission, driven=driven)
            return supervisor.run(driven=driven, holder=holder, wake=wake)


def _wake(project: Project, mission: Mission, *, driven: bool) -> SupervisorWake:
    """Return what the supervisor finds when it starts; leave out deaths already recorded."""
    program = fingerprint() if driven else ""
    last = read_deaths(project.state_dir)
    if last.at_us in {0, mission.died_at_us}:
        return SupervisorWake(program)
    return SupervisorWake(program, last.died, last.at_us, max(last.total, mission.deaths + 1))


def _lock(project: Project, patience_s: float, *, driven: bool) -> ProjectLock:
    """Lock the project; wait for a command that holds it shortly, not for a supervisor."""
    ends_at_s = time.monotonic() + patience_s
    while True:
        try:
            return ProjectLock(project.state_dir).acquire(now_us(), driven=driven)
        except AnotherSupervisor:
            if time.monotonic() >= ends_at_s:
                raise
            time.sleep(0.05)


def exit_code(mission: Mission) -> int:
    match overall(mission):
        case Overall.COMPLETED:
            return 0
        case Overall.STOPPED if asked_for_is_done(mission):
            return 0
        case Overall.BLOCKED:
            return 3
        case Overall.STOPPED if mission.settings is not None and run_share(mission).part >= 1.0:
            return 7
        case Overall.STOPPED | Overall.KILLED | Overall.STOPPING:
            return 6
        case Overall.RUNNING:  # it was told to leave by a signal
            return 0 if not mission.driven else 6


@contextmanager
def _signals(
    supervisor: Supervisor, world: WallClock, *, driven: bool, background: bool
) -> Iterator[None]:
    """Ctrl-C drains, and forces when it comes again; SIGTERM ends the agents or leaves them.

    In the foreground (a terminal, systemd, a container, CI), SIGTERM means that the machinery
    around the supervisor is about to end everything. So the agents are ended and that is recorded,
    unless `on_sigterm` says "leave"; at the second SIGTERM the supervisor leaves at once. In the
    background it leaves its agents at work. A process that only attends to the inbox has no agents
    to stop: there Ctrl-C leaves, too.
    """

    pressed = itertools.count()

    def stop(_number: int, _frame: FrameType | None) -> None:
        draining = supervisor.mission.stance is Stance.STOPPING
        supervisor.say(h.Stop(force=bool(next(pressed)) or draining))

    def leave(_number: int, _frame: FrameType | None) -> None:
        supervisor.leave()

    terminated = itertools.count()

    def terminate(_number: int, _frame: FrameType | None) -> None:
        settings = supervisor.mission.settings
        ends = settings is not None and settings.on_sigterm is OnSigterm.STOP
        if ends and not next(terminated):
            supervisor.say(h.Stop(force=True, why="SIGTERM to the supervisor in the foreground"))
            supervisor.leave(after_agents=True)
        else:
            supervisor.leave()

    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    world.watch(ours.fileno(), lambda: _drain(ours))
    wake_before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    interrupt = stop if driven else leave
    on_term = terminate if driven and not background else leave
    handlers = {signal.SIGINT: interrupt, signal.SIGTERM: on_term, signal.SIGHUP: leave}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        signal.set_wakeup_fd(wake_before)
        for number, handler in before.items():
            signal.signal(number, handler)
        ours.close()
        theirs.close()


def _drain(wake: socket.socket) -> None:
    try:
        while wake.recv(512):
            pass
    except BlockingIOError:
        return
