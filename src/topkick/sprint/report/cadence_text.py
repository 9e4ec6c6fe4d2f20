"""The cadence analysis as text: every figure in its table, and a recommendation."""

from collections.abc import Iterator

from topkick.sprint.report import cadence
from topkick.sprint.report import costs as cost_text
from topkick.sprint.report.cadence import (
    Efficiency,
    ModelFigures,
    Overview,
    Phase,
    RunBottleneck,
    bottleneck,
)
from topkick.sprint.report.estimation import estimation
from topkick.sprint.report.reader import ReportReading, SprintReport, spent, total_usage
from topkick.sprint.views import spending
from topkick.sprint.views import wording as words
from topkick.text import escape, markdown
from topkick.text import format as fmt
from topkick.text.format import counted

IMPROVED, DEGRADED = 0.8, 1.25
PATH_SHOWN = 30


def render_cadence(reading: ReportReading) -> str:
    whole = cadence.overview(reading)
    lines = ["## Cadence Analysis", ""]
    if not reading.account.orders:
        lines += ["No order has been given yet: there is nothing to measure.", ""]
        return "\n".join(lines)
    lines += [
        *_overall(reading, whole),
        *_by_unit(reading, whole),
        *_by_model(reading),
        *_velocity(reading),
        *_efficiency(cadence.efficiency(reading)),
        *_bottleneck(reading, whole),
        *_estimation(reading),
        *cost_text.lines(reading, whole),
    ]
    return "\n".join(lines)


def _overall(reading: ReportReading, whole: Overview) -> Iterator[str]:
    between = f"{fmt.iso(whole.started_at_us)} → {fmt.iso(whole.ended_at_us)}"
    yield "### Overall Performance"
    lasted = words.elapsed(reading.mission, reading.at_us)
    yield f"- **Total elapsed time**: {lasted} (from start to end; orders {between})"
    if whole.idle_us:
        yield f"- **No agent at work**: {fmt.hours(whole.idle_us)} (stopped, or no supervisor)"
    yield f"- **Active work time**: {fmt.hours(whole.active_us)}"
    yield f"- **Parallelism efficiency**: {fmt.percent(whole.parallelism)}"
    yield f"- **Average sprint duration**: {_minutes(whole.average_us)}"
    per_hour = fmt.NONE if whole.per_hour is None else fmt.plain(whole.per_hour, 2)
    yield f"- **Sprints per hour**: {per_hour}"
    yield f"- **Total turns used**: {_turns(whole)}"
    yield f"- **Spent**: {spent(reading.account.orders)}"
    yield ""


def _turns(whole: Overview) -> str:
    if not whole.turns:
        return "not reported by the agents"
    share = fmt.percent(whole.utilization)
    return f"{whole.turns} / {whole.turns_available} ({share} utilization)"


def _minutes(us: float | None) -> str:
    return fmt.NONE if us is None else fmt.duration(round(us))


def _by_unit(reading: ReportReading, whole: Overview) -> Iterator[str]:
    yield "### By Work Unit"
    yield from markdown.table(
        ("Work Unit", "Sprints", "Total Time", "Avg Time/Sprint", "Parallelism Gain"),
        (
            (
                f"{u.handle} {u.name}",
                str(u.sprints),
                fmt.hours(u.total_us),
                fmt.minutes(u.average_us),
                fmt.times(u.gain),
            )
            for u in cadence.by_unit(reading, whole)
        ),
    )
    yield ""
    yield from words.paragraphs(
        f"**Parallelism calculation**: {fmt.times(whole.parallelism)} in all: the time of all "
        "units, divided by the elapsed time without pauses. The units' parts add up to it.",
        f"**Parallelism saved**: {fmt.hours(whole.saved_us)}",
    )


def _by_model(reading: ReportReading) -> Iterator[str]:
    yield "### By Model"
    yield from markdown.table(
        (
            "Model",
            "Sprints",
            "Avg Duration",
            "Avg Turns",
            "Success Rate",
            "Avg Attempts",
            "Cost Impact",
            "Orders",
            "Tokens",
            "Money",
        ),
        (_model_row(reading, m) for m in cadence.by_model(reading)),
    )
    yield ""
    yield from words.paragraphs(
        "**Sprints**: those whose first order went to this model",
        "**Avg duration, avg turns, cost impact**: of every order to it, also those that failed",
        "**Success rate**: sprints completed on first attempt / total sprints for that model",
        "**Avg attempts**: average number of judged orders (1.0 = all first attempt)",
    )


def _model_row(reading: ReportReading, m: ModelFigures) -> tuple[str, ...]:
    cost = m.usage.cost_microusd
    told = total_usage(reading.account.orders).cost_microusd
    relative = spending.is_relative(reading.mission, told)
    return (
        cadence.label(reading, m),
        str(m.sprints),
        fmt.minutes(m.average_us),
        fmt.average(m.average_turns),
        fmt.percent(m.success_rate),
        fmt.average(m.average_attempts),
        fmt.times(m.relative_cost) if relative else fmt.NONE,
        str(m.orders),
        fmt.short(m.usage.tokens) if m.usage.tokens else fmt.NONE,
        fmt.money(cost) if cost is not None else fmt.NONE,
    )


# --- trend and efficiency ------------------------------------------------------------------


def _velocity(reading: ReportReading) -> Iterator[str]:
    found = cadence.velocity(reading)
    yield "### Velocity Trend"
    if not found.phases:
        yield "Fewer than three sprints are completed: there is no trend yet."
        yield ""
        return
    yield from markdown.table(
        ("Phase", "Sprints", "Avg Duration", "Notes"), (_phase_row(p) for p in found.phases)
    )
    yield ""
    yield f"**Trend**: {trend(found.change)}"
    yield ""


def _phase_row(phase: Phase) -> tuple[str, ...]:
    span = str(phase.first) if phase.first == phase.last else f"{phase.first}-{phase.last}"
    notes = [f"{phase.foundation} of foundation work"] if phase.foundation else []
    notes += [f"{phase.retried} tried more than once"] if phase.retried else []
    return (
        f"Sprint {span}",
        str(phase.sprints),
        fmt.minutes(phase.average_us),
        ", ".join(notes) or "each at the first attempt",
    )


def trend(change: float | None) -> str:
    if change is None:
        return "— (nothing to compare)"
    by = f"the last third took {fmt.times(change)} the time of the first"
    if change <= IMPROVED:
        return f"↗ Velocity improved ({by})"
    if change >= DEGRADED:
        return f"✗ Velocity degraded ({by})"
    return f"✓ Velocity stabilized ({by})"


def _efficiency(e: Efficiency) -> Iterator[str]:
    used = fmt.percent(e.budget_used)
    left = fmt.percent(None if e.budget_used is None else max(0.0, 1 - e.budget_used))
    yield "### Efficiency Metrics"
    yield f"- **First-attempt success**: {_of(e.first_try, e.judged)}"
    yield f"- **Retries required**: {_of(len(e.retried), e.judged)}"
    for one in e.retried:
        yield f"  - Sprint {escape.prose(one.handle)}: {one.orders} judged orders"
    accuracy = fmt.percent(cadence.ratio(e.fitting, e.judged))
    upgrades = counted(e.upgrades, "upgrade")
    yield f"- **Model selection accuracy**: {accuracy} ({upgrades} needed on retry)"
    yield f"- **Context budget utilization**: {used} avg ({left} headroom)"
    yield f"- **Oversized sprints**: {_sized(e.oversized, 'exceeded 80% of turns budget')}"
    yield f"- **Undersized sprints**: {_sized(e.undersized, 'used <15% of turns budget')}"
    yield ""


def _of(part: int, whole: int) -> str:
    return f"{part}/{whole} sprints ({fmt.percent(cadence.ratio(part, whole))})"


def _sized(handles: tuple[str, ...], why: str) -> str:
    names = f": {', '.join(escape.prose(x) for x in handles)}" if handles else ""
    return f"{len(handles)} ({why}){names}"


# --- bottlenecks and estimates -------------------------------------------------------------


def _bottleneck(reading: ReportReading, whole: Overview) -> Iterator[str]:
    found = bottleneck(reading)
    yield "### Bottleneck Analysis"
    yield from words.paragraphs(
        f"**Critical Path**: {_path(found)}",
        f"**Longest sprint**: {_longest(found.longest)}",
        f"**Most retries**: {_most_tried(found.most_tried)}",
        f"**Recommendation**: {recommendation(found, whole)}",
    )


def _path(found: RunBottleneck) -> str:
    if not found.path:
        return fmt.NONE
    shown = [f"Sprint {escape.prose(x)}" for x in found.path]
    if len(shown) > PATH_SHOWN:
        left = len(shown) - PATH_SHOWN + 1
        shown = [*shown[: PATH_SHOWN - 1], f"{left} more"]
    return f"{' → '.join(shown)} ({fmt.duration(found.path_us)} total)"


def _longest(one: SprintReport | None) -> str:
    if one is None:
        return fmt.NONE
    name = escape.prose(escape.line(one.sprint.plan.name, 100))
    last = one.attempts[-1]
    model = f", {words.model(last.tier, last.model)}" if last.model else ""
    return f"Sprint {escape.prose(one.handle)} ({name}, {fmt.minutes(one.worked_us)}{model})"


def _most_tried(one: SprintReport | None) -> str:
    if one is None:
        return "none"
    return f"Sprint {escape.prose(one.handle)} ({len(one.judged)} attempts)"


def recommendation(found: RunBottleneck, whole: Overview) -> str:
    """Return what the figures suggest, and nothing beyond them."""
    told = []
    tried, longest = found.most_tried, found.longest
    if tried is not None:
        told.append(
            f"Sprint {escape.prose(tried.handle)} took {len(tried.judged)} judged orders: see "
            f"`topkick explain {escape.prose(tried.handle)}` for what failed, "
            "and say it in the plan."
        )
    if longest is not None and found.path_us and 2 * longest.worked_us > found.path_us:
        share = fmt.percent(longest.worked_us / found.path_us)
        told.append(
            f"Sprint {escape.prose(longest.handle)} is {share} of the critical path: split it."
        )
    if found.path_us and whole.driven_us > 2 * found.path_us:
        told.append(
            "Less than half of the time went into the critical path: the rest was waiting for "
            "gates, limits, people or a free place; more agents at once or fewer waits would help."
        )
    return " ".join(told) or "Nothing stands out."


def _estimation(reading: ReportReading) -> Iterator[str]:
    found = estimation(reading)
    yield "### Estimation Accuracy"
    if not found.rows:
        yield "No completed sprint has an agent that reports its turns: nothing to compare."
        yield ""
        return
    yield from markdown.table(
        ("Sprint", "Estimated Turns", "Actual Turns", "Variance", "Accuracy"),
        (
            (
                f"Sprint {row.handle}",
                str(row.estimated),
                str(row.actual),
                fmt.signed_percent(row.variance),
                "✓ Good" if row.is_good else "✗ Poor",
            )
            for row in found.rows
        ),
    )
    yield ""
    yield from words.paragraphs(
        "**Accuracy criteria**: ±20% variance = Good, >20% = Poor",
        f"**Average estimation error**: ±{fmt.percent(found.average_error)}",
        f"**Trend**: {_estimation_trend(found.trend or 0.0, of_complex=found.of_complex)}",
    )


def _estimation_trend(variance: float, *, of_complex: bool) -> str:
    if not variance:
        return "none"
    which = "complex" if of_complex else "simple"
    how = "Underestimated" if variance > 0 else "Overestimated"
    return f"{how} {which} sprints by {fmt.percent(abs(variance))}"
