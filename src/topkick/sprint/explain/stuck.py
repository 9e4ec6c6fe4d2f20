"""Describe a stuck sprint: the failing criterion, the end of its output, what each attempt changed,
and commands that help.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from topkick.app.project import Project
from topkick.app.run_view import journal_happenings
from topkick.engine import messages as h
from topkick.engine.agents.program import TIERS
from topkick.sprint import status
from topkick.sprint.check_wording import name_of, told
from topkick.sprint.model import Mission, Sprint, Unit, Verdict
from topkick.sprint.transitions import UnitState
from topkick.sprint.views import blocker_lines
from topkick.text import escape
from topkick.text.format import counted

OUTPUT_LINES = 10
ATTEMPTS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class StuckAttempt:
    """One order and its verdict, from the journal; `rejected` is the reason of a person who
    rejected it.
    """

    model: str
    verdict: Verdict
    reasons: tuple[str, ...]
    commits: tuple[str, ...]
    uncommitted: tuple[str, ...]
    outside: str = ""
    rejected: str = ""


def attempts_of(
    happenings: Iterable[h.Happening], unit: str, sprint: str
) -> tuple[StuckAttempt, ...]:
    """Return all judged orders of one sprint, first to last."""
    models: dict[str, str] = {}
    found: list[StuckAttempt] = []
    for happening in happenings:
        match happening:
            case h.RunDispatched(run_id, dispatch):
                models[run_id] = dispatch.model
            case h.SprintJudged(of_unit, of_sprint, outcome) if (of_unit, of_sprint) == (
                unit,
                sprint,
            ):
                if not outcome.run_id and outcome.reasons and found:  # a person rejected it
                    found[-1] = replace(found[-1], rejected=outcome.reasons[0])
                    continue
                found.append(
                    StuckAttempt(
                        models.get(outcome.run_id, ""),
                        outcome.verdict,
                        outcome.reasons,
                        outcome.commits,
                        outcome.uncommitted,
                        outcome.outside.told if outcome.outside is not None else "",
                    )
                )
            case _:
                pass
    return tuple(found)


def render(
    unit: Unit,
    sprint: Sprint,
    attempts: tuple[StuckAttempt, ...] = (),
    strongest: str = "",
    *,
    may_retry: bool = True,
) -> list[str]:
    """Return the page of a stuck sprint. `strongest` is the name of the agent's strongest model."""
    tried = {sprint.model, *(one.model for one in attempts)}
    x = status.handle(unit, sprint)
    name = escape.line(sprint.plan.name, 60)
    why = blocker_lines.told(sprint.fatal or sprint.rest or sprint.hold) or "it does not move"
    return [
        f"{x} {escape.line(unit.name)}: Sprint {escape.line(sprint.id)}, {name}",
        f"  Stuck: {escape.line(why, 200)}",
        *_failing(sprint),
        *_changes(attempts),
        "  What helps:",
        *_commands(x, "" if strongest in tried else strongest, may_retry=may_retry),
    ]


def _failing(sprint: Sprint) -> Iterator[str]:
    outcome = sprint.outcome
    if outcome is None:
        return
    if not outcome.failing:
        yield from (f"  Last failure: {escape.line(r, 200)}" for r in outcome.reasons[:3])
        return
    yield f"  Failing criterion: {escape.line(told(outcome.failing[0]), 300)}"
    lines = escape.block(outcome.failing[0].excerpt).rstrip().split("\n")[-OUTPUT_LINES:]
    yield from (f"    │ {escape.cut(line.expandtabs(4), 150)}" for line in lines if line)
    if len(outcome.failing) > 1:
        others = "; ".join(escape.line(name_of(r), 80) for r in outcome.failing[1:4])
        yield f"  Failing too: {others}"


def _changes(attempts: tuple[StuckAttempt, ...]) -> Iterator[str]:
    if not attempts:
        return
    yield "  What each order changed:"
    first = max(len(attempts) - ATTEMPTS_SHOWN, 0)
    for number, one in enumerate(attempts[first:], start=first + 1):
        by = f" ({escape.line(one.model, 40)})" if one.model else ""
        yield f"    {number}. {one.verdict.value}{by}: {_change(one)}"


def _change(one: StuckAttempt) -> str:
    words = []
    if one.commits:
        shown = " ".join(escape.line(c, 10).rstrip("…") for c in one.commits[-3:])
        words.append(f"{counted(len(one.commits), 'commit')} ({shown})")
    if one.outside:
        words.append(escape.line(one.outside, 160))
    if not words and not one.uncommitted:
        words.append("nothing")
    if one.uncommitted:
        files = ", ".join(escape.line(f, 40) for f in one.uncommitted[:3])
        words.append(f"uncommitted: {files}")
    if one.rejected:
        words.append(escape.line(one.rejected, 160))
    return "; ".join(words)


def _commands(x: str, stronger: str, *, may_retry: bool) -> Iterator[str]:
    yield f"    topkick logs {x}                    what the agent said"
    if may_retry:
        yield f'    topkick retry {x} --note "..."      try again, with a note of yours'
    if stronger and may_retry:
        model = f"--model {shlex.quote(escape.line(stronger))}"
        yield f"    topkick retry {x} {model:<16}  try again with a stronger model"
    yield f'    topkick accept {x} --why "..."      take it as it is'


# --- pages of blocked units, from the journal ----------------------------------------------

STUCK_SHOWN = 3


def stuck_pages(project: Project, mission: Mission) -> list[str]:
    """Return a page for each blocked unit, up to STUCK_SHOWN."""
    if not any(u.state is UnitState.BLOCKED for u in mission.units.values()):
        return []
    return stuck_pages_of(mission, [item.happening for item in journal_happenings(project)])


def stuck_pages_of(mission: Mission, happened: Sequence[h.Happening]) -> list[str]:
    blocked = [u for u in mission.units.values() if u.state is UnitState.BLOCKED]
    lines: list[str] = []
    for unit in blocked[:STUCK_SHOWN]:
        lines += ["", *_stuck(mission, happened, unit)]
    if len(blocked) > STUCK_SHOWN:
        lines += ["", f"… and {counted(len(blocked) - STUCK_SHOWN, 'more blocked work unit')}"]
    return lines


def _stuck(mission: Mission, happened: Sequence[h.Happening], unit: Unit) -> list[str]:
    assert unit.current is not None
    assert mission.settings is not None
    agent = mission.settings.agent
    strongest = "" if agent.has_one_model else agent.model_for(TIERS[-1])
    attempts = attempts_of(happened, unit.name, unit.current.id)
    may_retry = not status.is_given_out(mission, unit.current)
    return render(unit, unit.current, attempts, strongest, may_retry=may_retry)
