"""Build the events that this policy returns; the transition tables give each new state."""

from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.agents.runs import Run
from topkick.sprint.blockers.holds import FatalCause, Hold, SprintRest
from topkick.sprint.model import Sprint, Unit
from topkick.sprint.policy.verdict import Judgment
from topkick.sprint.transitions import SprintCause, UnitCause, move_sprint, move_unit


def unit_moves(unit: Unit, cause: UnitCause) -> h.UnitMoved:
    return h.UnitMoved(unit.name, unit.state, cause, move_unit(unit.state, cause))


def sprint_moves(
    unit: str,
    sprint: Sprint,
    cause: SprintCause,
    why: str = "",
    blocker: SprintRest | FatalCause | None = None,
) -> h.SprintMoved:
    now = move_sprint(sprint.state, cause)
    return h.SprintMoved(unit, sprint.id, sprint.state, cause, now, why, blocker)


def decided(
    run: Run,
    decision: str,
    rationale: str,
    blocker: Hold | None = None,
    kind: h.DecisionKind = h.DecisionKind.NOTE,
) -> h.Decided:
    return h.Decided(run.unit, run.sprint, decision, rationale, blocker, kind)


def judged(
    run: Run,
    found: Judgment,
    evidence: Evidence,
    *,
    charged: bool = False,
    mark: str = "",
    fatal: FatalCause | None = None,
    held: tuple[str, ...] = (),
) -> h.SprintJudged:
    outcome = found.outcome(evidence, run.id)
    return h.SprintJudged(
        unit=run.unit,
        sprint=run.sprint,
        outcome=outcome,
        charged=charged,
        newly_met=found.newly_met,
        fingerprint=mark,
        proof=found.proof,
        rest=found.rest,
        fatal=fatal,
        returned=found.returned,
        held=held,
    )
