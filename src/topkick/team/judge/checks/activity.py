"""Check that the pipeline is alive: errors of roles, tasks without progress, tasks spawned twice.

Reads: the last messages of the bus, `errors` of the states, tasks in progress of the session.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from topkick.team.bus.model import Message
from topkick.team.judge.checks.builtin import (
    Builtin,
    BuiltinOutcome,
    failed,
    listed,
    passed,
    warned,
)
from topkick.team.judge.findings import Group
from topkick.team.judge.material import Material
from topkick.team.session import TeamTask
from topkick.text.format import moment_us

NO_MESSAGES = "no messages to analyze"
MOST_ERRORS = 3
STILL_MIN = 30
DEAD_MIN = 120
_MINUTE_US = 60_000_000
_NAMES = ("task_id", "task", "next_task", "spawned", "next")
_RESET = frozenset({"error", "blocker", "shutdown"})


def role_errors(material: Material) -> BuiltinOutcome:
    if not material.messages:
        return warned(NO_MESSAGES)
    on_bus = Counter(m.sender for m in material.messages if m.type == "error")
    said = {name: state.errors for name, state in material.roles.items()}
    counts = {name: max(on_bus[name], said.get(name, 0)) for name in {*on_bus, *said}}
    told = {name: f"{name}: {count} errors" for name, count in sorted(counts.items())}
    bad = [told[name] for name, count in sorted(counts.items()) if count >= MOST_ERRORS]
    if bad:
        seen = [m.line for m in material.messages if m.type == "error"]
        return failed(f"roles with {MOST_ERRORS} or more errors: {listed(bad)}", [*bad, *seen])
    near = [told[name] for name, count in sorted(counts.items()) if count == MOST_ERRORS - 1]
    if near:
        return warned(f"one error short of {MOST_ERRORS}: {listed(near)}", near)
    return passed(f"no role has {MOST_ERRORS} errors")


def recent_activity(material: Material) -> BuiltinOutcome:
    if not material.messages:
        return warned(NO_MESSAGES)
    running = [task for task in material.session.tasks if task.status == "in_progress"]
    running = [task for task in running if not task.id.startswith("CHECKPOINT-")]
    if not running:
        return passed("no task is in progress")
    idle = [(task, _idle_min(material, task)) for task in running]
    dead = [f"{t.id}: idle for {age} min" for t, age in idle if age is not None and age > DEAD_MIN]
    if dead:
        return failed(f"tasks in progress without activity: {listed(dead)}", dead)
    still = [
        f"{task.id}: idle for {age} min" if age is not None else f"{task.id}: no activity known"
        for task, age in idle
        if age is None or age > STILL_MIN
    ]
    if still:
        return warned(f"tasks in progress without recent activity: {listed(still)}", still)
    return passed(f"in progress and active: {listed([task.id for task in running])}")


def _idle_min(material: Material, task: TeamTask) -> int | None:
    """Return the minutes since the last sign of the task's role; None if nothing has a time."""
    state = material.states().get(task.id)
    moments = [task.started_at, task.updated_at, state.updated_at if state is not None else ""]
    moments += (m.ts for m in material.messages if _is_of(task, m))
    known = [at for text in moments if (at := moment_us(text)) is not None]
    return max(0, (material.at_us - max(known)) // _MINUTE_US) if known else None


def _is_of(task: TeamTask, message: Message) -> bool:
    by_role = bool(task.role) and message.sender == task.role
    return by_role or message.fields.get("task_id") == task.id


def no_duplicate_spawns(material: Material) -> BuiltinOutcome:
    """Fail if a task was spawned twice, unless something went wrong with it in between."""
    if not material.messages:
        return warned(NO_MESSAGES)
    spawned: dict[str, Message] = {}
    twice: list[str] = []
    again: list[str] = []
    for message in material.messages:
        names = set(_named(message))
        if message.type in _RESET:
            again += (f"{n} (after {message.id})" for n in sorted(names & set(spawned)))
            spawned = {name: each for name, each in spawned.items() if name not in names}
        for name in sorted(names) if message.type == "fast_advance" else ():
            first = spawned.setdefault(name, message)
            twice += (f"{name}: {first.id} and {message.id}",) if first is not message else ()
    if twice:
        return failed(f"spawned twice: {listed(twice)}", twice)
    back = [each for each in again if each.partition(" ")[0] in spawned]
    if back:
        return warned(f"spawned again after trouble: {listed(back)}", back)
    return passed("no task was spawned twice")


def _named(message: Message) -> Iterator[str]:
    fields: Mapping[str, object] = message.fields
    for key in _NAMES:
        value = fields.get(key)
        values = value if isinstance(value, list) else [value]
        yield from (each.strip()[:200] for each in values[:100] if isinstance(each, str))


CHECKS = (
    Builtin(
        name="role-errors",
        group=Group.HEALTH,
        about="No role has three errors.",
        reads=("bus.error", "states.errors"),
        passes="each role has at most one error",
        warns="a role has two errors, or the bus is empty",
        fails="a role has three errors or more",
        run=role_errors,
    ),
    Builtin(
        name="recent-activity",
        group=Group.HEALTH,
        about="Tasks in progress have recent activity.",
        reads=("session.tasks", "bus", "states.updated_at"),
        passes=f"each was active in the last {STILL_MIN} min, or no task is in progress",
        warns=f"a task was idle for {STILL_MIN} min, or has no time at all, or the bus is empty",
        fails=f"a task was idle for {DEAD_MIN} min",
        run=recent_activity,
    ),
    Builtin(
        name="no-duplicate-spawns",
        group=Group.HEALTH,
        about="No task was spawned twice.",
        reads=("bus.fast_advance",),
        passes="each task is in at most one fast_advance message",
        warns="a task was spawned again after an error, or the bus is empty",
        fails="a task was spawned twice",
        run=no_duplicate_spawns,
    ),
)
