"""Orders for roles: which may be dispatched now, and with which prompt."""

from collections.abc import Sequence

from topkick.engine import messages as h
from topkick.engine.agents import answers as strict_answers
from topkick.engine.agents import task as agents_task
from topkick.sprint.model import Mission, Stance
from topkick.team.pipeline import prompts
from topkick.team.pipeline import state as notes
from topkick.team.pipeline.ledger import ArtifactLedger, Line
from topkick.team.pipeline.model import MOST_WORKERS

Events = Sequence[h.Event]


def next_order(mission: Mission) -> Events:
    """Dispatch a task that the session file says is in progress and no agent works on; same bytes
    each time.
    """
    if not is_at_work(mission) or not places(mission):
        return ()
    answered, busy = notes.answers(mission), set(given_at_work(mission))
    for task, order in notes.orders(mission).items():
        if not order.claimed or task in answered or task in busy:
            continue
        role = agents_task.role_named(mission, order.role)
        if not agents_task.is_limited(mission, role):
            who = "-".join(order.role.split()) or "somebody"
            turns = strict_answers.turns_left(mission, notes.RETRIES + task)
            return agents_task.give(mission, role, f"{who} {task}", order.prompt, max_turns=turns)
    return ()


def is_at_work(mission: Mission) -> bool:
    going = mission.stance is Stance.WORKING and mission.driven and mission.ended is None
    return going and not mission.notebook.get(notes.STUCK)


def given_at_work(mission: Mission) -> tuple[str, ...]:
    return tuple(task_of(run.sprint) for run in mission.runs.values())


def task_of(subject: str) -> str:
    return subject.partition(" ")[2]


def places(mission: Mission) -> int:
    """Return how many more agents may work at once."""
    assert mission.settings is not None
    return min(mission.settings.max_agents, MOST_WORKERS) - len(mission.runs)


def order_for(
    mission: Mission, ledger: ArtifactLedger, line: Line, directory: str
) -> notes.RoleOrder:
    role = agents_task.role_named(mission, line.role)
    return notes.RoleOrder(line.role, prompts.prompt(ledger, line, directory, role.prompt))
