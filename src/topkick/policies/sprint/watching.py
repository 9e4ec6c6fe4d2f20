"""What an agent's life and end mean: first activity, silence, exits of every kind."""

from collections.abc import Sequence

from topkick.core import happenings as h
from topkick.core.agents import AgentExit, Ending
from topkick.core.holds import AgentUnusable
from topkick.core.mission import Mission, Stance
from topkick.core.runs import JUDGED, CancelWhy, Run
from topkick.core.transitions import SprintCause, SprintState, UnitCause
from topkick.policies.sprint.events import decided, sprint_moves, unit_moves

QUIET_NOTED = 5
QUIET_ENDED = 10
FIRST_REST_S = 10
LONGEST_REST_S = 600


def saw_activity(mission: Mission, run: Run) -> Sequence[h.Event]:
    sprint = mission.sprint(run.unit, run.sprint)
    if sprint.state is not SprintState.DISPATCHED:
        return ()
    return (sprint_moves(run.unit, sprint, SprintCause.FIRST_ACTIVITY),)


def heard_nothing(mission: Mission, run: Run, polls: int) -> Sequence[h.Event]:
    """Noted at five polls, ended and charged at ten (ER-01)."""
    if run.cancel is not None:
        return ()
    if polls >= QUIET_ENDED:
        assert mission.settings is not None
        grace_s = mission.settings.stop_grace_s
        return (
            h.RunCancelled(run.id, CancelWhy.UNRESPONSIVE, grace_s),
            decided(
                run, "Agent ended", f"no sign of life for {polls} polls", kind=h.DecisionKind.STEP
            ),
        )
    if polls == QUIET_NOTED:
        return (
            decided(
                run,
                "Agent may be unresponsive",
                f"no sign of life for {polls} polls",
                kind=h.DecisionKind.STEP,
            ),
        )
    return ()


def saw_exit(mission: Mission, run: Run, agent_exit: AgentExit) -> Sequence[h.Event]:
    """Most exits are judged by looking at the work; these three are settled at once."""
    if _was_killed(mission, run, agent_exit):
        return _killed(mission, run, agent_exit)
    if agent_exit.how is Ending.CANNOT_START:
        return _cannot_start(mission, run, agent_exit)
    return ()


def _was_killed(mission: Mission, run: Run, agent_exit: AgentExit) -> bool:
    if run.cancel is not None and run.cancel.why in JUDGED:
        return False
    return (
        run.cancel is not None
        or mission.stance is Stance.KILLED
        or agent_exit.how is Ending.STOPPED
    )


def _killed(mission: Mission, run: Run, agent_exit: AgentExit) -> Sequence[h.Event]:
    """Not charged; what was finished is found by the check at resume (SD-02)."""
    sprint, unit = mission.sprint(run.unit, run.sprint), mission.units[run.unit]
    left = ", ".join(str(pid) for pid in agent_exit.survivors)
    said = f"survivors: {left}" if left else "its whole process tree is gone"
    return (
        sprint_moves(run.unit, sprint, SprintCause.KILLED),
        h.RunClosed(run.id, "killed"),
        unit_moves(unit, UnitCause.KILLED),
        decided(run, "Agent terminated", said, kind=h.DecisionKind.STEP),
    )


def _cannot_start(mission: Mission, run: Run, agent_exit: AgentExit) -> Sequence[h.Event]:
    assert run.dispatch is not None
    sprint = mission.sprint(run.unit, run.sprint)
    why = f"{run.dispatch.agent} cannot be started: {agent_exit.detail}"
    return (
        h.AgentDown(AgentUnusable(run.dispatch.agent, why)),
        h.TroubleMet(run.unit, run.sprint, why, mission.at_us),
        sprint_moves(run.unit, sprint, SprintCause.TROUBLED),
        h.RunClosed(run.id, why),
        decided(run, "Agent cannot start", why, kind=h.DecisionKind.EVENT),
    )


def rest_until_us(mission: Mission, troubles: int) -> int:
    """10 s, doubling to 10 min (DP-09)."""
    rest_s: int = min(FIRST_REST_S * 2**troubles, LONGEST_REST_S)
    return mission.at_us + rest_s * 1_000_000
