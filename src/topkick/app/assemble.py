"""Assemble a supervisor: all its parts are chosen here."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from topkick.app.clock import WallClock, now_us
from topkick.app.listeners import Say, StepListener
from topkick.app.project import TEAM, Project, stop_mark
from topkick.app.slices import policy_of
from topkick.app.state_dir.identity import environment_of
from topkick.app.state_dir.stop_mark import StopMark
from topkick.checks.executor import CheckBench
from topkick.engine.codec.chain import Head
from topkick.engine.codec.texts import Text
from topkick.engine.errors import AnotherSupervisor, JournalDamaged, JournalUnavailable
from topkick.engine.io.file_executor import OPEN, FileBench
from topkick.engine.io.view_file import Render, StateFile
from topkick.engine.journal.writer import Journal
from topkick.engine.loop import Bench, News, Supervisor
from topkick.engine.settings import Settings
from topkick.engine.views import run_file
from topkick.runner.agent_executor import AgentBench
from topkick.runner.local_runner import LocalRunner
from topkick.runner.run_dir import describe
from topkick.runner.wake_fifo import WakeFifo
from topkick.sprint.model import JUDGE, SPRINT, Mission
from topkick.sprint.orders import heads_by_handle
from topkick.sprint.run.isolation import building_place, own_files, verify_place
from topkick.sprint.run.report_file import Boards, CompletionLog, completion_path
from topkick.sprint.run.uncommitted import left_by_killed, root_of
from topkick.sprint.views import state_file

WITH_BUS = (TEAM, JUDGE)


def assemble(
    project: Project, journal: Journal, world: WallClock, held: ExitStack, say: Say
) -> Supervisor:
    bell = held.enter_context(WakeFifo(project.current))
    world.watch(bell.fileno(), bell.drain)
    supervisor: Supervisor

    def settings() -> Settings | None:
        return supervisor.mission.settings

    def plan_sha256() -> str:
        mission = supervisor.mission
        return mission.plan_edited or (mission.plan.sha256 if mission.plan is not None else "")

    environ, completion = environment_of(project.root, project.plan_path), completion_path(project)
    agents = LocalRunner(project.runs, project=project.token)
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
        heads=lambda handle: heads_by_handle(supervisor.mission, handle),
        plan=lambda: supervisor.mission.plan,
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
    listener = StepListener(project, held, say)

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
        _ready_brake(project),
    )
    held.callback(_flush_at_last, board, supervisor, journal)
    _confine(project, agents)
    return supervisor


def _confine(project: Project, agents: LocalRunner) -> None:
    """Confine a judge's process: it may write only the files of its session."""
    if project.kind == JUDGE:
        from topkick.team.run.judge_sandbox import confine

        confine(project, agents)


def _ready_brake(project: Project) -> StopMark:
    brake = stop_mark(project)
    brake.make_ready()
    return brake


def _watch(
    project: Project,
    journal: Journal,
    plan_sha256: Callable[[], str],
    environ: Mapping[str, str],
    world: WallClock,
    held: ExitStack,
) -> tuple[Bench, ...]:
    """Return the executors that watch a plan for edits, or read a file that holds the state; only
    those of this kind of supervisor are loaded.
    """

    def state_of(run_id: str) -> tuple[str, int]:
        """Return a run's state, and when it last printed something."""
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
        from topkick.plan_format.front_matter import content_hash
        from topkick.sprint.run.plan_watch import PlanWatch

        return (PlanWatch(project.plan_path, content_hash, plan_sha256), files)
    if project.kind not in WITH_BUS:
        from topkick.git.remote.executor import ErrandBench

        errands = ErrandBench(project.root, project.state_dir, project.log_path, text_of, environ)
        held.callback(errands.close)
        world.watch(errands.fileno())
        return (files, errands)
    from topkick.team.bus.executor import BusBench, recent
    from topkick.team.bus.store import Bus
    from topkick.team.run.judge_sandbox import judges_door

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
        """Check as late as possible that no newer supervisor has written the state file."""

        def rendered(mission: Mission, head: Head) -> str:
            text = render(mission, head)
            with suppress(JournalUnavailable):
                journal.require_ours()
            return text

        return rendered

    kept = state_file.KeptLines()

    def state(mission: Mission, head: Head) -> str:
        return render_board(project, mission, head, kept)

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
            f"The journal has lost text {text.sha256[:12]}, which is part of an order.\n"
            "The order was not dispatched. See: topkick journal check    "
            "Then: topkick journal repair --salvage"
        )
    return body


def render_board(
    project: Project,
    mission: Mission,
    head: Head,
    kept: state_file.KeptLines | None = None,
) -> str:
    if project.kind != SPRINT:
        return run_file.render(mission, head, now_us())
    processes = {run_id: describe(project.runs / run_id).agent_pid for run_id in mission.runs}
    runs = str(project.runs)
    return state_file.render(
        mission,
        head,
        now_us(),
        processes,
        runs_directory=runs,
        uncommitted=left_by_killed(project, mission),
        kept=kept,
    )
