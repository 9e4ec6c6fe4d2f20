"""Short makers for the events this policy answers with; each move is looked up in the tables."""

from topkick.core import happenings as h
from topkick.core.evidence import Evidence
from topkick.core.mission import Sprint, Unit
from topkick.core.runs import Run
from topkick.core.transitions import SprintCause, UnitCause, move_sprint, move_unit
from topkick.core.verdict import Judgment


def unit_moves(unit: Unit, cause: UnitCause) -> h.UnitMoved:
    return h.UnitMoved(unit.name, unit.state, cause, move_unit(unit.state, cause))


def sprint_moves(unit: str, sprint: Sprint, cause: SprintCause, why: str = "") -> h.SprintMoved:
    return h.SprintMoved(
        unit, sprint.id, sprint.state, cause, move_sprint(sprint.state, cause), why
    )


def decided(run: Run, decision: str, rationale: str) -> h.Decided:
    return h.Decided(run.unit, run.sprint, decision, rationale)


def judged(
    run: Run,
    found: Judgment,
    evidence: Evidence,
    *,
    charged: bool = False,
    mark: str = "",
    declared: str = "",
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
        declared_failure=declared,
        returned=found.returned,
        held=held,
    )
