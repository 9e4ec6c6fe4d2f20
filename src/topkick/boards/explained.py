"""Reasons and chains laid out: for people with an indent for what came of a fact, and as JSON."""

from collections.abc import Iterable, Iterator
from typing import Any

from topkick.boards import moments, offers, reasons, safe, unit_reasons
from topkick.boards.chains import Link
from topkick.boards.reason import Reason
from topkick.boards.unit_reasons import Waiting
from topkick.core import standing
from topkick.core.mission import Mission, Sprint, Unit

Chain = tuple[Link, ...]


# --- one thing -----------------------------------------------------------------------------


def now(found: Iterable[Reason]) -> Iterator[str]:
    for reason in found:
        who = "Waits for a person" if reason.person else "Now"
        yield f"{who}: {reason.what} [{reason.rule}]"
        yield from (f"  {text}" for text in offers.lines(reason.moves))


def model_and_attempts(mission: Mission, sprint: Sprint, links: Chain) -> Iterator[str]:
    chosen = _why_this_model(links)
    if chosen is not None:
        yield f"Model: {chosen.what} [{chosen.rule}, record {chosen.seq}]"
    if attempts := _left(mission, sprint):
        yield f"Attempts: {attempts} [SM-03, SM-10]"


def _why_this_model(links: Chain) -> Link | None:
    """The last choice, with the score's parts (MS-03)."""
    return next((link for link in reversed(links) if link.rule in {"MS-01", "MS-02"}), None)


def _left(mission: Mission, sprint: Sprint) -> str:
    """`1 of 3 attempts failed, 2 left; given out 2 of 12 times`."""
    settings = mission.settings
    if settings is None or not sprint.dispatches:
        return ""
    most = settings.max_retries
    failed = f"{sprint.failures} of {most} attempts failed, {max(0, most - sprint.failures)} left"
    given = f"given out {sprint.counted_dispatches} of {settings.max_dispatches} times"
    idle = sprint.idle_continuations
    more = f"; {idle} of {settings.max_continuations} continuations brought nothing" if idle else ""
    return f"{failed}; {given}{more}"


def chain(links: Chain, utc_offset_s: int) -> Iterator[str]:
    """A fact with its moment, and below it what was decided on it."""
    if links:
        yield "How it came to this, record by record:"
    for link in links:
        at = moments.day_and_clock(link.at_us, utc_offset_s)
        arrow = "" if link.is_fact else "  "
        yield f"{link.seq:>6} {at}  {arrow}{link.what} [{link.rule}]"


def of_unit(
    mission: Mission, unit: Unit, links: Chain, utc_offset_s: int, also: tuple[Reason, ...] = ()
) -> Iterator[str]:
    done = f"{unit.at} of {len(unit.sprints)} sprints done"
    yield f"{unit.handle} {safe.line(unit.name)}: {unit.state}, {done}"
    yield from (f"  {text}" for text in now(_of_unit(mission, unit, also)))
    for sprint in unit.sprints:
        how = f" ({sprint.proof})" if sprint.proof is not None else ""
        x = safe.line(standing.handle(unit, sprint))
        yield f"  {x} {safe.line(sprint.plan.name, 60)}: {sprint.state}{how}"
    yield from (f"  {text}" for text in chain(links, utc_offset_s))


def _of_unit(mission: Mission, unit: Unit, also: tuple[Reason, ...]) -> tuple[Reason, ...]:
    found = unit_reasons.of_unit(mission, unit)
    return (*also, *found) if found else ()


def unit_json(
    mission: Mission, unit: Unit, links: Chain, also: tuple[Reason, ...] = ()
) -> dict[str, Any]:
    return {
        "handle": unit.handle,
        "unit": unit.name,
        "state": unit.state.value,
        "sprints": [
            {
                "handle": standing.handle(unit, sprint),
                "state": sprint.state.value,
                "proof": sprint.proof.value if sprint.proof is not None else None,
                "now": [_reason_json(r) for r in reasons.of_sprint(mission, unit, sprint)],
            }
            for sprint in unit.sprints
        ],
        **as_json(_of_unit(mission, unit, also), links),
    }


def as_json(found: Iterable[Reason], links: Chain) -> dict[str, Any]:
    return {
        "now": [_reason_json(reason) for reason in found],
        "chain": [
            {
                "record": link.seq,
                "at": moments.iso(link.at_us),
                "rule": link.rule,
                "what": link.what,
                "fact": link.is_fact,
            }
            for link in links
        ],
    }


def _reason_json(reason: Reason) -> dict[str, Any]:
    return {
        "rule": reason.rule,
        "what": reason.what,
        "command": reason.command or None,
        "commands": offers.as_json(reason.moves),
        "waits_for_a_person": reason.person,
        "at_work": reason.at_work,
    }


# --- all that is stuck or waits ------------------------------------------------------------


def waiting(found: Iterable[Waiting]) -> Iterator[str]:
    """One or two lines each: why, and what would move it."""
    for one in found:
        name = f" {safe.line(one.name, 40)}" if one.name else ""
        for reason in one.reasons:
            yield f"{safe.line(one.handle)}{name}: {reason.what} [{reason.rule}]"
            explains = reason.person and one.has_page
            why = f"Why: topkick explain {safe.line(one.handle)}" if explains else ""
            if len(reason.moves) > 1:
                yield from (f"  {text}" for text in (*offers.lines(reason.moves), why))
            elif moves := [*(o.command for o in reason.moves), *([why] if why else [])]:
                yield f"  {'    '.join(moves)}"


def waiting_json(found: Iterable[Waiting]) -> list[dict[str, Any]]:
    return [
        {
            "handle": one.handle,
            "unit": one.name or None,
            "why": reason.what,
            "rule": reason.rule,
            "command": reason.command or None,
            "commands": offers.as_json(reason.moves),
            "waits_for_a_person": reason.person,
            "at_work": reason.at_work,
        }
        for one in found
        for reason in one.reasons
    ]
