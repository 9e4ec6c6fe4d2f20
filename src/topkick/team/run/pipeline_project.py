"""Begin, find and run sessions of a team on disk."""

import sys
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from topkick.app import file_run
from topkick.app.agents.configured import require_program
from topkick.app.clock import now_us
from topkick.app.config.file import load_config
from topkick.app.config.settings import make_settings
from topkick.app.listeners import Say
from topkick.app.project import TEAM, Project, find_file_project
from topkick.app.run import drive
from topkick.app.run_view import take_a_look
from topkick.app.send_command import CommandReply, tell
from topkick.app.slices import BUILTIN_SPEC
from topkick.app.state_dir.lock import is_held
from topkick.engine import messages as h
from topkick.engine.codec.texts import to_bytes
from topkick.engine.errors import UsageError
from topkick.engine.io.files import read_plain, replace_atomically
from topkick.engine.settings import Settings
from topkick.plan_format.model import Plan
from topkick.team.pipeline.decide import new_session
from topkick.team.pipeline.ledger import ArtifactLedger, read
from topkick.team.pipeline.model import PIPELINES
from topkick.team.run.judge_session import spec_text
from topkick.team.session import SESSION_FILES, parsed
from topkick.team.settings import PipelineSettings

LONGEST_BYTES = 1 << 20
PLACES = ("spec", "plan", "artifacts", "wisdom", "discussions", ".msg")


@dataclass(frozen=True, slots=True)
class WantedSession:
    """The wishes for a new session; empty if the user gave none."""

    pipeline: str = ""
    requirement: str = ""
    supervision: bool = True
    role_spec: str = ""


# --- finding and beginning -------------------------------------------------------------------


def find_team(directory: Path) -> Project:
    project = _project(directory)
    if not project.plan_path.is_file():
        raise UsageError(f"There is no session in {directory}.\n{_begin(directory)}")
    return project


def _project(directory: Path) -> Project:
    named = (directory / name for name in SESSION_FILES)
    file = next((path for path in named if path.is_file()), directory / SESSION_FILES[0])
    return find_file_project(file, TEAM)


def _begin(directory: Path) -> str:
    modes = ", ".join(PIPELINES)
    return (
        f'Create one: topkick checkpoint run {directory} --pipeline full --requirement "..."\n'
        f"Pipelines: {modes}"
    )


def find_or_begin(directory: Path, wanted: WantedSession, agent: str | None) -> Project:
    """Return an existing session, which continues as it was begun, or begin a new one."""
    project = _project(directory)
    if project.plan_path.is_file():
        _require_the_same(project, wanted)
        return project
    if not wanted.pipeline or not wanted.requirement.strip():
        raise UsageError(
            f"There is no session in {directory}, and a new one needs --pipeline and "
            f"--requirement.\n{_begin(directory)}"
        )
    _players(project, agent)
    _make(project, wanted)
    return project


def _make(project: Project, wanted: WantedSession) -> None:
    spec = wanted.role_spec or BUILTIN_SPEC
    if wanted.supervision:
        spec_text(spec)
    place = project.plan_path.parent
    try:
        for name in PLACES:
            (place / name).mkdir(parents=True, exist_ok=True)
        text = new_session(
            place.name,
            wanted.pipeline,
            wanted.requirement.strip(),
            now_us(),
            supervision=wanted.supervision,
            role_spec=spec if spec == BUILTIN_SPEC else str(Path(spec).resolve()),
        )
        replace_atomically(project.plan_path, to_bytes(text), mode=0o644)
    except OSError as trouble:
        raise UsageError(
            f"The session cannot be created in {place}: {trouble.strerror}.\n"
            "Name a directory that you may write to."
        ) from trouble


def _require_the_same(project: Project, wanted: WantedSession) -> None:
    ledger = read_ledger(project)
    if wanted.pipeline and wanted.pipeline != ledger.mode:
        raise UsageError(
            f"{project.plan_path} has the pipeline {ledger.mode or '(none)'}, which cannot change, "
            "so nothing was started.\nFor another pipeline, name another directory."
        )
    if wanted.requirement.strip() not in ("", ledger.requirement):
        raise UsageError(
            f"The requirement of {project.plan_path} cannot change, so nothing was started. It is: "
            f"{ledger.requirement[:200] or '(none)'}\nFor another one, name another directory."
        )


def read_ledger(project: Project) -> ArtifactLedger:
    return read(_text(project))


def _text(project: Project) -> str:
    try:
        data = read_plain(project.plan_path, LONGEST_BYTES)
    except OSError as trouble:
        raise UsageError(
            f"{project.plan_path} cannot be read: {trouble.strerror}.\n"
            f"It must be a regular file that you may read; see: ls -l {project.plan_path}"
        ) from trouble
    return data.decode("utf-8", "surrogateescape")


# --- running ---------------------------------------------------------------------------------


def run(
    project: Project, agent: str | None, as_named: str, say: Say, accept: file_run.Accept
) -> int:
    text = _text(project)
    settings = settings_for(project, agent, as_named)
    file = project.plan_path.relative_to(project.root).as_posix()
    title = read(text).requirement or project.plan_path.parent.name
    plan = Plan(title[:80], sha256(to_bytes(text)).hexdigest(), file=file)
    return file_run.run(project, plan, settings, say, accept=accept)


def settings_for(project: Project, agent: str | None, as_named: str) -> Settings:
    team = PipelineSettings(judge_command(project), str(project.root), as_named)
    return replace(_players(project, agent), pipeline=team)


def _players(project: Project, agent: str | None) -> Settings:
    config = load_config(project)
    settings = make_settings(config, agent=agent)
    require_program(settings.agent, project.root)
    return replace(settings, roles=file_run.roles_of(config, settings, project.root))


def judge_command(project: Project) -> tuple[str, ...]:
    """Return the judge's command without --recovery, which the coordinator adds."""
    text = _text(project)
    ledger, found = read(text), parsed(text)
    spec = found.get("role_spec") if isinstance(found, dict) else None
    team = found.get("team_name") if isinstance(found, dict) else None
    name = ledger.id or project.plan_path.parent.name
    return (
        *(sys.executable, "-m", "topkick", "checkpoint", "serve"),
        str(project.plan_path.parent),
        f"--role-spec={spec if isinstance(spec, str) and spec else BUILTIN_SPEC}",
        f"--session-id={name}",
        f"--team={team if isinstance(team, str) and team else name}",
        f"--requirement={ledger.requirement or 'not given'}",
    )


# --- commands --------------------------------------------------------------------------------


def say_to(project: Project, command: h.Command) -> CommandReply:
    """Record a command in the journal; the session's coordinator carries it out, now or next
    time.
    """
    view = take_a_look(project) if project.state_dir.is_dir() else None
    if view is None or view.mission.plan is None:
        raise UsageError(
            "This session was never run here, so no task waits for a person.\n"
            f"Run it: topkick checkpoint run {project.plan_path.parent}"
        )
    return tell(project, command)


def end_it(project: Project, say: Say) -> None:
    """Record an abort that came while no coordinator was running; no agent is needed for that."""
    if not is_held(project.state_dir):
        drive(project, say=say)
