"""Choose the tier for a sprint's order: a score from five tables, and rules that override it
(MS-01).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from topkick.engine.agents.program import TIERS, Tier
from topkick.plan_format.model import Plan, SprintPlan, SprintRef, SprintType
from topkick.sprint.dispatch.traits import (
    Criteria,
    Risk,
    SprintDescription,
    Traits,
    dependents_of,
    traits_of,
)
from topkick.sprint.model import Mission, Sprint, Unit
from topkick.sprint.transitions import SprintState

Steps = tuple[tuple[int, int], ...]  # (from this many on, points)

TURN_POINTS: Steps = ((0, 1), (10, 3), (21, 5), (36, 8), (51, 10))
FILE_POINTS: Steps = ((0, 0), (3, 2), (6, 4), (11, 6))
DEPENDENT_POINTS: Steps = ((0, 0), (2, 2), (6, 5))
CRITERIA_POINTS = {Criteria.CHECKABLE: 0, Criteria.MIXED: 2, Criteria.VAGUE: 5}
DESCRIPTION_POINTS = {
    SprintDescription.EXPLICIT: 0,
    SprintDescription.HIGH_LEVEL: 3,
    SprintDescription.OPEN_ENDED: 5,
}
FOUNDATION_POINTS = {False: 0, True: 5}
RISK_POINTS = {
    Risk.NONE: 0,  # the scale is 0 to 5; without an indicator, no points
    Risk.SIMPLE: 1,
    Risk.FILES_OR_SYSTEM: 2,
    Risk.ALGORITHM: 3,
    Risk.NEW_TECHNOLOGY: 4,
    Risk.EXTERNAL: 5,
}
TYPE_POINTS = {
    SprintType.CODE: 0,
    SprintType.COMMAND: -3,
    SprintType.BACKGROUND: -3,
    SprintType.DEFERRED: -2,
    SprintType.MANUAL: -1,
}
SONNET_FROM = 6
OPUS_FROM = 13
FAILURES_FOR_OPUS = 2


@dataclass(frozen=True, slots=True)
class ModelScore:
    """Five parts, added without limiting any of them to its table's range."""

    complexity: int
    ambiguity: int
    foundation: int
    risk: int
    type_modifier: int

    @property
    def total(self) -> int:
        return self.complexity + self.ambiguity + self.foundation + self.risk + self.type_modifier

    @property
    def tier(self) -> Tier:
        if self.total >= OPUS_FROM:
            return Tier.OPUS
        return Tier.SONNET if self.total >= SONNET_FROM else Tier.HAIKU

    def explain(self) -> str:
        return (
            f"score {self.total} (complexity {self.complexity}, ambiguity {self.ambiguity}, "
            f"foundation {self.foundation}, risk {self.risk}, type {self.type_modifier}): "
            f"{self.tier}"
        )


def score_of(plan: Plan, sprint: SprintPlan, dependents: int) -> ModelScore:
    return scored(traits_of(plan, sprint, dependents))


def scored(traits: Traits) -> ModelScore:
    return ModelScore(
        complexity=complexity(traits.turns, traits.files),
        ambiguity=ambiguity(traits.criteria, traits.description),
        foundation=foundation(traits.dependents, is_foundation=traits.foundation),
        risk=risk(traits.risk),
        type_modifier=type_modifier(traits.type),
    )


def complexity(turns: int, files: int) -> int:
    return _points(TURN_POINTS, turns) + _points(FILE_POINTS, files)


def ambiguity(criteria: Criteria, description: SprintDescription) -> int:
    return CRITERIA_POINTS[criteria] + DESCRIPTION_POINTS[description]


def foundation(dependents: int, *, is_foundation: bool) -> int:
    return FOUNDATION_POINTS[is_foundation] + _points(DEPENDENT_POINTS, dependents)


def risk(indicated: Risk) -> int:
    return RISK_POINTS[indicated]


def type_modifier(kind: SprintType) -> int:
    return TYPE_POINTS[kind]


def _points(steps: Steps, count: int) -> int:
    return [points for start, points in steps if count >= start][-1]


# --- the choice ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The chosen tier; `why` names the score or the rule that decided."""

    tier: Tier
    why: str
    by_score: bool = False


def choose(
    score: ModelScore,
    sprint: Sprint,
    *,
    first_tier: Tier | None,
    core_architecture: bool,
    open_questions: bool,
    vague: bool,
) -> ModelChoice:
    """Return the highest tier that a rule asks for; a person's choice overrides all of them
    (MS-02).
    """
    asked = sprint.asked_model
    if asked in TIERS:
        return ModelChoice(Tier(asked), f"asked for by a person: {asked}")
    start = _start(score, first_tier, vague=vague)
    choices = (
        start,
        *_for_failures(sprint, start.tier),
        *_for_the_work(core_architecture=core_architecture, open_questions=open_questions),
        *_for_continuing(sprint),
    )
    best = max(choices, key=lambda choice: TIERS.index(choice.tier))  # the first of the highest
    return ModelChoice(best.tier, f"asked for by a person: {asked}") if asked else best


def _start(score: ModelScore, first_tier: Tier | None, *, vague: bool) -> ModelChoice:
    """Return the tier that failures count from, so it includes rules that hold for every
    attempt.
    """
    if first_tier is None:
        start = ModelChoice(score.tier, score.explain(), by_score=True)
    else:
        start = ModelChoice(first_tier, f"first tier set in the configuration: {first_tier}")
    if vague and start.tier is Tier.HAIKU:
        return ModelChoice(Tier.SONNET, "vague exit criteria: at least sonnet")
    return start


def _for_failures(sprint: Sprint, start: Tier) -> Iterator[ModelChoice]:
    if sprint.failures_ever >= FAILURES_FOR_OPUS:
        yield ModelChoice(Tier.OPUS, f"{sprint.failures_ever} failed attempts: opus")
    if sprint.failures:
        stronger = TIERS[min(TIERS.index(start) + sprint.failures, len(TIERS) - 1)]
        yield ModelChoice(stronger, f"{sprint.failures} failed so far: a stronger tier")


def _for_the_work(*, core_architecture: bool, open_questions: bool) -> Iterator[ModelChoice]:
    if core_architecture:
        yield ModelChoice(Tier.OPUS, "core architecture with 5 or more dependents: opus")
    if open_questions:
        yield ModelChoice(Tier.OPUS, "open questions in the plan: opus")


def _for_continuing(sprint: Sprint) -> Iterator[ModelChoice]:
    if sprint.state is SprintState.PARTIAL:
        yield ModelChoice(Tier.SONNET, "continues the work of an earlier order: at least sonnet")
        if sprint.tier is not None:
            yield ModelChoice(sprint.tier, f"continues the work of an earlier order: {sprint.tier}")


@dataclass(frozen=True, slots=True)
class Selection:
    """The tier for an order, and the reason for the Decisions Log (MS-03)."""

    tier: Tier
    score: ModelScore
    why: str
    by_score: bool


def select_tier(mission: Mission, unit: Unit, sprint: Sprint) -> Selection:
    assert mission.settings is not None
    assert mission.plan is not None
    holds_up = dependents_of(mission.plan).get(SprintRef(unit.name, sprint.id), 0)
    traits = traits_of(mission.plan, sprint.plan, holds_up)
    score = scored(traits)
    choice = choose(
        score,
        sprint,
        first_tier=mission.settings.first_tier,
        core_architecture=traits.core_architecture,
        open_questions=traits.open_questions,
        vague=traits.vague,
    )
    tier = mission.settings.agent.tier_as(choice.tier)
    why, by_score = choice.why, choice.by_score
    if tier is not choice.tier and not sprint.asked_model:
        by_score = False
        why = f"{mission.settings.agent.name} has the same model for {tier} and {choice.tier}"
    why = why if by_score else f"{why}; {score.explain()}"
    return Selection(tier, score, why, by_score)
