"""Write an operation's name into the plan file; if that fails, the run still has it (NM-01)."""

from dataclasses import dataclass, replace

from topkick.app.project import Project, make_state_dir, require_local_disk
from topkick.engine.errors import PlanError
from topkick.engine.io.files import read_plain
from topkick.plan_format.front_matter import content_hash, feature_name_in, with_feature_name
from topkick.plan_format.model import Plan
from topkick.sprint.run.load_plan import LONGEST_PLAN_BYTES, reading_of
from topkick.sprint.run.plan_file import (
    CHANGED,
    NotOurs,
    put_in_place,
    require_ours,
    require_unchanged,
)


@dataclass(frozen=True, slots=True)
class NamedPlan:
    """The named plan; `why_not` says why the file does not have the name."""

    plan: Plan
    why_not: str = ""


def give_name(project: Project, plan: Plan, name: str, *, instead_of: str = "") -> NamedPlan:
    """Write the name; a file that has changed since `plan` was read is not touched."""
    require_local_disk(project)
    make_state_dir(project)
    try:
        return NamedPlan(_write(project, plan, name, instead_of))
    except NotOurs as why:
        return NamedPlan(replace(plan, feature_name=name), str(why))
    except OSError as error:
        return NamedPlan(replace(plan, feature_name=name), error.strerror or "it cannot be written")


def _write(project: Project, plan: Plan, name: str, instead_of: str) -> Plan:
    path = project.plan_path.resolve()  # a link stays one
    before = path.stat()
    data = read_plain(path, LONGEST_PLAN_BYTES + 1)
    # bytes that are not UTF-8 come back unchanged
    text = data.decode("utf-8", "surrogateescape")
    seen = data.decode("utf-8", "replace")
    if content_hash(seen) != plan.sha256:
        raise NotOurs(CHANGED)
    now = feature_name_in(seen)
    if now != instead_of:
        if now:  # another start was quicker, or a person
            return reading_of(project, data).plan
        raise NotOurs(CHANGED)
    require_ours(before)
    changed = with_feature_name(text, name).encode("utf-8", "surrogateescape")
    named = _read_back(project, changed, plan, name)
    require_unchanged(path, before)
    put_in_place(path, changed, before, project.state_dir)
    return named


def _read_back(project: Project, data: bytes, plan: Plan, name: str) -> Plan:
    """Read the named plan; one at the limit of its size may not accept another line."""
    try:
        named = reading_of(project, data).plan
    except PlanError as error:
        raise NotOurs(str(error)) from error
    if named.sha256 != plan.sha256 or named.feature_name != name:
        raise NotOurs("topkick cannot add a name to its front matter")
    return named
