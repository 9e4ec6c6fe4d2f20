"""Compare the expected turns of sprints with those that were used."""

from dataclasses import dataclass

from topkick.sprint.report.cadence import mean, telling
from topkick.sprint.report.reader import ReportReading, SprintReport
from topkick.sprint.report.records import estimated_turns

GOOD_WITHIN = 0.20


@dataclass(frozen=True, slots=True)
class Estimate:
    """A sprint's estimate. `variance` is the difference between the turns of all its orders and the
    estimate, as a fraction of the estimate.
    """

    handle: str
    estimated: int
    actual: int

    @property
    def variance(self) -> float:
        return (self.actual - self.estimated) / self.estimated

    @property
    def is_good(self) -> bool:
        return abs(self.variance) <= GOOD_WITHIN


@dataclass(frozen=True, slots=True)
class Estimation:
    """All estimates. `trend` is the average variance of the complex sprints (above the average
    estimate) or of the others, whichever is further off; `of_complex` says which.
    """

    rows: tuple[Estimate, ...]
    average_error: float | None
    trend: float | None
    of_complex: bool


def estimation(reading: ReportReading) -> Estimation:
    """Return the estimates of planned sprints that are completed and whose agents reported all
    turns.
    """
    rows = tuple(row for one in reading.done for row in _rows(reading, one))
    average = mean([row.estimated for row in rows]) or 0
    large = mean([r.variance for r in rows if r.estimated > average])
    small = mean([r.variance for r in rows if r.estimated <= average])
    of_complex = abs(large or 0) > abs(small or 0)
    return Estimation(
        rows, mean([abs(r.variance) for r in rows]), large if of_complex else small, of_complex
    )


def _rows(reading: ReportReading, one: SprintReport) -> tuple[Estimate, ...]:
    told = telling(one.attempts)
    plan = reading.mission.plan
    is_told = bool(told) and len(told) == len(one.attempts)
    if plan is None or not is_told or one.sprint.plan.generated:
        return ()
    expected = estimated_turns(plan, one.unit.name, one.sprint.plan)
    used = sum(a.usage.turns for a in told)
    return (Estimate(one.handle, expected, used),) if expected else ()
