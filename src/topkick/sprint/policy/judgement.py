"""Turn the evidence about a piece of work into moves of its sprint.

`policy.verdict` judges evidence as SUCCESS, PARTIAL or FAILURE. This module decides what follows,
which depends on the reason for the check:

- A deferred sprint waits for a condition. It completes when the condition holds, fails if the
  condition fails in the way that the plan declares as failure, and otherwise waits for the next
  poll.
- A claim says that a sprint was done before this run. Its checks have to confirm it (ST-02).
  Without checks, only a person who imported the run can vouch for it.
- A FATAL sprint is checked again after a gate has passed (`gates.shared_tree`).
- An interrupted sprint was killed. If its work is a SUCCESS with a criterion newly met, it is
  completed; otherwise it is dispatched again.
- An attempt is the work of an agent that has ended. SUCCESS completes the sprint, PARTIAL continues
  it or makes it wait for a person, and FAILURE charges an attempt.

Only the last case can charge. Before it charges, or makes the sprint wait for a person,
`run_trouble.nobodys_fault` looks for a cause that is not the agent's work, such as a usage limit or
a lost agent; then the sprint is dispatched again later and nothing is charged. The third failure
with the same fingerprint is FATAL, since another attempt would end the same way.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from topkick.checks.model import CheckResult, Evidence
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentReport, Conclusion
from topkick.engine.agents.runs import CancelWhy, Run, Stage
from topkick.plan_format.model import DeclaredFailure, SprintType
from topkick.sprint.blockers.holds import FatalCause, FatalKind
from topkick.sprint.check_wording import words_for
from topkick.sprint.gates.shared_tree import completed_for_gate, judge_fatal
from topkick.sprint.model import Claimed, Mission, Outcome, Proof, Sprint, Verdict
from topkick.sprint.policy.decisions import decided, sprint_moves
from topkick.sprint.policy.decisions import judged as _judged
from topkick.sprint.policy.run_trouble import also, nobodys_fault
from topkick.sprint.policy.verdict import Judgment, broken_by_work, fingerprint, judge, unmet_by
from topkick.sprint.transitions import SprintCause, SprintState
from topkick.sprint.unit_index import index_of

# --- claims of work done before this run (ST-02) -------------------------------------------


def judge_claim(run: Run, sprint: Sprint, claim: Claimed, evidence: Evidence) -> Sequence[h.Event]:
    """Judge a claim by the sprint's checks. Without checks, complete the sprint only if the person
    who imported the run took the claim.
    """
    unmet = unmet_by(sprint, evidence)
    by_machine = bool(sprint.plan.checks) and sprint.plan.effective_type is not SprintType.MANUAL
    if unmet:
        return _not_confirmed(run, claim, unmet[0])
    if by_machine:
        return _found_done(run, sprint, claim, evidence, Proof.CHECKED, "its checks pass")
    if claim.taken:
        why = "no machine can check it; taken on a person's word"
        return _found_done(run, sprint, claim, evidence, Proof.ACCEPTED, why)
    return _not_confirmed(run, claim, "nothing shows that it was done")


def _found_done(
    run: Run, sprint: Sprint, claim: Claimed, evidence: Evidence, proof: Proof, why: str
) -> Sequence[h.Event]:
    reasons = (f"accepted: {claim.said}",) if proof is Proof.ACCEPTED else ()
    outcome = Outcome(
        Verdict.SUCCESS,
        reasons,
        commits=claim.commits,
        run_id=run.id,
        head=evidence.head or "",
    )
    return (
        h.SprintJudged(
            run.unit, run.sprint, outcome, newly_met=bool(evidence.passing), proof=proof
        ),
        sprint_moves(run.unit, sprint, SprintCause.FOUND_DONE),
        h.RunClosed(run.id, "found done", looked=True),
        decided(run, "Found done", f"{why} ({claim.said})"),
    )


def _not_confirmed(run: Run, claim: Claimed, why: str) -> Sequence[h.Event]:
    return (
        h.RunClosed(run.id, "claimed to be done, and it is not", looked=True),
        decided(run, "Claim not confirmed", f"{claim.said}; {why}"),
    )


# --- work of this run ----------------------------------------------------------------------

SAME_FAILURE_LIMIT = 3
NOTE, EVENT = h.DecisionKind.NOTE, h.DecisionKind.EVENT
UNMET_POLLS_TOLD = 20
ENDED_FOR = {
    CancelWhy.TURN_LIMIT: Conclusion.TURN_LIMIT,
    CancelWhy.BUDGET_SPENT: Conclusion.BUDGET_SPENT,
}


def judge_work(mission: Mission, run: Run, evidence: Evidence) -> Sequence[h.Event]:
    """Judge checked work by the reason for the check, and return the events that follow."""
    if run.stage is Stage.WAITING:
        return _judge_condition(mission, run, evidence)
    sprint = mission.sprint(run.unit, run.sprint)
    if run.dispatch is None and sprint.claim is not None:
        return judge_claim(run, sprint, sprint.claim, evidence)
    if run.dispatch is None and sprint.state is SprintState.FATAL:
        return judge_fatal(mission, run, _of_this_sprint(sprint, evidence))
    if run.dispatch is None:
        return (*_judge_interrupted(mission, run, evidence), *_noticed(run, evidence))
    return (*_judge_attempt(mission, run, evidence), *_noticed(run, evidence))


def _noticed(run: Run, evidence: Evidence) -> Iterator[h.Event]:
    """Record changes that may not be the agent's; the verdict does not count them."""
    if evidence.elsewhere:
        files = ", ".join(evidence.elsewhere)
        yield decided(
            run, "Main checkout changed", f"changed meanwhile, perhaps not by the agent: {files}"
        )
    if evidence.salvaged:
        yield decided(run, "Uncommitted work saved", evidence.salvaged)


def _judge_attempt(mission: Mission, run: Run, evidence: Evidence) -> Sequence[h.Event]:
    """Judge the work of an agent that has ended, against the checks that passed before
    its order.
    """
    assert run.dispatch is not None
    assert mission.settings is not None
    sprint = mission.sprint(run.unit, run.sprint)
    evidence = _as_we_ended_it(run, _of_this_sprint(sprint, evidence))
    evidence = _told_apart(mission, run, evidence)
    if completed := completed_for_gate(mission, run, evidence):
        return completed
    found = judge(sprint, run.dispatch.passing, evidence, run.exit, mission.settings)
    if sprint.plan.type is SprintType.BACKGROUND:
        found = _judge_background(mission, run, found)
    unresponsive = run.cancel is not None and run.cancel.why is CancelWhy.UNRESPONSIVE
    if unresponsive and found.verdict is not Verdict.SUCCESS:
        found = Judgment(Verdict.FAILURE, ("no sign of life; ended", *found.reasons))
    match found.verdict:
        case Verdict.SUCCESS:
            return (
                *_completed(run, sprint, found, evidence),
                *_kept_ahead(mission, run, evidence),
                *also(mission, run, evidence.report),
            )
        case Verdict.PARTIAL if found.rest:
            spared = nobodys_fault(mission, run, sprint, evidence.report)
            return spared or _progressed(run, sprint, found, evidence)
        case Verdict.PARTIAL:
            went_on = _progressed(run, sprint, found, evidence)
            return (*went_on, *also(mission, run, evidence.report))
        case Verdict.FAILURE:
            spared = nobodys_fault(mission, run, sprint, evidence.report)
            return spared or _failed(run, sprint, found, evidence)


def _of_this_sprint(sprint: Sprint, evidence: Evidence) -> Evidence:
    """Leave out files that were uncommitted before the sprint's first order; they are not its work.
    Count a check that the work itself broke as failed.
    """
    mine = [f for f in evidence.uncommitted if f not in sprint.uncommitted_at_first]
    return broken_by_work(replace(evidence, uncommitted=tuple(mine)))


def _told_apart(mission: Mission, run: Run, evidence: Evidence) -> Evidence:
    """Ignore commits outside the unit's directory if another unit of the shared tree works at the
    root.
    """
    at_root = (index_of(mission).directories.get(place, ()) for place in (".", ""))
    others = (name for names in at_root for name in names if name != run.unit)
    anybodys = mission.isolation is None and any(others)
    return replace(evidence, outside=None) if anybodys else evidence


def _as_we_ended_it(run: Run, evidence: Evidence) -> Evidence:
    """Add to the report that topkick ended the agent for a limit, which its program cannot know
    (ER-05).
    """
    conclusion = ENDED_FOR.get(run.cancel.why) if run.cancel is not None else None
    if conclusion is None:
        return evidence
    report = evidence.report or AgentReport(conclusion)
    return replace(evidence, report=replace(report, conclusion=conclusion, said=""))


def _judge_background(mission: Mission, run: Run, found: Judgment) -> Judgment:
    """Complete the sprint once its process is confirmed running (ER-03), unless the judgment has
    reasons against it.
    """
    mine = [b for b in mission.backgrounds.values() if (b.unit, b.sprint) == (run.unit, run.sprint)]
    if not any(b.running for b in mine):
        why = "no background process is confirmed running; start it with `topkick background run`"
        return Judgment(Verdict.FAILURE, (why, *found.reasons))
    if not found.reasons:
        return Judgment(Verdict.SUCCESS, (), proof=Proof.CHECKED, newly_met=True)
    return found


def _kept_ahead(mission: Mission, run: Run, evidence: Evidence) -> Iterator[h.Event]:
    """Keep the survey for the unit's next sprint, which the checker made along with this check."""
    unit = mission.units[run.unit]
    following = unit.sprints[unit.at + 1 : unit.at + 2]
    if following and evidence.ahead is not None:
        yield h.GroundKept(unit.name, following[0].id, evidence.ahead)


def _completed(run: Run, sprint: Sprint, found: Judgment, evidence: Evidence) -> Sequence[h.Event]:
    return (
        _judged(run, found, evidence),
        sprint_moves(run.unit, sprint, SprintCause.SUCCEEDED),
        h.RunClosed(run.id, "completed"),
    )


def _progressed(run: Run, sprint: Sprint, found: Judgment, evidence: Evidence) -> Sequence[h.Event]:
    why = "" if found.rest else "; ".join(found.reasons) or "work remains"
    decision = "Finding returned" if found.returned else "PARTIAL"
    once = (
        "; the agent gets one more order to fix it, then a person decides" if found.returned else ""
    )
    return (
        _judged(run, found, evidence),
        sprint_moves(run.unit, sprint, SprintCause.PROGRESSED, why, found.rest),
        h.RunClosed(run.id, "partial"),
        decided(run, decision, f"{why}{once}", found.rest, NOTE if found.returned else EVENT),
    )


def _failed(run: Run, sprint: Sprint, found: Judgment, evidence: Evidence) -> Sequence[h.Event]:
    why = "; ".join(found.reasons) or "nothing was done"
    mark = fingerprint(found.outcome(evidence, run.id))
    seen = sprint.fingerprints.count(mark) + 1
    same = FatalCause(FatalKind.SAME_FAILURE, seen, mark=mark)
    fatal = same if seen >= SAME_FAILURE_LIMIT else None
    return (
        _judged(
            run,
            found,
            evidence,
            charged=True,
            mark=mark,
            fatal=fatal,
        ),
        sprint_moves(run.unit, sprint, SprintCause.FAILED, why),
        h.RunClosed(run.id, "failed"),
        decided(run, f"Attempt {sprint.failures + 1} failed", why, kind=EVENT),
    )


def _judge_interrupted(mission: Mission, run: Run, evidence: Evidence) -> Sequence[h.Event]:
    """Find out, before a killed sprint is dispatched again, whether its agent had finished the
    work.
    """
    assert mission.settings is not None
    sprint = mission.sprint(run.unit, run.sprint)
    evidence = _of_this_sprint(sprint, evidence)
    before = sprint.interrupted.passing if sprint.interrupted is not None else ()
    found = judge(sprint, before, evidence, None, mission.settings)
    if found.verdict is not Verdict.SUCCESS or not found.newly_met:
        return (h.RunClosed(run.id, "not finished when it was interrupted", looked=True),)
    late = sprint.state is SprintState.BACKOFF
    cause = SprintCause.LATE_FINISH if late else SprintCause.FOUND_DONE
    return (
        _judged(run, found, evidence),
        sprint_moves(run.unit, sprint, cause),
        h.RunClosed(run.id, "found done", looked=True),
        decided(run, "Found done", "its checks pass although its agent was interrupted"),
    )


# --- deferred sprints ----------------------------------------------------------------------


def _judge_condition(mission: Mission, run: Run, evidence: Evidence) -> Sequence[h.Event]:
    """Judge one poll of a deferred sprint; now and then, note that it still waits."""
    sprint = mission.sprint(run.unit, run.sprint)
    checks = sprint.plan.checks
    unmet = [c.command for c in checks if c.command and c.command not in evidence.passing]
    if not unmet:
        met = Judgment(Verdict.SUCCESS, (), proof=Proof.CHECKED, newly_met=True)
        return _completed(run, sprint, met, evidence)
    declared = sprint.plan.fails_if
    if declared is not None and any(_is_declared(declared, r) for r in evidence.results):
        return _declared_failure(run, sprint, evidence)
    if run.polls % UNMET_POLLS_TOLD == 0:
        waits = f"{words_for(checks, unmet[0])} still not met after {run.polls} checks"
        return (decided(run, "Still waiting", waits),)
    return ()


def _is_declared(declared: DeclaredFailure, result: CheckResult) -> bool:
    by_code = declared.exit_code is not None and result.code == declared.exit_code
    by_text = bool(declared.pattern) and declared.pattern in result.excerpt
    return not result.passed and (by_code or by_text)


def _declared_failure(run: Run, sprint: Sprint, evidence: Evidence) -> Sequence[h.Event]:
    why = "the condition failed in the way that the plan declares as failure"
    found = Judgment(Verdict.FAILURE, (why,))
    return (
        _judged(run, found, evidence, fatal=FatalCause(FatalKind.DECLARED)),
        sprint_moves(run.unit, sprint, SprintCause.FAILED, why),
        h.RunClosed(run.id, why),
    )
