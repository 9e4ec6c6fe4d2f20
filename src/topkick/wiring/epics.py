"""Epics on disk: found, begun, ticked, and moved by the commands for people, cron and CI."""

import platform
import re
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from topkick.core import happenings as h
from topkick.core.agents import AgentProgram
from topkick.core.epics import EpicSettings, ProjectPlace, Routing, Worker
from topkick.core.errors import AnotherSupervisor, UsageError
from topkick.core.model import Plan, Settings
from topkick.core.task_files import TaskFile
from topkick.core.texts import to_bytes
from topkick.outside.ground.files import read_plain, replace_atomically
from topkick.outside.ground.run_dir import describe
from topkick.outside.lock import ProjectLock
from topkick.policies.epic.body import Epic, read_epic, write
from topkick.policies.epic.items import is_id
from topkick.wiring.agents import require_program
from topkick.wiring.config import Config, load_config, make_settings, program_named
from topkick.wiring.file_runs import roles_of
from topkick.wiring.listening import Say
from topkick.wiring.looking import take_a_look
from topkick.wiring.ownership import require_own
from topkick.wiring.project import Project, find_file_project, make_state_dir
from topkick.wiring.running import begin, drive, now_us

KIND = "epic"
LONGEST_BYTES = 1 << 20
PLACES = ("", "tasks", "epics")
MOST_FILES = 2000


# --- finding and reading ---------------------------------------------------------------------


def find_epic(named: str, here: Path) -> Project:
    """By the path of its file, or by its id: then in this directory, `tasks` or `epics`."""
    path = Path(named)
    if path.suffix == ".md" and path.is_file():
        return find_file_project(path, KIND)
    for place in PLACES if is_id(named) else ():
        found = here / place / f"{named}.md"
        if found.is_file():
            return find_file_project(found, KIND)
    raise UsageError(
        f"There is no epic {named!r}. Name its file, or begin one: topkick epic new TITLE"
    )


def epics_in(directory: Path) -> tuple[Path, ...]:
    """Task files that say of themselves that they are epics, or have work items."""
    found = []
    for path in sorted(directory.glob("*.md"))[:MOST_FILES]:
        epic = read(path)
        if epic.file.get("type") == KIND or epic.file.section("Work Items") is not None:
            found.append(path)
    return tuple(found)


def text_of(path: Path) -> str:
    try:
        data = read_plain(path, LONGEST_BYTES + 1)
    except OSError as trouble:
        raise UsageError(
            f"{path} cannot be read: {trouble.strerror}.\nMake it a plain file that you may read."
        ) from trouble
    if len(data) > LONGEST_BYTES:
        raise UsageError(f"{path} is larger than 1 MiB; that is no task file.")
    return data.decode("utf-8", "surrogateescape")


def read(path: Path) -> Epic:
    return read_epic(text_of(path), fallback_id=path.stem, at_us=now_us(), host=host())


def host() -> str:
    """What this machine is called; no path and no number of a process."""
    return re.sub(r"[^A-Za-z0-9-]", "-", platform.node().split(".")[0])[:40] or "host"


# --- one tick --------------------------------------------------------------------------------


def tick(project: Project, say: Say) -> int:
    """Two at once cannot both act: who comes second says so, and that is no failure (EP-03)."""
    settings = settings_for(project)
    text = text_of(project.plan_path)
    file = project.plan_path.relative_to(project.root).as_posix()
    epic = read(project.plan_path)
    plan = Plan(epic.title or epic.id, sha256(to_bytes(text)).hexdigest(), file=file)
    try:
        return _tick(project, plan, settings, say)
    except AnotherSupervisor:
        say(f"{epic.id}: another tick is at work, so this one does nothing.")
        return 0


def _tick(project: Project, plan: Plan, settings: Settings, say: Say) -> int:
    require_own(project)
    view = take_a_look(project) if project.state_dir.is_dir() else None
    if view is None or view.mission.plan is None:
        begin(project, plan, settings)
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
                f'[epic.workers.{name}] agent = "{worker.agent or name}": there is only {known}.'
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
        ),
        turns=given.turns,
        host=host(),
        hosts=given.hosts,
        stalled_s=given.stalled_hours * 3600,
    )


# --- what people and hooks do to the file ----------------------------------------------------


def save(project: Project, before: Epic, after: Epic) -> None:
    """In nobody's way: not while a tick is at work, and not over what others wrote meanwhile."""
    make_state_dir(project)
    with ProjectLock(project.state_dir).acquire(now_us()):
        path = project.plan_path
        if text_of(path) != before.file.text:
            raise UsageError(f"{path} was changed meanwhile, so nothing was written. Try again.")
        data = write(after).encode("utf-8", "surrogateescape")
        replace_atomically(path, data, mode=path.stat().st_mode & 0o777)


def set_status(path: Path, status: str) -> None:
    """Of a child's own file, if there is one."""
    if not path.is_file():
        return
    file = TaskFile.read(text_of(path)).with_value("status", status)
    data = file.text.encode("utf-8", "surrogateescape")
    replace_atomically(path, data, mode=path.stat().st_mode & 0o777)


def is_alive(project: Project, dispatch: str) -> bool:
    """Whether this host has a worker at work under that id."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", dispatch):
        return False
    place = project.runs / dispatch
    return place.is_dir() and describe(place).state in {"claimed", "running", "orphaned"}


def make_epic(directory: Path, title: str, goal: str) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:50] or "epic"
    path = directory / f"{slug}.md"
    if path.exists():
        raise UsageError(f"{path} is there already. Choose another title, or look at it.")
    created = datetime.now(UTC).strftime("%Y-%m-%d")
    replace_atomically(path, _new_text(slug, title, goal, created).encode(), mode=0o644)
    return path


def _new_text(slug: str, title: str, goal: str, created: str) -> str:
    file = TaskFile.read("---\n---\n")
    for key, value in (("id", slug), ("title", title), ("type", KIND), ("status", "queued")):
        file = file.with_value(key, value)
    file = file.with_value("created", created)
    for key in ("parent", "assignee", "project", "effort"):
        file = file.with_value(key, None)
    file = file.with_items("depends_on", ()).with_items("tags", ())
    return f"{file.text}# {title}\n\n## Goal\n\n{goal.strip() or title}\n"
