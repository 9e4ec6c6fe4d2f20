"""The table of severities and consequences of findings."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from topkick.plans.analysis.model import OrderRule, Pass, Severity
from topkick.plans.refining.assessment import Check, Fitness


class Kind(StrEnum):
    BLOCKING_QUESTION = "Blocking open question"
    OPEN_QUESTION = "Open question"
    MISSING_BRIDGE = "Missing bridge"
    NOT_IN_ORDER = "Producer not before its user"
    UNCLEAR_START = "Point A unclear"
    UNCLEAR_END = "Point B unclear"
    UNCOVERED = "Requirement not mentioned"
    GOAL_UNCOVERED = "Goal not mentioned"
    DEAD_END = "Dead end"
    NO_CHECK = "No machine check in the whole plan"
    CONCERN = "Several concerns"
    ARTIFACT = "No clear artifact"
    INPUTS = "Inputs or outputs not explicit"
    UNVERIFIABLE = "Nothing a machine can check"
    VAGUE = "Vague criterion"
    UNTESTED_TASKS = "Tasks without a criterion"
    OVERSIZED = "Oversized"
    UNDERSIZED = "Undersized"
    FOUNDATION_LATE = "Foundation late"
    RISK_LATE = "Risk late"
    BOTTLENECK_LATE = "Bottleneck late"
    SERIAL = "Parallel work in one unit"
    LAYER_LATE = "Layer later than needed"


@dataclass(frozen=True, slots=True)
class Rule:
    pass_: Pass
    severity: Severity
    impact: str


_A, _B, _C = Pass.COMPLETENESS, Pass.QUALITY, Pass.ORDER
_CRITICAL, _RECOMMENDED, _OPTIONAL = Severity.CRITICAL, Severity.RECOMMENDED, Severity.OPTIONAL

RULES: Mapping[Kind, Rule] = {
    Kind.BLOCKING_QUESTION: Rule(
        _A, _CRITICAL, "An agent would have to guess the answer, or stop."
    ),
    Kind.MISSING_BRIDGE: Rule(_A, _CRITICAL, "The sprint begins with something that is not there."),
    Kind.NOT_IN_ORDER: Rule(_A, _RECOMMENDED, "The sprint may begin before what it needs is made."),
    Kind.OPEN_QUESTION: Rule(_A, _RECOMMENDED, "The agent decides it, perhaps not as you would."),
    Kind.UNCLEAR_START: Rule(
        _A, _RECOMMENDED, "Agents find out for themselves what they begin with."
    ),
    Kind.UNCLEAR_END: Rule(_A, _RECOMMENDED, "Nobody can tell by the plan when it is done."),
    Kind.UNCOVERED: Rule(_A, _RECOMMENDED, "It may be left out, and no check would notice."),
    Kind.GOAL_UNCOVERED: Rule(
        _A, _OPTIONAL, "The goal may be reached by other words, or not at all."
    ),
    Kind.DEAD_END: Rule(_A, _OPTIONAL, "The work may serve nothing, or its use is not planned."),
    Kind.NO_CHECK: Rule(
        _B, _CRITICAL, "Nothing that agents do can be proven; every sprint ends unchecked."
    ),
    Kind.CONCERN: Rule(_B, _RECOMMENDED, "One part that fails sends the other back too."),
    Kind.ARTIFACT: Rule(_B, _RECOMMENDED, "Nobody can look for what should have been made."),
    Kind.INPUTS: Rule(_B, _OPTIONAL, "The agent has to search for what it builds on."),
    Kind.UNVERIFIABLE: Rule(_B, _RECOMMENDED, "The sprint ends unchecked, on the agent's word."),
    Kind.VAGUE: Rule(_B, _RECOMMENDED, "The criterion cannot fail, so it proves nothing."),
    Kind.UNTESTED_TASKS: Rule(_B, _OPTIONAL, "A task that is left out may go unnoticed."),
    Kind.OVERSIZED: Rule(_B, _RECOMMENDED, "The agent may run out of turns before the end."),
    Kind.UNDERSIZED: Rule(_B, _OPTIONAL, "Starting an agent costs more than the work."),
    Kind.FOUNDATION_LATE: Rule(_C, _RECOMMENDED, "Others begin before what they build on is laid."),
    Kind.RISK_LATE: Rule(_C, _RECOMMENDED, "Trouble shows when little time is left."),
    Kind.BOTTLENECK_LATE: Rule(_C, _RECOMMENDED, "Many sprints wait longer than they have to."),
    Kind.SERIAL: Rule(_C, _OPTIONAL, "The run takes more rounds than it has to."),
    Kind.LAYER_LATE: Rule(_C, _OPTIONAL, "The unit waits for units that it does not need."),
}
BY_CHECK: Mapping[Check, Kind] = {
    Check.CONCERN: Kind.CONCERN,
    Check.ARTIFACT: Kind.ARTIFACT,
    Check.INPUTS: Kind.INPUTS,
    Check.VERIFIABLE: Kind.UNVERIFIABLE,
    Check.MEASURABLE: Kind.VAGUE,
    Check.COVERAGE: Kind.UNTESTED_TASKS,
}
BY_FITNESS: Mapping[Fitness, Kind] = {
    Fitness.OVERSIZED: Kind.OVERSIZED,
    Fitness.UNDERSIZED: Kind.UNDERSIZED,
}
BY_ORDER: Mapping[OrderRule, Kind] = {
    OrderRule.FOUNDATION: Kind.FOUNDATION_LATE,
    OrderRule.RISK: Kind.RISK_LATE,
    OrderRule.BOTTLENECK: Kind.BOTTLENECK_LATE,
}
