"""The report as JSON: times in seconds, money in dollars, shares as fractions of 1."""

import json
from typing import Any

from topkick.engine.agents.budgets import MICRO
from topkick.engine.agents.program import Usage
from topkick.sprint import status
from topkick.sprint.report import cadence, costs
from topkick.sprint.report.cadence import bottleneck
from topkick.sprint.report.estimation import estimation
from topkick.sprint.report.issues import ReportIssue
from topkick.sprint.report.reader import CriterionReport, ReportReading, SprintReport, worked_us
from topkick.sprint.report.records import Attempt, GateLedger, Pause, PersonRemark
from topkick.sprint.report.verification import Verification, coverage_status, is_verified, verify
from topkick.sprint.views import blocker_lines
from topkick.text import format as fmt

SCHEMA = "topkick.report/1"


def as_json(reading: ReportReading) -> str:
    return json.dumps(_page(reading), indent=2) + "\n"


def _page(reading: ReportReading) -> dict[str, Any]:
    plan = reading.mission.plan
    tally = status.tally(reading.mission)
    return {
        "schema": SCHEMA,
        "mission": reading.mission.id or None,
        "title": (plan.feature_name or plan.title) if plan is not None else None,
        "overall": reading.overall.value,
        "at": _moment(reading.at_us),
        "record": reading.account.mark,
        "summary": {
            "planned": sum(not r.sprint.plan.generated for r in reading.sprints),
            "added": sum(r.sprint.plan.generated for r in reading.sprints),
            "completed": tally.done,
            "checked": tally.checked,
            "held": tally.held,
            "unchecked": tally.unchecked,
            "accepted": tally.accepted,
        },
        "sprints": [_sprint(reading, one) for one in reading.sprints],
        "completed_in_order": [one.handle for one in reading.done],
        "gates": [_gate(g) for g in reading.account.gates if not g.dropped],
        "merges": [
            {"record": m.seq, "at": _moment(m.at_us), "unit": m.unit, "tip": m.tip}
            for m in reading.account.merges
        ],
        "people": [_word(w) for w in reading.account.words],
        "pauses": [_pause(p) for p in reading.account.pauses],
        "verification": _verification(verify(reading)),
        "cadence": _cadence(reading),
    }


# --- sprints -------------------------------------------------------------------------------


def _sprint(reading: ReportReading, one: SprintReport) -> dict[str, Any]:
    plan = one.sprint.plan
    return {
        "handle": one.handle,
        "unit": one.unit.name,
        "id": one.sprint.id,
        "name": plan.name,
        "type": plan.effective_type.value,
        "generated": plan.generated,
        "state": one.sprint.state.value,
        "proof": one.proof.value if one.proof is not None else None,
        "status": coverage_status(one),
        "fatal": blocker_lines.told(one.sprint.fatal) or None,
        "started_at": _moment(one.ledger.began_at_us),
        "completed_at": _moment(one.ledger.completed_at_us),
        "worked_s": _s(one.worked_us),
        "waited_s": _s(one.waited_us),
        "commits": list(one.commits),
        "relative_cost": one.relative_cost,
        "spent": _usage(one.usage),
        "records": {
            "began": one.ledger.began_seq or None,
            "completed": one.ledger.completed_seq or None,
            "fatal": [f.seq for f in one.ledger.fatals],
            "gate": one.settled.closed_seq if one.settled is not None else None,
        },
        "criteria": [_criterion(c) for c in one.criteria],
        "orders": [_order(reading, a) for a in one.attempts],
        "waived": [
            {
                "record": w.seq,
                "finding": w.waiver.finding,
                "what": w.what,
                "by": w.waiver.by,
                "why": w.waiver.why,
            }
            for w in one.ledger.waived
        ],
    }


def _criterion(row: CriterionReport) -> dict[str, Any]:
    return {
        "text": row.text,
        "command": row.command,
        "proven": row.proven.value,
        "record": row.seq or None,
        "gate": row.gate or None,
        "held_before": row.before,
    }


def _order(reading: ReportReading, a: Attempt) -> dict[str, Any]:
    return {
        "run": a.run_id,
        "number": a.number,
        "attempt": a.attempt,
        "agent": a.agent,
        "model": a.model,
        "tier": a.tier.value,
        "score": a.score,
        "dispatched_at": _moment(a.at_us),
        "exited_at": _moment(a.exited_at_us),
        "judged_at": _moment(a.judged_at_us),
        "ended": a.ending.value if a.ending is not None else None,
        "verdict": a.verdict.value if a.verdict is not None else None,
        "charged": a.charged,
        "trouble": a.trouble or None,
        "cancelled": a.cancel.value if a.cancel is not None else None,
        "reasons": list(a.reasons),
        "newly_met": list(a.newly_met),
        "worked_s": _s(worked_us(a, reading.pauses, reading.at_us)),
        "max_turns": a.max_turns,
        "spent": _usage(a.usage) if not a.is_out else None,
        "records": [seq for seq in (a.seq, a.exited_seq, a.judged_seq) if seq],
    }


# --- gates, people, pauses -----------------------------------------------------------------


def _gate(gate: GateLedger) -> dict[str, Any]:
    return {
        "id": gate.gate.id,
        "kind": gate.gate.kind.value,
        "phase": gate.gate.phase or None,
        "units": list(gate.gate.units),
        "runs": gate.runs,
        "built_s": gate.built_ms / 1000,
        "verdict": gate.verdict.value if gate.verdict is not None else None,
        "why": gate.why or None,
        "blamed": [list(group) for group in gate.groups],
        "passed": gate.passed,
        "accepted": gate.accepted or None,
        "by": gate.by or None,
        "records": [s for s in (gate.opened_seq, gate.judged_seq, gate.closed_seq) if s],
    }


def _word(word: PersonRemark) -> dict[str, Any]:
    return {
        "record": word.seq,
        "at": _moment(word.at_us),
        "by": word.by or None,
        "said": word.verb,
        "unit": word.unit or None,
        "sprint": word.sprint or None,
        "gate": word.gate or None,
        "why": word.why or None,
    }


def _pause(pause: Pause) -> dict[str, Any]:
    begin, end = pause.span
    return {
        "from": _moment(begin),
        "to": _moment(end),
        "lasted_s": _s(end - begin),
        "stopped": pause.stopped,
        "records": [pause.after_seq, pause.until_seq],
    }


# --- verification --------------------------------------------------------------------------


def _verification(found: Verification) -> dict[str, Any]:
    return {
        "passed": found.passed,
        "sprints": len(found.reading.sprints),
        "verified": found.verified,
        "unverified": [r.handle for r in found.reading.sprints if not is_verified(r)],
        "code_sprints": found.code_sprints,
        "committed": found.committed,
        "issues": [_issue(issue) for issue in found.issues],
    }


def _issue(issue: ReportIssue) -> dict[str, Any]:
    return {
        "title": issue.title,
        "severity": issue.severity.value,
        "details": issue.details,
        "impact": issue.impact or None,
        "recommendation": issue.recommendation,
        "about": list(issue.about),
        "records": list(issue.records),
    }


# --- cadence -------------------------------------------------------------------------------


def _cadence(reading: ReportReading) -> dict[str, Any]:
    whole = cadence.overview(reading)
    return {
        "overall": _overview(whole),
        "by_unit": [
            {
                "unit": u.name,
                "sprints": u.sprints,
                "total_s": _s(u.total_us),
                "average_s": _s(u.average_us),
                "gain": _part(u.gain),
            }
            for u in cadence.by_unit(reading, whole)
        ],
        "by_model": [_model(m) for m in cadence.by_model(reading)],
        "velocity": _velocity(cadence.velocity(reading)),
        "efficiency": _efficiency(cadence.efficiency(reading)),
        "bottleneck": _bottleneck(reading),
        "estimation": _estimation(reading),
        "time": [
            {"kind": s.kind.value, "time_s": _s(s.time_us), "part": _part(s.part)}
            for s in costs.time_distribution(reading)
        ],
        "savings": [
            {
                "handle": s.handle,
                "used": s.used.value,
                "instead": s.instead.value,
                "relative_cost": s.saved,
            }
            for s in costs.savings(reading)
        ],
        "escalations": [_escalation(e) for e in costs.escalations(reading)],
    }


def _overview(whole: cadence.Overview) -> dict[str, Any]:
    return {
        "started_at": _moment(whole.started_at_us),
        "ended_at": _moment(whole.ended_at_us) if whole.started_at_us else None,
        "elapsed_s": _s(whole.elapsed_us),
        "idle_s": _s(whole.idle_us),
        "active_s": _s(whole.active_us),
        "parallelism": _part(whole.parallelism),
        "saved_s": _s(whole.saved_us),
        "sprints": whole.sprints,
        "average_s": _s(whole.average_us),
        "per_hour": _part(whole.per_hour),
        "turns": whole.turns,
        "turns_available": whole.turns_available,
        "utilization": _part(whole.utilization),
        "relative_cost": whole.relative_cost,
        "spent": _usage(whole.usage),
    }


def _model(m: cadence.ModelFigures) -> dict[str, Any]:
    return {
        "tier": m.tier.value,
        "models": list(m.models),
        "sprints": m.sprints,
        "orders": m.orders,
        "average_s": _s(m.average_us),
        "average_turns": _part(m.average_turns),
        "success_rate": _part(m.success_rate),
        "average_attempts": _part(m.average_attempts),
        "relative_cost": m.relative_cost,
        "spent": _usage(m.usage),
    }


def _velocity(found: cadence.Velocity) -> dict[str, Any]:
    return {
        "phases": [
            {
                "first": p.first,
                "last": p.last,
                "average_s": _s(p.average_us),
                "foundation": p.foundation,
                "retried": p.retried,
            }
            for p in found.phases
        ],
        "change": _part(found.change),
    }


def _efficiency(e: cadence.Efficiency) -> dict[str, Any]:
    return {
        "judged": e.judged,
        "first_try": e.first_try,
        "retried": [{"handle": r.handle, "orders": r.orders} for r in e.retried],
        "fitting": e.fitting,
        "upgrades": e.upgrades,
        "budget_used": _part(e.budget_used),
        "oversized": list(e.oversized),
        "undersized": list(e.undersized),
    }


def _bottleneck(reading: ReportReading) -> dict[str, Any]:
    found = bottleneck(reading)
    return {
        "critical_path": list(found.path),
        "critical_path_s": _s(found.path_us),
        "longest": found.longest.handle if found.longest is not None else None,
        "most_tried": found.most_tried.handle if found.most_tried is not None else None,
    }


def _estimation(reading: ReportReading) -> dict[str, Any]:
    found = estimation(reading)
    return {
        "rows": [
            {
                "handle": r.handle,
                "estimated": r.estimated,
                "actual": r.actual,
                "variance": _part(r.variance),
                "good": r.is_good,
            }
            for r in found.rows
        ],
        "average_error": _part(found.average_error),
        "trend": _part(found.trend),
        "of_complex": found.of_complex,
    }


def _escalation(e: costs.Escalation) -> dict[str, Any]:
    return {
        "handle": e.handle,
        "order": e.number,
        "from": e.before.value,
        "to": e.tier.value,
        "model": e.model,
        "verdict": e.verdict.value if e.verdict is not None else None,
        "newly_met": list(e.newly_met),
        "relative_cost": e.relative_cost,
        "cost_each": _part(e.cost_each),
        "spent": _usage(e.usage),
        "records": [seq for seq in (e.seq, e.judged_seq) if seq],
    }


# --- numbers -------------------------------------------------------------------------------


def _usage(used: Usage) -> dict[str, Any]:
    cost = used.cost_microusd
    return {
        "turns": used.turns,
        "tokens": used.tokens,
        "cost_usd": cost / MICRO if cost is not None else None,
    }


def _s(us: float | None) -> float | None:
    return None if us is None else round(us / MICRO, 3)


def _part(number: float | None) -> float | None:
    return None if number is None else round(number, 4)


def _moment(at_us: int) -> str | None:
    return fmt.iso(at_us) if at_us else None
