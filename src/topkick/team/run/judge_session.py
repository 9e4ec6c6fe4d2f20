"""The resident judge of a session: its settings, serving, and requests from outside."""

import re
import select
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from topkick.app.agents.configured import require_program
from topkick.app.config.file import load_config
from topkick.app.config.settings import make_settings
from topkick.app.file_run import roles_of
from topkick.app.listeners import Say
from topkick.app.project import TEAM, Project, find_file_project
from topkick.app.run import begin, drive
from topkick.app.run_view import View, take_a_look
from topkick.app.slices import BUILTIN_SPEC, shipped_role_spec
from topkick.app.state_dir.ownership import require_own
from topkick.engine import messages as h
from topkick.engine.acting_settings import changed
from topkick.engine.agents.program import AgentProgram
from topkick.engine.codec.texts import to_bytes
from topkick.engine.errors import UsageError
from topkick.engine.io.files import read_plain
from topkick.engine.settings import Settings
from topkick.plan_format.model import Plan
from topkick.sprint.model import JUDGE, Mission, Overall
from topkick.sprint.status import overall
from topkick.team.bus.model import Message
from topkick.team.bus.store import Bus
from topkick.team.judge import report as words
from topkick.team.judge.checklist import CheckKind, RoleSpec
from topkick.team.judge.findings import StageEntry
from topkick.team.judge.report import read_report
from topkick.team.judge.role_spec import LONGEST_CHARS, read_role_spec
from topkick.team.judge.wake import answer_in
from topkick.team.requests import (
    SUPERVISOR,
    CheckpointRequest,
    checkpoint_of,
    is_checkpoint,
    read_request,
    round_after,
    shutdown_request,
    write_request,
)
from topkick.team.session import SESSION_FILES, Session, read_session
from topkick.team.settings import JudgeSettings

LONGEST_BYTES = 1 << 20
REQUIRED = ("role", "role_spec", "session", "session_id", "team_name", "requirement")
_FIELD = re.compile(r"^[\s>*-]*`?([a-z_]+)`?\s*:\s*(.*)$")
NO_AGENT = AgentProgram("nobody", ("false",))


@dataclass(frozen=True, slots=True)
class JudgeInstructions:
    """The judge's parameters, from options or a coordinator's prompt; empty if not given."""

    role_spec: str = ""
    session_id: str = ""
    team: str = ""
    requirement: str = ""
    recovery: bool = False
    asked: str = ""
    yes: bool = False


# --- parameters ------------------------------------------------------------------------------


def read_prompt(text: str) -> tuple[str, JudgeInstructions]:
    """Parse the block that coordinators write: the session, and the rest; missing fields are
    named.
    """
    fields = {
        found[1]: found[2].strip().strip("`\"'")
        for line in text.split("\n")
        if (found := _FIELD.match(line[:4000]))
    }
    missing = [name for name in REQUIRED if not fields.get(name)]
    if missing:
        raise UsageError(
            f"The prompt does not say {', '.join(missing)}, so no judge was started.\n"
            "Write each on a line of its own, such as session: .workflow/.team/night-shift"
        )
    if fields["role"].casefold() != SUPERVISOR:
        raise UsageError(f"The prompt is for the role {fields['role'][:40]}, not for supervisor.")
    told = JudgeInstructions(
        fields["role_spec"],
        fields["session_id"],
        fields["team_name"],
        fields["requirement"],
        fields.get("recovery", "").casefold() in ("true", "yes", "1"),
    )
    return fields["session"], told


def find_session(directory: Path) -> Project:
    if not directory.is_dir():
        raise UsageError(
            f"There is no session directory {directory}.\nCreate one: topkick checkpoint run "
            f'{directory} --pipeline full --requirement "..."'
        )
    place = directory.resolve()
    named = (place / name for name in SESSION_FILES)
    file = next((path for path in named if path.is_file()), place / SESSION_FILES[0])
    return find_file_project(file, JUDGE)


def session_of(project: Project) -> Session:
    try:
        data = read_plain(project.plan_path, LONGEST_BYTES)
    except OSError:
        return Session(readable=False)
    return read_session(data.decode("utf-8", "replace"))


def judge_settings(project: Project, told: JudgeInstructions) -> JudgeSettings:
    """Return the settings; missing ones come from the session's file, else they are named
    (CK-07).
    """
    session = session_of(project)
    found: Mapping[str, str] = {
        "--role-spec": told.role_spec,
        "--session-id": told.session_id or session.id,
        "--team": told.team or session.team,
        "--requirement": told.requirement or session.requirement,
    }
    missing = [name for name, value in found.items() if not value]
    if missing:
        raise UsageError(
            f"Missing: {', '.join(missing)}. The session's file does not have it either, so no "
            f"judge was started.\nFor the built-in checks: --role-spec {BUILTIN_SPEC}"
        )
    return JudgeSettings(
        session_id=found["--session-id"],
        role_spec=spec_text(found["--role-spec"]),
        directory=project.plan_path.parent.relative_to(project.root).as_posix(),
        team=found["--team"],
        requirement=found["--requirement"],
        recovery=told.recovery,
        asked=told.asked,
    )


def spec_text(name: str) -> str:
    """Return the role spec by path, or the built-in one; raise if it has mistakes."""
    if name == BUILTIN_SPEC:
        return shipped_role_spec()
    try:
        text = read_plain(name, LONGEST_CHARS + 1).decode("utf-8", "replace")
    except OSError as trouble:
        raise UsageError(
            f"The role spec {name} cannot be read: {trouble.strerror}.\n"
            f"For the built-in checks: --role-spec {BUILTIN_SPEC}"
        ) from trouble
    spec = read_role_spec(text)
    if spec.problems:
        told = "\n".join(f"{name}:{problem.line}: {problem.message}" for problem in spec.problems)
        raise UsageError(f"{told}\nThe form of a role spec: docs/reference/role-specs.md")
    return text


# --- serving requests --------------------------------------------------------------------------


def serve(project: Project, told: JudgeInstructions, say: Say) -> int:
    """Serve until a shutdown is requested; each printed line has the judge's tag."""
    judge = judge_settings(project, told)
    require_own(project)
    settings = _accepted(project, _settings(project, judge), told, say)
    file = project.plan_path.relative_to(project.root).as_posix()
    plan = Plan(judge.session_id, sha256(to_bytes(judge.role_spec)).hexdigest(), file=file)
    view = _look(project)
    mission = view.mission if view is not None else Mission()
    if mission.plan is None or overall(mission) is Overall.COMPLETED:
        begin(project, plan, settings)
        return drive(project, say=lambda line: say(tagged(line)))
    resume = h.Resume(settings=settings)
    return drive(project, say=lambda line: say(tagged(line)), at_once=resume)


def _accepted(project: Project, now: Settings, told: JudgeInstructions, say: Say) -> Settings:
    """Return today's settings, or the accepted ones if today's would act differently.

    The team that the judge watches may have written topkick.toml, and a judge has no terminal to
    ask at. So it uses what was accepted for its last run, else for its team's run.
    """
    views = (_look(one) for one in (project, find_file_project(project.plan_path, TEAM)))
    before = next((v.mission.settings for v in views if v and v.mission.settings), None)
    differing = changed(before, now) if before is not None else ()
    if before is None or told.yes or not differing:
        return now
    names = ", ".join(one.name for one in differing)
    say(tagged(f"Changed in topkick.toml without a person's consent, so not used: {names}."))
    say(tagged("The judge uses the accepted settings. To use the new ones, add --yes"))
    return replace(before, judge=now.judge, pipeline=None)


def _look(project: Project) -> View | None:
    return take_a_look(project) if project.state_dir.is_dir() else None


def tagged(text: str) -> str:
    return words.tagged(text)


def with_defaults(project: Project, told: JudgeInstructions) -> JudgeInstructions:
    """Fill in defaults for a single judgment without a team: the directory's name."""
    session, name = session_of(project), project.plan_path.parent.name
    return replace(
        told,
        session_id=told.session_id or session.id or name,
        team=told.team or session.team or name,
        requirement=told.requirement or session.requirement or "not given",
    )


def serve_one(project: Project, told: JudgeInstructions, asked: Message, say: Say) -> int:
    """Serve until that request, and all earlier ones, are handled."""
    found = read_request(asked)
    assert isinstance(found, CheckpointRequest)
    return serve(project, replace(told, asked=found.task_id), say)


def _settings(project: Project, judge: JudgeSettings) -> Settings:
    """Return the settings; a role spec without agent checks needs no agent."""
    if not _asks_agents(read_role_spec(judge.role_spec)):
        return replace(_without_agents(project), judge=judge)
    config = load_config(project)
    settings = make_settings(config)
    require_program(settings.agent, project.root)
    return replace(settings, roles=roles_of(config, settings, project.root), judge=judge)


def _without_agents(project: Project) -> Settings:
    config = load_config(project)
    return make_settings(config) if config.agents else Settings(NO_AGENT)


def _asks_agents(spec: RoleSpec) -> bool:
    checks = (*spec.common, *(check for each in spec.checkpoints for check in each.checks))
    return any(check.kind is CheckKind.AGENT for check in checks)


# --- reading the judge's reports ---------------------------------------------------------------


def report_of(project: Project, task_id: str) -> StageEntry | None:
    path = project.plan_path.parent / words.report_path(task_id)
    try:
        return read_report(read_plain(path, LONGEST_BYTES).decode("utf-8", "replace"))
    except OSError:
        return None


def next_round(project: Project, task_id: str) -> str:
    """Return the same id if it was never judged; else the id of the next round."""
    while report_of(project, task_id) is not None:
        task_id = round_after(task_id)
    return task_id


def ask(project: Project, task_id: str, scope: tuple[str, ...], sender: str) -> Message:
    if not is_checkpoint(task_id):
        raise UsageError(f"{task_id} is not a checkpoint; checkpoints look like CHECKPOINT-001.")
    if not scope:
        raise UsageError(
            f"No tasks were given, so {checkpoint_of(task_id)} was not requested.\n"
            "Name the tasks to judge: --scope DRAFT-001,DRAFT-002"
        )
    asked = write_request(task_id, scope, progress_of(session_of(project)), sender)
    return Bus(project.plan_path.parent).post(asked)


def progress_of(session: Session) -> str:
    done = sum(task.status in ("completed", "done") for task in session.tasks)
    return f"{done}/{len(session.tasks)} tasks completed"


def ask_to_leave(project: Project, request_id: str) -> Message:
    return Bus(project.plan_path.parent).post(shutdown_request(request_id))


# --- waiting for an answer ---------------------------------------------------------------------


def wait_for_answer(project: Project, asked: Message, timeout_s: float) -> Message | None:
    """Return the answer, or None if there is none in time."""
    bus = Bus(project.plan_path.parent)
    reader = bus.reader(asked.number)
    later: list[Message] = []
    give_up_at = time.monotonic() + timeout_s
    with bus.changes() as changes:
        while True:
            changes.drain()
            later += reader.read()
            answer = answer_in(asked, later)
            left_s = give_up_at - time.monotonic()
            if answer is not None or left_s <= 0:
                return answer
            waits = [] if (found := changes.fileno()) is None else [found]
            wake_s = changes.wake_in_s()
            select.select(waits, [], [], left_s if wake_s is None else min(left_s, wake_s))
