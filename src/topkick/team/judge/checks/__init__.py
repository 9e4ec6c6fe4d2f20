"""The built-in checks, by name."""

from collections.abc import Mapping

from topkick.team.judge.checklist import CheckSeverity, JudgeCheck
from topkick.team.judge.checks import (
    activity,
    agreement,
    coverage,
    planning,
    roles,
    terms,
    traceability,
)
from topkick.team.judge.checks.builtin import Builtin
from topkick.team.judge.findings import JudgeFinding
from topkick.team.judge.material import Material

__all__ = ["BUILTIN", "Builtin", "judge"]

_FAMILIES = (roles, traceability, terms, agreement, coverage, planning, activity)
BUILTIN: Mapping[str, Builtin] = {each.name: each for family in _FAMILIES for each in family.CHECKS}


def judge(check: JudgeCheck, material: Material) -> JudgeFinding:
    """Run a built-in check of a role spec."""
    outcome = BUILTIN[check.what].run(material)
    return JudgeFinding(
        check=check.name,
        group=check.group,
        result=outcome.result,
        details=outcome.details,
        evidence=outcome.evidence,
        critical=check.severity is CheckSeverity.CRITICAL,
        style=check.severity is CheckSeverity.STYLE,
    )
