"""Orders to roles: which may be dispatched now, and the form of their answers.

Whether a role's work exists is checked when the files are read.
"""

import json
from collections.abc import Mapping, Sequence

from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.agents import answers as strict_answers
from topkick.engine.agents import task as agents_task
from topkick.engine.agents.answers import StrictQuestion, json_in
from topkick.engine.agents.json_schema import trimmed
from topkick.engine.agents.runs import Run
from topkick.engine.codec.texts import Text
from topkick.sprint.model import Mission, Stance
from topkick.team.bus import model as bus
from topkick.team.bus.model import Message
from topkick.team.pipeline import prompts
from topkick.team.pipeline import state as notes
from topkick.team.pipeline.ledger import ArtifactLedger, Line
from topkick.team.pipeline.model import MOST_WORKERS, QUALITY
from topkick.team.pipeline.prompts import FIELDS, WORKER
from topkick.team.pipeline.state import RoleAnswer, RoleOrder

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


# --- answers -----------------------------------------------------------------------------------


def heard(mission: Mission, run: Run, evidence: Evidence) -> Events:
    if fault := agents_task.nobodys_fault(mission, run, evidence):
        return kept(run, fault)
    said = (evidence.answer.body or "") if evidence.answer is not None else ""
    found, task = trimmed(json_in(said), WORKER), task_of(run.sprint)
    issue = strict_answers.issue_with(run, found, WORKER) or _wrong(found, run)
    if issue:
        closed = h.RunClosed(run.id, f"invalid output format: {issue}")
        return (closed, *again(mission, task, said, issue, run))
    assert isinstance(found, dict)
    data = {name: found[name] for name in FIELDS if name in found}
    if data["status"] == "blocked":
        why = f"{run.sprint} cannot continue: {'; '.join(map(str, data['key_findings']))}"
        return (h.RunClosed(run.id, "blocked"), h.NoteTaken(notes.STUCK, why), notes.DUE)
    return (
        h.RunClosed(run.id, str(data["status"])),
        h.NoteTaken(agents_task.TROUBLES, "0"),
        notes.note_answer(task, RoleAnswer(json.dumps(data), str(data["ref"]))),
        notes.DUE,
    )


def _wrong(found: object, run: Run) -> str:
    fields = found if isinstance(found, Mapping) else {}
    said, task = fields.get("task_id"), task_of(run.sprint)
    if said != task:
        return f"the answer is about {str(said)[:40]}, not about {task}"
    lacks = task == QUALITY and "quality_self_score" not in fields
    return "the answer has no quality_self_score" if lacks else ""


def kept(run: Run, events: Events) -> Events:
    """Turn the end of the run into a note: other roles may still be at work."""
    told = tuple(
        h.NoteTaken(notes.STUCK, f"{run.sprint}: {event.why}")
        if isinstance(event, h.MissionEnded)
        else event
        for event in events
    )
    return (*told, notes.DUE) if told else ()


def again(mission: Mission, task: str, said: str, issue: str, run: Run | None = None) -> Events:
    """Send the same order again, or if no try is left, wait for a person."""
    order = notes.order(mission, task) or RoleOrder("somebody", "")
    sha256 = Text.of(order.prompt).sha256
    asked = StrictQuestion(order.role, task, WORKER.name, notes.RETRIES + task, sha256)
    once_more = strict_answers.one_more_try(mission, asked, said, issue, run)
    if once_more is not None:
        return (notes.no_answer(task), *once_more)
    why = strict_answers.no_answer(mission, asked, said, issue, run)
    counter = h.NoteTaken(asked.counter, "0")
    return (notes.no_answer(task), counter, h.NoteTaken(notes.STUCK, why), notes.DUE)


def state_update(role: str, task: str, answer: RoleAnswer) -> Message:
    """Return a state update on the bus in the role's own name."""
    return Message(
        role, bus.COORDINATOR, bus.STATE_UPDATE, f"[{role}] State of {task}", answer.data
    )
