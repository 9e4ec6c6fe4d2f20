"""Run one tick of an epic: its supervisor runs until it has made one decision."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from topkick.app.agents.configured import require_program
from topkick.app.config.file import load_config
from topkick.app.config.model import Config
from topkick.app.config.settings import make_settings, program_named
from topkick.app.file_run import Accept, roles_of
from topkick.app.listeners import Say
from topkick.app.project import Project
from topkick.app.run import begin, drive
from topkick.app.run_view import take_a_look
from topkick.app.state_dir.ownership import require_own
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentProgram
from topkick.engine.codec.texts import to_bytes
from topkick.engine.errors import AnotherSupervisor, UsageError
from topkick.engine.settings import Settings
from topkick.epic.project import host, read, text_of
from topkick.epic.settings import EpicSettings, ProjectPlace, Routing, Worker
from topkick.plan_format.model import Plan


def tick(project: Project, say: Say, accept: Accept) -> int:
    """Run a tick; if another one holds the epic, report that, which is no failure (EP-03)."""
    settings = settings_for(project)
    text = text_of(project.plan_path)
    file = project.plan_path.relative_to(project.root).as_posix()
    epic = read(project.plan_path)
    plan = Plan(epic.title or epic.id, sha256(to_bytes(text)).hexdigest(), file=file)
    try:
        return _tick(project, plan, settings, say, accept)
    except AnotherSupervisor:
        say(f"{epic.id}: another tick is at work, so this one does nothing.")
        return 0


def _tick(project: Project, plan: Plan, settings: Settings, say: Say, accept: Accept) -> int:
    require_own(project)
    view = take_a_look(project) if project.state_dir.is_dir() else None
    if view is None or view.mission.plan is None:
        begin(project, plan, settings)
    elif view.mission.settings is not None:
        accept(view.mission.settings, settings)
    return drive(project, say=say, at_rest=h.Resume(settings=settings))


def settings_for(project: Project) -> Settings:
    config = load_config(project)
    settings = make_settings(config)
    require_program(settings.agent, project.root)
    roles = roles_of(config, settings, project.root)
    return replace(settings, roles=roles, epic=epic_settings(config, settings.agent, project.root))


def epic_settings(config: Config, agent: AgentProgram, root: Path) -> EpicSettings:
    given = config.epic
    workers = []
    for name, worker in given.workers.items():
        if (worker.agent or name) not in config.agents:
            known = ", ".join(sorted(config.agents))
            raise UsageError(
                f'[epic.workers.{name}] agent = "{worker.agent or name}" is not configured, so no '
                f"tick was run.\nCorrect it in topkick.toml; configured agents: {known}"
            )
        program = program_named(config, worker.agent or name)
        require_program(program, root)
        workers.append(Worker(name, program, worker.tier, worker.max, worker.stand_in))
    return EpicSettings(
        workers=tuple(workers) or (Worker(agent.name, agent, capacity=config.limits.max_agents),),
        projects=tuple(ProjectPlace(name, place) for name, place in given.projects.items()),
        routing=Routing(
            given.routing.default,
            given.routing.effort,
            given.routing.tags,
            given.routing.many_files,
            given.routing.for_many_files,
            given.routing.long_hours,
            given.routing.for_long,
            given.routing.refusals,
        ),
        turns=given.turns,
        host=host(),
        hosts=given.hosts,
        stalled_s=given.stalled_hours * 3600,
        surface=given.review,
        share=given.share,
    )
