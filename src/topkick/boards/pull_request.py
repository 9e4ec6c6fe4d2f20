"""The text for a pull request: what was done, and what proves it."""

from collections.abc import Iterator

from topkick.boards import safe
from topkick.core import standing
from topkick.core.model import Mission, Proof, Sprint, SprintState


def text(mission: Mission) -> str:
    return "\n".join(_lines(mission))


def _lines(mission: Mission) -> Iterator[str]:
    plan = mission.plan
    assert plan is not None
    tally = standing.tally(mission)
    yield safe.line(plan.feature_name or plan.title, 100)
    yield ""
    yield f"{tally.done} of {tally.total} sprints are done: {tally.checked} checked, "
    yield f"{tally.unchecked} unchecked, {tally.accepted} accepted by a person."
    for unit in mission.units.values():
        yield ""
        yield f"## {safe.line(unit.name, 100)}"
        yield ""
        for sprint in unit.sprints:
            mark = "x" if sprint.state is SprintState.COMPLETED else " "
            name = f"{safe.line(sprint.id)}: {safe.line(sprint.plan.name, 100)}"
            yield f"- [{mark}] {name}{_proof(sprint)}"
            if sprint.proof is Proof.CHECKED:
                yield from (f"  - `{safe.line(c.command or '', 160)}`" for c in sprint.plan.checks)


def _proof(sprint: Sprint) -> str:
    return f" ({sprint.proof})" if sprint.proof is not None else ""
