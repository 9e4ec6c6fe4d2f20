"""Where time and money went, for people: bars, and what each stronger model bought."""

from collections.abc import Iterator

from topkick.boards import markdown, safe, usage
from topkick.boards.counted import counted
from topkick.boards.report import cadence, costs, words
from topkick.boards.report.cadence import Overview
from topkick.boards.report.costs import Escalation, Kind
from topkick.boards.report.reading import Reading
from topkick.core.budgets import MICRO
from topkick.text import format as fmt

NAMES_WIDTH = 19
ALWAYS_SHOWN = (Kind.FOUNDATION, Kind.IMPLEMENTATION, Kind.TESTING, Kind.RETRIES)


def lines(reading: Reading, whole: Overview) -> Iterator[str]:
    relative = usage.is_relative(reading.mission, whole.usage.cost_microusd)
    yield from _time(reading)
    yield from _cost(reading, whole, relative=relative)
    yield from _optimization(reading, whole, relative=relative)
    yield from _escalations(reading, relative=relative)


def _time(reading: Reading) -> Iterator[str]:
    yield "### Time Distribution"
    yield "```"
    for share in costs.time_distribution(reading):
        if share.time_us or share.kind in ALWAYS_SHOWN:
            name = f"{share.kind.value}:".ljust(NAMES_WIDTH)
            part = share.part or 0.0
            told = f"{fmt.percent(part)} ({fmt.hours(share.time_us)})"
            yield f"{name} {fmt.bar(part)} {told}"
    yield "```"
    yield ""


def _cost(reading: Reading, whole: Overview, *, relative: bool) -> Iterator[str]:
    """By money where it is known, else by the weight of each tier; else by the orders alone."""
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
            told = f"{counted(found.orders, 'order')} (cost {usage.NOT_TOLD})"
        yield f"{name} {fmt.bar(part, 18)} {told}"
    yield "```"
    yield ""


def _optimization(reading: Reading, whole: Overview, *, relative: bool) -> Iterator[str]:
    found = costs.savings(reading)
    told = "; ".join(
        f"Sprint {safe.prose(s.handle)} might have been done by {s.instead.value} instead of "
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


def _escalations(reading: Reading, *, relative: bool) -> Iterator[str]:
    found = costs.escalations(reading)
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
    met = ", ".join(f"`{safe.line(c, 60)}`" for c in e.newly_met)
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
