"""Find what is wrong, weak or taken on trust in a run, each issue with its severity."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from topkick.sprint.gates import views as gate_words
from topkick.sprint.gates.model import GateKind, GateVerdict
from topkick.sprint.model import Overall, Proof
from topkick.sprint.report import entries
from topkick.sprint.report.reader import CriterionReport, Proven, ReportReading, SprintReport
from topkick.sprint.report.records import GateLedger
from topkick.sprint.transitions import SprintState
from topkick.sprint.views import blocker_lines
from topkick.text.format import counted


class IssueSeverity(StrEnum):
    CRITICAL = "CRITICAL"
    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


SEVERE = (IssueSeverity.CRITICAL, IssueSeverity.HIGH)


@dataclass(frozen=True, slots=True)
class ReportIssue:
    """One issue. `about` are handles of sprints and gates, `records` the journal records that show
    it.
    """

    title: str
    severity: IssueSeverity
    details: str
    recommendation: str
    impact: str = ""
    about: tuple[str, ...] = ()
    records: tuple[int, ...] = ()


def issues_of(reading: ReportReading) -> tuple[ReportIssue, ...]:
    """Return the issues, the most severe first; those of one severity in the order of the plan."""
    found = [
        *_unfinished(reading),
        *(issue for one in reading.done for issue in _of_done(one)),
        *_of_gates(reading),
        *_of_needs(reading),
        *_in_place(reading),
        *_for_people(reading),
    ]
    order = list(IssueSeverity)
    return tuple(sorted(found, key=lambda issue: order.index(issue.severity)))


# --- sprints that are not done -------------------------------------------------------------


def _unfinished(reading: ReportReading) -> Iterator[ReportIssue]:
    left = [r for r in reading.sprints if not r.is_done]
    fatal = [r for r in left if r.sprint.state is SprintState.FATAL]
    for one in fatal:
        yield ReportIssue(
            f"Sprint {one.handle} is FATAL",
            IssueSeverity.CRITICAL,
            blocker_lines.told(one.sprint.fatal) or "it has no attempts left",
            f'topkick explain {one.handle}, then topkick retry {one.handle} --note "..."',
            "Its unit is blocked, and everything that waits for it",
            (one.handle,),
            tuple(f.seq for f in one.ledger.fatals[-1:]),
        )
    rest = [r for r in left if r not in fatal]
    if rest:
        resting = {Overall.STOPPED, Overall.KILLED, Overall.BLOCKED}
        resumed = reading.overall in resting or not reading.mission.driven
        yield ReportIssue(
            f"{counted(len(rest), 'sprint is', 'sprints are')} not completed",
            IssueSeverity.CRITICAL,
            ", ".join(f"{r.handle} ({r.sprint.state.value})" for r in rest),
            "topkick explain, then topkick resume" if resumed else "Wait for it: topkick watch",
            "The plan is not complete",
            tuple(r.handle for r in rest),
        )


# --- sprints that are done -----------------------------------------------------------------


def _of_done(one: SprintReport) -> Iterator[ReportIssue]:
    yield from _of_proof(one)
    yield from _of_criteria(one)
    yield from _of_commits(one)
    for item in one.ledger.waived:
        yield ReportIssue(
            f"Sprint {one.handle}: a finding was waived",
            IssueSeverity.MEDIUM,
            f"{item.what or item.waiver.finding}; waived by {item.waiver.by or 'a person'}: "
            f"{item.waiver.why}",
            f"topkick explain {one.handle} --evidence",
            "A finding against the work was let pass on a person's word",
            (one.handle,),
            (item.seq,),
        )


def _of_proof(one: SprintReport) -> Iterator[ReportIssue]:
    seq = one.ledger.completed_seq
    verify = f"topkick verify {one.handle}"
    match one.proof:
        case Proof.UNCHECKED:
            yield ReportIssue(
                f"Sprint {one.handle} is unchecked",
                IssueSeverity.HIGH,
                entries.status(one),
                "Look at its commits, or give it a criterion that a machine can check",
                "Nothing that was run shows that it is done",
                (one.handle,),
                (seq,),
            )
        case Proof.HELD:
            yield ReportIssue(
                f"Sprint {one.handle} waits for its gate",
                IssueSeverity.HIGH,
                "Some of its criteria were held and no gate has checked them yet",
                verify,
                "It is completed, although a part of its criteria was not checked",
                (one.handle,),
                (seq,),
            )
        case Proof.ACCEPTED:
            yield ReportIssue(
                f"Sprint {one.handle} is accepted on a person's word",
                IssueSeverity.MEDIUM,
                entries.accepted(one),
                f"topkick explain {one.handle} --evidence",
                "No machine has checked it",
                (one.handle,),
                (seq,),
            )
        case _:
            return


def _to_type(one: SprintReport, row: CriterionReport) -> str:
    """Return the command to type: as the plan names it, or `topkick verify` for a check that
    topkick compiled.
    """
    return (
        row.command if row.command and row.command in row.text else f"topkick verify {one.handle}"
    )


def _of_criteria(one: SprintReport) -> Iterator[ReportIssue]:
    """Yield criteria that were not checked. Sprints that a person accepted, or that are held, have
    an issue of their own.
    """
    if one.proof in {Proof.ACCEPTED, Proof.HELD}:
        return
    for row in one.criteria:
        if row.command is not None and row.proven is not Proven.CHECKED:
            yield ReportIssue(
                f"Sprint {one.handle} missing exit criterion verification",
                IssueSeverity.HIGH,
                f'Exit criterion "{row.text}" was not verified: {entries.how(row)}',
                f"Run it: {_to_type(one, row)}",
                "",
                (one.handle,),
                (row.seq,) if row.seq else (),
            )


def _of_commits(one: SprintReport) -> Iterator[ReportIssue]:
    if not lacks_commit(one):
        return
    by_word = one.proof is Proof.ACCEPTED
    yield ReportIssue(
        f"Sprint {one.handle} has no commit",
        IssueSeverity.MEDIUM if by_word else IssueSeverity.HIGH,
        "It is a code sprint, and no commit of it is on record",
        f"topkick explain {one.handle} --evidence",
        "Its work cannot be found in git",
        (one.handle,),
        (one.ledger.completed_seq,),
    )


def lacks_commit(one: SprintReport) -> bool:
    return one.is_code and one.is_done and not one.commits and has_git(one)


def has_git(one: SprintReport) -> bool:
    """Return whether the sprint's work is in git; true if the sprint was never checked."""
    return one.ledger.look is None or one.ledger.look.has_git


# --- gates ---------------------------------------------------------------------------------


def _of_gates(reading: ReportReading) -> Iterator[ReportIssue]:
    gates = reading.account.gates
    builds = [g for g in gates if g.gate.kind is GateKind.BUILD and not g.dropped]
    for gate in last_of_phases(reading):
        yield from _of_gate(gate, is_last=not builds or gate is builds[-1])
    if gate_words.never_run(reading.mission):
        yield ReportIssue(
            "No gate was run",
            IssueSeverity.MEDIUM,
            gate_words.NOTHING_KNOWN,
            "Build and test everything together",
            "Nothing shows that the work of all units fits together",
        )


def last_of_phases(reading: ReportReading) -> tuple[GateLedger, ...]:
    """Return the last gate of each phase that was not dropped. Clearances are left out: the unit
    has begun since.
    """
    last: dict[tuple[str, str], GateLedger] = {}
    for gate in reading.account.gates:
        if gate.gate.kind is not GateKind.CLEARANCE and not gate.dropped:
            last[gate_words.about(gate.gate)] = gate
    return tuple(last.values())


def _of_gate(gate: GateLedger, *, is_last: bool) -> Iterator[ReportIssue]:
    """Yield the issue of a gate. Some verdicts weigh less before the last gate, which builds the
    earlier work as well.
    """
    if gate.accepted:
        severity, title = IssueSeverity.MEDIUM, "was accepted on a person's word"
    else:
        match gate.verdict:
            case GateVerdict.PASSED:
                return
            case GateVerdict.FLAKY:
                severity, title = IssueSeverity.LOW, "is flaky"
            case GateVerdict.WARNED:
                severity, title = IssueSeverity.LOW, "warned"
            case GateVerdict.BLOCKED:
                severity, title = IssueSeverity.HIGH, "was blocked"
            case GateVerdict.PRE_EXISTING:
                severity = IssueSeverity.HIGH if is_last else IssueSeverity.MEDIUM
                title = "is red, but not because of this work"
            case GateVerdict.NOT_RUN if not is_last:
                severity, title = IssueSeverity.MEDIUM, "was not run"
            case GateVerdict.NOT_RUN | GateVerdict.CANNOT_RUN | None:
                severity, title = IssueSeverity.HIGH, "was not run"
            case _:
                severity, title = IssueSeverity.CRITICAL, "is red"
    yield ReportIssue(
        f"Gate {gate.gate.id} {title}",
        severity,
        gate_words.outcome(gate.gate),
        f"topkick explain {gate.gate.id}",
        "The work of all units together",
        (gate.gate.id,),
        tuple(seq for seq in (gate.judged_seq, gate.closed_seq) if seq),
    )


# --- needs, checks in place, criteria for people -------------------------------------------


def _of_needs(reading: ReportReading) -> Iterator[ReportIssue]:
    open_ones = [n for n in reading.mission.cross_needs if not n.resolved]
    if open_ones:
        yield ReportIssue(
            f"{counted(len(open_ones), 'cross-unit need')} open",
            IssueSeverity.MEDIUM,
            "; ".join(f"{n.unit}: {n.text}" for n in open_ones),
            "See Cross-Package Needs in SUPERVISOR_STATE.md",
            reading.mission.reconciled or "A unit lacks something that it needs from another unit",
        )


def _in_place(reading: ReportReading) -> Iterator[ReportIssue]:
    found = [r for r in reading.done if entries.in_place(r) and r.proof is Proof.CHECKED]
    if found:
        yield ReportIssue(
            f"{counted(len(found), 'sprint was', 'sprints were')} checked where the work was done",
            IssueSeverity.LOW,
            ", ".join(r.handle for r in found),
            "topkick verify X --cold runs the same at the commit",
            "Uncommitted files may have helped",
            tuple(r.handle for r in found),
        )


def _for_people(reading: ReportReading) -> Iterator[ReportIssue]:
    rows = [(r, human(r)) for r in reading.done if r.proof is Proof.CHECKED]
    found = [(r, texts) for r, texts in rows if texts]
    if found:
        count = sum(len(texts) for _, texts in found)
        yield ReportIssue(
            f"{counted(count, 'criterion', 'criteria')} that no machine can check",
            IssueSeverity.LOW,
            "; ".join(f"{r.handle}: {', '.join(c.text for c in texts)}" for r, texts in found),
            "Look at them yourself",
            "",
            tuple(r.handle for r, _ in found),
        )


def human(one: SprintReport) -> tuple[CriterionReport, ...]:
    return tuple(c for c in one.criteria if c.proven is Proven.HUMAN)
