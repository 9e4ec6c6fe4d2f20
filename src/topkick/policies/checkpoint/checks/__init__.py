"""The built-in checks, by name."""

from collections.abc import Mapping

from topkick.policies.checkpoint.checklist import Check, Severity
from topkick.policies.checkpoint.checks import (
    activity,
    agreeing,
    coverage,
    planning,
    presence,
    roles,
    terms,
    tracing,
)
from topkick.policies.checkpoint.checks.builtin import Builtin
from topkick.policies.checkpoint.findings import Finding
from topkick.policies.checkpoint.material import Material

__all__ = ["BUILTIN", "Builtin", "judge"]

_FAMILIES = (presence, tracing, terms, agreeing, coverage, roles, planning, activity)
BUILTIN: Mapping[str, Builtin] = {each.name: each for family in _FAMILIES for each in family.CHECKS}


def judge(check: Check, material: Material) -> Finding:
    """Run a built-in check of a role spec."""
    outcome = BUILTIN[check.what].run(material)
    return Finding(
        check=check.name,
        group=check.group,
        result=outcome.result,
        details=outcome.details,
        evidence=outcome.evidence,
        critical=check.severity is Severity.CRITICAL,
        style=check.severity is Severity.STYLE,
    )
