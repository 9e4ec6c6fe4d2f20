"""The arithmetic of a priority, row by row of its tables, against figures worked out by hand."""

import pytest

from topkick.plan_format.document import read
from topkick.plan_format.model import Criterion, CriterionKind, Plan, SprintPlan
from topkick.planning.refinement.graph import graph_of
from topkick.planning.refinement.priorities import RISK_POINTS, PriorityScore, score_of, scores_of
from topkick.sprint.dispatch.traits import Risk

PLAN = Plan("Plan", "")


def sprint(name: str = "Leaf", tasks: tuple[str, ...] = (), *commands: str) -> SprintPlan:
    found = tuple(Criterion(f"`{c}` passes", CriterionKind.COMMAND, c) for c in commands)
    return SprintPlan("1", name, tasks=tasks, exit=found)


@pytest.mark.spec("PR-01")
@pytest.mark.parametrize(
    ("score", "total"),
    [
        # 3 x dependents + 2 x foundation + risk + 0.5 x (tasks + files + verification) / 3
        (PriorityScore(0, 0, 1, 1, 1, 1), 1.5),
        (PriorityScore(1, 0, 1, 1, 1, 1), 4.5),
        (PriorityScore(4, 1, 2, 1, 1, 1), 16.5),
        (PriorityScore(0, 1, 3, 4, 4, 4), 7.0),
        (PriorityScore(2, 0, 3, 2, 3, 4), 10.5),
        (PriorityScore(10, 1, 3, 3, 2, 1), 36.0),
    ],
)
def test_the_sum(score: PriorityScore, total: float) -> None:
    assert score.total == pytest.approx(total)


@pytest.mark.spec("PR-01")
@pytest.mark.parametrize(
    ("tasks", "points"), [(0, 1), (1, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 3), (8, 4), (20, 4)]
)
def test_points_for_tasks(tasks: int, points: int) -> None:
    made = sprint(tasks=tuple(f"Tidy room {n}" for n in range(tasks)))
    assert score_of(PLAN, made, 0).tasks == points


@pytest.mark.spec("PR-01")
@pytest.mark.parametrize(
    ("files", "points"), [(1, 1), (2, 1), (3, 2), (5, 2), (6, 3), (10, 3), (11, 4), (30, 4)]
)
def test_points_for_files(files: int, points: int) -> None:
    named = " ".join(f"`src/a{n}.py`" for n in range(files))
    assert score_of(PLAN, sprint(tasks=(f"Write {named}",)), 0).files == points


@pytest.mark.spec("PR-01")
@pytest.mark.parametrize(
    ("commands", "points"),
    [
        ((), 1),
        (("make build",), 2),
        (("test -e tests/test_a.py",), 2),
        (("python3 -m pytest tests",), 3),
        (("cargo test --workspace",), 3),
        (("make build", "npm run test"), 3),
        (("pytest tests/integration",), 4),
        (("npx playwright test",), 4),
    ],
)
def test_points_for_verification(commands: tuple[str, ...], points: int) -> None:
    assert score_of(PLAN, sprint("Leaf", (), *commands), 0).verification == points


@pytest.mark.spec("PR-01")
@pytest.mark.parametrize(
    ("task", "points"),
    [
        ("Call the external API of the shop", 3),
        ("Spike on an unfamiliar new framework", 3),
        ("Write the parser, a complex algorithm", 2),
        ("Read files from the file system", 2),
        ("Simple CRUD for notes", 1),
        ("Change the config", 1),
        ("Paint the fence", 1),
        ("Change the config of the API client", 3),  # the highest counts
    ],
)
def test_points_for_risk(task: str, points: int) -> None:
    assert score_of(PLAN, sprint(tasks=(task,)), 0).risk == points


def test_every_risk_has_points() -> None:
    assert set(RISK_POINTS) == set(Risk)


@pytest.mark.spec("PR-01")
@pytest.mark.parametrize(
    ("name", "dependents", "foundation"),
    [
        ("Core types", 2, 1),
        ("Core types", 1, 0),
        ("Interfaces and protocols", 5, 1),
        ("Login page", 5, 0),
    ],
)
def test_a_foundation_is_laid_for_two_or_more(name: str, dependents: int, foundation: int) -> None:
    assert score_of(PLAN, sprint(name), dependents).foundation == foundation


CHAIN = """# Plan

## Work Units
| Work Unit | Directory | Sprints | Layer | Dependencies |
|---|---|---|---|---|
| A | a | 3 | 0 | none |
| B | b | 2 | 1 | A |
| C | c | 1 | 1 | none |

## A
### Sprint 1: One
**Entry criteria**:
- [ ] First sprint — no prerequisites
### Sprint 2: Two
**Entry criteria**:
- [ ] Sprint 1 complete
### Sprint 3: Three
**Entry criteria**:
- [ ] Sprint 1 complete
## B
### Sprint 4: Four
### Sprint 5: Five
## C
### Sprint 6: Six
"""


@pytest.mark.spec("PR-01")
def test_dependents_are_counted_through_sprints_and_units() -> None:
    reading = read(CHAIN, default_name="x")
    graph = graph_of(reading)
    scores = scores_of(reading, graph)
    by_id = {id_: s.dependents for (_, id_), s in zip(graph.order, scores, strict=True)}
    # 1 holds up 2 and 3 and both of B; 2 and 3 each hold up B; 4 holds up 5, which says nothing
    assert by_id == {"1": 4, "2": 2, "3": 2, "4": 1, "5": 0, "6": 0}


@pytest.mark.spec("PR-02")
@pytest.mark.parametrize(
    ("score", "reason"),
    [
        (PriorityScore(4, 1, 1, 1, 1, 1), "holds up 4 others, is a foundation for others"),
        (PriorityScore(1, 0, 3, 1, 1, 1), "holds up 1 other, high risk"),
        (PriorityScore(0, 0, 1, 1, 1, 1), "nothing waits for it, low risk"),
        (PriorityScore(0, 0, 2, 3, 3, 3), "nothing waits for it, some risk, large"),
    ],
)
def test_the_reason_names_what_weighs_most_first(score: PriorityScore, reason: str) -> None:
    assert score.reason() == reason


@pytest.mark.spec("PR-03")
def test_what_a_scoring_wrote_is_not_scored() -> None:
    plain = SprintPlan("1", "Leaf", text="Do something.")
    lined = SprintPlan("1", "Leaf", text="**Priority**: 9 — call the external API\nDo something.")
    assert score_of(PLAN, lined, 0) == score_of(PLAN, plain, 0)
