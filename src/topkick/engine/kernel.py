"""The kernel: turn one fact into the events that follow from it.

`step` is a pure function of the policy, the mission, the fact and the time:

1. Drop a stale fact. Executors repeat themselves, and facts arrive late or out of order; a fact
   about a run counts only in the stage of the run that waits for it, and an answer counts only for
   the request with its number. A stale fact is not written to the journal.
2. Fold the fact into the mission.
3. Ask the policy the question that belongs to this kind of fact, and fold its answer.
4. Settle: ask the policy `WhatNext`, and fold its answer, until it has none. The end of a sprint
   may complete its unit, which may start another unit or open a gate. All of it is one step.
   A policy that never stops answering is a bug, which an assertion reports.

The kernel asks the policy about the units that the step touched only (`engine/worklist.py`);
`checked` wraps a policy so that tests compare this with a scan of all units.

If the supervisor is killed in here, nothing is lost: the result exists in memory only, and the loop
has not written it yet. The next supervisor replays the journal up to the step before, and gets the
fact again (`engine/loop.py` says how). Time never runs backwards: a step is at least as late as the
step before it. The same mission, fact and time always give the same events, which is what `journal
replay --check` compares.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from topkick.engine import messages as h
from topkick.engine.agents.runs import Stage
from topkick.engine.messages import questions as q
from topkick.engine.wake_notices import notices
from topkick.engine.worklist import Touched, Walk
from topkick.sprint.model import Mission, Stance
from topkick.sprint.unit_index import UnitIndex, index_of

Policy = Callable[[Mission, q.Question], Sequence[h.Event]]
"""The only part that differs between supervisors."""

MOVES_IN_ONE_STEP = 100_000


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one fact. A stale or repeated fact has no result and is not written down.

    `touched` are the units that may be different afterwards; None means all of them.
    """

    mission: Mission
    fact: h.Fact
    events: tuple[h.Event, ...] = ()
    stale: bool = False
    touched: Touched = None


def step(policy: Policy, mission: Mission, fact: h.Fact, at_us: int) -> Step:
    at_us = max(at_us, mission.at_us)
    if _is_stale(mission, fact):
        return Step(mission, fact, stale=True)
    walk = Walk(mission, at_us)
    told = tuple(notices(mission, fact))
    walk.learn(fact)
    walk.decide(told)
    question = _question(fact)
    if question is not None:
        walk.decide(policy(walk.mission, question))
    _settle(policy, walk)
    return Step(walk.mission, fact, tuple(walk.events), touched=walk.touched)


def _settle(policy: Policy, walk: Walk) -> None:
    """Ask for moves until there are none: a sprint's end may end its unit and begin another."""
    while answers := policy(walk.mission, q.WhatNext(walk.to_look_at)):
        walk.decide(answers)
        assert len(walk.events) < MOVES_IN_ONE_STEP, (
            "the policy keeps deciding and never finishes the step"
        )


# --- comparison with a full scan ---------------------------------------------------------------


class Overlooked(AssertionError):
    """A full scan has found a unit or an entry that the worklist or an index left out."""


def checked(policy: Policy) -> Policy:
    """Wrap a policy: compare it with a full scan whenever it has no more answer."""

    def decide(mission: Mission, question: q.Question) -> Sequence[h.Event]:
        answers = policy(mission, question)
        if isinstance(question, q.WhatNext) and not answers:
            _compare(policy, mission)
        return answers

    return decide


def _compare(policy: Policy, mission: Mission) -> None:
    if differs := ", ".join(index_of(mission).differences(UnitIndex(mission))):
        raise Overlooked(f"Y1: these indexes do not fit the units: {differs}")
    if missed := policy(mission, q.WhatNext()):
        raise Overlooked(f"Y1: the worklist has left out {missed[0]}")


# --- which facts count -------------------------------------------------------------------------


def _is_stale(mission: Mission, fact: h.Fact) -> bool:
    """Facts about runs arrive late, twice or out of order; each counts once."""
    match fact:
        case h.GroundSurveyed(run_id):
            return _stage(mission, run_id) is not Stage.SURVEYING
        case h.AgentActive(run_id):
            run = mission.runs.get(run_id)
            return run is None or run.stage is not Stage.WORKING or run.active
        case h.AgentSpent(run_id, usage):
            run = mission.runs.get(run_id)
            return run is None or run.stage is not Stage.WORKING or run.usage == usage
        case h.AgentQuiet(run_id) | h.AgentExited(run_id):
            return _stage(mission, run_id) is not Stage.WORKING
        case h.BackgroundSeen(background_id):
            background = mission.backgrounds.get(background_id)
            return background is None or background.running
        case h.BackgroundEnded(background_id):
            return background_id not in mission.backgrounds
        case h.WorkChecked(run_id):
            return _stage(mission, run_id) is not Stage.CHECKING
        case h.ConditionPolled(run_id, poll):
            run = mission.runs.get(run_id)
            return run is None or run.stage is not Stage.WAITING or poll <= run.polls
        case h.WorkIntegrated(run_id):
            return _stage(mission, run_id) is not Stage.INTEGRATING
        case h.GateRan(gate_id, number):
            gate = mission.gates.get(gate_id)
            wanted = gate is not None and gate.verdict is None and number == len(gate.runs) + 1
            return not wanted or mission.stance is not Stance.WORKING  # it will be run again
        case h.PlanEdited(sha256):
            accepted = mission.plan.sha256 if mission.plan is not None else ""
            return sha256 == (mission.plan_edited or accepted)
        case _:
            return not _is_awaited(mission, fact)


def _is_awaited(mission: Mission, fact: h.Fact) -> bool:
    """Return whether a request waits for this answer; a fact that is no answer always counts."""
    match fact:
        case h.FilesObserved(_, look):
            return not look or (look == mission.looks and mission.looking is not None)
        case h.FilesEdited(number):
            return number == mission.edits_asked and bool(mission.editing)
        case h.ErrandDone(number):
            return number == mission.errands_asked and mission.errand is not None
        case h.BusHeard(after):
            return mission.listening is not None and mission.listening[1] == after
        case h.MessagesPosted(post):
            return post == mission.posts_asked and bool(mission.posting)
        case _:
            return True


def _stage(mission: Mission, run_id: str) -> Stage | None:
    run = mission.runs.get(run_id)
    return None if run is None else run.stage


def _question(fact: h.Fact) -> q.Question | None:
    match fact:
        case h.CommandGiven(command):
            return q.WhatOfCommand(command)
        case h.GroundSurveyed(run_id, ground):
            return q.WhatOfGround(run_id, ground)
        case h.AgentActive(run_id):
            return q.WhatOfActivity(run_id)
        case h.AgentQuiet(run_id, polls):
            return q.WhatOfSilence(run_id, polls)
        case h.AgentExited(run_id, agent_exit):
            return q.WhatOfExit(run_id, agent_exit)
        case h.WorkChecked(run_id, evidence) | h.ConditionPolled(run_id, _, evidence):
            return q.WhatOfWork(run_id, evidence)
        case h.WorkIntegrated(run_id, found):
            return q.WhatOfIntegration(run_id, found)
        case h.GateRan(gate_id):
            return q.WhatOfGate(gate_id)
        case h.BackgroundEnded(background_id, ended):
            return q.WhatOfBackground(background_id, ended)
        case _:
            return _question_of_files(fact)


def _question_of_files(fact: h.Fact) -> q.Question | None:
    match fact:
        case h.FilesObserved(files, _, runs, branches, messages):
            return q.WhatOfFiles(files, runs, branches, messages)
        case h.FilesEdited(_, changed, trouble):
            return q.WhatOfEdits(changed, trouble)
        case h.BusHeard(_, messages):
            return q.WhatOfBus(messages)
        case h.MessagesPosted(_, numbers, trouble):
            return q.WhatOfPosts(numbers, trouble)
        case h.ErrandDone(_, upshot):
            return q.WhatOfErrand(upshot)
        case _:
            return None
