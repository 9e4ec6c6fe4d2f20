"""A stuck sprint: which criterion fails, its last words, what each attempt changed, what helps."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from topkick.boards import blocker_lines, safe
from topkick.core import happenings as h
from topkick.core import standing
from topkick.core.check_words import name_of, told
from topkick.core.mission import Sprint, Unit, Verdict
from topkick.text.format import counted

OUTPUT_LINES = 10
ATTEMPTS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Attempt:
    """One order and its verdict, as the journal has them; `rejected` is what a person said."""

    model: str
    verdict: Verdict
    reasons: tuple[str, ...]
    commits: tuple[str, ...]
    uncommitted: tuple[str, ...]
    outside: str = ""
    rejected: str = ""


def attempts_of(happenings: Iterable[h.Happening], unit: str, sprint: str) -> tuple[Attempt, ...]:
    """All judged orders of one sprint, first to last."""
    models: dict[str, str] = {}
    found: list[Attempt] = []
    for happening in happenings:
        match happening:
            case h.RunDispatched(run_id, dispatch):
                models[run_id] = dispatch.model
            case h.SprintJudged(of_unit, of_sprint, outcome) if (of_unit, of_sprint) == (
                unit,
                sprint,
            ):
                if not outcome.run_id and outcome.reasons and found:  # a person's word, no order
                    found[-1] = replace(found[-1], rejected=outcome.reasons[0])
                    continue
                found.append(
                    Attempt(
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
    unit: Unit, sprint: Sprint, attempts: tuple[Attempt, ...] = (), strongest: str = ""
) -> list[str]:
    """`strongest` is the name of the strongest model that the agent has."""
    tried = {sprint.model, *(one.model for one in attempts)}
    x = standing.handle(unit, sprint)
    name = safe.line(sprint.plan.name, 60)
    why = blocker_lines.told(sprint.fatal or sprint.rest or sprint.hold) or "it does not move"
    return [
        f"{x} {safe.line(unit.name)}: Sprint {safe.line(sprint.id)}, {name}",
        f"  Stuck: {safe.line(why, 200)}",
        *_failing(sprint),
        *_changes(attempts),
        "  What helps:",
        *_commands(x, "" if strongest in tried else strongest),
    ]


def _failing(sprint: Sprint) -> Iterator[str]:
    outcome = sprint.outcome
    if outcome is None:
        return
    if not outcome.failing:
        yield from (f"  Last failure: {safe.line(r, 200)}" for r in outcome.reasons[:3])
        return
    yield f"  Failing criterion: {safe.line(told(outcome.failing[0]), 300)}"
    lines = safe.block(outcome.failing[0].excerpt).rstrip().split("\n")[-OUTPUT_LINES:]
    yield from (f"    │ {safe.cut(line.expandtabs(4), 150)}" for line in lines if line)
    if len(outcome.failing) > 1:
        others = "; ".join(safe.line(name_of(r), 80) for r in outcome.failing[1:4])
        yield f"  Failing too: {others}"


def _changes(attempts: tuple[Attempt, ...]) -> Iterator[str]:
    if not attempts:
        return
    yield "  What each order changed:"
    first = max(len(attempts) - ATTEMPTS_SHOWN, 0)
    for number, one in enumerate(attempts[first:], start=first + 1):
        by = f" ({safe.line(one.model, 40)})" if one.model else ""
        yield f"    {number}. {one.verdict.value}{by}: {_change(one)}"


def _change(one: Attempt) -> str:
    words = []
    if one.commits:
        shown = " ".join(safe.line(c, 10).rstrip("…") for c in one.commits[-3:])
        words.append(f"{counted(len(one.commits), 'commit')} ({shown})")
    if one.outside:
        words.append(safe.line(one.outside, 160))
    if not words and not one.uncommitted:
        words.append("nothing")
    if one.uncommitted:
        files = ", ".join(safe.line(f, 40) for f in one.uncommitted[:3])
        words.append(f"uncommitted: {files}")
    if one.rejected:
        words.append(safe.line(one.rejected, 160))
    return "; ".join(words)


def _commands(x: str, stronger: str) -> Iterator[str]:
    yield f"    topkick logs {x}                    what the agent said"
    yield f'    topkick retry {x} --note "..."      try again, with a word of yours'
    if stronger:
        model = f"--model {shlex.quote(safe.line(stronger))}"
        yield f"    topkick retry {x} {model:<16}  try again with a stronger model"
    yield f'    topkick accept {x} --why "..."      take it as it is'
