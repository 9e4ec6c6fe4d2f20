"""Orders for roles: which may be dispatched now, and with which prompt."""

from collections.abc import Sequence

from topkick.core import happenings as h
from topkick.core import lone_runs, strict_answers
from topkick.core.mission import Mission, Stance
from topkick.policies.pipeline import notes, prompts
from topkick.policies.pipeline.ledger import Ledger, Line
from topkick.policies.pipeline.pipelines import MOST_WORKERS

Events = Sequence[h.Event]


def next_order(mission: Mission) -> Events:
    """Dispatch a task that the session file says is in progress and no agent works on; same bytes
    each time.
    """
    if not is_at_work(mission) or not places(mission):
        return ()
    answered, busy = notes.answers(mission), set(at_work(mission))
    for task, order in notes.orders(mission).items():
        if not order.claimed or task in answered or task in busy:
            continue
        role = lone_runs.role_named(mission, order.role)
        if not lone_runs.is_limited(mission, role):
            who = "-".join(order.role.split()) or "somebody"
            turns = strict_answers.turns_left(mission, notes.RETRIES + task)
            return lone_runs.give(mission, role, f"{who} {task}", order.prompt, max_turns=turns)
    return ()


def is_at_work(mission: Mission) -> bool:
    going = mission.stance is Stance.WORKING and mission.driven and mission.ended is None
    return going and not mission.notebook.get(notes.STUCK)


def at_work(mission: Mission) -> tuple[str, ...]:
    return tuple(task_of(run.sprint) for run in mission.runs.values())


def task_of(subject: str) -> str:
    return subject.partition(" ")[2]


def places(mission: Mission) -> int:
    """Return how many more agents may work at once."""
    assert mission.settings is not None
    return min(mission.settings.max_agents, MOST_WORKERS) - len(mission.runs)


def order_for(mission: Mission, ledger: Ledger, line: Line, directory: str) -> notes.Order:
    role = lone_runs.role_named(mission, line.role)
    return notes.Order(line.role, prompts.prompt(ledger, line, directory, role.prompt))
