"""Where time and money went, for people: bars, and what each stronger model bought."""

from collections.abc import Iterator

from topkick.boards import markdown, safe, spending
from topkick.boards.counted import counted
from topkick.boards.report import cadence, costs, words
from topkick.boards.report.cadence import Overview
from topkick.boards.report.costs import Escalation, Kind
from topkick.boards.report.reading import Reading
from topkick.core.agents import TIERS
from topkick.core.budgets import MICRO

NAMES_WIDTH = 19
ALWAYS_SHOWN = (Kind.FOUNDATION, Kind.IMPLEMENTATION, Kind.TESTING, Kind.RETRIES)


def lines(reading: Reading, whole: Overview) -> Iterator[str]:
    yield from _time(reading)
    yield from _cost(reading, whole)
    yield from _optimization(reading, whole)
    yield from _escalations(reading)


def _time(reading: Reading) -> Iterator[str]:
    yield "### Time Distribution"
    yield "```"
    for share in costs.time_distribution(reading):
        if share.time_us or share.kind in ALWAYS_SHOWN:
            name = f"{share.kind.value}:".ljust(NAMES_WIDTH)
            part = share.part or 0.0
            told = f"{words.percent(part)} ({words.hours(share.time_us)})"
            yield f"{name} {words.bar(part)} {told}"
    yield "```"
    yield ""


def _cost(reading: Reading, whole: Overview) -> Iterator[str]:
    by_tier = {m.tier: m for m in cadence.by_model(reading)}
    yield "### Cost Breakdown"
    yield "```"
    for tier in TIERS:
        found = by_tier.get(tier)
        cost = found.relative_cost if found is not None else 0
        part = cadence.ratio(cost, whole.relative_cost) or 0.0
        money = found.usage.cost_microusd if found is not None else None
        known = f", {spending.money(money)}" if money is not None else ""
        told = f"{words.percent(part)} of cost"
        name = f"{tier.value} orders:".ljust(15)
        yield f"{name} {words.bar(part, 18)} {words.times(cost)} ({told}{known})"
    yield "```"
    yield ""


def _optimization(reading: Reading, whole: Overview) -> Iterator[str]:
    found = costs.savings(reading)
    told = "; ".join(
        f"Sprint {safe.prose(s.handle)} might have been done by {s.instead.value} instead of "
        f"{s.used.value}"
        for s in found
    )
    saved = sum(s.saved for s in found)
    share = words.percent(cadence.ratio(saved, whole.relative_cost) or 0.0)
    yield from words.paragraphs(
        f"**Cost optimization opportunities**: {told or 'none found'}",
        f"**Potential savings**: {words.times(saved)} ({share} reduction)",
    )


def _escalations(reading: Reading) -> Iterator[str]:
    found = costs.escalations(reading)
    yield "### What each escalation bought"
    if not found:
        yield "No order went to a stronger model than the one before it."
        yield ""
        return
    columns = ("Sprint", "Order", "From", "To", "Verdict", "Criteria newly met", "Cost")
    yield from markdown.table(
        (*columns, "Cost per criterion", "Money", "Tokens", "Records"), map(_row, found)
    )
    yield ""
    cost = sum(e.relative_cost for e in found)
    met = sum(len(e.newly_met) for e in found)
    each = words.times(cadence.ratio(cost, met))
    total = f"{words.times(cost)} for {counted(met, 'newly met criterion', 'newly met criteria')}"
    yield from words.paragraphs(f"**In all**: {total}; {each} for each{_money(found, met)}")


def _row(e: Escalation) -> tuple[str, ...]:
    cost = e.usage.cost_microusd
    met = ", ".join(f"`{safe.line(c, 60)}`" for c in e.newly_met)
    return (
        f"Sprint {e.handle}",
        str(e.number),
        e.before.value,
        words.model(e.tier, e.model),
        e.verdict.value if e.verdict is not None else "not judged",
        f"{len(e.newly_met)}: {met}" if met else "0",
        words.times(e.relative_cost),
        words.times(e.cost_each),
        spending.money(cost) if cost is not None else words.NONE,
        spending.short(e.usage.tokens) if e.usage.tokens else words.NONE,
        ", ".join(str(seq) for seq in (e.seq, e.judged_seq) if seq),
    )


def _money(found: tuple[Escalation, ...], met: int) -> str:
    known = [e.usage.cost_microusd for e in found if e.usage.cost_microusd is not None]
    if not known:
        return ""
    each = f", ${sum(known) / met / MICRO:.2f} for each" if met and len(known) == len(found) else ""
    return f"; {spending.money(sum(known))}{each}"
