"""Pass 1 of an analysis: the start, the end, what is covered, dead ends and missing bridges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.plan_format.document import read
from topkick.planning.analysis.model import Analysis, Given, PlanSeverity
from topkick.planning.analysis.passes import analyzed
from topkick.planning.breakdown.model import Confidence, LineRange, Requirement, RequirementKind
from topkick.planning.refinement.graph import UseRole, uses_in_entry, uses_in_exit, uses_in_task

pytestmark = pytest.mark.spec("AN-01")

PLAN = """\
# Mailer

## Starting State
- The repository has `src/config.py` with the settings

## Sprint 1: Queue
**Entry criteria**:
- `src/config.py` exists

**Tasks**:
1. Create `src/queue.py` with a bounded queue

**Exit criteria**:
- [ ] `test -f src/queue.py`

## Sprint 2: Sender
**Entry criteria**:
- Sprint 1 is complete

**Tasks**:
1. Create `src/sender.py`, which takes letters from `src/queue.py`

**Exit criteria**:
- [ ] `pytest tests/test_sender.py` passes

## Success Criteria
- Letters are sent in the order of the queue
"""
THERE = frozenset({"src/config.py"})


def look(text: str, **given: object) -> Analysis:
    return analyzed(text, read(text, default_name="p"), Given(**given))  # type: ignore[arg-type]


def kinds(analysis: Analysis) -> set[str]:
    return {issue.type for issue in analysis.issues}


def test_a_plan_that_says_both_ends_is_clear() -> None:
    found = look(PLAN, existing=THERE).completeness
    assert found.start.clear
    assert found.end.clear
    assert found.complete
    assert [s.line for s in found.start.documented] == [4, 8]
    assert [s.text for s in found.end.documented] == [
        "Letters are sent in the order of the queue",
        "`pytest tests/test_sender.py` passes",
    ]
    assert (found.bridges, found.dead_ends, found.questions) == ((), (), ())


# --- the two points --------------------------------------------------------------------------


def test_no_word_about_the_start_is_unclear() -> None:
    text = PLAN.replace("## Starting State", "## History").replace("- `src/config.py` exists", "")
    found = look(text, existing=THERE)
    assert not found.completeness.start.clear
    assert "Point A unclear" in kinds(found)


def test_what_exists_in_passing_is_told_and_is_no_starting_state() -> None:
    text = PLAN.replace("## Starting State", "We replace the existing mailer.\n\n## History")
    start = look(text.replace("- `src/config.py` exists", "")).completeness.start
    assert not start.clear
    assert "We replace the existing mailer." in [s.text for s in start.mentioned]


def test_a_first_sprint_that_needs_an_unknown_file_makes_the_start_unclear() -> None:
    start = look(PLAN).completeness.start
    assert [text for text in start.unclear if "src/config.py" in text]


def test_assumptions_that_contradict_each_other_are_named() -> None:
    text = PLAN.replace(
        "## Sprint 1", "- `redis` is not installed\n- `redis` is installed\n\n## Sprint 1"
    )
    start = look(text, existing=THERE).completeness.start
    assert start.unclear == ("Lines 6 and 7 contradict each other about redis.",)


def test_no_word_about_the_end_is_unclear() -> None:
    text = PLAN.partition("## Success Criteria")[0]
    text = text.replace("- [ ] `pytest tests/test_sender.py` passes", "")
    found = look(text, existing=THERE)
    assert not found.completeness.end.clear
    assert "Point B unclear" in kinds(found)


def test_a_last_sprint_without_exit_criteria_makes_the_end_unclear() -> None:
    text = PLAN.replace("- [ ] `pytest tests/test_sender.py` passes", "")
    assert look(text, existing=THERE).completeness.end.unclear == (
        "Sprint 2 is a last sprint and has no exit criteria.",
    )


@pytest.mark.parametrize(("vague", "clear"), [(1, True), (2, False)])
def test_an_end_of_which_half_measures_nothing_is_unclear(vague: int, clear: bool) -> None:
    more = "- It works correctly\n" * vague + ("- It sends 10 letters\n" if clear else "")
    text = PLAN.replace("- Letters are sent in the order of the queue\n", more)
    end = look(text, existing=THERE).completeness.end
    assert end.clear is clear
    assert "It works correctly" in end.doubts[0]


# --- missing bridges -------------------------------------------------------------------------


def bridges(text: str, existing: frozenset[str] = frozenset()) -> list[str]:
    return [b.path for b in look(text, existing=existing).completeness.bridges]


def test_a_needed_file_that_nobody_makes_is_a_missing_bridge() -> None:
    text = PLAN.replace(
        "1. Create `src/sender.py`", "1. Update `src/smtp.py`\n2. Create `src/sender.py`"
    )
    found = look(text, existing=THERE)
    assert [b.path for b in found.completeness.bridges] == ["src/smtp.py"]
    assert not found.completeness.complete
    (issue,) = (i for i in found.issues if i.type == "Missing bridge")
    assert issue.severity is PlanSeverity.CRITICAL
    assert issue.where == "Sprint 2"


@pytest.mark.parametrize("known", ["src/config.py", "app/src/config.py", "config.py"])
def test_a_file_that_exists_is_no_bridge_however_it_is_named(known: str) -> None:
    assert bridges(PLAN, frozenset({known})) == []


def test_a_file_of_the_same_end_in_another_word_is_another() -> None:
    for other in ("src/myconfig.py", "app/mysrc/config.py"):
        assert bridges(PLAN, frozenset({other})) == ["src/config.py"]


def test_what_an_earlier_sprint_makes_is_there() -> None:
    text = PLAN.replace("- Sprint 1 is complete", "- `src/queue.py` exists")
    assert bridges(text, THERE) == []


def test_what_only_a_later_sprint_makes_is_not_in_order() -> None:
    text = PLAN.replace("- `src/config.py` exists", "- `src/sender.py` exists")
    found = look(text, existing=THERE)
    (bridge,) = found.completeness.bridges
    assert bridge.produced_by == ("Mailer", "2")
    assert found.completeness.complete
    assert "Producer not before its user" in kinds(found)
    assert "Missing bridge" not in kinds(found)


def test_a_path_is_told_once_by_whom_it_is_needed_first() -> None:
    text = PLAN.replace("1. Create", "1. Read `config.py`\n2. Create")
    assert bridges(text) == ["src/config.py"]


@pytest.mark.parametrize(
    "task",
    [
        "Update `README.md` and `package.json`",
        "Update `dist/app.js`",
        "[x] Update `src/old.py`",
        "Update `src/<name>.py`",
        "Update `../other/main.py`",
        "Add a handler to `src/app.py`",
        "Do not edit anything like `src/app.py`",
    ],
)
def test_what_need_not_be_there_is_no_bridge(task: str) -> None:
    assert (
        bridges(PLAN.replace("1. Create `src/sender.py`", f"1. {task}\n2. Create `x.py`"), THERE)
        == []
    )


@pytest.mark.parametrize(
    ("task", "roles"),
    [
        ("Create `a.py`", [("a.py", UseRole.MAKES)]),
        ("Create `a.py` and `b.py`", [("a.py", UseRole.MAKES), ("b.py", UseRole.MAKES)]),
        ("Create `a.py` from `b.py`", [("a.py", UseRole.MAKES), ("b.py", UseRole.NEEDS)]),
        ("Modify `a.py`", [("a.py", UseRole.NEEDS)]),
        ("Update `a.py` to use `b.py`", [("a.py", UseRole.NEEDS), ("b.py", UseRole.NAMES)]),
        ("`a.py`: the parser", [("a.py", UseRole.NAMES)]),
    ],
)
def test_the_last_telling_word_says_what_becomes_of_a_path(
    task: str, roles: list[tuple[str, UseRole]]
) -> None:
    assert [(use.path, use.role) for use in uses_in_task(task)] == roles


@given(st.text(max_size=300))
def test_any_text_has_roles(text: str) -> None:
    for uses in (uses_in_task, uses_in_entry, uses_in_exit):
        assert all(use.path in text for use in uses(text))


# --- dead ends -------------------------------------------------------------------------------

UNUSED = PLAN.replace("with a bounded queue\n", "with a bounded queue\n2. Create `src/ledger.py`\n")


def dead(text: str, existing: frozenset[str] = THERE) -> list[tuple[str, ...]]:
    return [end.paths for end in look(text, existing=existing).completeness.dead_ends]


def test_a_path_that_nobody_else_names_is_a_dead_end() -> None:
    assert dead(UNUSED) == [("src/ledger.py",)]
    (issue,) = (i for i in look(UNUSED, existing=THERE).issues if i.type == "Dead end")
    assert (issue.where, issue.severity) == ("Sprint 1", PlanSeverity.OPTIONAL)


@pytest.mark.parametrize(
    "use",
    ["1. Write the Ledger of `src/sender.py`", "1. Fill ledger.py, then `src/sender.py`"],
)
def test_what_a_later_sprint_names_in_its_words_is_used(use: str) -> None:
    assert dead(UNUSED.replace("1. Create `src/sender.py`", use)) == []


def test_what_the_end_names_is_used() -> None:
    assert (
        dead(UNUSED.replace("- Letters are sent", "- The ledger is kept, letters are sent")) == []
    )


def test_what_the_last_sprint_makes_is_the_product() -> None:
    more = PLAN.replace(
        "from `src/queue.py`\n", "from `src/queue.py`\n2. Create `src/ornament.py`\n"
    )
    assert "ornament" in more
    assert dead(more) == []


@pytest.mark.parametrize(
    "path", ["tests/test_ledger.py", "docs/ledger.md", "ledger.toml", "main.py"]
)
def test_what_is_used_by_being_there_is_no_dead_end(path: str) -> None:
    assert dead(UNUSED.replace("src/ledger.py", path)) == []


def test_who_waits_for_a_sprint_by_its_number_need_not_name_its_file() -> None:
    text = PLAN.replace(", which takes letters from `src/queue.py`", "")
    text = text.replace("in the order of the queue", "")
    assert dead(text) == []
    assert dead(text.replace("- Sprint 1 is complete", "- None")) == [("src/queue.py",)]


def test_what_exists_already_is_not_made() -> None:
    assert dead(UNUSED, THERE | {"src/ledger.py"}) == []


# --- coverage --------------------------------------------------------------------------------


def wanted(text: str, confidence: Confidence = Confidence.EXPLICIT) -> Requirement:
    return Requirement(text, LineRange(7, 7), (), confidence, RequirementKind.STATEMENT)


def test_a_requirement_is_mentioned_or_not_found() -> None:
    requirements = (
        wanted("The queue must be bounded"),
        wanted("Letters are encrypted with a public key"),
        wanted("`src/sender.py` retries"),
    )
    found = look(PLAN, existing=THERE, requirements=requirements, document="PRD.md")
    by = {one.text: [id_ for _, id_ in one.mentioned_by] for one in found.completeness.coverage}
    assert by == {
        "The queue must be bounded": ["1"],
        "Letters are encrypted with a public key": [],
        "`src/sender.py` retries": ["2"],
    }
    assert not found.completeness.complete
    (issue,) = (i for i in found.issues if i.type == "Requirement not mentioned")
    assert (issue.where, issue.severity) == ("PRD.md:7", PlanSeverity.RECOMMENDED)


def test_a_requirement_that_was_only_guessed_is_no_gap() -> None:
    guessed = wanted("Letters are encrypted with a public key", Confidence.IMPLICIT)
    found = look(PLAN, existing=THERE, requirements=(guessed,), document="PRD.md")
    assert found.completeness.complete
    assert "Requirement not mentioned" not in kinds(found)


def test_without_a_document_the_plans_own_goals_are_looked_for() -> None:
    found = look(PLAN.replace("in the order of the queue", "from a satellite, encrypted"))
    assert [one.mentioned_by for one in found.completeness.coverage] == [()]
    assert "Goal not mentioned" in kinds(found)
