"""From settings to a running supervisor: the only place that names the concrete classes."""

import itertools
import os
import secrets
import selectors
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType

from topkick.boards import file_board, supervisor_state
from topkick.core import happenings as h
from topkick.core.chain import Head
from topkick.core.errors import (
    AnotherSupervisor,
    JournalDamaged,
    JournalUnavailable,
    TopkickError,
    UsageError,
)
from topkick.core.model import Claimed, Isolation, Mission, Overall, Plan, Settings, Stance
from topkick.core.spending import run_share
from topkick.core.standing import SPRINT, asked_for_is_done, overall
from topkick.core.texts import Text
from topkick.outside import starter
from topkick.outside.agent_bench import AgentBench
from topkick.outside.bell import Bell
from topkick.outside.bus import Bus, BusBench, recent
from topkick.outside.check_bench import CheckBench
from topkick.outside.errand_bench import ErrandBench
from topkick.outside.file_bench import OPEN, FileBench
from topkick.outside.ground import crash_points
from topkick.outside.ground.run_dir import describe
from topkick.outside.journal import Journal, post
from topkick.outside.local_runner import LocalRunner
from topkick.outside.lock import ProjectLock
from topkick.outside.plan_watch import PlanWatch
from topkick.outside.state_file import Render, StateFile
from topkick.plans.content import content_hash
from topkick.supervisor import COMMANDS, Bench, News, Supervisor
from topkick.wiring.confining import confine, judges_door
from topkick.wiring.identity import environment_of
from topkick.wiring.isolating import building_place, own_files, root_of, verify_place
from topkick.wiring.listening import Listener, Say
from topkick.wiring.looking import process_of, read_anchor, take_a_look, who_am_i
from topkick.wiring.ownership import settle
from topkick.wiring.policies import policy_of
from topkick.wiring.project import (
    JUDGE,
    TEAM,
    Project,
    exclude_our_files,
    make_state_dir,
    note_plan,
    put_board_away,
    require_local_disk,
    stamp,
)
from topkick.wiring.reporting import Boards, CompletionLog, completion_path
from topkick.wiring.tree import uncommitted_by_unit

LOCK_PATIENCE_S = 2.0
WITH_BUS = (TEAM, JUDGE)


def now_us() -> int:
    return time.time_ns() // 1000


def silence(_line: str) -> None:
    return


# --- beginning a run -----------------------------------------------------------------------


def begin(
    project: Project,
    plan: Plan,
    settings: Settings,
    isolation: Isolation | None = None,
    claims: tuple[Claimed, ...] = (),
) -> None:
    """Make the journal and leave the start in its inbox; a finished run is archived (ST-03)."""
    require_local_disk(project)
    make_state_dir(project)
    with ProjectLock(project.state_dir).acquire(now_us()):
        settle(project)
        view = take_a_look(project)
        if view is not None and view.mission.plan is not None:
            _require_finished(view.mission)
            _archive(project, view.mission)
        elif view is not None:  # a start that never came to be: its order is not to be obeyed now
            _require_abandoned(project)
            shutil.rmtree(project.current)
        starter.sign(project.state_dir)
        exclude_our_files(project)
        put_board_away(project, now_us())
        project.current.mkdir(mode=0o700, exist_ok=True)
        crash_points.here("start.before-plan-note")
        note_plan(project)
        crash_points.here("start.after-plan-note")
        Journal.create(project.journal_path, now_us()).close()
        start = h.Start(secrets.token_hex(4), plan, settings, isolation, claims)
        post(project.journal_path, who_am_i(), *COMMANDS.encode(start), now_us())


def _require_abandoned(project: Project) -> None:
    """Between a start and its supervisor the project is free, and not to be taken."""
    pid = starter.living(project.state_dir)
    if pid is not None:
        raise AnotherSupervisor(
            f"Another start is under way here: process {pid}. Look at it: topkick status"
        )


def _require_finished(mission: Mission) -> None:
    if mission.backgrounds:
        names = ", ".join(b.name for b in mission.backgrounds.values())
        raise UsageError(
            f"The last run left something running: {names}.\nEnd it first: topkick background stop"
        )
    how = overall(mission)
    if how is Overall.COMPLETED:
        return
    raise UsageError(
        f"A run is here already ({how}), so `start` would lose its place.\n"
        "Go on with it: topkick resume    Look at it: topkick status    Attach: topkick watch"
    )


def _archive(project: Project, mission: Mission) -> None:
    project.archive.mkdir(mode=0o700, exist_ok=True)
    crash_points.here("start.before-archive")
    project.current.rename(project.archive / f"{stamp(mission.began_at_us)}-{mission.id}")
    crash_points.here("start.after-archive")


# --- being the supervisor ------------------------------------------------------------------


class World:
    """The wall clock, and waiting on everything that can wake us.

    Much may have happened to the project while we slept: `look_first` is called before we go on.
    """

    def __init__(self, look_first: Callable[[], None]) -> None:
        self._look_first = look_first
        self._selector = selectors.DefaultSelector()
        self._drains: dict[int, Callable[[], object]] = {}

    def watch(self, fileno: int, drain: Callable[[], object] = lambda: None) -> None:
        self._selector.register(fileno, selectors.EVENT_READ)
        self._drains[fileno] = drain

    def now_us(self) -> int:
        return now_us()

    def rest(self, duration_s: float) -> None:
        """A pause that nothing but a signal's own handler interrupts."""
        time.sleep(duration_s)
        self._look_first()

    def wait(self, timeout_s: float | None) -> None:
        crash_points.here("loop.before-wait")
        for key, _ in self._selector.select(timeout_s):
            self._drains[key.fd]()
        self._look_first()

    def close(self) -> None:
        self._selector.close()


def drive(
    project: Project,
    *,
    say: Say = silence,
    driven: bool = True,
    at_rest: h.Command | None = None,
    at_once: h.Command | None = None,
) -> int:
    """Become the supervisor in this process; the exit code when it is over.

    `at_rest` is said by whoever holds the project, where nothing is under way, `at_once` in any
    case; who does not get it at once has said nothing.
    """
    said = at_once or at_rest
    with _lock(project, LOCK_PATIENCE_S if driven and said is None else 0.0) as lock:
        settle(project)
        mission = _supervise(project, lock, say, driven=driven, at_rest=at_rest, at_once=at_once)
        return exit_code(mission)


def _supervise(
    project: Project,
    lock: ProjectLock,
    say: Say,
    *,
    driven: bool,
    at_rest: h.Command | None,
    at_once: h.Command | None,
) -> Mission:
    with ExitStack() as held:
        journal = held.enter_context(
            Journal.open(project.journal_path, anchor=read_anchor(project))
        )

        def look_first() -> None:
            lock.require_in_place()
            with suppress(JournalUnavailable):  # that is for whoever writes to deal with
                journal.require_ours()

        world = World(look_first)
        held.callback(world.close)
        supervisor = _assemble(project, journal, world, held, say)
        begun = supervisor.mission.plan is not None
        rests = supervisor.mission.stance is not Stance.WORKING
        for command in (at_once, at_rest if rests else None):
            if command is not None and begun:
                supervisor.say(command)
        with _signals(supervisor, world, driven=driven):
            return supervisor.run(driven=driven, holder=f"{who_am_i()} pid {os.getpid()}")


def _lock(project: Project, patience_s: float) -> ProjectLock:
    """A passing terminal may hold the project for a moment; a living supervisor does not let go."""
    ends_at_s = time.monotonic() + patience_s
    while True:
        try:
            return ProjectLock(project.state_dir).acquire(now_us())
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
        case Overall.RUNNING:
            return 0 if not mission.driven else 128 + signal.SIGTERM


def _assemble(
    project: Project, journal: Journal, world: World, held: ExitStack, say: Say
) -> Supervisor:
    bell = held.enter_context(Bell(project.current))
    world.watch(bell.fileno(), bell.drain)
    supervisor: Supervisor

    def settings() -> Settings | None:
        return supervisor.mission.settings

    def plan_sha256() -> str:
        return supervisor.mission.plan.sha256 if supervisor.mission.plan is not None else ""

    environ = environment_of(project.root, project.plan_path)
    completion = completion_path(project)
    agents = LocalRunner(project.runs)
    checks = CheckBench(
        project.root,
        project.runs,
        project.log_path,
        settings,
        environ,
        isolation=lambda: supervisor.mission.isolation,
        own_files=lambda: own_files(project, supervisor.mission),
        verify_in=verify_place(project),
        slots_in=building_place(),
    )
    for watched in (agents, checks):
        held.callback(watched.close)
        world.watch(watched.fileno())
    benches: tuple[Bench, ...] = (
        AgentBench(
            agents,
            project.root,
            project.runs,
            settings,
            lambda text: _read_text(journal, text),
            environ,
            not_theirs=(project.board_path, completion),
            root_of=lambda tree: root_of(project, supervisor.mission, tree),
        ),
        checks,
        *_watch(project, journal, plan_sha256, environ, world, held),
    )

    log = CompletionLog(journal.records() if project.kind == SPRINT else ())
    board = _boards(project, journal, log, completion)
    listener = Listener(project, held, say)

    def hear(news: News) -> None:
        if project.kind == SPRINT:
            log.hear(news.at_us, news.fact, news.events)
        listener.hear(news)

    supervisor = Supervisor(
        policy_of(project.kind),
        journal,
        (*benches, listener),
        world,
        board,
        hear,
        listener.complain,
    )
    held.callback(_flush_at_last, board, supervisor, journal)
    if project.kind == JUDGE:
        confine(project, agents)
    return supervisor


def _watch(
    project: Project,
    journal: Journal,
    plan_sha256: Callable[[], str],
    environ: Mapping[str, str],
    world: World,
    held: ExitStack,
) -> tuple[Bench, ...]:
    """A plan is watched for edits; a file that is the truth is read when a policy asks."""

    def state_of(run_id: str) -> tuple[str, int]:
        """And when it last printed something."""
        place = project.runs / run_id
        try:
            printed_us = (place / "output").stat().st_mtime_ns // 1000
        except OSError:
            printed_us = 0
        return describe(place).state, printed_us

    def text_of(text: Text) -> str:
        return _read_text(journal, text)

    files = FileBench(project.root, text_of, state_of)
    if project.kind == SPRINT:
        return (PlanWatch(project.plan_path, content_hash, plan_sha256), files)
    if project.kind not in WITH_BUS:
        errands = ErrandBench(project.root, project.state_dir, project.log_path, text_of, environ)
        held.callback(errands.close)
        world.watch(errands.fileno())
        return (files, errands)
    bus = Bus(project.plan_path.parent)
    bench = BusBench(bus)
    held.callback(bench.close)
    if (descriptor := bench.fileno()) is not None:
        world.watch(descriptor, bench.drain)
    door = judges_door(project) if project.kind == JUDGE else OPEN
    root = project.plan_path.parent if project.kind == JUDGE else project.root
    return (FileBench(root, text_of, state_of, door, lambda last: recent(bus, last)), bench)


def _boards(project: Project, journal: Journal, log: CompletionLog, completion: Path) -> Boards:
    def still_ours(render: Render) -> Render:
        """Looked at as late as can be: a board of ours would hide a newer one."""

        def rendered(mission: Mission, head: Head) -> str:
            text = render(mission, head)
            with suppress(JournalUnavailable):
                journal.require_ours()
            return text

        return rendered

    def state(mission: Mission, head: Head) -> str:
        return render_board(project, mission, head)

    return Boards(
        StateFile(project.board_path, still_ours(state), drafts=project.state_dir),
        log,
        StateFile(completion, still_ours(log.render), drafts=project.state_dir),
    )


def _flush_at_last(board: Boards, supervisor: Supervisor, journal: Journal) -> None:
    with suppress(AnotherSupervisor, JournalUnavailable):
        board.flush(supervisor.mission, journal.head)


def _read_text(journal: Journal, text: Text) -> str:
    body = text.body if text.body is not None else journal.text(text.sha256)
    if body is None:
        raise JournalDamaged(
            f"The journal has lost text {text.sha256[:12]}, which an order is made of.\n"
            "Nothing was dispatched. See: topkick journal check    "
            "Then: topkick journal repair --salvage"
        )
    return body


def render_board(project: Project, mission: Mission, head: Head) -> str:
    if project.kind != SPRINT:
        return file_board.render(mission, head, now_us())
    processes = {run_id: process_of(project, run_id) for run_id in mission.runs}
    runs = str(project.runs)
    killed = mission.stance is Stance.KILLED
    return supervisor_state.render(
        mission,
        head,
        now_us(),
        processes,
        runs_directory=runs,
        uncommitted=_left_behind(project, mission) if killed else {},
    )


def _left_behind(project: Project, mission: Mission) -> dict[str, tuple[str, ...]]:
    """A repository that cannot be read is no reason to lose the board."""
    try:
        return uncommitted_by_unit(project, mission)
    except TopkickError:
        return {}


@contextmanager
def _signals(supervisor: Supervisor, world: World, *, driven: bool) -> Iterator[None]:
    """Ctrl-C drains, and forces when it comes again; SIGTERM leaves the agents working.

    Who only attends to the inbox has no agents to stop: there Ctrl-C leaves, too.
    """

    pressed = itertools.count()

    def stop(_number: int, _frame: FrameType | None) -> None:
        draining = supervisor.mission.stance is Stance.STOPPING
        supervisor.say(h.Stop(force=bool(next(pressed)) or draining))

    def leave(_number: int, _frame: FrameType | None) -> None:
        supervisor.leave()

    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    world.watch(ours.fileno(), lambda: _drain(ours))
    wake_before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    interrupt = stop if driven else leave
    handlers = {signal.SIGINT: interrupt, signal.SIGTERM: leave, signal.SIGHUP: leave}
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
