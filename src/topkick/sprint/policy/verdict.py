"""Judge a sprint from evidence. Checks and commits raise the verdict; words can only lower it
(VF-02).
"""

import hashlib
from dataclasses import dataclass, replace

from topkick.checks.model import CheckOutcome, CheckResult, Evidence, Finding, FindingKind, Where
from topkick.engine.agents.program import AgentExit, AgentReport, Conclusion, Ending
from topkick.engine.settings import OnFinding, Settings
from topkick.plan_format.model import SprintType
from topkick.sprint.blockers.holds import (
    CheckCannotRun,
    FindingsOpen,
    LookWhy,
    PersonHasToLook,
    SprintRest,
)
from topkick.sprint.check_wording import told, words_for
from topkick.sprint.model import Outcome, Proof, Sprint, Verdict, held_against, open_findings

LOWERING_WORDS = frozenset({"partial", "failed", "blocked"})
LOWERING_PROGRESS = frozenset({"failed", "blocked"})
CUT_SHORT = (Conclusion.TURN_LIMIT, Conclusion.CONTEXT_EXHAUSTED, Conclusion.BUDGET_SPENT)
DONE_BEFORE = "all criteria passed before the order and the agent changed nothing"
TELLING = (*CUT_SHORT, Conclusion.PERMISSION_DENIED, Conclusion.ASKED, Conclusion.REFUSED)


@dataclass(frozen=True, slots=True)
class Judgment:
    """A verdict. `rest` says why only a person can continue; `but_for` is the proof that the work
    would have without its findings, which are `returned` to the agent once before a person is
    asked.
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    proof: Proof | None = None
    rest: SprintRest | None = None
    newly_met: bool = False
    but_for: Proof | None = None
    findings: tuple[Finding, ...] = ()
    returned: bool = False

    def outcome(self, evidence: Evidence, run_id: str) -> Outcome:
        failing = tuple(r for r in _all_of(evidence) if not r.passed)
        return Outcome(
            verdict=self.verdict,
            reasons=self.reasons,
            failing=failing,
            uncommitted=evidence.uncommitted,
            commits=evidence.commits,
            run_id=run_id,
            head=evidence.head or "",
            heads=evidence.heads,
            findings=self.findings,
            but_for=self.but_for,
            outside=evidence.outside,
        )


def judge(
    sprint: Sprint,
    before: tuple[str, ...],
    evidence: Evidence,
    agent_exit: AgentExit | None,
    settings: Settings,
) -> Judgment:
    """Judge the evidence; `before` are the checks that passed already before the order."""
    newly_met = bool(set(evidence.passing) - set(before))
    proven = bool(set(evidence.passing) - set(sprint.passing_at_first))
    findings = to_the_point(evidence.findings, proven=proven)
    held = held_against(sprint, findings)
    found = _look(sprint, before, evidence, agent_exit)
    if found.verdict is Verdict.SUCCESS:
        proof = Proof.CHECKED if proven else Proof.UNCHECKED
        proof = Proof.HELD if sprint.held else proof
        contradicted = _contradicted(sprint, held, proof, settings)
        found = contradicted if held else replace(found, proof=proof)
    else:
        found = replace(found, reasons=(*found.reasons, *(f.what for f in held)))
    found = _bounded(sprint, evidence, found, newly_met, settings)
    return replace(found, newly_met=newly_met, findings=findings)


def broken_by_work(evidence: Evidence) -> Evidence:
    """Count a check that lacks something of the tree as failed: it could run before the order, or
    there would have been no order.
    """
    return replace(evidence, results=tuple(map(_failed_by_work, evidence.results)))


def _failed_by_work(result: CheckResult) -> CheckResult:
    is_broken = result.outcome is CheckOutcome.CANNOT_RUN and result.of_tree
    return replace(result, outcome=CheckOutcome.FAILED) if is_broken else result


def unrunnable(sprint: Sprint, cannot: tuple[CheckResult, ...]) -> tuple[CheckResult, ...]:
    """Return the checks that hold an order back, since no agent can make them run.

    Something missing in the tree is the work's own task once the sprint has begun, or if it repairs
    other work.
    """
    begun = bool(sprint.dispatches) or sprint.plan.generated
    return tuple(r for r in cannot if not (r.of_tree and begun))


def to_the_point(findings: tuple[Finding, ...], *, proven: bool) -> tuple[Finding, ...]:
    """Drop the finding that work is beside the point if a newly met criterion proves otherwise."""
    beside = FindingKind.BESIDE_THE_POINT
    return tuple(f for f in findings if not proven or f.kind is not beside)


def _contradicted(
    sprint: Sprint, held: tuple[Finding, ...], proof: Proof, settings: Settings
) -> Judgment:
    """Judge work whose checks pass with findings left: the agent may fix them once, then a person
    decides (VF-06).
    """
    may_go_back = (
        settings.on_finding is OnFinding.RETURN
        and not sprint.returned
        and sprint.counted_dispatches < settings.max_dispatches
    )
    rest = FindingsOpen(held) if held and not may_go_back else None
    reasons = tuple(f.what for f in held)
    return Judgment(Verdict.PARTIAL, reasons, rest=rest, but_for=proof, returned=may_go_back)


def _look(
    sprint: Sprint, before: tuple[str, ...], evidence: Evidence, agent_exit: AgentExit | None
) -> Judgment:
    unmet = [r for r in _all_of(evidence) if not r.passed]
    cannot = [r for r in unmet if r.outcome is CheckOutcome.CANNOT_RUN]
    reasons = unmet_by(sprint, evidence)
    progress = evidence.substance or bool(set(evidence.passing) - set(before))
    if sprint.plan.effective_type is SprintType.MANUAL:
        return Judgment(Verdict.PARTIAL, reasons, rest=PersonHasToLook(LookWhy.MANUAL))
    if cannot and len(cannot) == len(unmet):
        rest = CheckCannotRun(cannot[0].criterion or cannot[0].command)
        return Judgment(Verdict.PARTIAL, reasons, rest=rest)
    if unmet:
        return _unmet(progress, evidence, reasons, agent_exit)
    if reasons:
        return Judgment(Verdict.PARTIAL, reasons)
    return _lowered(_all_met(sprint, progress, evidence, agent_exit), evidence)


def unmet_by(sprint: Sprint, evidence: Evidence) -> tuple[str, ...]:
    """Return the criteria that are not met, or were not checked."""
    unmet = (told(r) for r in _all_of(evidence) if not r.passed)
    return (*unmet, *_never_run(sprint, evidence))


def _all_of(evidence: Evidence) -> tuple[CheckResult, ...]:
    return (*evidence.results, *evidence.always, *evidence.syntax)


def _never_run(sprint: Sprint, evidence: Evidence) -> tuple[str, ...]:
    """Return criteria that were added to the plan after the checks were ordered (V1, V3); held ones
    belong to the gate (GT-02).
    """
    ran = {r.command for r in evidence.results}.union(sprint.held)
    missed = (c.command for c in sprint.plan.checks if c.command and c.command not in ran)
    return tuple(f"not run: {words_for(sprint.plan.checks, command)}" for command in missed)


def _lowered(found: Judgment, evidence: Evidence) -> Judgment:
    """Lower a SUCCESS by the agent's own words; words raise nothing (V8)."""
    claim = evidence.claim
    if found.verdict is not Verdict.SUCCESS:
        return found
    if claim is not None and claim.status in LOWERING_WORDS:
        said = f"the agent itself says '{claim.status}': {claim.summary}".strip()
        return Judgment(Verdict.PARTIAL, (said, *claim.remaining))
    if evidence.progress in LOWERING_PROGRESS:
        return Judgment(Verdict.PARTIAL, (f"PROGRESS.md says that it is {evidence.progress}",))
    return found


def _unmet(
    progress: bool, evidence: Evidence, reasons: tuple[str, ...], agent_exit: AgentExit | None
) -> Judgment:
    """Judge unmet criteria: a PARTIAL lists what remains, a FAILURE also how it came about.

    Uncommitted files are not progress (ER-05); the next order names them.
    """
    if progress:
        return Judgment(Verdict.PARTIAL, reasons)
    if evidence.where is not Where.PLACE:  # the checks did not see uncommitted files
        reasons = (*_not_committed(evidence), *reasons)
    reasons = (*reasons, *_elsewhere(evidence))
    claim = evidence.claim
    if claim is not None and claim.status == "done":
        reasons = (*reasons, "the agent said it was done; the checks say otherwise")
    elif evidence.progress == "complete":
        reasons = (*reasons, "PROGRESS.md says it is complete; the checks say otherwise")
    return Judgment(Verdict.FAILURE, (*reasons, *_how_it_ended(agent_exit, evidence.report)))


def _all_met(
    sprint: Sprint, progress: bool, evidence: Evidence, agent_exit: AgentExit | None
) -> Judgment:
    """Judge met criteria: decide whether anything was done at all (VF-03, VF-06)."""
    is_code = sprint.plan.type is SprintType.CODE and not sprint.plan.reconciles
    has_git = evidence.head is not None
    answers = bool(open_findings(sprint))  # the work existed when its findings were returned
    committed = evidence.substance or (sprint.committed and (progress or answers))
    if committed or (progress and not (is_code and has_git)):
        return Judgment(Verdict.SUCCESS, ())
    if sprint.plan.checks and not is_code:
        return Judgment(Verdict.SUCCESS, ())
    if not has_git:
        return Judgment(Verdict.PARTIAL, (), rest=PersonHasToLook(LookWhy.NO_CHECK))
    if not is_code:
        return Judgment(Verdict.PARTIAL, (), rest=PersonHasToLook(LookWhy.NOT_CHECKABLE))
    ended = _how_it_ended(agent_exit, evidence.report)
    if not ended and _was_done_before(sprint, evidence):
        return Judgment(Verdict.PARTIAL, (DONE_BEFORE,), rest=PersonHasToLook(LookWhy.DONE_BEFORE))
    verdict = Verdict.PARTIAL if progress else Verdict.FAILURE
    return Judgment(verdict, (*_no_commit(evidence), *_elsewhere(evidence), *ended))


def _was_done_before(sprint: Sprint, evidence: Evidence) -> bool:
    """Return whether everything passed before the order: no other order would find anything to
    do.
    """
    checks = {c.command for c in sprint.plan.checks}
    changed = evidence.commits or evidence.uncommitted or evidence.outside
    return bool(checks) and checks <= set(sprint.passing_at_first) and not changed


def _no_commit(evidence: Evidence) -> tuple[str, ...]:
    if evidence.uncommitted:
        return _not_committed(evidence)
    what = "only an empty commit" if evidence.commits else "no commit"
    return (f"{what} in the unit's directory since the order",)


def _not_committed(evidence: Evidence) -> tuple[str, ...]:
    files = evidence.uncommitted
    return (f"not committed: {', '.join(files[:5])}",) if files else ()


def _elsewhere(evidence: Evidence) -> tuple[str, ...]:
    return (evidence.outside.told,) if evidence.outside is not None else ()


def _bounded(
    sprint: Sprint, evidence: Evidence, found: Judgment, newly_met: bool, settings: Settings
) -> Judgment:
    """Limit continuations without progress (SM-07) and the number of dispatches (SM-10)."""
    if found.verdict is not Verdict.PARTIAL or found.rest or found.returned:
        return found
    if sprint.counted_dispatches >= settings.max_dispatches:
        why = f"dispatched {sprint.dispatches} times, still not done"
        return replace(found, verdict=Verdict.FAILURE, reasons=(*found.reasons, why))
    if newly_met:
        return found
    is_continuation = sprint.outcome is not None and sprint.outcome.verdict is Verdict.PARTIAL
    if is_continuation and not evidence.substance:
        why = "the continuation met no criterion and changed nothing beyond blanks and comments"
        return replace(found, verdict=Verdict.FAILURE, reasons=(*found.reasons, why))
    idle = sprint.idle_continuations + 1
    if is_continuation and idle >= settings.max_continuations:
        why = f"{idle} continuations in a row met no further criterion"
        return replace(found, verdict=Verdict.FAILURE, reasons=(*found.reasons, why))
    return found


def _how_it_ended(agent_exit: AgentExit | None, report: AgentReport | None) -> tuple[str, ...]:
    if report is not None and report.conclusion in TELLING:
        return (f"the agent ended by {report.conclusion}: {report.said}".rstrip(": "),)
    match agent_exit:
        case AgentExit(how=Ending.EXITED, code=code) if code:
            return (f"the agent ended with {code}",)
        case AgentExit(how=Ending.SIGNALED, signal=signal):
            return (f"the agent was ended by signal {signal}",)
        case AgentExit(how=Ending.DEADLINE):
            return ("the agent ran out of time",)
        case _:
            return ()


def fingerprint(outcome: Outcome) -> str:
    """Return a mark that is the same for the same failure, whatever the output around it."""
    failing = sorted(f"{r.command}\0{r.outcome}\0{r.code}" for r in outcome.failing)
    marks = failing or [r for r in outcome.reasons if not r.startswith("not committed")]
    return hashlib.sha256("\n".join(marks).encode()).hexdigest()[:12]
