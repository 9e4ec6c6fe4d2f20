"""Lay out reasons and chains, as text (records that follow from a fact are indented)
and as JSON.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from topkick.engine.blockers import Intent, Mover
from topkick.sprint import status
from topkick.sprint.blockers import unit as blockers_unit
from topkick.sprint.blockers.model import Blocked
from topkick.sprint.blockers.unit import Waiting
from topkick.sprint.explain.audit_trail import AuditRecord
from topkick.sprint.model import Mission, Sprint, Unit
from topkick.sprint.views import blocker_lines
from topkick.text import escape
from topkick.text import format as fmt

Chain = tuple[AuditRecord, ...]


# --- one sprint, unit or gate --------------------------------------------------------------


def now(found: Iterable[Blocked]) -> Iterator[str]:
    for one in found:
        who = "Waits for a person" if one.waits_for_person else "Now"
        yield f"{who}: {blocker_lines.words(one)} [{one.rule}]"
        yield from (f"  {text}" for text in blocker_lines.offer_lines(one))


def model_and_attempts(mission: Mission, sprint: Sprint, links: Chain) -> Iterator[str]:
    chosen = _why_this_model(links)
    if chosen is not None:
        yield f"{chosen.what} [{chosen.rule}, record {chosen.seq}]"
    if attempts := _left(mission, sprint):
        yield f"Attempts: {attempts} [SM-03, SM-10]"


def _why_this_model(links: Chain) -> AuditRecord | None:
    """Return the record of the last choice of a model, with the parts of the score (MS-03)."""
    return next((link for link in reversed(links) if link.rule in {"MS-01", "MS-02"}), None)


def _left(mission: Mission, sprint: Sprint) -> str:
    """Describe how many attempts, orders and continuations the sprint has used and has left."""
    settings = mission.settings
    if settings is None or not sprint.dispatches:
        return ""
    most = settings.max_retries
    failed = f"{sprint.failures} of {most} attempts failed, {max(0, most - sprint.failures)} left"
    given = f"dispatched {sprint.counted_dispatches} of {settings.max_dispatches} times"
    idle = sprint.idle_continuations
    more = (
        f"; {idle} of {settings.max_continuations} continuations made no progress" if idle else ""
    )
    return f"{failed}; {given}{more}"


def chain(links: Chain, utc_offset_s: int) -> Iterator[str]:
    """Yield each fact with its time, and below it the events that were decided on it."""
    if links:
        yield "How it came to this, record by record:"
    for link in links:
        at = fmt.day_and_clock(link.at_us, utc_offset_s)
        arrow = "" if link.is_fact else "  "
        yield f"{link.seq:>6} {at}  {arrow}{link.what} [{link.rule}]"


def of_unit(
    mission: Mission, unit: Unit, links: Chain, utc_offset_s: int, also: tuple[Blocked, ...] = ()
) -> Iterator[str]:
    done = f"{unit.at} of {len(unit.sprints)} sprints done"
    yield f"{unit.handle} {escape.line(unit.name)}: {unit.state}, {done}"
    yield from (f"  {text}" for text in now(_of_unit(mission, unit, also)))
    for sprint in unit.sprints:
        how = f" ({sprint.proof})" if sprint.proof is not None else ""
        x = escape.line(status.handle(unit, sprint))
        yield f"  {x} {escape.line(sprint.plan.name, 60)}: {sprint.state}{how}"
    yield from (f"  {text}" for text in chain(links, utc_offset_s))


def _of_unit(mission: Mission, unit: Unit, also: tuple[Blocked, ...]) -> tuple[Blocked, ...]:
    found = blockers_unit.of_unit(mission, unit)
    return (*also, *found) if found else ()


def unit_json(
    mission: Mission, unit: Unit, links: Chain, also: tuple[Blocked, ...] = ()
) -> dict[str, Any]:
    return {
        "handle": unit.handle,
        "unit": unit.name,
        "state": unit.state.value,
        "sprints": [
            {
                "handle": status.handle(unit, sprint),
                "state": sprint.state.value,
                "proof": sprint.proof.value if sprint.proof is not None else None,
                "now": [_blocked_json(b) for b in blockers_unit.of_sprint(mission, unit, sprint)],
            }
            for sprint in unit.sprints
        ],
        **as_json(_of_unit(mission, unit, also), links),
    }


def as_json(found: Iterable[Blocked], links: Chain) -> dict[str, Any]:
    return {
        "now": [_blocked_json(one) for one in found],
        "chain": [
            {
                "record": link.seq,
                "at": fmt.iso(link.at_us),
                "rule": link.rule,
                "what": link.what,
                "fact": link.is_fact,
            }
            for link in links
        ],
    }


def _blocked_json(one: Blocked) -> dict[str, Any]:
    return {"rule": one.rule, "what": blocker_lines.words(one), **_moves_json(one)}


def _moves_json(one: Blocked) -> dict[str, Any]:
    return {
        "command": blocker_lines.first_command(one) or None,
        "commands": blocker_lines.offers_json(one),
        "waits_for_a_person": one.waits_for_person,
        "at_work": one.mover is Mover.AT_WORK,
    }


# --- everything that waits -----------------------------------------------------------------


def waiting(found: Iterable[Waiting]) -> Iterator[str]:
    """Yield one or two lines for each blocker: the reason, and what would move it."""
    for one in found:
        name = f" {escape.line(one.name, 40)}" if one.name else ""
        for blocked in one.blockers:
            why = f"{blocker_lines.words(blocked)} [{blocked.rule}]"
            yield f"{escape.line(one.handle)}{name}: {why}"
            yield from (f"  {text}" for text in _moves(one, blocked))


def _moves(one: Waiting, blocked: Blocked) -> Iterator[str]:
    looks = any(offer.intent is Intent.LOOK for offer in blocked.offers)
    explains = blocked.waits_for_person and one.has_page and not looks
    why = f"Why: topkick explain {escape.line(one.handle)}" if explains else ""
    if len(blocked.offers) > 1:
        yield from blocker_lines.offer_lines(blocked)
        yield from [why] if why else []
    elif moves := [*blocker_lines.offer_lines(blocked), *([why] if why else [])]:
        yield "    ".join(moves)


def waiting_json(found: Iterable[Waiting]) -> list[dict[str, Any]]:
    return [
        {
            "handle": one.handle,
            "unit": one.name or None,
            "why": blocker_lines.words(blocked),
            "rule": blocked.rule,
            **_moves_json(blocked),
        }
        for one in found
        for blocked in one.blockers
    ]
