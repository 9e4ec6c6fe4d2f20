"""Merge the work of units: when a unit is done, or when another unit waits for its work."""

from collections.abc import Iterator, Sequence

from topkick.checks.model import Integration
from topkick.engine import messages as h
from topkick.engine.agents.runs import Run, Stage
from topkick.git.isolation import MISSION_IN_CLONE
from topkick.plan_format.model import Criterion, CriterionKind, SprintPlan
from topkick.sprint.blockers.holds import MergeTrouble
from topkick.sprint.model import Mission, Stance, Unit
from topkick.sprint.obey.stop import LIVE
from topkick.sprint.readiness import to_integrate

MERGE_TEXT = """\
Your branch and the work of other units changed the same places. Keep both changes. The other work
is on the branch `{branch}` of this clone.

1. `git merge {branch}`
2. Resolve the conflicts so that both changes do what they were made for, in:
{files}
3. Make the exit criteria pass, and commit the merge."""


def integrate(mission: Mission, unit: Unit) -> Sequence[h.Event]:
    """Open a merge of the unit's finished work. After `killall`, and while the supervisor only
    answers commands, the merge waits for a resume.
    """
    if unit.state not in LIVE or not mission.driven or mission.stance is Stance.KILLED:
        return ()
    finished = to_integrate(mission, unit)
    if finished is None or finished.hold or mission.run_of(unit.name) is not None:
        return ()
    run_id = f"{mission.id}-{mission.runs_opened + 1}"
    return (h.RunOpened(run_id, unit.name, finished.id, Stage.INTEGRATING),)


def was_integrated(mission: Mission, run: Run, found: Integration) -> Sequence[h.Event]:
    unit = mission.units[run.unit]
    if found.trouble:
        hold = MergeTrouble(found.trouble)
        return (
            h.HoldPlaced(unit.name, run.sprint, hold),
            h.RunClosed(run.id, "not integrated"),
            h.Decided(
                unit.name, run.sprint, "Not integrated", blocker=hold, kind=h.DecisionKind.STEP
            ),
        )
    if found.conflicts:
        return to_be_merged(mission, run, found.conflicts, found.tip)
    done = 1 + next(n for n, s in enumerate(unit.sprints) if s.id == run.sprint)
    return (
        h.UnitIntegrated(unit.name, done, found.tip),
        h.RunClosed(run.id, "integrated"),
        h.Decided(
            unit.name, run.sprint, "Integrated", _where_merged(found), kind=h.DecisionKind.STEP
        ),
    )


def _where_merged(found: Integration) -> str:
    restored = "; the branch had been deleted and was made again" if found.restored else ""
    return f"merged at {found.tip[:12]}{restored}"


def accept_branch(mission: Mission, command: h.AcceptBranch) -> Iterator[h.Event]:
    """Accept the branch as it is now, and retry the merges that were held."""
    yield h.BranchAccepted(command.tips, command.why)
    for unit in mission.units.values():
        finished = to_integrate(mission, unit)
        if finished is not None and finished.hold:
            yield h.HoldLifted(unit.name, finished.id)
    at = ", ".join(tip.commit[:12] for tip in command.tips)
    yield h.Decided("", "", "Branch accepted by a person", f"at {at}: {command.why}")


def to_be_merged(
    mission: Mission, run: Run, conflicts: tuple[str, ...], tip: str
) -> Sequence[h.Event]:
    """Add a sprint that resolves the conflict to the unit that met it; no finished sprint is
    reopened.
    """
    unit = mission.units[run.unit]
    plan = merge_sprint(unit, conflicts, tip)
    return (
        h.RunClosed(run.id, "conflicts with the work of other units"),
        h.SprintAdded(unit.name, plan),
        h.Decided(unit.name, plan.id, "Merge conflict", ", ".join(conflicts)),
    )


def merge_sprint(unit: Unit, conflicts: tuple[str, ...], tip: str) -> SprintPlan:
    number = 1 + sum(s.plan.generated for s in unit.sprints)
    merged = f"git merge-base --is-ancestor {tip} HEAD"
    checks = {c.command: c for s in unit.sprints[: unit.at] for c in s.plan.checks}
    files = "\n".join(f"   - {name}" for name in conflicts)
    return SprintPlan(
        id=f"merge-{number}",
        name="Merge with the work of other units",
        text=MERGE_TEXT.format(branch=MISSION_IN_CLONE, files=files),
        exit=(
            Criterion(f"`{merged}` exits 0", CriterionKind.COMMAND, merged, named=merged),
            *checks.values(),
        ),
        generated=True,
    )
