"""Runs whose state is a file: begin, resume, and supervise them until they end or wait."""

import sys
from collections.abc import Callable
from pathlib import Path

from topkick.app.agents.configured import require_program
from topkick.app.clock import now_us
from topkick.app.config.model import Config
from topkick.app.config.settings import program_named
from topkick.app.listeners import Say
from topkick.app.project import Project
from topkick.app.run import begin, drive
from topkick.app.run_view import take_a_look, who_am_i
from topkick.app.state_dir.lock import is_held
from topkick.app.state_dir.ownership import require_own
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentProgram
from topkick.engine.errors import UsageError
from topkick.engine.io.files import read_plain
from topkick.engine.journal import post
from topkick.engine.messages import COMMANDS
from topkick.engine.settings import Role, Settings
from topkick.plan_format.model import Plan
from topkick.sprint.model import Mission, Overall, Stance
from topkick.sprint.status import overall

LONGEST_PROMPT_BYTES = 1 << 16


Accept = Callable[[Settings, Settings], None]
"""Ask the user to accept settings that changed; raise if the user refuses."""


def run(
    project: Project,
    plan: Plan,
    settings: Settings,
    say: Say,
    *,
    accept: Accept,
    anew: bool = True,
) -> int:
    """Continue the run; start a finished one again, unless its journal must stay."""
    prepare(project, plan, settings, accept=accept, anew=anew)
    return drive(project, say=say)


def prepare(
    project: Project, plan: Plan, settings: Settings, *, accept: Accept, anew: bool = True
) -> None:
    """Do everything that comes before supervision."""
    require_own(project)
    view = take_a_look(project)
    mission = view.mission if view is not None else Mission()
    if mission.settings is not None:
        accept(mission.settings, settings)
    finished = overall(mission) is Overall.COMPLETED
    if mission.plan is None or (finished and anew):
        begin(project, plan, settings)
    elif mission.stance is not Stance.WORKING or _is_set_up_anew(project, mission, settings):
        resume = h.Resume(settings=settings)
        post(project.journal_path, who_am_i(), *COMMANDS.encode(resume), now_us())


def _is_set_up_anew(project: Project, mission: Mission, settings: Settings) -> bool:
    """Return whether new settings apply: a run that died keeps its last ones, a held one is not
    disturbed.
    """
    return mission.settings != settings and not is_held(project.state_dir)


def roles_of(config: Config, settings: Settings, root: Path) -> tuple[Role, ...]:
    """Return the roles; a role that names no agent gets the agent of the run."""
    found = []
    for name, role in config.roles.items():
        if role.agent and role.agent not in config.agents:
            known = ", ".join(sorted(config.agents))
            raise UsageError(
                f'[roles.{name}] agent = "{role.agent}": no such agent, so nothing was started. '
                f"Set up are: {known}. Write one of them."
            )
        agent = program_named(config, role.agent) if role.agent else settings.agent
        require_program(agent, root)
        found.append(Role(name, agent, role.tier, _own_words(root, name, role.prompt)))
    return tuple(found)


def _own_words(root: Path, name: str, file: str) -> str:
    if not file:
        return ""
    try:
        return read_plain(root / file, LONGEST_PROMPT_BYTES).decode("utf-8", "replace")
    except OSError as trouble:
        raise UsageError(
            f'[roles.{name}] prompt = "{file}" cannot be read: {trouble.strerror}.\n'
            "Nothing was started. Name a text file inside the project, or remove the line to use "
            "the built-in prompt."
        ) from trouble


def builtin_manager() -> Role:
    """Return the Manager that needs no model: topkick itself as an agent program."""
    command = (sys.executable, "-m", "topkick", "kanban", "manage")
    return Role("Manager", AgentProgram("builtin", command, models={"sonnet": "no model"}))
