"""Findings to look at before tokens are spent on a plan."""

from collections.abc import Iterator

from topkick.core.plan import Criterion
from topkick.plans.document import Reading
from topkick.plans.findings import Finding, shortened


def lint(reading: Reading) -> tuple[Finding, ...]:
    """Return everything noticed, not checkable or not understood, by line."""
    found = [*reading.findings, *_unchecked(reading), *_not_understood(reading)]
    return tuple(sorted(dict.fromkeys(found), key=lambda finding: finding.line))


def _unchecked(reading: Reading) -> Iterator[Finding]:
    for unit in reading.plan.units:
        for sprint in unit.sprints:
            if sprint.lacks_check:
                told = f"Sprint {sprint.id} of '{unit.name}' has no check that a machine can run."
                yield Finding(sprint.line, told)


def _not_understood(reading: Reading) -> Iterator[Finding]:
    for criterion in not_understood(reading):
        told = (
            f"`{shortened(criterion.named)}` is named, but not what it must do; it will not be run."
        )
        yield Finding(criterion.line, told)


def not_understood(reading: Reading) -> tuple[Criterion, ...]:
    """Return criteria that name a command with words that no form understands."""
    return tuple(
        criterion
        for unit in reading.plan.units
        for sprint in unit.sprints
        for criterion in sprint.exit
        if criterion.named and criterion.command is None
    )
