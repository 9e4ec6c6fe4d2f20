"""Preview what a gate would run in the project now, if no person configures it (GT-02)."""

from pathlib import Path

from topkick.app.project import Project
from topkick.engine.errors import TopkickError
from topkick.sprint.gates.due import gate_commands
from topkick.sprint.gates.model import GateMode
from topkick.sprint.model import Mission


def detected_now(project: Project, mission: Mission) -> tuple[str, ...]:
    """Return the commands from the manifests of the checked out commits; empty without git."""
    if mission.settings is None or mission.settings.gate is GateMode.OFF or gate_commands(mission):
        return ()
    import pygit2

    from topkick.checks.worker.places import detected_in, layout_of

    root = project.root
    directories = tuple(dict.fromkeys(u.plan.directory for u in mission.units.values()))
    places: list[Path] = [root, *(root / directory for directory in directories)]
    try:
        layout = layout_of(root, places, str(project.state_dir))
        return () if layout is None else detected_in(layout, directories)
    except (TopkickError, pygit2.GitError, OSError):  # a preview must not fail
        return ()
