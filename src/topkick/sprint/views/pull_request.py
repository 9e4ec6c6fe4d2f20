"""The text for a pull request: what was done, and what proves it."""

from collections.abc import Iterator

from topkick.sprint import status
from topkick.sprint.check_wording import words_for
from topkick.sprint.model import Mission, Proof, Sprint, Unit
from topkick.sprint.needs import views as cross_needs
from topkick.sprint.status import proof_told
from topkick.sprint.transitions import SprintState
from topkick.sprint.views import closing_lines
from topkick.text import escape


def text(mission: Mission) -> str:
    """Return the text for the whole mission."""
    return "\n".join((title(mission), "", *_of_all(mission)))


def title(mission: Mission, unit: Unit | None = None) -> str:
    plan = mission.plan
    assert plan is not None
    name = escape.line(plan.feature_name or plan.title, 100)
    return f"{name}: {escape.line(unit.name, 100)}" if unit is not None else name


def body_of(mission: Mission, unit: Unit) -> str:
    """Return the text for one unit, with what proves the work of all units together."""
    return "\n".join((*_of_unit(unit), "", *_together(mission)))


def _of_all(mission: Mission) -> Iterator[str]:
    tally = status.tally(mission)
    yield f"{tally.done} of {tally.total} sprints are done: {tally.checked} checked, "
    yield f"{tally.unchecked} unchecked, {tally.accepted} accepted by a person."
    yield from _together(mission)
    for unit in mission.units.values():
        yield ""
        yield f"## {escape.line(unit.name, 100)}"
        yield ""
        yield from _of_unit(unit)


def _together(mission: Mission) -> Iterator[str]:
    yield from closing_lines.gate(mission)
    if mission.cross_needs:
        yield f"Cross-package needs resolved: {cross_needs.resolved(mission)}"


def _of_unit(unit: Unit) -> Iterator[str]:
    for sprint in unit.sprints:
        mark = "x" if sprint.state is SprintState.COMPLETED else " "
        name = f"{escape.line(sprint.id)}: {escape.line(sprint.plan.name, 100)}"
        yield f"- [{mark}] {name}{_proof(sprint)}"
        if sprint.proof is Proof.CHECKED:
            checks = sprint.plan.checks
            named = (words_for(checks, c.command) for c in checks if c.command)
            yield from (f"  - {escape.line(text, 160)}" for text in named)


def _proof(sprint: Sprint) -> str:
    return f" ({proof_told(sprint)})" if sprint.proof is not None else ""
