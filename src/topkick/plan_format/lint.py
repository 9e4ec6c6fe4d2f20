"""Findings to look at before tokens are spent on a plan."""

from collections.abc import Iterator

from topkick.plan_format.document import PlanReading
from topkick.plan_format.findings import PlanFinding, shortened
from topkick.plan_format.model import Criterion


def lint(reading: PlanReading) -> tuple[PlanFinding, ...]:
    """Return everything noticed, not checkable or not understood, by line."""
    found = [*reading.findings, *_unchecked(reading), *_not_understood(reading)]
    return tuple(sorted(dict.fromkeys(found), key=lambda finding: finding.line))


def _unchecked(reading: PlanReading) -> Iterator[PlanFinding]:
    for unit in reading.plan.units:
        for sprint in unit.sprints:
            if sprint.lacks_check:
                told = f"Sprint {sprint.id} of '{unit.name}' has no check that a machine can run."
                yield PlanFinding(sprint.line, told)


def _not_understood(reading: PlanReading) -> Iterator[PlanFinding]:
    for criterion in not_understood(reading):
        told = (
            f"`{shortened(criterion.named)}` is named, but not what it must do; it will not be run."
        )
        yield PlanFinding(criterion.line, told)


def not_understood(reading: PlanReading) -> tuple[Criterion, ...]:
    """Return criteria that name a command with words that no form understands."""
    return tuple(
        criterion
        for unit in reading.plan.units
        for sprint in unit.sprints
        for criterion in sprint.exit
        if criterion.named and criterion.command is None
    )
