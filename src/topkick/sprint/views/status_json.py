"""The status as one JSON object of a stable shape (docs/reference/status-json.md)."""

import json
from typing import Any

from topkick.engine.agents.budgets import MICRO, Budget, Budgets, Spending
from topkick.engine.agents.program import Usage
from topkick.engine.agents.runs import Run
from topkick.git.isolation import Isolation
from topkick.sprint import status
from topkick.sprint.blockers import unit as blockers_unit
from topkick.sprint.gates import as_json as gate_json
from topkick.sprint.gates import views as gates
from topkick.sprint.gates.due import phase_of
from topkick.sprint.model import Mission, Overall, Sprint, Unit
from topkick.sprint.status import attempt
from topkick.sprint.views import activity, blocker_lines, spending
from topkick.sprint.views.status import Situation
from topkick.text import escape
from topkick.text import format as fmt

SCHEMA = "topkick.status/1"


def as_json(mission: Mission | None, situation: Situation) -> str:
    page = _nothing() if mission is None else _page(mission, situation)
    return json.dumps(page, indent=2) + "\n"


def _nothing() -> dict[str, Any]:
    return {"schema": SCHEMA, "overall": None, "units": [], "active_agents": [], "needs": []}


def _isolation(isolation: Isolation | None) -> dict[str, Any]:
    if isolation is None:
        return {"kind": "shared"}
    return {
        "kind": "clone",
        "branch": isolation.branch,
        "trees": isolation.place,
        "repositories": [{"path": r.path, "base": r.base} for r in isolation.repositories],
    }


def _page(mission: Mission, situation: Situation) -> dict[str, Any]:
    relative = spending.is_relative(mission, mission.spent.usage.cost_microusd)
    tally = status.tally(mission)
    alive = situation.supervisor_pid is not None
    restarts_at_us = situation.restart.at_us if situation.restart is not None else 0
    return {
        "schema": SCHEMA,
        "mission": mission.id,
        "title": mission.plan.title if mission.plan is not None else "",
        "operation": mission.plan.feature_name if mission.plan is not None else "",
        "overall": status.overall(mission).value,
        "isolation": _isolation(mission.isolation),
        "killed": _killed(mission),
        "at": fmt.iso(situation.now_us),
        "began_at": _moment(mission.began_at_us),
        "supervisor": {
            "alive": alive,
            "pid": situation.supervisor_pid,
            "restarts_at": fmt.iso(restarts_at_us) if restarts_at_us else None,
        },
        "program_changed_at": _moment(mission.program_changed_at_us),
        "live_agents": situation.live_agents,
        "next_event": activity.next_event(mission, alive=alive, restarts_at_us=restarts_at_us),
        "sprints": {
            "total": tally.total,
            "done": tally.done,
            "checked": tally.checked,
            "unchecked": tally.unchecked,
            "accepted": tally.accepted,
            "held": tally.held,
        },
        "plan_edited": bool(mission.plan_edited),
        "units": [_unit(mission, u) for u in mission.units.values()],
        "active_agents": [
            _agent(mission, r, situation) for r in mission.runs.values() if r.dispatch
        ],
        "gate": gate_json.mode(mission),
        "gates": gate_json.all_of(mission),
        "spent": _spending(spending.so_far(mission, situation.now_us)),
        "budgets": _budgets(mission.settings.budgets) if mission.settings is not None else {},
        "limits": [
            {"account": account, "until": fmt.iso(limit.until_us), "why": limit.why}
            for account, limit in mission.limits.items()
            if limit.until_us > situation.now_us
        ],
        "backgrounds": [
            {"name": b.name, "unit": b.unit, "running": b.running, "argv": list(b.argv)}
            for b in mission.backgrounds.values()
        ],
        "needs": [
            {
                "handle": n.handle,
                "what": blocker_lines.words(n),
                "rule": n.rule,
                "command": blocker_lines.first_command(n),
                "commands": blocker_lines.offers_json(n),
            }
            for n in blockers_unit.needs(mission)
        ],
        "models": [
            {
                "model": u.model,
                "tier": u.tier.value,
                "orders": u.orders,
                "sprints": u.sprints,
                "relative_cost": u.relative_cost if relative else None,
            }
            for u in spending.model_use(mission)
        ],
    }


def _killed(mission: Mission) -> dict[str, str] | None:
    if status.overall(mission) is not Overall.KILLED:
        return None
    return {"reason": mission.stance_why, "at": fmt.iso(mission.stance_at_us)}


def _unit(mission: Mission, unit: Unit) -> dict[str, Any]:
    return {
        "handle": unit.handle,
        "name": unit.name,
        "directory": unit.plan.directory,
        "integrated_sprints": unit.integrated if mission.isolation is not None else None,
        "layer": unit.plan.layer,
        "phase": phase_of(unit) or None,
        "waits_for": list(unit.plan.waits_for),
        "state": unit.state.value,
        "waits_for_gate": gates.waits_for(mission, unit) or None,
        "held": blocker_lines.whole(unit.hold) or None,
        "current": status.handle(unit, unit.current) if unit.current is not None else None,
        "sprints": [_sprint(mission, unit, s) for s in unit.sprints],
    }


def _sprint(mission: Mission, unit: Unit, sprint: Sprint) -> dict[str, Any]:
    most = mission.settings.max_retries if mission.settings is not None else 0
    outcome = sprint.outcome
    return {
        "handle": status.handle(unit, sprint),
        "id": sprint.id,
        "name": sprint.plan.name,
        "type": sprint.plan.effective_type.value,
        "state": sprint.state.value,
        "attempt": attempt(sprint, most),
        "max_attempts": most,
        "failures": sprint.failures,
        "failures_ever": sprint.failures_ever,
        "orders": sprint.dispatches,
        "model": sprint.model or None,
        "tier": sprint.tier.value if sprint.tier is not None else None,
        "proof": sprint.proof.value if sprint.proof is not None else None,
        "verdict": outcome.verdict.value if outcome is not None else None,
        "reasons": list(outcome.reasons) if outcome is not None else [],
        "commits": list(outcome.commits) if outcome is not None else [],
        "held": blocker_lines.whole(sprint.hold) or None,
        "held_criteria": list(sprint.held),
        "repairs": sprint.plan.repair,
        "rests": blocker_lines.told(sprint.rest) or None,
        "fatal": blocker_lines.told(sprint.fatal) or None,
        "not_before": _moment(sprint.not_before_us),
        "first_order_at": _moment(sprint.first_dispatched_at_us),
        "completed_at": _moment(sprint.completed_at_us),
        "spent": _spending(sprint.spent),
    }


def _agent(mission: Mission, run: Run, situation: Situation) -> dict[str, Any]:
    assert run.dispatch is not None
    return {
        "run": run.id,
        "handle": activity.handle_of(mission, run.unit, run.sprint),
        "stage": run.stage.value,
        "agent": run.dispatch.agent,
        "model": run.dispatch.model,
        "attempt": run.dispatch.attempt,
        "score": run.dispatch.score,
        "conversation": run.conversation or None,
        "dispatched_at": _moment(run.dispatch.at_us),
        "quiet_polls": run.quiet_polls,
        "doing": escape.line(situation.doing.get(run.id, "")) or None,
        **_usage(run.usage),
    }


def _usage(used: Usage) -> dict[str, Any]:
    return {
        "turns": used.turns,
        "tokens": used.tokens,
        "cost_usd": used.cost_microusd / MICRO if used.cost_microusd is not None else None,
    }


def _spending(spent: Spending) -> dict[str, Any]:
    return {**_usage(spent.usage), "minutes": round(spent.busy_us / (60 * MICRO), 1)}


def _budgets(budgets: Budgets) -> dict[str, Any]:
    """Return only the budgets that are set."""
    named = (("sprint", budgets.sprint), ("unit", budgets.unit), ("run", budgets.run))
    return {
        name: {"usd": budget.usd, "tokens": budget.tokens, "minutes": budget.minutes}
        for name, budget in (*named, ("day", budgets.day))
        if budget != Budget()
    }


def _moment(at_us: int) -> str | None:
    return fmt.iso(at_us) if at_us else None
