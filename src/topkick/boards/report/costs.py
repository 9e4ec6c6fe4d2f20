"""Where time and money went, what a stronger model bought, and what could have been cheaper."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from topkick.boards.report.cadence import UNDERSIZED, ratio, telling
from topkick.boards.report.reading import Reading, SprintReport, is_foundation, worked_us
from topkick.boards.report.records import Attempt
from topkick.boards.usage import WEIGHTS
from topkick.core.agents import TIERS, Tier, Usage
from topkick.core.mission import Verdict
from topkick.core.model_score import OPUS_FROM, SONNET_FROM

# --- time ----------------------------------------------------------------------------------


class Kind(StrEnum):
    FOUNDATION = "Foundation work"
    IMPLEMENTATION = "Implementation"
    TESTING = "Testing/Validation"
    RETRIES = "Retries/Fixes"
    OTHER = "Other sprints"
    GATES = "Gates"


@dataclass(frozen=True, slots=True)
class Share:
    kind: Kind
    time_us: int
    part: float | None


def time_distribution(reading: Reading) -> tuple[Share, ...]:
    """Each order's time once; what is to be mended or merged, and all orders after the first that
    was judged, are retries."""
    times = dict.fromkeys(Kind, 0)
    for one in reading.sprints:
        kind = kind_of(reading, one)
        for attempt in one.attempts:
            retry = any(a.number < attempt.number for a in one.judged)
            spent_us = worked_us(attempt, reading.pauses, reading.at_us)
            times[Kind.RETRIES if retry else kind] += spent_us
    times[Kind.GATES] = sum(g.built_ms * 1000 for g in reading.account.gates)
    total_us = sum(times.values())
    return tuple(Share(kind, us, ratio(us, total_us)) for kind, us in times.items())


def kind_of(reading: Reading, one: SprintReport) -> Kind:
    plan = one.sprint.plan
    if plan.generated:
        return Kind.RETRIES
    if is_foundation(reading, one):
        return Kind.FOUNDATION
    if "test" in plan.name.lower():
        return Kind.TESTING
    return Kind.IMPLEMENTATION if one.is_code else Kind.OTHER


# --- money ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Saving:
    """A sprint that a cheaper tier might have done, and by how much cheaper."""

    handle: str
    used: Tier
    instead: Tier
    saved: int


def savings(reading: Reading) -> tuple[Saving, ...]:
    """Done by one order that a higher tier got than its score asks for, or that used hardly any
    of its turns."""
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
    """An order on a stronger tier than the one before it, and what it brought. `moved` are the
    criteria that hold after it and did not before."""

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


def escalations(reading: Reading) -> tuple[Escalation, ...]:
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
