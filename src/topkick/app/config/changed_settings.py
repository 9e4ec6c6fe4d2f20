"""Report whether topkick.toml differs from the settings that the run uses.

An agent in a shared tree can change the file. The run does not read it again before a person
resumes it, so the change does nothing yet; the screens say so instead of keeping silent.
"""

from topkick.app.project import CONFIG_NAME, Project
from topkick.engine.errors import TopkickError
from topkick.sprint.model import SPRINT, Mission, Overall
from topkick.sprint.status import overall


def changed_settings(project: Project, mission: Mission) -> list[str]:
    """Return a line for the screens, or nothing if the file agrees with the run's settings."""
    if mission.policy != SPRINT or not _is_touched(project, mission):
        return []
    try:
        names, differs = _difference(project, mission)
    except TopkickError as trouble:
        reason = str(trouble).partition("\n")[0]
        return [f"{CONFIG_NAME} was changed during this run and has an error: {reason}"]
    if not differs:
        return []
    verb = "start" if overall(mission) is Overall.COMPLETED else "resume"
    if not names:
        return [f"{CONFIG_NAME} was changed; the change takes effect with the next: topkick {verb}"]
    return [
        f"{CONFIG_NAME} was changed: {', '.join(names)}.\n"
        f"The change takes effect only after you accept it: topkick {verb}"
    ]


def _is_touched(project: Project, mission: Mission) -> bool:
    """Compare ctime, which an agent cannot set, so that `status` rarely reads settings."""
    try:
        return project.config_path.stat().st_ctime_ns // 1000 > mission.began_at_us
    except OSError:
        return False


def _difference(project: Project, mission: Mission) -> tuple[tuple[str, ...], bool]:
    """Return the names of changed settings that act, and whether anything differs at all."""
    from topkick.app.config.file import load_config
    from topkick.app.config.settings import make_settings
    from topkick.engine.acting_settings import changed

    before = mission.settings
    assert before is not None
    config = load_config(project)
    now = make_settings(
        config,
        accept_unchecked=before.accept_unchecked,
        only=before.only,
        max_agents=before.max_agents,
        agent=before.agent.name if before.agent.name in config.agents else None,
    )
    return tuple(one.name for one in changed(before, now)), now != before
