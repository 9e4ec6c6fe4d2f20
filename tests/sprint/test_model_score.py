"""The score of a sprint, every row of every table worked out by hand, and what overrides it."""

from dataclasses import replace
from itertools import product

import pytest

from rig import command, plan, sprint, unit
from topkick.engine.agents.program import TIERS, Tier
from topkick.plan_format.model import (
    Criterion,
    CriterionKind,
    Plan,
    SprintPlan,
    SprintRef,
    SprintType,
)
from topkick.sprint.dispatch.model_score import (
    ModelChoice,
    ModelScore,
    ambiguity,
    choose,
    complexity,
    foundation,
    risk,
    score_of,
    scored,
    type_modifier,
)
from topkick.sprint.dispatch.traits import (
    Criteria,
    Risk,
    SprintDescription,
    Traits,
    dependents_of,
    traits_of,
)
from topkick.sprint.model import Sprint
from topkick.sprint.transitions import SprintState

EMPTY = plan()
TASKS = ("Write the `reader`", "Write the `writer`")
SMALL = SprintPlan("1", "Two ends", tasks=TASKS, exit=(command("make test"),))
PLAINEST = Traits(
    turns=1,
    files=1,
    criteria=Criteria.CHECKABLE,
    description=SprintDescription.EXPLICIT,
    foundation=False,
    dependents=0,
    risk=Risk.NONE,
    type=SprintType.CODE,
)


def traits(dependents: int = 0, of: Plan = EMPTY, **changes: object) -> Traits:
    return traits_of(of, replace(SMALL, **changes), dependents)


def adding_up_to(total: int) -> ModelScore:
    return ModelScore(complexity=total, ambiguity=0, foundation=0, risk=0, type_modifier=0)


# --- the tables ----------------------------------------------------------------------------


@pytest.mark.spec("MS-01")
@pytest.mark.parametrize(
    ("turns", "points"),
    [(0, 1), (9, 1), (10, 3), (20, 3), (21, 5), (35, 5), (36, 8), (50, 8), (51, 10), (900, 10)],
)
def test_turns(turns: int, points: int):
    assert complexity(turns, 1) == points + 0


@pytest.mark.spec("MS-01")
@pytest.mark.parametrize(
    ("files", "more"),
    [(0, 0), (1, 0), (2, 0), (3, 2), (5, 2), (6, 4), (10, 4), (11, 6), (500, 6)],
)
def test_files_are_added_to_turns(files: int, more: int):
    assert complexity(9, files) == 1 + more
    assert complexity(51, files) == 10 + more


@pytest.mark.spec("MS-01")
@pytest.mark.parametrize(
    ("criteria", "description", "points"),
    [
        (Criteria.CHECKABLE, SprintDescription.EXPLICIT, 0 + 0),
        (Criteria.MIXED, SprintDescription.EXPLICIT, 2 + 0),
        (Criteria.VAGUE, SprintDescription.EXPLICIT, 5 + 0),
        (Criteria.CHECKABLE, SprintDescription.HIGH_LEVEL, 0 + 3),
        (Criteria.CHECKABLE, SprintDescription.OPEN_ENDED, 0 + 5),
        (Criteria.MIXED, SprintDescription.HIGH_LEVEL, 2 + 3),
        (Criteria.VAGUE, SprintDescription.OPEN_ENDED, 5 + 5),
    ],
)
def test_ambiguity(criteria: Criteria, description: SprintDescription, points: int):
    assert ambiguity(criteria, description) == points


@pytest.mark.spec("MS-01")
@pytest.mark.parametrize(
    ("lays_it", "dependents", "points"),
    [
        (False, 0, 0 + 0),
        (False, 1, 0 + 0),
        (False, 2, 0 + 2),
        (False, 5, 0 + 2),
        (False, 6, 0 + 5),
        (False, 9_999, 0 + 5),
        (True, 1, 5 + 0),
        (True, 2, 5 + 2),
        (True, 6, 5 + 5),
    ],
)
def test_foundation(lays_it: bool, dependents: int, points: int):
    assert foundation(dependents, is_foundation=lays_it) == points


@pytest.mark.spec("MS-01")
@pytest.mark.parametrize(
    ("indicated", "points"),
    [
        (Risk.NONE, 0),
        (Risk.SIMPLE, 1),
        (Risk.FILES_OR_SYSTEM, 2),
        (Risk.ALGORITHM, 3),
        (Risk.NEW_TECHNOLOGY, 4),
        (Risk.EXTERNAL, 5),
    ],
)
def test_risk(indicated: Risk, points: int):
    assert risk(indicated) == points


@pytest.mark.spec("MS-01")
@pytest.mark.parametrize(
    ("kind", "points"),
    [
        (SprintType.CODE, 0),
        (SprintType.COMMAND, -3),
        (SprintType.BACKGROUND, -3),
        (SprintType.DEFERRED, -2),
        (SprintType.MANUAL, -1),
    ],
)
def test_type(kind: SprintType, points: int):
    assert type_modifier(kind) == points


@pytest.mark.spec("MS-01")
@pytest.mark.parametrize(
    ("total", "tier"),
    [
        (-3, Tier.HAIKU),
        (0, Tier.HAIKU),
        (5, Tier.HAIKU),
        (6, Tier.SONNET),
        (12, Tier.SONNET),
        (13, Tier.OPUS),
        (41, Tier.OPUS),
    ],
)
def test_the_tier_of_a_score(total: int, tier: Tier):
    assert adding_up_to(total).tier is tier


@pytest.mark.spec("MS-01")
def test_the_five_parts_are_added():
    assert ModelScore(1, 20, 300, 4_000, -50_000).total == 1 + 20 + 300 + 4_000 - 50_000


@pytest.mark.spec("MS-01")
def test_no_part_is_cut_to_the_range_its_table_is_headed_by():
    worst = replace(
        PLAINEST,
        turns=51,
        files=11,
        criteria=Criteria.VAGUE,
        description=SprintDescription.OPEN_ENDED,
        foundation=True,
        dependents=6,
        risk=Risk.EXTERNAL,
    )
    assert scored(worst) == ModelScore(10 + 6, 5 + 5, 5 + 5, 5, 0)
    assert scored(worst).total == 16 + 10 + 10 + 5 + 0
    least = scored(replace(PLAINEST, type=SprintType.COMMAND))
    assert least == ModelScore(1 + 0, 0 + 0, 0 + 0, 0, -3)
    assert least.total == 1 - 3


@pytest.mark.spec("MS-03")
def test_a_score_tells_its_parts():
    said = "score 9 (complexity 4, ambiguity 2, foundation 3, risk 0, type 0): sonnet"
    assert ModelScore(4, 2, 3, 0, 0).explain() == said
    said = "score -1 (complexity 1, ambiguity 0, foundation 0, risk 1, type -3): haiku"
    assert ModelScore(1, 0, 0, 1, -3).explain() == said


@pytest.mark.spec("MS-01")
def test_a_whole_sprint_by_hand():
    text = """\
**Entry criteria**: `docs/grammar.md` exists
1. Write the parser in `src/parser.py`
2. Cover it in `tests/test_parser.py`
3. Improve the errors
"""
    entry = Criterion(
        "`docs/grammar.md` exists", CriterionKind.ASSERTION, "test -f docs/grammar.md"
    )
    one = SprintPlan(
        "1",
        "Parser interfaces",
        text=text,
        entry=(entry,),
        exit=(command("make build"), command("pytest"), Criterion("The grammar is covered")),
        tasks=(
            "Write the parser in `src/parser.py`",
            "Cover it in `tests/test_parser.py`",
            "Improve the errors",
        ),
    )
    # turns: R 1 + 2 * 2 files + B 1 + ceil(2 * 75 / 75) + V 3 + 5 = 16: 3; 2 files: 0
    # ambiguity: mixed 2 + open-ended 5; foundation 5 + 3 dependents 2; algorithm 3; code 0
    assert traits_of(EMPTY, one, 3).turns == 1 + 2 * 2 + 1 + 2 + 3 + 5
    assert score_of(EMPTY, one, 3) == ModelScore(3 + 0, 2 + 5, 5 + 2, 3, 0)
    assert score_of(EMPTY, one, 3).tier is Tier.OPUS  # 3 + 7 + 7 + 3 + 0 = 20


# --- what a plan tells ---------------------------------------------------------------------


@pytest.mark.spec("MS-01")
@pytest.mark.parametrize(
    ("changes", "turns"),
    [
        ({"tasks": ()}, 0 + 0 + 0 + 0 + 1 + 5),  # one exit criterion and what every sprint costs
        ({"tasks": (), "exit": ()}, 5),
        ({}, 0 + 2 * 2 + 0 + 2 + 1 + 5),  # no file by name: one for each task
        ({"tasks": ("In `a.py`", "In a.py too")}, 0 + 2 * 1 + 0 + 1 + 1 + 5),
        ({"tasks": (), "exit": (command("make build"),)}, 0 + 0 + 1 + 0 + 1 + 5),
        ({"tasks": (), "entry": (Criterion("b.md and c.md are there"),)}, 2 + 0 + 0 + 0 + 1 + 5),
        ({"tasks": (), "text": "**Estimated turns**: ~42 of 50"}, 42),
        ({"tasks": (), "text": "It turns 9 pages."}, 0 + 0 + 0 + 0 + 1 + 5),
    ],
)
def test_turns_of_a_sprint(changes: dict[str, object], turns: int):
    assert traits(**changes).turns == turns


@pytest.mark.spec("MS-01")
def test_the_files_that_the_plan_gives_to_read_cost_a_turn_each_up_to_ten():
    three = replace(EMPTY, files=("TODO.md", "docs/A.md", "B.md"))
    assert traits(of=three).turns == 3 + traits().turns
    many = replace(EMPTY, files=tuple(f"F{n}.md" for n in range(50)))
    assert traits(of=many).turns == 10 + traits().turns


@pytest.mark.spec("MS-01")
@pytest.mark.parametrize(
    ("said", "files"),
    [
        ("src/a.py, ./src/a.py and a.py", 1),
        ("`src/a.py` and `lib/a.py`", 2),
        ("a.test.ts, a.test.tsx.", 2),
        ("See https://example.com/docs/page.html for Node.js, e.g. at 5 p.m. in v1.2", 0),
        ("The Makefile and docker/Dockerfile", 2),
        ("修改src/a.py文件", 1),
        ("/etc/app.conf and ~/app.toml", 2),
        ("all of *.py", 0),
    ],
)
def test_files_by_name(said: str, files: int):
    assert traits(tasks=(), text=said).files == files
    assert traits(tasks=(said, "x.py")).files == files + 1


@pytest.mark.spec("MS-01")
def test_a_file_that_is_only_read_is_not_written():
    entry = (Criterion("docs/grammar.md exists"),)
    text = "docs/grammar.md exists. Then write a.py."
    assert traits(entry=entry, text=text, tasks=()).files == 1
    assert traits(entry=entry, text=text, tasks=("Extend docs/grammar.md",)).files == 2


@pytest.mark.spec("MS-01")
def test_tasks_stand_for_files_in_code_sprints_alone():
    assert traits(type=SprintType.CODE).files == 2
    assert traits(type=SprintType.COMMAND).files == 0


CHECK = command("make test")
DEFINITE = Criterion("All 12 commands have a help text")


@pytest.mark.spec("MS-01", "MS-02")
@pytest.mark.parametrize(
    ("leave", "criteria", "vague"),
    [
        ((CHECK,), Criteria.CHECKABLE, False),
        ((CHECK, CHECK), Criteria.CHECKABLE, False),
        ((CHECK, DEFINITE), Criteria.MIXED, False),
        ((DEFINITE,), Criteria.MIXED, True),  # nothing to check it by
        ((), Criteria.VAGUE, True),
        ((CHECK, Criterion("The parser works correctly.")), Criteria.VAGUE, True),
        ((CHECK, Criterion("It *properly handles* errors")), Criteria.VAGUE, True),
        ((replace(CHECK, text="It works correctly: `make test`"),), Criteria.CHECKABLE, False),
    ],
)
def test_criteria(leave: tuple[Criterion, ...], criteria: Criteria, vague: bool):
    found = traits(exit=leave)
    assert (found.criteria, found.vague) == (criteria, vague)


@pytest.mark.spec("MS-01")
@pytest.mark.parametrize(
    ("changes", "description"),
    [
        ({"tasks": ("Write `reader`", "Write writer()")}, SprintDescription.EXPLICIT),
        ({"tasks": ("Write writer()",)}, SprintDescription.EXPLICIT),
        ({"tasks": ("Write src/reader.py", "Test it")}, SprintDescription.EXPLICIT),
        ({"tasks": ("Write src/reader.py", "Test it", "Show it")}, SprintDescription.HIGH_LEVEL),
        (
            {"tasks": ("A login", "A logout"), "text": "In `web/login.ts`."},
            SprintDescription.EXPLICIT,
        ),
        ({"tasks": ("A login", "A logout")}, SprintDescription.HIGH_LEVEL),
        ({"tasks": (), "text": "Users log in."}, SprintDescription.HIGH_LEVEL),
        # a criterion alone does not describe the work
        ({"tasks": (), "text": "Users log in. `make test` passes"}, SprintDescription.HIGH_LEVEL),
        ({"tasks": ("Write `a.py`", "Improve `b.py`")}, SprintDescription.OPEN_ENDED),
        ({"tasks": ("Task 1.2: Optimize `b.py`",)}, SprintDescription.OPEN_ENDED),
        ({"tasks": ("[ ] **Enhance** `b.py`",)}, SprintDescription.OPEN_ENDED),
        ({"tasks": ("[x] 3) Clean up `b.py`",)}, SprintDescription.OPEN_ENDED),
        ({"tasks": ("Add `--optimize`, to improve speed",)}, SprintDescription.EXPLICIT),
        ({"tasks": (), "name": "Error message improvements"}, SprintDescription.OPEN_ENDED),
        ({"name": "Error message improvements"}, SprintDescription.EXPLICIT),  # its tasks are clear
    ],
)
def test_description(changes: dict[str, object], description: SprintDescription):
    assert traits(**changes).description is description


@pytest.mark.spec("MS-01")
@pytest.mark.parametrize(
    ("name", "dependents", "lays_it"),
    [
        ("Core types and interfaces", 2, True),
        ("Core types and interfaces", 1, False),
        ("Data model", 9, True),
        ("User interface", 9, False),
        ("Prototypes", 9, False),
        ("Read docs/PROTOCOLS.md", 9, False),
        ("Login", 9, False),
    ],
)
def test_what_lays_foundations(name: str, dependents: int, lays_it: bool):
    assert traits(dependents, name=name, tasks=("Add `types`",)).foundation is lays_it


@pytest.mark.spec("MS-02")
@pytest.mark.parametrize(
    ("lays_it", "dependents", "core"),
    [(True, 5, True), (True, 4, False), (False, 5, False), (True, 500, True)],
)
def test_core_architecture(lays_it: bool, dependents: int, core: bool):
    found = replace(PLAINEST, foundation=lays_it, dependents=dependents)
    assert found.core_architecture is core


@pytest.mark.spec("MS-01")
@pytest.mark.parametrize(
    ("task", "indicated"),
    [
        ("Write the greeting", Risk.NONE),
        ("CRUD for users", Risk.SIMPLE),
        ("Add a config option", Risk.SIMPLE),
        ("All file I/O", Risk.FILES_OR_SYSTEM),
        ("Start a subprocess", Risk.FILES_OR_SYSTEM),
        ("The layout algorithm", Risk.ALGORITHM),
        ("Move to an unfamiliar database", Risk.NEW_TECHNOLOGY),
        ("Third-party login", Risk.EXTERNAL),
        ("Retry API calls", Risk.EXTERNAL),
        ("Integration tests", Risk.NONE),
        ("Reconfigured by hand", Risk.NONE),
        ("Config for the layout algorithm", Risk.ALGORITHM),  # the highest counts
        ("Algorithm to sort webhooks on disk", Risk.EXTERNAL),
    ],
)
def test_risk_of_a_sprint(task: str, indicated: Risk):
    assert traits(tasks=(task,), text="An algorithm.").risk is indicated
    assert traits(tasks=(), text=task).risk is indicated
    assert traits(tasks=(), name=task).risk is indicated


@pytest.mark.spec("MS-01")
def test_a_deferred_sprint_with_nothing_to_poll_counts_as_manual():
    assert traits(type=SprintType.DEFERRED).type is SprintType.DEFERRED
    assert traits(type=SprintType.DEFERRED, exit=(DEFINITE,)).type is SprintType.MANUAL


@pytest.mark.spec("MS-02")
@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("The database: TBD", True),
        ("Which store? ???", True),
        ("The name is to be\ndecided.", True),
        ("We determine later which one.", True),
        ("Write the reader.", False),
        ("It comes later.", False),
        ("No TBD is left in the docs.", False),
        ("`! grep -r TBD docs` passes", False),
        ("```bash\ngrep -c TBD docs\n```\nWrite it.", False),
        ("```bash\nmake\n```\nTBD", True),
        ("No TBD in the docs. The store is TBD.", True),
    ],
)
def test_open_questions(text: str, is_open: bool):
    assert traits(text=text).open_questions is is_open


# --- dependents ----------------------------------------------------------------------------


def counts(*units: object) -> dict[str, int]:
    found = dependents_of(plan(*units))  # type: ignore[arg-type]
    return {f"{ref.unit}{ref.sprint}": count for ref, count in found.items()}


@pytest.mark.spec("MS-01")
def test_later_sprints_of_a_unit_wait_for_the_earlier_ones():
    assert counts(unit("A", sprint("1"), sprint("2"), sprint("3"))) == {"A1": 2, "A2": 1, "A3": 0}


@pytest.mark.spec("MS-01")
def test_whoever_waits_in_two_ways_is_counted_once():
    found = counts(
        unit("D", sprint("1"), after=("B", "C")),
        unit("B", sprint("1"), sprint("2"), after=("A",)),
        unit("C", sprint("1"), after=("A",)),
        unit("A", sprint("1"), sprint("2")),
    )
    # A1: A2, B1, B2, C1, D1; A2: the same without itself; B1: B2, D1; B2 and C1: D1
    assert found == {"A1": 5, "A2": 4, "B1": 2, "B2": 1, "C1": 1, "D1": 0}


@pytest.mark.spec("MS-01")
def test_a_sprint_that_waits_for_one_of_another_unit():
    waits = replace(sprint("2"), waits_for=(SprintRef("A", "1"), SprintRef("gone", "7")))
    found = counts(unit("A", sprint("1"), sprint("2")), unit("B", sprint("1"), waits, sprint("3")))
    # A1: A2, B2, B3, and not B1
    assert found == {"A1": 3, "A2": 0, "B1": 2, "B2": 1, "B3": 0}


def test_circles_end_too():
    found = counts(unit("A", sprint("1"), after=("B",)), unit("B", sprint("1"), after=("A",)))
    assert set(found) == {"A1", "B1"}


# --- the choice ----------------------------------------------------------------------------


def chosen(
    total: int = 0,
    *,
    first: Tier | None = None,
    core: bool = False,
    questions: bool = False,
    vague: bool = False,
    **changes: object,
) -> ModelChoice:
    return choose(
        adding_up_to(total),
        replace(Sprint(SMALL), **changes),
        first_tier=first,
        core_architecture=core,
        open_questions=questions,
        vague=vague,
    )


PARTIAL = SprintState.PARTIAL
BACKOFF = SprintState.BACKOFF


@pytest.mark.spec("MS-01", "MS-03")
@pytest.mark.parametrize(
    ("total", "tier"),
    [(5, Tier.HAIKU), (6, Tier.SONNET), (12, Tier.SONNET), (13, Tier.OPUS)],
)
def test_the_score_decides(total: int, tier: Tier):
    assert chosen(total) == ModelChoice(tier, adding_up_to(total).explain(), by_score=True)


@pytest.mark.spec("MS-02", "MS-03")
@pytest.mark.parametrize("first", TIERS)
@pytest.mark.parametrize("total", [0, 40])
def test_a_first_tier_in_the_configuration_stands_for_the_score(first: Tier, total: int):
    why = f"first tier set in the configuration: {first}"
    assert chosen(total, first=first) == ModelChoice(first, why)


@pytest.mark.spec("MS-02", "MS-03")
@pytest.mark.parametrize(
    ("changes", "tier", "why"),
    [
        ({"failures_ever": 2}, Tier.OPUS, "2 failed attempts: opus"),
        ({"failures_ever": 1}, Tier.HAIKU, "score 0 "),
        ({"core": True}, Tier.OPUS, "core architecture"),
        ({"questions": True}, Tier.OPUS, "open questions"),
        ({"vague": True}, Tier.SONNET, "vague exit criteria"),
        ({"state": PARTIAL}, Tier.SONNET, "continues the work of an earlier order"),
        ({"state": PARTIAL, "tier": Tier.HAIKU}, Tier.SONNET, "continues the work"),
        ({"state": PARTIAL, "tier": Tier.OPUS}, Tier.OPUS, "continues the work"),
        ({"state": BACKOFF, "tier": Tier.OPUS}, Tier.HAIKU, "score 0 "),  # a fresh start
        ({"failures": 1, "failures_ever": 1}, Tier.SONNET, "1 failed so far"),
        ({"failures": 2}, Tier.OPUS, "2 failed so far"),
        ({"failures": 9}, Tier.OPUS, "9 failed so far"),
        ({"asked_model": "haiku"}, Tier.HAIKU, "asked for by a person: haiku"),
        ({"asked_model": "opus"}, Tier.OPUS, "asked for by a person: opus"),
        ({"asked_model": "swift-3"}, Tier.HAIKU, "asked for by a person: swift-3"),
    ],
)
def test_each_override_alone(changes: dict[str, object], tier: Tier, why: str):
    found = chosen(0, **changes)  # type: ignore[arg-type]
    assert found.tier is tier
    assert found.why.startswith(why)


@pytest.mark.spec("MS-02")
@pytest.mark.parametrize(
    ("total", "changes", "tier", "why"),
    [
        # what asks for no more than the score has does not decide
        (13, {"vague": True}, Tier.OPUS, "score 13 "),
        (6, {"vague": True}, Tier.SONNET, "score 6 "),
        (6, {"state": PARTIAL, "tier": Tier.HAIKU}, Tier.SONNET, "score 6 "),
        (13, {"core": True, "questions": True, "failures_ever": 2}, Tier.OPUS, "score 13 "),
        # opus goes above sonnet
        (0, {"vague": True, "core": True}, Tier.OPUS, "core architecture"),
        (0, {"state": PARTIAL, "questions": True}, Tier.OPUS, "open questions"),
        (0, {"state": PARTIAL, "tier": Tier.SONNET, "failures_ever": 2}, Tier.OPUS, "2 failed"),
        # failures count from the tier of the first attempt
        (0, {"vague": True, "failures": 1}, Tier.OPUS, "1 failed so far"),
        (6, {"failures": 1}, Tier.OPUS, "1 failed so far"),
        (0, {"first": Tier.SONNET, "failures": 1}, Tier.OPUS, "1 failed so far"),
        (13, {"first": Tier.HAIKU, "failures": 1}, Tier.SONNET, "1 failed so far"),
        # a first tier stands for the score, and for nothing else
        (0, {"first": Tier.HAIKU, "vague": True}, Tier.SONNET, "vague exit criteria"),
        (0, {"first": Tier.HAIKU, "core": True}, Tier.OPUS, "core architecture"),
        (0, {"first": Tier.HAIKU, "questions": True}, Tier.OPUS, "open questions"),
        (13, {"first": Tier.HAIKU, "state": PARTIAL}, Tier.SONNET, "continues the work"),
        # a continuation is never lower, and may be higher
        (0, {"state": PARTIAL, "tier": Tier.SONNET, "failures": 2}, Tier.OPUS, "2 failed so far"),
        (6, {"state": PARTIAL, "tier": Tier.OPUS}, Tier.OPUS, "continues the work"),
    ],
)
def test_overrides_in_conflict(total: int, changes: dict[str, object], tier: Tier, why: str):
    found = chosen(total, **changes)  # type: ignore[arg-type]
    assert found.tier is tier
    assert found.why.startswith(why)


@pytest.mark.spec("MS-02")
@pytest.mark.parametrize("asked", TIERS)
def test_a_person_goes_above_everything(asked: Tier):
    found = chosen(
        40,
        first=Tier.OPUS,
        core=True,
        questions=True,
        vague=True,
        state=PARTIAL,
        tier=Tier.OPUS,
        failures=2,
        failures_ever=4,
        asked_model=asked.value,
    )
    assert found == ModelChoice(asked, f"asked for by a person: {asked}")


@pytest.mark.spec("MS-02")
def test_every_floor_holds_in_every_mixture():
    flags = (False, True)
    for total, first, core, questions, vague, failures, ever, state, tier in product(
        (0, 6, 13), (None, *TIERS), flags, flags, flags, (0, 1), (0, 2), SprintState, (None, *TIERS)
    ):
        found = chosen(
            total, first=first, core=core, questions=questions, vague=vague, failures=failures,
            failures_ever=ever, state=state, tier=tier,
        )  # fmt: skip
        rank = TIERS.index(found.tier)
        start = TIERS.index(first or adding_up_to(total).tier)
        floors = [min(start + failures, 2), 2 * core, 2 * questions, 2 * (ever == 2), 1 * vague]
        if state is PARTIAL:
            floors += [1, TIERS.index(tier or Tier.HAIKU)]
        if vague:
            floors.append(min(max(start, 1) + failures, 2))
        assert rank == max(floors)
