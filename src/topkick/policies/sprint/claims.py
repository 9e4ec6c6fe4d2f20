"""What others say was done before this run: believed as far as it can be checked (ST-02)."""

from collections.abc import Sequence

from topkick.core import happenings as h
from topkick.core.evidence import Evidence
from topkick.core.mission import Claimed, Outcome, Proof, Sprint, Verdict
from topkick.core.plan import SprintType
from topkick.core.runs import Run
from topkick.core.transitions import SprintCause
from topkick.core.verdict import unmet_by
from topkick.policies.sprint.events import decided, sprint_moves


def judge_claim(run: Run, sprint: Sprint, claim: Claimed, evidence: Evidence) -> Sequence[h.Event]:
    """Its checks decide; where it has none, the person who took it over has said what counts."""
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
