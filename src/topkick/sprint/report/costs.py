"""Compute where time and money went, what stronger models achieved, and what could have been
cheaper.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from topkick.engine.agents.budgets import MICRO
from topkick.engine.agents.program import TIERS, Tier, Usage
from topkick.sprint.dispatch.model_score import OPUS_FROM, SONNET_FROM
from topkick.sprint.model import Verdict
from topkick.sprint.report import cadence
from topkick.sprint.report.cadence import UNDERSIZED, Overview, ratio, telling
from topkick.sprint.report.reader import ReportReading, SprintReport, is_foundation, worked_us
from topkick.sprint.report.records import Attempt
from topkick.sprint.views import spending
from topkick.sprint.views import wording as words
from topkick.sprint.views.spending import WEIGHTS
from topkick.text import escape, markdown
from topkick.text import format as fmt
from topkick.text.format import counted

# --- time ----------------------------------------------------------------------------------


class CostKind(StrEnum):
    FOUNDATION = "Foundation work"
    IMPLEMENTATION = "Implementation"
    TESTING = "Testing/Validation"
    RETRIES = "Retries/Fixes"
    OTHER = "Other sprints"
    GATES = "Gates"


@dataclass(frozen=True, slots=True)
class CostShare:
    kind: CostKind
    time_us: int
    part: float | None


def time_distribution(reading: ReportReading) -> tuple[CostShare, ...]:
    """Return the time by kind; each order counts once. Generated sprints (repairs, merges), and
    orders after the first judged one of their sprint, are retries.
    """
    times = dict.fromkeys(CostKind, 0)
    for one in reading.sprints:
        kind = kind_of(reading, one)
        for attempt in one.attempts:
            retry = any(a.number < attempt.number for a in one.judged)
            spent_us = worked_us(attempt, reading.pauses, reading.at_us)
            times[CostKind.RETRIES if retry else kind] += spent_us
    times[CostKind.GATES] = sum(g.built_ms * 1000 for g in reading.account.gates)
    total_us = sum(times.values())
    return tuple(CostShare(kind, us, ratio(us, total_us)) for kind, us in times.items())


def kind_of(reading: ReportReading, one: SprintReport) -> CostKind:
    plan = one.sprint.plan
    if plan.generated:
        return CostKind.RETRIES
    if is_foundation(reading, one):
        return CostKind.FOUNDATION
    if "test" in plan.name.lower():
        return CostKind.TESTING
    return CostKind.IMPLEMENTATION if one.is_code else CostKind.OTHER


# --- money ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Saving:
    """A sprint that a cheaper tier might have done, with the difference in cost."""

    handle: str
    used: Tier
    instead: Tier
    saved: int


def savings(reading: ReportReading) -> tuple[Saving, ...]:
    """Return the sprints that one order completed on a higher tier than their score asks for, or
    with hardly any of its turns.
    """
    return tuple(saving for one in reading.done for saving in _saving(one))


def _saving(one: SprintReport) -> Iterator[Saving]:
    if not one.is_first_try or len(one.attempts) != 1:
        return
    (order,) = one.attempts
    rank = TIERS.index(order.tier)
    wanted = rank if order.score is None else TIERS.index(tier_for(order.score))
    if telling([order]) and order.usage.turns < order.max_turns * UNDERSIZED:
        wanted = min(wanted, rank - 1)
    if 0 <= wanted < rank:
        instead = TIERS[wanted]
        yield Saving(one.handle, order.tier, instead, WEIGHTS[order.tier] - WEIGHTS[instead])


def tier_for(score: int) -> Tier:
    if score >= OPUS_FROM:
        return Tier.OPUS
    return Tier.SONNET if score >= SONNET_FROM else Tier.HAIKU


# --- escalations ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Escalation:
    """An order on a stronger tier than the one before it, with its result. `newly_met` are the
    criteria that hold after it and did not before.
    """

    handle: str
    number: int
    before: Tier
    tier: Tier
    model: str
    verdict: Verdict | None
    newly_met: tuple[str, ...]
    relative_cost: int
    usage: Usage
    seq: int
    judged_seq: int

    @property
    def cost_each(self) -> float | None:
        return ratio(self.relative_cost, len(self.newly_met))


def escalations(reading: ReportReading) -> tuple[Escalation, ...]:
    return tuple(
        _escalation(one, before, after)
        for one in reading.sprints
        for before, after in pairwise(one.attempts)
        if TIERS.index(after.tier) > TIERS.index(before.tier) and not after.is_out
    )


def _escalation(one: SprintReport, before: Attempt, after: Attempt) -> Escalation:
    return Escalation(
        one.handle,
        after.number,
        before.tier,
        after.tier,
        after.model,
        after.verdict,
        after.newly_met,
        WEIGHTS[after.tier],
        after.usage,
        after.seq,
        after.judged_seq,
    )


# --- the sections as text ------------------------------------------------------------------

NAMES_WIDTH = 19
ALWAYS_SHOWN = (CostKind.FOUNDATION, CostKind.IMPLEMENTATION, CostKind.TESTING, CostKind.RETRIES)


def lines(reading: ReportReading, whole: Overview) -> Iterator[str]:
    relative = spending.is_relative(reading.mission, whole.usage.cost_microusd)
    yield from _time(reading)
    yield from _cost(reading, whole, relative=relative)
    yield from _optimization(reading, whole, relative=relative)
    yield from _escalations(reading, relative=relative)


def _time(reading: ReportReading) -> Iterator[str]:
    yield "### Time Distribution"
    yield "```"
    for share in time_distribution(reading):
        if share.time_us or share.kind in ALWAYS_SHOWN:
            name = f"{share.kind.value}:".ljust(NAMES_WIDTH)
            part = share.part or 0.0
            told = f"{fmt.percent(part)} ({fmt.hours(share.time_us)})"
            yield f"{name} {fmt.bar(part)} {told}"
    yield "```"
    yield ""


def _cost(reading: ReportReading, whole: Overview, *, relative: bool) -> Iterator[str]:
    """Yield the cost of each model: in money if that is known, else by the weight of its tier, else
    by its orders.
    """
    yield "### Cost Breakdown"
    yield "```"
    for found in cadence.by_model(reading):
        name = f"{cadence.label(reading, found)}:".ljust(15)
        money = found.usage.cost_microusd
        if relative:
            part = cadence.ratio(found.relative_cost, whole.relative_cost) or 0.0
            told = f"{fmt.times(found.relative_cost)} ({fmt.percent(part)} of cost)"
        elif money is not None:
            part = cadence.ratio(money, whole.usage.cost_microusd or 0) or 0.0
            told = f"{fmt.money(money)} ({fmt.percent(part)} of cost)"
        else:
            part = cadence.ratio(found.orders, len(reading.account.orders)) or 0.0
            told = f"{counted(found.orders, 'order')} (cost {spending.NOT_TOLD})"
        yield f"{name} {fmt.bar(part, 18)} {told}"
    yield "```"
    yield ""


def _optimization(reading: ReportReading, whole: Overview, *, relative: bool) -> Iterator[str]:
    found = savings(reading)
    told = "; ".join(
        f"Sprint {escape.prose(s.handle)} might have been done by {s.instead.value} instead of "
        f"{s.used.value}"
        for s in found
    )
    yield from words.paragraphs(f"**Cost optimization opportunities**: {told or 'none found'}")
    if relative:
        saved = sum(s.saved for s in found)
        share = fmt.percent(cadence.ratio(saved, whole.relative_cost) or 0.0)
        yield from words.paragraphs(
            f"**Potential savings**: {fmt.times(saved)} ({share} reduction)"
        )


def _escalations(reading: ReportReading, *, relative: bool) -> Iterator[str]:
    found = escalations(reading)
    yield "### What each escalation bought"
    if not found:
        yield "No order went to a stronger model than the one before it."
        yield ""
        return
    columns = ("Sprint", "Order", "From", "To", "Verdict", "Criteria newly met")
    weights = ("Cost", "Cost per criterion") if relative else ()
    yield from markdown.table(
        (*columns, *weights, "Money", "Tokens", "Records"),
        (_row(e, relative=relative) for e in found),
    )
    yield ""
    cost = sum(e.relative_cost for e in found)
    met = sum(len(e.newly_met) for e in found)
    total = counted(met, "newly met criterion", "newly met criteria")
    if relative:
        each = fmt.times(cadence.ratio(cost, met))
        total = f"{fmt.times(cost)} for {total}; {each} for each"
    yield from words.paragraphs(f"**In all**: {total}{_money(found, met)}")


def _row(e: Escalation, *, relative: bool) -> tuple[str, ...]:
    cost = e.usage.cost_microusd
    met = ", ".join(f"`{escape.line(c, 60)}`" for c in e.newly_met)
    return (
        f"Sprint {e.handle}",
        str(e.number),
        e.before.value,
        words.model(e.tier, e.model),
        e.verdict.value if e.verdict is not None else "not judged",
        f"{len(e.newly_met)}: {met}" if met else "0",
        *((fmt.times(e.relative_cost), fmt.times(e.cost_each)) if relative else ()),
        fmt.money(cost) if cost is not None else fmt.NONE,
        fmt.short(e.usage.tokens) if e.usage.tokens else fmt.NONE,
        ", ".join(str(seq) for seq in (e.seq, e.judged_seq) if seq),
    )


def _money(found: tuple[Escalation, ...], met: int) -> str:
    known = [e.usage.cost_microusd for e in found if e.usage.cost_microusd is not None]
    if not known:
        return ""
    each = f", ${sum(known) / met / MICRO:.2f} for each" if met and len(known) == len(found) else ""
    return f"; {fmt.money(sum(known))}{each}"
