"""The final verification: whether everything planned is done, proven and committed; and the
verdict.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from topkick.sprint.gates import views as gates
from topkick.sprint.model import Overall, Proof
from topkick.sprint.report import entries
from topkick.sprint.report.issues import (
    SEVERE,
    IssueSeverity,
    ReportIssue,
    has_git,
    human,
    issues_of,
    lacks_commit,
)
from topkick.sprint.report.reader import (
    CriterionReport,
    Proven,
    ReportReading,
    SprintReport,
    is_full,
)
from topkick.sprint.status import PROCESS_RUNS, is_proven_by_process
from topkick.sprint.views import closing_lines
from topkick.sprint.views.status import stands
from topkick.text import escape, markdown
from topkick.text import format as fmt
from topkick.text.format import counted


@dataclass(frozen=True, slots=True)
class Verification:
    """The result. `verified` counts sprints whose every criterion a machine has checked;
    `committed` counts the completed code sprints with a commit, if there is git.
    """

    reading: ReportReading
    issues: tuple[ReportIssue, ...]
    verified: int
    code_sprints: int
    committed: int

    @property
    def passed(self) -> bool:
        """Return whether every sprint is checked or accepted by a person, and no severe issue is
        open.
        """
        trusted = {Proof.CHECKED, Proof.ACCEPTED}
        sprints = self.reading.sprints
        return (
            bool(sprints)
            and self.reading.overall is Overall.COMPLETED
            and all(r.proof in trusted for r in sprints)
            and not any(issue.severity in SEVERE for issue in self.issues)
        )

    def count(self, *severities: IssueSeverity) -> int:
        return sum(issue.severity in severities for issue in self.issues)


def verify(reading: ReportReading) -> Verification:
    code = [r for r in reading.done if r.is_code and has_git(r)]
    return Verification(
        reading,
        issues_of(reading),
        verified=sum(is_verified(r) for r in reading.sprints),
        code_sprints=len(code),
        committed=sum(not lacks_commit(r) for r in code),
    )


def is_verified(one: SprintReport) -> bool:
    if is_proven_by_process(one.sprint):
        return one.is_done
    return one.proof is Proof.CHECKED and is_full(one.criteria)


def is_only_met(one: SprintReport) -> bool:
    """Return whether every command passes and yet nothing proves the work: they passed beforehand,
    or a person accepted it.
    """
    unproven = one.proof in {Proof.UNCHECKED, Proof.ACCEPTED}
    return unproven and is_full(tuple(commands_of(one)))


def waits_for_people(one: SprintReport) -> bool:
    """Return whether every command was checked, and the remaining criteria are left to people."""
    commands = tuple(commands_of(one))
    return one.is_done and is_full(commands) and not is_full(one.criteria) and not is_only_met(one)


def commands_of(one: SprintReport) -> list[CriterionReport]:
    return [c for c in one.criteria if c.command is not None]


# --- as text -------------------------------------------------------------------------------


def render_verification(found: Verification) -> str:
    lines = [
        f"## Final Verification — {fmt.iso(found.reading.at_us)}",
        "",
        *_coverage(found.reading),
        *_criteria(found),
        *_commits(found),
        *_issues(found),
    ]
    return "\n".join(lines)


def _coverage(reading: ReportReading) -> Iterator[str]:
    yield "### Coverage Check"
    yield from markdown.table(
        ("Sprint", "Planned", "Completed", "Status"),
        (
            (
                f"Sprint {one.handle}",
                "added" if one.sprint.plan.generated else "✓",
                "✓" if one.is_done else "✗",
                coverage_status(one),
            )
            for one in reading.sprints
        ),
    )
    yield ""


def coverage_status(one: SprintReport) -> str:
    match one.proof:
        case Proof.CHECKED if is_proven_by_process(one.sprint):
            return "VERIFIED (its process runs)"
        case Proof.CHECKED if is_verified(one):
            return "VERIFIED"
        case None:
            return f"NOT COMPLETED ({one.sprint.state.value})"
        case other:
            return other.value.upper()


def _criteria(found: Verification) -> Iterator[str]:
    yield "### Exit Criteria Verification"
    yield "Checking that all planned exit criteria were actually verified..."
    yield ""
    for one in found.reading.sprints:
        yield from _criteria_of(one)
    yield ""
    told = f"{found.verified}/{len(found.reading.sprints)} sprints fully verified"
    unproven = [r for r in found.reading.sprints if not is_verified(r)]
    without = sum(not commands_of(r) for r in unproven)
    people = sum(map(waits_for_people, found.reading.sprints))
    apart = f"; {people} verified except for criteria that no machine can check" if people else ""
    met = sum(map(is_only_met, found.reading.sprints))
    apart += f"; {met} with checks that pass and prove nothing by themselves" if met else ""
    apart += f"; {without} without a criterion that a machine can check" if without else ""
    left = len(found.reading.sprints) - found.verified - without - people - met
    if left:
        many = counted(left, "sprint has", "sprints have")
        yield f"**Result**: ✗ {many} unverified exit criteria ({told}{apart})"
    else:
        yield f"**Result**: {'○' if without or people or met else '✓'} {told}{apart}"
    yield ""


def _criteria_of(one: SprintReport) -> Iterator[str]:
    if is_proven_by_process(one.sprint):
        yield f"- Sprint {escape.prose(one.handle)}: {PROCESS_RUNS} ✓"
        return
    rows = one.criteria
    checked = sum(c.proven is Proven.CHECKED for c in rows)
    people = len(human(one))
    apart = f" ({people} that no machine can check)" if people else ""
    is_open = not commands_of(one) or waits_for_people(one) or is_only_met(one)
    sign = "✓" if is_verified(one) else "○" if is_open else "✗"
    verb = "pass" if is_only_met(one) else "verified"
    told = f"{checked}/{len(rows)} criteria {verb}{apart}{_only_met(one)}"
    yield f"- Sprint {escape.prose(one.handle)}: {told} {sign}"
    for row in rows:
        if row.proven not in {Proven.CHECKED, Proven.HUMAN}:
            text = escape.prose(escape.line(row.text, 300))
            yield f'  - Missing: "{text}" not verified: {entries.how(row)}'


def _only_met(one: SprintReport) -> str:
    if not is_only_met(one):
        return ""
    accepted = one.proof is Proof.ACCEPTED
    return ", accepted by a person" if accepted else ", as they did before the work"


def _commits(found: Verification) -> Iterator[str]:
    yield "### Git Commit Verification"
    yield "Checking that code sprints produced commits..."
    yield ""
    for one in found.reading.sprints:
        kind = one.sprint.plan.effective_type.value
        yield f"- Sprint {escape.prose(one.handle)} ({kind}): {_committed(one)}"
    yield ""
    left = found.code_sprints - found.committed
    if left:
        yield f"**Result**: ✗ {counted(left, 'code sprint has', 'code sprints have')} no commits"
    else:
        yield f"**Result**: ✓ {found.committed}/{found.code_sprints} code sprints have commits"
    yield ""


def _committed(one: SprintReport) -> str:
    if not one.is_code:
        return "N/A (not a code sprint)"
    if not has_git(one):
        return "N/A (there is no git here)"
    if not one.is_done and not one.commits:
        return "N/A (not completed)"
    return f"{counted(len(one.commits), 'commit')} found {'✓' if one.commits else '✗'}"


def _issues(found: Verification) -> Iterator[str]:
    yield f"## Issues Found: {len(found.issues)}"
    yield ""
    for number, issue in enumerate(found.issues, start=1):
        yield f"### Issue {number}: {escape.prose(issue.title)}"
        yield f"- **Severity**: {issue.severity.value}"
        yield f"- **Details**: {escape.prose(escape.line(issue.details, 600))}{_by(issue)}"
        if issue.impact:
            yield f"- **Impact**: {escape.prose(issue.impact)}"
        yield f"- **Recommendation**: {escape.prose(issue.recommendation)}"
        yield ""


def _by(issue: ReportIssue) -> str:
    if not issue.records:
        return ""
    return f" (record{'s' * (len(issue.records) > 1)} {', '.join(map(str, issue.records))})"


def render_verdict(found: Verification) -> str:
    return "\n".join(("---", "", "## Verdict", "", *_verdict(found), ""))


def _verdict(found: Verification) -> Iterator[str]:
    reading = found.reading
    if found.passed:
        accepted = sum(r.proof is Proof.ACCEPTED for r in reading.done)
        trusted = f", {accepted} of them accepted on a person's word" if accepted else ""
        yield "✓ VERIFICATION PASSED"
        yield ""
        yield (
            f"All {len(reading.sprints)} sprints are completed{trusted}; the criteria that a "
            "machine can check were checked, and the commits are on record (where applicable)."
        )
    else:
        yield "✗ VERIFICATION FAILED"
        yield ""
        if reading.overall is Overall.COMPLETED:
            state = "All work units are COMPLETED, but final verification found"
        else:
            done = f"{len(reading.done)} of {len(reading.sprints)} sprints are completed"
            how = stands(reading.mission, supervised=reading.mission.driven)
            state = f"The run is not at its end ({how}): {done}. It has"
        count = counted(len(found.issues), "issue")
        yield f"{state} {count}. Review and resolve before considering the work complete."
    for line in (*closing_lines.gate(reading.mission), *gates.to_accept(reading.mission)):
        yield ""
        yield escape.prose(line)
    yield ""
    yield f"**Critical issues**: {found.count(*SEVERE)} (must resolve)"
    yield ""
    lesser = found.count(IssueSeverity.MEDIUM, IssueSeverity.LOW)
    yield f"**Recommended fixes**: {lesser} (should resolve)"
