"""Read the plan file into a model, and into a mission as it would begin."""

from dataclasses import replace

from topkick.app.project import LONGEST_PLAN_BYTES, PlanNotFound, Project
from topkick.engine import messages as h
from topkick.engine.codec.gc_pause import without_collecting
from topkick.engine.errors import UsageError
from topkick.engine.fold import apply
from topkick.engine.io.files import read_plain
from topkick.engine.settings import Settings
from topkick.git.isolation import Isolation
from topkick.inspection.test_counts.build_commands import builds
from topkick.plan_format.document import PlanReading, read
from topkick.plan_format.model import Criterion, Plan, UnitPlan
from topkick.sprint.model import Mission


def read_plan(project: Project) -> PlanReading:
    try:
        data = read_plain(project.plan_path, LONGEST_PLAN_BYTES + 1, follow_links=True)
    except FileNotFoundError:
        raise PlanNotFound from None
    except OSError as error:
        raise UsageError(
            f"{project.plan_path} cannot be read: {error.strerror}.\n"
            "Make it a file that you may read."
        ) from error
    return reading_of(project, data)


def reading_of(project: Project, data: bytes) -> PlanReading:
    """Read the content of the plan file, present or future."""
    if len(data) > LONGEST_PLAN_BYTES:
        raise UsageError(f"{project.plan_path} is larger than 8 MiB; split it into several plans.")
    text = data.decode("utf-8", "replace")
    with without_collecting():
        found = read(text, default_name=project.root.name, root=str(project.root))
    there = tuple(name for name in found.plan.files if (project.root / name).is_file())
    plan = replace(found.plan, file=project.plan_path.name, files=there)
    return replace(found, plan=with_builds(plan))


def imagined(plan: Plan, settings: Settings, isolation: Isolation | None = None) -> Mission:
    """Return the mission as it would begin, for handles and the page."""
    return apply(Mission(), h.MissionBegan("", "sprint", plan, settings, isolation), 0)


def with_builds(plan: Plan) -> Plan:
    """Mark criteria that build or test, by their commands (GT-02)."""
    return replace(plan, units=tuple(_of_unit(unit) for unit in plan.units))


def _of_unit(unit: UnitPlan) -> UnitPlan:
    sprints = (replace(s, exit=tuple(map(_marked, s.exit))) for s in unit.sprints)
    return replace(unit, sprints=tuple(sprints))


def _marked(criterion: Criterion) -> Criterion:
    heavy = criterion.command is not None and builds(criterion.command)
    return replace(criterion, builds=True) if heavy else criterion
