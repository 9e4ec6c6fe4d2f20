"""Why a run of a file stands as it does: each fact with its record, and what was decided on it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from topkick.boards import blocker_lines, fact_words, moments, safe
from topkick.boards.chains import Numbered
from topkick.core import happenings as h
from topkick.core.mission import Mission
from topkick.core.standing import overall
from topkick.core.unit_blockers import needs

SHOWN = 200
ELSEWHERE = {
    "epic": {"KB-02": "EP-10", "KB-03": "EP-11"},
    "pipeline": {"KB-02": "CK-14", "KB-03": "CK-14", "EP-03": "CK-14"},
}
"""What is the same for several supervisors, under the name that it has there."""
QUIET = (h.AgentActive, h.AgentSpent, h.TimePassed)


@dataclass(frozen=True, slots=True)
class Link:
    seq: int
    at_us: int
    what: str
    is_fact: bool


def links(happened: Sequence[Numbered], about: str = "") -> tuple[Link, ...]:
    """All of it, or what has to do with a role, a task or an order."""
    run = _known(happened)
    told = tuple(link for item in happened if (link := _link(item, run)) is not None)
    wanted = about.casefold()
    return tuple(link for link in told if wanted in link.what.casefold())[-SHOWN:]


@dataclass(frozen=True, slots=True)
class _Known:
    """Whose run it is, and what each of its orders is about."""

    policy: str
    orders: Mapping[str, str]


def _known(happened: Sequence[Numbered]) -> _Known:
    began = (x.policy for _, _, x in happened if isinstance(x, h.MissionBegan))
    opened = (x for _, _, x in happened if isinstance(x, h.RunOpened))
    return _Known(next(began, ""), {x.run_id: x.sprint for x in opened})


def _link(item: Numbered, run: _Known) -> Link | None:
    seq, at_us, happening = item
    what = _what(happening, run)
    return Link(seq, at_us, what, isinstance(happening, h.Fact)) if what else None


def _what(happening: h.Happening, run: _Known) -> str:
    match happening:
        case h.RunDispatched(run_id, order):
            prompt = order.prompt.sha256[:12]
            who = f"{safe.line(order.agent)} {safe.line(order.model)}"
            return f"{_who(run_id, run)}: asked {who} (input {prompt})"
        case h.RunClosed(run_id, why):
            return f"{_who(run_id, run)}: closed, {safe.line(why, 200)}"
        case h.Decided(_, sprint, decision, why):
            return f"{safe.line(sprint, 80)}: {safe.line(decision, 60)}: {safe.line(why, 200)}"
        case h.MissionEnded(done, why):
            return f"{'done' if done else 'ended'}: {safe.line(why, 400)}"
        case h.StanceTaken(stance, why):
            return f"{stance}: {safe.line(why, 200)}"
        case h.LimitMet(account, why, until_us):
            return (
                f"{safe.line(account)} rests until {moments.iso(until_us)}: {safe.line(why, 160)}"
            )
        case h.CommandRefused(why):
            return f"refused: {safe.line(why, 200)}"
        case _:
            return _fact(happening, run)


def _fact(happening: h.Happening, run: _Known) -> str:
    if not isinstance(happening, h.Fact) or isinstance(happening, QUIET):
        return ""
    rule, words = fact_words.tell(happening)
    run_id = getattr(happening, "run_id", "")
    who = f"{_who(run_id, run)}: " if run_id else ""
    return f"{who}{words} [{ELSEWHERE.get(run.policy, {}).get(rule, rule)}]"


def _who(run_id: str, run: _Known) -> str:
    return f"{safe.line(run.orders.get(run_id, ''), 80)} ({safe.line(run_id)})"


def render(mission: Mission, found: Sequence[Link], utc_offset_s: int) -> Iterator[str]:
    yield f"{safe.line(mission.policy).capitalize()}: {overall(mission)}"
    for need in needs(mission):
        yield f"Waits for a person: {blocker_lines.words(need)}"
        yield from (f"  {safe.line(offer.command, 200)}" for offer in need.offers)
    if found:
        yield "How it came to this, record by record:"
    for link in found:
        at = moments.day_and_clock(link.at_us, utc_offset_s)
        yield f"{link.seq:>6} {at}  {'' if link.is_fact else '  '}{link.what}"


def as_json(mission: Mission, found: Sequence[Link]) -> dict[str, Any]:
    return {
        "policy": mission.policy,
        "overall": overall(mission).value,
        "needs": [
            {"what": blocker_lines.words(n), "command": offer.command}
            for n in needs(mission)
            for offer in n.offers
        ],
        "records": [
            {"seq": x.seq, "at": moments.iso(x.at_us), "what": x.what, "fact": x.is_fact}
            for x in found
        ],
    }
