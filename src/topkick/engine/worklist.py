"""The worklist: which units a step has to look at, so that its cost does not grow with the plan.

After every fact the kernel asks the policy "what next?" until the policy has no answer. Most of
the policy's rules are about one unit at a time, and almost every fact is about one unit, so asking
every rule about every unit finds nothing nearly always. In a plan of 1,000 units that search was
half of the supervisor's work.

The principle: a rule that had nothing to say about a unit has nothing to say again until something
that the rule reads has changed. A rule about a unit reads four things: the unit, the run of the
unit, the mission as a whole (mode, settings, plan, driver), and the time. Therefore a step looks at

- the units that its messages touch. `touches` names them for each kind of message: the unit that
  the message names, or the unit of the run that it names. A message that changes the mission as a
  whole, or the set of units or sprints, touches all units (None);
- every unit with a run, as time alone moves only those (patience with an agent, its budget).

The kernel gathers touched units in the set that goes with the question `WhatNext`. The policy
looks at them in the plan's order, strikes off each unit that it finds at rest, and returns the
first answer; the units that this answer touches come back into the set. Since the order is the
plan's and no unit with something to say is left out, the events are the same, in the same order,
as if all units had been looked at.

Rules that compare units (which begins, which gets the next agent, when a gate is due) are asked
every time, but find their candidates in indexes (sprint/unit_index.py). The indexes follow the same
touched units from state to state.

Nothing of this is part of the state: it is neither journaled nor compared, replay does not know
it, and any state can be asked afresh. The price is that a wrong line in the table below, or a rule
that reads something new, makes the supervisor overlook work that is due. So there is a net:
`kernel.checked` wraps a policy, and each time the policy has no more answer it asks again about
all units and computes all indexes anew. The tests, the stories and the simulator run with it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from topkick.engine import messages as h
from topkick.engine.fold import apply
from topkick.sprint.model import Mission
from topkick.sprint.unit_index import advance, index_of

Touched = Collection[str] | None
"""Names of units; None means all of them. Names of no unit are ignored."""

# --- which units a message touches -----------------------------------------------------------


def touches(mission: Mission, message: h.Happening) -> Touched:
    """Return the units that this message changes; call it before the message is folded."""
    return _TOUCHES[type(message)](mission, message)


def _its_unit(_m: Mission, message: Any) -> Touched:
    return (message.unit,)


def _unit_of_its_run(m: Mission, message: Any) -> Touched:
    run = m.runs.get(message.run_id)
    return () if run is None else (run.unit,)


def _checked_unit(m: Mission, fact: h.WorkChecked) -> Touched:
    """If neither plan nor settings name the gate's command, a check may find one: from then on any
    unit may have to wait for a gate."""
    found = fact.evidence.gate
    return None if found and found != m.gate_detected else _unit_of_its_run(m, fact)


def _all(_m: Mission, _message: h.Happening) -> Touched:
    return None


def _none(_m: Mission, _message: h.Happening) -> Touched:
    return ()


_TOUCHES: Mapping[type, Callable[[Mission, Any], Touched]] = {
    h.SupervisorWoke: _all,
    h.CommandGiven: _none,
    h.GroundSurveyed: _unit_of_its_run,
    h.AgentActive: _unit_of_its_run,
    h.AgentQuiet: _unit_of_its_run,
    h.AgentSpent: _unit_of_its_run,
    h.AgentExited: _unit_of_its_run,
    h.BackgroundSeen: _none,
    h.BackgroundEnded: _none,
    h.WorkChecked: _checked_unit,
    h.ConditionPolled: _unit_of_its_run,
    h.WorkIntegrated: _unit_of_its_run,
    h.GateRan: _none,
    h.PlanEdited: _none,
    h.FilesObserved: _none,
    h.FilesEdited: _none,
    h.BusHeard: _none,
    h.MessagesPosted: _none,
    h.ErrandDone: _none,
    h.TimePassed: _none,
    h.MissionBegan: _all,
    h.StanceTaken: _all,
    h.UnitMoved: _its_unit,
    h.SprintMoved: _its_unit,
    h.RunOpened: _its_unit,
    h.RunDispatched: _unit_of_its_run,
    h.RunCancelled: _unit_of_its_run,
    h.RunClosed: _unit_of_its_run,
    h.BackgroundOpened: _none,
    h.BackgroundCancelled: _none,
    h.SprintJudged: _its_unit,
    h.FindingWaived: _its_unit,
    h.TroubleMet: _its_unit,
    h.LimitMet: _none,
    h.AgentDown: _none,
    h.GroundKept: _its_unit,
    h.HoldPlaced: _its_unit,
    h.HoldLifted: _its_unit,
    h.SprintReopened: _its_unit,
    h.UnitIntegrated: _its_unit,
    h.BranchAccepted: _none,
    h.GateOpened: _none,
    h.GateJudged: _none,
    h.GateClosed: _all,
    h.GateDropped: _none,
    h.UnitHeld: _its_unit,
    h.SprintAdded: _all,
    h.NeedNoted: _none,
    h.NeedResolved: _none,
    h.DefinitionsNoted: _none,
    h.UnitAdded: _all,
    h.ReconciliationEnded: _none,
    h.PlanRevised: _all,
    h.SettingsChanged: _all,
    h.Decided: _none,
    h.CommandRefused: _none,
    h.NoteTaken: _none,
    h.LookAsked: _none,
    h.EditsAsked: _none,
    h.ListenAsked: _none,
    h.PostAsked: _none,
    h.ErrandAsked: _none,
    h.MissionEnded: _all,
}
assert _TOUCHES.keys() == set(get_args(h.Happening)), "it is known of every message what it touches"


# --- one step ----------------------------------------------------------------------------------


@dataclass
class Walk:
    """One step under way: the mission so far, what was decided, and the units concerned.

    `touched` are all units that the step has touched (None: any), `to_look_at` those that the
    policy has not found at rest since.
    """

    mission: Mission
    at_us: int
    events: list[h.Event] = field(default_factory=list)
    touched: set[str] | None = field(default_factory=set)
    to_look_at: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Add every unit with a run. This also builds the index, if the mission has none yet."""
        self.to_look_at.update(index_of(self.mission).with_run())

    def learn(self, fact: h.Fact) -> None:
        self._fold((fact,))

    def decide(self, events: Iterable[h.Event]) -> None:
        decided = tuple(events)
        self._fold(decided)
        self.events += decided

    def _fold(self, messages: Iterable[h.Happening]) -> None:
        before, touched = self.mission, set[str]()
        is_known = True
        for message in messages:
            names = touches(self.mission, message)
            is_known = is_known and names is not None
            touched.update(names or ())
            self.mission = apply(self.mission, message, self.at_us)
        advance(before, self.mission, touched if is_known else None)
        self._look_at(touched if is_known else None)

    def _look_at(self, touched: Touched) -> None:
        if touched is None:
            self.touched = None
            self.to_look_at = set(self.mission.units)
            return
        if self.touched is not None:
            self.touched.update(touched)
        self.to_look_at.update(touched)
