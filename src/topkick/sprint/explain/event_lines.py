"""Describe moves and decisions in one line each: from which state to which, the cause, and the
rule.
"""

from typing import assert_never

from topkick.engine import messages as h
from topkick.engine.agents.runs import Dispatch
from topkick.sprint.blockers.holds import FatalCause
from topkick.sprint.blockers.model import rule_of
from topkick.sprint.explain.fact_lines import Said
from topkick.sprint.model import Mission, Proof
from topkick.sprint.status import PROCESS_RUNS, is_proven_by_process
from topkick.sprint.transitions import SprintCause, UnitCause
from topkick.sprint.views import blocker_lines
from topkick.text import escape
from topkick.text import format as fmt

RULES = {
    SprintCause.DISPATCHED: "DP-05",
    SprintCause.FIRST_ACTIVITY: "LP-03",
    SprintCause.SUCCEEDED: "VF-02",
    SprintCause.PROGRESSED: "SM-07",
    SprintCause.FAILED: "SM-03",
    SprintCause.TROUBLED: "DP-09",
    SprintCause.KILLED: "SD-02",
    SprintCause.EXHAUSTED: "SM-05",
    SprintCause.ACCEPTED: "ER-04",
    SprintCause.REJECTED: "ER-04",
    SprintCause.LATE_FINISH: "SD-02",
    SprintCause.RESUMED: "SD-04",
    SprintCause.FOUND_DONE: "ST-02",
}
UNIT_RULES = {
    UnitCause.START: ("GT-01", "all that it waits for is there"),
    UnitCause.FINISHED: ("GT-01", "its sprints are all completed"),
    UnitCause.STOP: ("SD-01", "to be stopped; no new order"),
    UnitCause.SPRINT_FATAL: ("SM-05", "its sprint is FATAL"),
    UnitCause.KILLED: ("SD-02", "its agent was ended"),
    UnitCause.DRAINED: ("SD-01", "nothing of it is under way any more"),
    UnitCause.RESUME: ("SD-04", "taken up again"),
}
PROOFS = {
    Proof.CHECKED: "checked: its criteria were run and met",
    Proof.HELD: "what builds and tests is held for the gate",
    Proof.UNCHECKED: "unchecked: committed, and no check proves it",
    Proof.ACCEPTED: "accepted by a person",
}


def of_unit_move(event: h.UnitMoved) -> Said:
    rule, why = UNIT_RULES[event.cause]
    return rule, f"unit {event.was} → {event.now}: {why}"


def of_sprint_move(
    mission: Mission,
    event: h.SprintMoved,
    order: h.RunDispatched | None,
    judged: h.SprintJudged | None,
    trouble: h.TroubleMet | None,
) -> Said:
    """Describe a move of a sprint. `mission` is the state after the move; earlier events of the
    same step give the reason.
    """
    why = escape.line(blocker_lines.told(event.blocker) or event.why, 300)
    match event.cause:
        case SprintCause.DISPATCHED:
            told = _order(mission, order.dispatch) if order else "without an agent"
        case SprintCause.FIRST_ACTIVITY:
            told = "first sign of life" if mission.run_of(event.unit) else "it waits"
        case SprintCause.SUCCEEDED | SprintCause.LATE_FINISH | SprintCause.FOUND_DONE:
            told = _done(mission, judged)
        case SprintCause.PROGRESSED:
            told = f"progress, no attempt charged; not met yet: {why}"
        case SprintCause.FAILED:
            told = f"FAILURE{_charged(mission, event, judged)}: {why}"
        case SprintCause.TROUBLED:
            told = _troubled(mission, trouble, why)
        case SprintCause.KILLED:
            told = "its agent was ended; no attempt charged"
        case SprintCause.REJECTED:
            told = f"rejected{_charged(mission, event, judged)}: {why}"
        case SprintCause.ACCEPTED:
            told = f"accepted by a person: {why}"
        case SprintCause.EXHAUSTED:
            told = why or "nothing is left to try"
        case SprintCause.RESUMED:
            told = "to be given out again, as a person asked"
    return _rule(event), f"{event.was} → {event.now}: {told}"


def _rule(event: h.SprintMoved) -> str:
    fatal = isinstance(event.blocker, FatalCause)
    return rule_of(event.blocker) if fatal and event.blocker else RULES[event.cause]


def _order(mission: Mission, d: Dispatch) -> str:
    most = mission.settings.max_retries if mission.settings is not None else 0
    model = f" ({escape.line(d.model, 40)})" if d.model else ""
    is_commit = d.base is not None and d.base.strip("0")  # all zeros: no commit was there yet
    base = f", from commit {d.base[:10]}" if d.base and is_commit else ""
    held = ", what builds is held for the gate" if d.held else ""
    return f"attempt {d.attempt}/{most} to {escape.line(d.agent, 40)}{model}{base}{held}"


def _done(mission: Mission, judged: h.SprintJudged | None) -> str:
    if judged is None or judged.proof is None:
        return "SUCCESS"
    by_process = is_proven_by_process(mission.sprint(judged.unit, judged.sprint))
    return f"SUCCESS, {PROCESS_RUNS if by_process else PROOFS[judged.proof]}"


def _charged(mission: Mission, event: h.SprintMoved, judged: h.SprintJudged | None) -> str:
    if judged is None or not judged.charged:
        return ", not charged"
    most = mission.settings.max_retries if mission.settings is not None else 0
    return f", charged as failure {mission.sprint(event.unit, event.sprint).failures} of {most}"


def _troubled(mission: Mission, trouble: h.TroubleMet | None, why: str) -> str:
    if trouble is None:
        return f"trouble around the agent, no attempt charged: {why}"
    rests = trouble.not_before_us > mission.at_us
    until = f"; rests until {fmt.iso(trouble.not_before_us)}" if rests else ""
    return f"trouble, no attempt charged: {escape.line(trouble.why, 200)}{until}"


# --- decisions -----------------------------------------------------------------------------


def reopened(event: h.SprintReopened) -> Said:
    words = ["to be tried again"]
    words += ["failures count from zero again"] if event.fresh else []
    words += [f"with {escape.line(event.model, 40)}"] if event.model else []
    words += [f"note: {escape.line(event.note, 200)}"] if event.note else []
    return "SM-06", ", ".join(words)


def decided(event: h.Decided) -> Said | None:
    """Describe a decision that no other event of the chain shows; else None."""
    why = escape.line(blocker_lines.rationale(event), 300)
    match event.kind:
        case h.DecisionKind.MODEL_BY_SCORE:
            return "MS-01", f"why {_model(event)}: {why}"
        case h.DecisionKind.MODEL_BY_RULE:
            return "MS-02", f"why {_model(event)}: {why}"
        case h.DecisionKind.EVENT | h.DecisionKind.STEP | h.DecisionKind.AGENT_CHANGED:
            return None
        case h.DecisionKind.NOTE | h.DecisionKind.GATE_ASKS | h.DecisionKind.GATE_ANSWERED:
            return "ST-02", f"{escape.line(event.decision, 80)}: {escape.line(why, 200)}"
        case _:
            assert_never(event.kind)


def _model(event: h.Decided) -> str:
    return escape.line(event.decision.removeprefix("Model: "), 60)
