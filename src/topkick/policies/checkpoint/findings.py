"""The result of a check: pass, warn or fail, with details and evidence."""

from dataclasses import dataclass, replace
from enum import StrEnum


class Result(StrEnum):
    PASS = "pass"  # noqa: S105
    WARN = "warn"
    FAIL = "fail"

    @property
    def worth(self) -> float:
        return _WORTH[self]


_WORTH = {Result.PASS: 1.0, Result.WARN: 0.5, Result.FAIL: 0.0}


class Group(StrEnum):
    """The three tables of a report."""

    CONSISTENCY = "consistency"
    PROCESS = "process"
    HEALTH = "health"


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding; a `critical` failure blocks whatever the others say, a `style` one never
    blocks.
    """

    check: str
    group: Group
    result: Result
    details: str
    evidence: tuple[str, ...] = ()
    critical: bool = False
    style: bool = False

    @property
    def blocks(self) -> bool:
        return self.critical and settled(self).result is Result.FAIL


def settled(finding: Finding) -> Finding:
    """Return the finding as it counts: a failure without evidence, or of style, is a warning.

    So a block always has a failure with evidence, and style cannot lower a mean below 0.5.
    """
    if finding.result is not Result.FAIL:
        return finding
    if finding.style:
        return _lowered(finding, "style never blocks")
    if not any(line.strip() for line in finding.evidence):
        return _lowered(finding, "without evidence, it counts as a warning")
    return finding


def _lowered(finding: Finding, why: str) -> Finding:
    details = f"{finding.details} ({why})" if finding.details else why
    return replace(finding, result=Result.WARN, details=details)
