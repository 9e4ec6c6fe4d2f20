"""The audit trail of a board, an epic or a team: each fact with its record, and its decisions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from topkick.engine import messages as h
from topkick.engine.views import refusal_lines
from topkick.sprint.blockers.unit import needs
from topkick.sprint.explain import record_lines
from topkick.sprint.explain.audit_trail import Numbered
from topkick.sprint.model import Mission
from topkick.sprint.status import overall
from topkick.sprint.views import blocker_lines
from topkick.text import escape
from topkick.text import format as fmt

SHOWN = 200
ELSEWHERE = {
    "epic": {"KB-02": "EP-10", "KB-03": "EP-11"},
    "pipeline": {"KB-02": "CK-14", "KB-03": "CK-14", "EP-03": "CK-14"},
}
"""Rules that several supervisors share, under the id that each supervisor has for them."""
QUIET = (h.AgentActive, h.AgentSpent, h.TimePassed)


@dataclass(frozen=True, slots=True)
class FileAuditRecord:
    seq: int
    at_us: int
    what: str
    is_fact: bool


def links(happened: Sequence[Numbered], about: str = "") -> tuple[FileAuditRecord, ...]:
    """Return the last lines of the audit trail, or of those that mention `about`."""
    run = _known(happened)
    told = tuple(link for item in happened if (link := _link(item, run)) is not None)
    wanted = about.casefold()
    return tuple(link for link in told if wanted in link.what.casefold())[-SHOWN:]


@dataclass(frozen=True, slots=True)
class _Known:
    """The supervisor of the run, and what each of its orders is about."""

    policy: str
    orders: Mapping[str, str]


def _known(happened: Sequence[Numbered]) -> _Known:
    began = (x.policy for _, _, x in happened if isinstance(x, h.MissionBegan))
    opened = (x for _, _, x in happened if isinstance(x, h.RunOpened))
    return _Known(next(began, ""), {x.run_id: x.sprint for x in opened})


def _link(item: Numbered, run: _Known) -> FileAuditRecord | None:
    seq, at_us, happening = item
    what = _what(happening, run)
    return FileAuditRecord(seq, at_us, what, isinstance(happening, h.Fact)) if what else None


def _what(happening: h.Happening, run: _Known) -> str:
    match happening:
        case h.RunDispatched(run_id, order):
            prompt = order.prompt.sha256[:12]
            who = f"{escape.line(order.agent)} {escape.line(order.model)}"
            return f"{_who(run_id, run)}: asked {who} (input {prompt})"
        case h.RunClosed(run_id, why):
            return f"{_who(run_id, run)}: closed, {escape.line(why, 200)}"
        case h.Decided(_, sprint, decision, why):
            return (
                f"{escape.line(sprint, 80)}: {escape.line(decision, 60)}: {escape.line(why, 200)}"
            )
        case h.MissionEnded(done, why):
            return f"{'done' if done else 'ended'}: {escape.line(why, 400)}"
        case h.StanceTaken(stance, why):
            return f"{stance}: {escape.line(why, 200)}"
        case h.LimitMet(account, why, until_us):
            until = fmt.iso(until_us)
            return f"{escape.line(account)} rests until {until}: {escape.line(why, 160)}"
        case h.CommandRefused(refusal):
            return refusal_lines.line(refusal)
        case _:
            return _fact(happening, run)


def _fact(happening: h.Happening, run: _Known) -> str:
    if not isinstance(happening, h.Fact) or isinstance(happening, QUIET):
        return ""
    rule, words = record_lines.tell(happening)
    run_id = getattr(happening, "run_id", "")
    who = f"{_who(run_id, run)}: " if run_id else ""
    return f"{who}{words} [{ELSEWHERE.get(run.policy, {}).get(rule, rule)}]"


def _who(run_id: str, run: _Known) -> str:
    return f"{escape.line(run.orders.get(run_id, ''), 80)} ({escape.line(run_id)})"


def render(mission: Mission, found: Sequence[FileAuditRecord], utc_offset_s: int) -> Iterator[str]:
    yield f"{escape.line(mission.policy).capitalize()}: {overall(mission)}"
    for need in needs(mission):
        yield f"Waits for a person: {blocker_lines.words(need)}"
        yield from (f"  {escape.line(offer.command, 200)}" for offer in need.offers)
    if found:
        yield "How it came to this, record by record:"
    for link in found:
        at = fmt.day_and_clock(link.at_us, utc_offset_s)
        yield f"{link.seq:>6} {at}  {'' if link.is_fact else '  '}{link.what}"


def as_json(mission: Mission, found: Sequence[FileAuditRecord]) -> dict[str, Any]:
    return {
        "policy": mission.policy,
        "overall": overall(mission).value,
        "needs": [
            {"what": blocker_lines.words(n), "command": offer.command}
            for n in needs(mission)
            for offer in n.offers
        ],
        "records": [
            {"seq": x.seq, "at": fmt.iso(x.at_us), "what": x.what, "fact": x.is_fact} for x in found
        ],
    }
