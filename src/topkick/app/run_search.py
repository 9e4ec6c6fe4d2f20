"""Find a run by its state on disk, so that no command about a run needs the plan file.

The plan may be gone: an agent deleted it, or a branch without it is checked out. What stays is the
state directory (`current/`) and the board SUPERVISOR_STATE.md, whose first lines carry the
journal's head. Either is enough to know that a run is or was here. The search goes upward from the
current directory, as it does for a plan, so the nearest project is found first.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from topkick.app.project import (
    PLAN_NAME,
    PLAN_VARIABLE,
    PlanNotFound,
    Project,
    here,
    no_plan_at,
    noted_runs,
    of_path,
    several_runs,
)
from topkick.app.run_view import read_anchor, take_a_look
from topkick.app.state_dir.lock import is_held
from topkick.engine.errors import TopkickError
from topkick.sprint.model import Overall
from topkick.sprint.status import overall
from topkick.text import escape

FOR_NEWCOMERS = (
    "\nIf you have no plan yet, try a small one: topkick init --example"
    "\nOr draft one from your requirements: topkick plan breakdown REQUIREMENTS.md"
)


def find_run(file: Path | None = None) -> Project:
    """Return the project of the file given, of TOPKICK_PLAN, or the nearest one upward."""
    named = file or os.environ.get(PLAN_VARIABLE)
    return _named(Path(named)) if named else _nearest(here().resolve())


def is_plan_there(project: Project) -> bool:
    return project.plan_path.is_file()


def _named(file: Path) -> Project:
    paths = (file / PLAN_NAME, file) if file.is_dir() else (file,)
    projects = [of_path(path.resolve()) for path in paths]
    for project in projects:
        if is_plan_there(project) or _left_a_run(project):
            return project
    raise no_plan_at(projects[0].plan_path)


def _nearest(start: Path) -> Project:
    found = list(_upward(start))
    if not any(map(is_plan_there, found)):
        known = {project.state_dir for project in found}
        found += [project for project in noted_runs(start) if project.state_dir not in known]
    if not found:
        raise PlanNotFound(FOR_NEWCOMERS)
    for wanted in (_is_open, is_plan_there):
        found = _narrowed(found, wanted)
    if len(found) > 1:
        raise several_runs(project.plan_path for project in found)
    return found[0]


def _upward(start: Path) -> Iterator[Project]:
    """Yield the projects with a run, upward as far as the first plan."""
    for place in (start, *start.parents):
        project = of_path(place / PLAN_NAME)
        if is_plan_there(project):
            yield project
            return
        if _left_a_run(project):
            yield project


def _left_a_run(project: Project) -> bool:
    return os.path.lexists(project.current) or read_anchor(project) is not None


def _narrowed(found: list[Project], wanted: Callable[[Project], bool]) -> list[Project]:
    """Keep those that fit, unless none does."""
    if len(found) < 2:
        return found
    return [project for project in found if wanted(project)] or found


def _is_open(project: Project) -> bool:
    """Return whether the run is at work or unfinished; a run that cannot be read counts, too."""
    try:
        view = take_a_look(project)
    except TopkickError:
        return True
    if view is None or view.mission.plan is None:
        return is_held(project.state_dir)
    return view.holder is not None or overall(view.mission) is not Overall.COMPLETED


# --- the run that a command is about -----------------------------------------------------------
# It is found with or without its plan.


def run_here(file: Path | None = None) -> Project:
    """Find the run; if its plan is missing, say so on stderr with the command that restores it."""
    project = find_run(file)
    if not is_plan_there(project):
        from topkick.sprint.run.missing_plan import missing_plan

        click.echo(escape.block(missing_plan(project)), err=True)
    return project
