"""Check that the plan can be carried out: its graph, its size, and its workers.

Reads: plan.json and TASK-*.json: ids, dependencies, complexity, modules, execution method.
"""

from collections.abc import Mapping, Sequence

from topkick.team.judge.checks.builtin import (
    Builtin,
    BuiltinOutcome,
    absent,
    failed,
    listed,
    passed,
    warned,
)
from topkick.team.judge.documents import TeamPlan, read_plan
from topkick.team.judge.findings import Group
from topkick.team.judge.material import Material

RANKS: Mapping[str, int] = {"low": 0, "medium": 1, "high": 2}
_CLI = ("cli", "codex", "gemini", "opencode", "qwen", "claude")


def task_graph(material: Material) -> BuiltinOutcome:
    gone = absent(material, "plan")
    if gone is not None:
        return gone
    plan = read_plan(material.of("plan"))
    if plan.broken:
        return failed(f"not a JSON object: {listed(plan.broken)}", plan.broken)
    if not plan.tasks:
        return warned("the plan has no tasks", [material.place("plan")])
    needs = {task.id: task.needs for task in plan.tasks}
    known = set(needs) | plan.listed
    unknown = [f"{task} needs {n}" for task, all_ in needs.items() for n in all_ if n not in known]
    if unknown:
        return failed(f"tasks need others that are not in the plan: {listed(unknown)}", unknown)
    circle = cycle(needs)
    if circle:
        told = " → ".join(circle)
        return failed(f"the tasks depend on each other in a cycle: {told}", [told])
    orphans = _orphans(plan, needs)
    if orphans:
        return warned(f"orphans: {listed(orphans)}", orphans)
    return passed(f"{len(needs)} tasks, no cycle, no orphan")


def cycle(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """Return one cycle, if there is any, found by following dependencies until a task repeats."""
    done: set[str] = set()
    for start in needs:
        path: list[str] = []
        on_path: set[str] = set()
        waiting = [(start, iter(needs[start]))] if start not in done else []
        while waiting:
            task, rest = waiting[-1]
            if task not in on_path:
                path.append(task)
                on_path.add(task)
            following = next((n for n in rest if n in needs and n not in done), None)
            if following is None:
                waiting.pop()
                done.add(path.pop())
                on_path.discard(task)
            elif following in on_path:
                return [*path[path.index(following) :], following]
            else:
                waiting.append((following, iter(needs[following])))
    return []


def _orphans(plan: TeamPlan, needs: Mapping[str, Sequence[str]]) -> list[str]:
    """Return tasks without links among linked ones, without a file, or with a file that the plan
    lacks.
    """
    needed = {name for each in needs.values() for name in each}
    linked = [task for task, each in needs.items() if each or task in needed]
    alone = [f"{task} (no links)" for task in needs if task not in linked] if linked else []
    unfiled = [f"{n} (no file)" for n in sorted(plan.listed - set(needs))]
    unlisted = plan.filed - plan.listed if plan.readable and plan.listed else frozenset[str]()
    return [*alone, *unfiled, *(f"{n} (not in plan.json)" for n in sorted(unlisted))]


def complexity_fits(material: Material) -> BuiltinOutcome:
    gone = absent(material, "plan")
    if gone is not None:
        return gone
    plan = read_plan(material.of("plan"))
    said = plan.complexity or material.session.complexity
    if said not in RANKS or not plan.modules:
        lacks = "complexity (Low, Medium, High)" if said not in RANKS else "modules"
        return warned(f"the plan does not give its {lacks}", [material.place("plan")])
    told = f"complexity {said} with {plan.modules} modules"
    if (said == "low" and plan.modules >= 5) or (said == "high" and plan.modules == 1):
        return failed(told, [f"{material.place('plan')}: {told}"])
    if RANKS[said] != _rank(plan.modules):
        return warned(f"{told}; 1-2 is low, 3-4 medium, 5 or more high", [told])
    return passed(told)


def _rank(modules: int) -> int:
    return 0 if modules <= 2 else 1 if modules <= 4 else 2


def execution_fits(material: Material) -> BuiltinOutcome:
    gone = absent(material, "plan")
    if gone is not None:
        return gone
    plan = read_plan(material.of("plan"))
    said = plan.complexity or material.session.complexity
    if said not in RANKS or not plan.method:
        lacks = "complexity" if said not in RANKS else "execution method (Agent or CLI)"
        return warned(f"the plan does not give its {lacks}", [material.place("plan")])
    told = f"{plan.method} for complexity {said}"
    by_cli = any(word in plan.method for word in _CLI)
    if not by_cli and "agent" not in plan.method:
        return passed(told) if plan.method == "auto" else warned(f"{told}: unknown method", [told])
    if not by_cli and said == "high":
        return failed(f"{told}; from medium on, use a CLI", [told])
    if by_cli == (said == "low"):
        return warned(f"{told}; use an agent for low, a CLI for medium and high", [told])
    return passed(told)


CHECKS = (
    Builtin(
        name="task-graph",
        group=Group.PROCESS,
        about="The task graph has no cycles and no orphans.",
        reads=("plan.tasks", "plan.depends_on"),
        passes="every task is linked, filed and reachable",
        warns="a task is linked to no other, has no file or is not in plan.json; no tasks; no plan",
        fails="tasks form a cycle, need a task outside of the plan, or a file is not JSON",
        run=task_graph,
    ),
    Builtin(
        name="complexity-fits",
        group=Group.PROCESS,
        about="The complexity fits the number of modules.",
        reads=("plan.complexity", "plan.modules", "session.complexity"),
        passes="low with 1-2 modules, medium with 3-4, high with 5 or more",
        warns="the complexity is one step off or not given, or there is no plan",
        fails="low with 5 or more modules, or high with one",
        run=complexity_fits,
    ),
    Builtin(
        name="execution-fits",
        group=Group.PROCESS,
        about="The execution method fits the complexity: an agent for low, a CLI from medium on.",
        reads=("plan.recommended_execution", "plan.complexity"),
        passes="the method fits, or is `auto`",
        warns="a CLI for low, an agent for medium, no method given, or there is no plan",
        fails="an agent for high",
        run=execution_fits,
    ),
)
