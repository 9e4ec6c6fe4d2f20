"""The request to an agent about a finding, kind by kind."""

from topkick.checks.model import Finding, FindingKind

REMEDIES = {
    FindingKind.TEST_REMOVED: "put the test back and let it pass",
    FindingKind.TEST_SKIPPED: "let the test run again and pass",
    FindingKind.TEST_FOCUSED: "let all the other tests run again",
    FindingKind.TEST_EMPTIED: "restore what the test asserted and let it pass",
    FindingKind.TEST_REWRITTEN: "restore the test as it was and change the code instead",
    FindingKind.FEWER_TESTS: "let every test run that ran before",
    FindingKind.CHECK_CHANGED: "restore what the check runs as it was",
    FindingKind.TOOL_CHANGED: "restore the program that the check uses",
    FindingKind.SETTING_LOOSENED: "restore the setting as it was",
    FindingKind.COMPLAINT_SUPPRESSED: "remove the suppression and fix what it hides",
    FindingKind.STUB: "write the real work in place of the stub",
    FindingKind.KNOWS_IT_IS_TESTED: "make the code do the same whether or not it is tested",
    FindingKind.PLAN_CHANGED: "restore the plan as it was",
    FindingKind.HISTORY_REWRITTEN: "make that commit part of the branch's history again",
    FindingKind.OTHER_BRANCH: "put your commits on the branch on which the order was given",
    FindingKind.LEANS_OUTSIDE: "use only files of the repository",
    FindingKind.BESIDE_THE_POINT: "do what the sprint asks for, in the files that it names",
}


def returned(finding: Finding) -> str:
    """Return one line of an order: the place, the finding, and what is wanted."""
    line = f":{finding.line}" if finding.line else ""
    where = f"{finding.file}{line}: " if finding.file else ""
    return f"- {where}{finding.what}. Wanted: {REMEDIES[finding.kind]}."
