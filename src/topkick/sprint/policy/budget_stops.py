"""End agents that exceed their limits, and stop a run whose budget is spent (DP-07, DP-10)."""

from collections.abc import Iterator, Sequence

from topkick.engine import messages as h
from topkick.engine.agents.budgets import FORCED_AT
from topkick.engine.agents.runs import CancelWhy, Run, Stage
from topkick.engine.settings import Settings
from topkick.sprint.model import Mission, Stance, Unit
from topkick.sprint.obey.stop import drain, force
from topkick.sprint.policy.decisions import decided
from topkick.sprint.spending import run_share, spent_by


def end_what_has_had_enough(mission: Mission, unit: Unit) -> Sequence[h.Event]:
    """Cancel an agent that exceeds its turn limit or budget; the checker still judges its work."""
    run = mission.run_of(unit.name)
    if (
        not mission.driven
        or run is None
        or run.stage is not Stage.WORKING
        or run.cancel is not None
    ):
        return ()
    settings = _settings(mission)
    if run.counted and run.usage.turns > settings.max_turns:
        why = f"{run.usage.turns} turns, {settings.max_turns} allowed"
        return _ended(run, CancelWhy.TURN_LIMIT, why, settings)
    sprint = mission.sprint(run.unit, run.sprint)
    if why := spent_by(mission, unit, sprint):
        return _ended(run, CancelWhy.BUDGET_SPENT, why, settings)
    return ()


def _ended(run: Run, why: CancelWhy, told: str, settings: Settings) -> Sequence[h.Event]:
    return (
        h.RunCancelled(run.id, why, settings.stop_grace_s),
        decided(run, "Agent ended", f"{why}: {told}", kind=h.DecisionKind.STEP),
    )


def drain_when_spent(mission: Mission) -> Iterator[h.Event]:
    """Dispatch nothing new once the run's budget is spent; at 110 % of it, end the agents too."""
    if mission.settings is None:
        return
    share = run_share(mission)
    if share.part < 1.0:
        return
    if mission.stance is Stance.WORKING:
        yield h.StanceTaken(Stance.STOPPING, f"spent: {share.told}", share.told)
        yield h.Decided("", "", "Budget spent", share.told)
        yield from drain(mission, mission.units.values())
    elif mission.stance is Stance.STOPPING and share.part >= FORCED_AT:
        working = (r for r in mission.runs.values() if r.stage is Stage.WORKING)
        for run in working:
            yield from force(mission, run) if run.cancel is None else ()


def _settings(mission: Mission) -> Settings:
    assert mission.settings is not None
    return mission.settings
