"""Pass 3 of the report: the dependency graph, what could run side by side, and the best order."""

from collections.abc import Iterator
from statistics import median

from topkick.planning.analysis.model import Analysis, OrderCheck, ParallelGroup, PlanOrder, Position
from topkick.planning.analysis.report_quality import bullets, labels, rows, said
from topkick.text.format import counted

ROWS = 1_000
CHAIN = 60
_PRIORITY = ("Sprint", "Priority Score", "Current Position", "Optimal Position", "Recommendation")
_REORDERING = ("Current", "Proposed", "Sprint", "Rationale")


def order_lines(analysis: Analysis) -> Iterator[str]:
    yield "## Pass 3: Priority & Parallelism Analysis"
    yield ""
    yield from _graph(analysis)
    yield from _parallel(analysis)
    yield from _priority(analysis, analysis.order)
    yield from _recommended(analysis, analysis.order)


def _graph(analysis: Analysis) -> Iterator[str]:
    shape = analysis.shape
    names = [said(analysis.labels[pair], 60) for pair in shape.critical]
    shown = names if len(names) <= CHAIN else [*names[:CHAIN], "…", names[-1]]
    yield "### Dependency Graph"
    yield ""
    length = counted(len(names), "sprint")
    yield f"**Critical Path**: {' → '.join(shown)} (length: {length})"
    yield ""
    yield "**Parallelizable Clusters**:"
    yield from bullets(_cluster(cluster) for cluster in shape.clusters)
    yield ""
    yield "**Bottlenecks**:"
    yield ""
    narrow = [
        (labels(analysis, (b.sprint,)), labels(analysis, b.blocks), b.reason)
        for b in shape.bottlenecks
    ]
    yield from rows(("Sprint", "Blocks", "Reason"), narrow)
    yield ""
    yield "```mermaid"
    yield shape.drawing
    yield "```"
    yield ""


def _cluster(cluster: ParallelGroup) -> str:
    members = ", ".join(said(member, 60) for member in cluster.members)
    if cluster.of_units:
        return f"{cluster.where}: {members} (can run in parallel)"
    return f"Within {said(cluster.where, 80)}: {members} are independent"


def _parallel(analysis: Analysis) -> Iterator[str]:
    shape = analysis.shape
    now, best = shape.current, shape.maximum
    yield "### Parallelization Opportunities"
    yield ""
    yield (
        f"**Current Parallelism**: {counted(now.agents, 'work unit')} can run simultaneously; "
        f"{counted(now.rounds, 'round')} in all, if every sprint takes one round"
    )
    yield ""
    yield (
        f"**Maximum Parallelism**: {counted(best.agents, 'agent')} could run simultaneously if all "
        f"independent work is parallelized; {counted(best.rounds, 'round')}"
    )
    yield ""
    yield "**Missed Opportunities**:"
    yield from bullets(
        [
            *(
                f"{' and '.join(said(m, 60) for m in one.members)} within {said(one.where, 80)} "
                "could run in parallel (none needs another)"
                for one in shape.missed
            ),
            *(
                f"{said(move.unit, 80)} could start in layer {move.now} instead of {move.was}"
                for move in shape.layers
            ),
        ]
    )
    yield ""


def _priority(analysis: Analysis, order: PlanOrder) -> Iterator[str]:
    yield "### Priority Analysis"
    yield ""
    ranked = [
        (
            analysis.labels[p.sprint],
            p.ranked.score.shown,
            str(p.now),
            str(p.best),
            f"{_move(p)}: {p.ranked.score.reason()}",
        )
        for p in order.positions[:ROWS]
    ]
    yield from rows(_PRIORITY, ranked)
    yield ""
    middle = median(p.ranked.score.total for p in order.positions)
    late = [p for p in order.positions if p.best < p.now and p.ranked.score.total >= middle]
    yield "**High-Priority Sprints Appearing Late**:"
    yield from bullets(
        f"{_label(analysis, p)} (score {p.ranked.score.shown}) should execute earlier: "
        f"{p.ranked.score.reason()}"
        for p in sorted(late, key=lambda p: -p.ranked.score.total)
    )
    yield ""
    yield "**Low-Priority Sprints Blocking High-Priority Work**:"
    yield from bullets(
        f"{_label(analysis, one)} (score {one.ranked.score.shown}) is before "
        f"{_label(analysis, other)} (score {other.ranked.score.shown}) and could come after it"
        for one, other in order.overtakes
    )
    yield ""


def _recommended(analysis: Analysis, order: PlanOrder) -> Iterator[str]:
    yield "### Execution Order Recommendations"
    yield ""
    for number, check in enumerate(order.checks, start=1):
        yield f"{number}. **{check.rule}**: {_checked(analysis, check)}"
    yield ""
    yield "**Proposed Reordering** (respecting dependencies):"
    yield ""
    moved = [p for p in order.positions if p.now != p.best]
    proposed = [
        (
            str(p.now),
            str(p.best),
            analysis.labels[p.sprint],
            f"{_move(p)}, {p.ranked.score.reason()}",
        )
        for p in moved[:ROWS]
    ]
    yield from rows(_REORDERING, proposed)
    yield ""
    if order.refused:
        yield f"`topkick plan prioritize` cannot write this order: {said(order.refused, 300)}"
        yield ""


def _checked(analysis: Analysis, check: OrderCheck) -> str:
    if not check.looked_at:
        return "no sprint of this kind"
    if not check.late:
        return f"holds for {counted(check.looked_at, 'sprint')}"
    told = [f"{_label(analysis, p)} should move to position {p.best}" for p in check.late[:6]]
    more = f", and {len(check.late) - 6} more" if len(check.late) > 6 else ""
    return f"{'; '.join(told)}{more}"


def _move(position: Position) -> str:
    if position.best == position.now:
        return "Keep"
    return "Move earlier" if position.best < position.now else "Move later"


def _label(analysis: Analysis, position: Position) -> str:
    return said(analysis.labels[position.sprint], 60)
