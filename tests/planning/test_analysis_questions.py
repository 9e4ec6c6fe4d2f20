"""Open questions: which there are, of which type, who waits for the answer, and which are none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.plan_format.document import read
from topkick.planning.analysis.model import Given, PlanQuestion, PlanSeverity, QuestionType
from topkick.planning.analysis.passes import analyzed

pytestmark = pytest.mark.spec("AN-01")

HEAD = "# Shop\n\n"
FIRST = "## Sprint 1: Storage\n**Tasks**:\n1. {task}\n\n"
REST = """\
## Sprint 2: Orders
**Entry criteria**:
- Sprint 1 is complete

**Tasks**:
1. Create `src/orders.py`

## Sprint 3: Bills
**Entry criteria**:
- Sprint 2 is complete

**Tasks**:
1. Create `src/bills.py`
"""


def asked(text: str) -> tuple[PlanQuestion, ...]:
    found = analyzed(text, read(text, default_name="p"), Given())
    return found.completeness.questions


def of_task(task: str) -> tuple[PlanQuestion, ...]:
    return asked(HEAD + FIRST.format(task=task) + REST)


@pytest.mark.parametrize(
    ("task", "type_", "blocking"),
    [
        ("Store orders in a database (TBD)", QuestionType.DECISION, True),
        ("The discount is to be decided", QuestionType.REQUIREMENT, True),
        ("Get credentials, from whom is TBD", QuestionType.EXTERNAL, True),
        ("TODO: think about returns", QuestionType.REQUIREMENT, False),
        ("Decide how long orders are kept", QuestionType.REQUIREMENT, False),
        ("Clarify with the customer how long orders are kept", QuestionType.REQUIREMENT, True),
        ("Use either Redis or Memcached for sessions", QuestionType.DECISION, False),
        ("Use an appropriate library for parsing", QuestionType.DECISION, False),
        ("Send each order to the vendor API", QuestionType.EXTERNAL, True),
    ],
)
def test_each_kind_of_open_question_is_found(
    task: str, type_: QuestionType, blocking: bool
) -> None:
    (question,) = of_task(task)
    assert (question.text, question.type, question.blocking) == (task, type_, blocking)
    assert (question.sprint, question.line) == (("Shop", "1"), 5)
    assert [id_ for _, id_ in question.blocks] == ["1", "2", "3"]
    assert question.advice


@pytest.mark.parametrize(
    "task",
    [
        "Create `src/store.py`",
        "Make sure there are no TBDs left",
        "Replace every TBD in the docs",
        "Check that `grep -rn TBD docs` finds nothing",
        "Print `TBD` beside such rows",
        "Storage: was TBD, decided: SQLite",
        "Read TODO.md and do what it says",
        "Either all rows are written or none",
        "Send each order to the Stripe API",
        "Send each order to the vendor API (https://vendor.example/openapi.json)",
    ],
)
def test_what_is_settled_or_no_question_is_none(task: str) -> None:
    assert of_task(task) == ()


@pytest.mark.parametrize(
    "line",
    [
        "_No blocking open questions remain._",
        "- None",
        "- No open questions?",
        "- ~~Which port?~~",
        "- [x] Which port?",
        "- Which port? Resolved: 8080",
        "| Q1: Which port? | **Yes.** 8080 |",
    ],
)
def test_a_section_of_open_questions_that_has_none(line: str) -> None:
    table = "| Question | Answer |\n|---|---|\n" if line.startswith("|") else ""
    assert asked(f"{HEAD}{FIRST.format(task='x')}{REST}\n## Open Questions\n{table}{line}\n") == ()


def test_listed_questions_block_if_they_say_so_and_name_whom() -> None:
    text = (
        HEAD
        + FIRST.format(task="x")
        + REST
        + "\n## Open Questions\n"
        + "- Which port?\n- Which currency? It blocks Sprint 2.\n- Which colour? (non-blocking)\n"
    )
    first, second, third = asked(text)
    assert (first.blocking, second.blocking, third.blocking) == (False, True, False)
    assert [id_ for _, id_ in second.blocks] == ["2", "3"]
    assert (first.blocks, first.sprint) == ((), None)


def test_options_without_a_decision_block_those_that_hang_on_them() -> None:
    task = "x\n\n### Where to store\n- Option A: files\n- Option B: a database\n"
    (question,) = of_task(task)
    assert question.text == "Which option: Where to store"
    assert question.blocking
    assert of_task(f"{task}\nDecision: files.\n") == ()


def test_who_does_it_and_when_is_no_question_about_the_work() -> None:
    table = "| Sprint | Owner |\n|---|---|\n| 1 | TBD |\n\n"
    assert asked(HEAD + table + FIRST.format(task="x") + REST) == ()


def test_fences_hold_no_questions() -> None:
    assert of_task("x\n\n```\nTBD\nOption A\nOption B\n```\n") == ()


def test_a_blocking_question_is_critical_and_another_recommended() -> None:
    text = HEAD + FIRST.format(task="The port is TBD\n2. TODO: returns") + REST
    issues = analyzed(text, read(text, default_name="p"), Given()).issues
    found = [(i.type, i.severity) for i in issues if "question" in i.type.lower()]
    assert found == [
        ("Blocking open question", PlanSeverity.CRITICAL),
        ("Open question", PlanSeverity.RECOMMENDED),
    ]


@settings(max_examples=40)
@given(
    st.lists(
        st.sampled_from(
            ["TBD", "?", "no", "option A", "| a |", "- ", "\n", "## Open Questions\n", "`"]
        )
    )
)
def test_any_mixture_is_read(parts: list[str]) -> None:
    text = HEAD + FIRST.format(task=" ".join(parts)) + REST
    lines = [question.line for question in asked(text)]
    assert lines == sorted(set(lines))
