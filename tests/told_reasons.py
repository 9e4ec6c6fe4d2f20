"""Rules for what `explain` and `journal replay --check` say, asked after every generated step."""

from collections.abc import Iterator, Sequence

from topkick.app.journal.replay import redecide
from topkick.engine import messages as h
from topkick.engine.codec.chain import Record
from topkick.engine.messages import CODEC
from topkick.sprint.blockers import unit as blockers_unit
from topkick.sprint.explain import audit_trail
from topkick.sprint.explain import page as explained
from topkick.sprint.model import Mission
from topkick.sprint.transitions import SprintState, UnitState
from topkick.sprint.views.blocker_lines import words


def of_reasons(mission: Mission) -> Iterator[str]:
    """Yield violations: unfinished work needs a reason in words, finished work has none."""
    for unit in mission.units.values():
        found = blockers_unit.of_unit(mission, unit)
        if bool(found) == (unit.state is UnitState.COMPLETED):
            yield f"MS-03: {unit.name} is {unit.state}, and that is told: {found}"
        for sprint in unit.sprints:
            why = blockers_unit.of_sprint(mission, unit, sprint)
            if bool(why) == (sprint.state is SprintState.COMPLETED):
                yield f"MS-03: {unit.name}/{sprint.id} is {sprint.state}, and that is told: {why}"
            found = (*found, *why)
        yield from (f"MS-03: half a reason: {r}" for r in found if not r.rule or not words(r))
    list(explained.waiting(blockers_unit.of_all(mission)))


def of_chains(mission: Mission, written: Sequence[tuple[h.Happening, int]]) -> Iterator[str]:
    """Each state that a sprint is in is the end of the last move that its chain tells."""
    numbered = [(n, at_us, x) for n, (x, at_us) in enumerate(written, start=1)]
    for unit in mission.units.values():
        audit_trail.of_unit(numbered, unit.name)
        for sprint in unit.sprints:
            links = audit_trail.of_sprint(numbered, unit.name, sprint.id)
            moves = [link.what for link in links if " → " in link.what and "unit " not in link.what]
            if moves and f"→ {sprint.state}" not in moves[-1]:
                yield f"MS-03: {unit.name}/{sprint.id} is {sprint.state}, last told: {moves[-1]}"
            if not moves and sprint.state is not SprintState.PENDING:
                yield f"MS-03: {unit.name}/{sprint.id} is {sprint.state}, and no move is told"


def records_of(written: Sequence[tuple[h.Happening, int]]) -> list[Record]:
    """As a journal has them: a step begins with its fact."""
    found: list[Record] = []
    step = 0
    for seq, (happening, at_us) in enumerate(written, start=1):
        step += isinstance(happening, h.Fact)
        found.append(Record(seq, step, 1, at_us, *CODEC.encode(happening)))
    return found


def of_decisions(written: Sequence[tuple[h.Happening, int]]) -> Iterator[str]:
    for one in redecide(records_of(written)).differences:
        yield f"J6: record {one.seq}: {one.recorded} was decided, and now {one.decided}"
