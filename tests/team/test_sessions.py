"""Session files and role states: as teams write them, and malformed."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.team.bus.model import Message
from topkick.team.session import (
    MOST_ENTRIES,
    RoleState,
    Session,
    SessionDecision,
    SessionQuestion,
    TeamTask,
    Term,
    decision,
    number,
    read_roles,
    read_session,
    role_state,
    states_by_task,
)
from topkick.text.format import moment_us

WHOLE = {
    "session_id": "TLV4-x",
    "pipeline": "spec-only",
    "requirement": "A thing",
    "team_name": "t",
    "supervision": False,
    "complexity": "High",
    "impl_topology": "dag",
    "created_at": "2026-03-01T08:00:00+00:00",
    "tasks": {"DRAFT-001": {"owner": "writer", "status": "In_Progress", "blockedBy": ["R-1"]}},
}
TASK = TeamTask("DRAFT-001", "writer", "in_progress", ("R-1",))


@pytest.mark.spec("CK-11")
def test_a_session_as_its_file_says() -> None:
    assert read_session(json.dumps(WHOLE)) == Session(
        "TLV4-x",
        "spec-only",
        "A thing",
        "t",
        False,
        (TASK,),
        "high",
        "dag",
        "2026-03-01T08:00:00+00:00",
    )


@pytest.mark.spec("CK-11")
@pytest.mark.parametrize(
    ("more", "mode"),
    [
        ({"pipeline": {"mode": "impl-only", "tasks_total": 4}}, "impl-only"),
        ({"pipeline": None, "mode": "full-lifecycle"}, "full-lifecycle"),
        ({"pipeline": {}, "pipeline_mode": "spec-only"}, "spec-only"),
        ({"pipeline": [1]}, ""),
    ],
)
def test_the_mode_in_each_of_its_places(more: dict[str, object], mode: str) -> None:
    assert read_session(json.dumps({**WHOLE, **more})).mode == mode


@pytest.mark.spec("CK-11")
@pytest.mark.parametrize(
    "tasks",
    [
        [{"id": "DRAFT-001", "role": "writer", "status": "in_progress", "needs": "R-1"}],
        [
            {
                "task_id": "DRAFT-001",
                "assignee": "writer",
                "status": "in_progress",
                "depends_on": ["R-1"],
            }
        ],
        {"DRAFT-001": {"role": "writer", "status": "in_progress", "dependencies": ["R-1", None]}},
    ],
)
def test_tasks_as_a_list_or_by_id(tasks: object) -> None:
    assert read_session(json.dumps({"tasks": tasks})).tasks == (TASK,)
    assert read_session(json.dumps({"pipeline": {"tasks": tasks}})).task("DRAFT-001") == TASK


@pytest.mark.spec("CK-11")
@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "3", "{torn", "[" * 200_000, '{"a": NaN}', "\ud800", "1" * 10_000],
)
def test_what_is_no_session_is_empty(text: str) -> None:
    assert read_session(text) == Session(readable=False)
    assert read_roles(text) == {}


@pytest.mark.spec("CK-11")
def test_supervision_is_on_unless_it_is_switched_off() -> None:
    assert read_session("{}").supervision
    assert read_session('{"supervision": "false"}').supervision
    assert not read_session('{"supervision": false}').supervision


STATE = {
    "status": "task_complete",
    "task_id": "DRAFT-001",
    "ref": "spec/a.md",
    "key_findings": ["one", 2, None],
    "decisions": ["Storage: PostgreSQL (known)", {"topic": "queue", "choice": "Redis", "why": "x"}],
    "open_questions": ["Who?", "[CRITICAL] When?", {"question": "Why?", "blocking": True}],
    "quality_self_score": "85/100",
    "terminology_keys": ["sign-in", {"term": "invoice", "not": ["bill"]}],
    "upstream_refs_consumed": "spec/discovery.md",
    "_updated_at": "2026-03-01T09:00:00+00:00",
    "errors": [{}, {}],
}
READ = RoleState(
    role="writer",
    status="task_complete",
    task_id="DRAFT-001",
    ref="spec/a.md",
    key_findings=("one", "2"),
    decisions=(
        SessionDecision("Storage", "PostgreSQL", "known"),
        SessionDecision("queue", "Redis", "x"),
    ),
    open_questions=(
        SessionQuestion("Who?"),
        SessionQuestion("[CRITICAL] When?", True),
        SessionQuestion("Why?", True),
    ),
    quality_self_score=85.0,
    terminology_keys=(Term("sign-in"), Term("invoice", ("bill",))),
    upstream_refs_consumed=("spec/discovery.md",),
    updated_at="2026-03-01T09:00:00+00:00",
    errors=2,
)


@pytest.mark.spec("CK-11")
def test_a_role_state_with_everything() -> None:
    meta = {"role_state": {"writer": STATE, "broken": [1], "bare": {}}}
    assert read_roles(json.dumps(meta)) == {"writer": READ, "bare": RoleState("bare")}


@pytest.mark.spec("CK-11")
@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Storage: PostgreSQL", SessionDecision("Storage", "PostgreSQL")),
        ("Use PostgreSQL for storage", SessionDecision("storage", "PostgreSQL")),
        (
            "Use PostgreSQL for the storage because it is known",
            SessionDecision("storage", "PostgreSQL", "it is known"),
        ),
        ("Storage: use PostgreSQL — known", SessionDecision("Storage", "PostgreSQL", "known")),
        ("**Storage**: `PostgreSQL`.", SessionDecision("Storage", "PostgreSQL")),
        ("Use PostgreSQL", SessionDecision("", "PostgreSQL")),
        ("http://127.0.0.1/x is the place", SessionDecision("", "http://127.0.0.1/x is the place")),
        ("", SessionDecision("", "")),
    ],
)
def test_a_decision_in_words(text: str, made: SessionDecision) -> None:
    assert decision(text) == made


@pytest.mark.spec("CK-11")
def test_decisions_and_terms_by_key() -> None:
    found = role_state(
        "x",
        {
            "decisions": {"Storage": "PostgreSQL", "n": []},
            "terminology_keys": {"sign-in": ["login"], "invoice": "what is asked"},
        },
    )
    assert found.decisions == (SessionDecision("Storage", "PostgreSQL"),)
    assert found.terminology_keys == (Term("sign-in", ("login",)), Term("invoice"))


@pytest.mark.spec("CK-11")
def test_answered_questions_are_not_open() -> None:
    asked = {"open_questions": [{"question": "Who?", "status": "resolved"}, ""]}
    assert role_state("x", asked).open_questions == ()


@pytest.mark.spec("CK-11")
@pytest.mark.parametrize(
    ("value", "found"),
    [
        (85, 85.0),
        (0.85, 0.85),
        ("85%", 85.0),
        ("85.5 points", 85.5),
        (True, None),
        ("high", None),
        (None, None),
        (10**400, None),
        (float("inf"), None),
        ([85], None),
    ],
)
def test_numbers_of_this_world(value: object, found: float | None) -> None:
    assert number(value) == found


@pytest.mark.spec("CK-11")
def test_moments() -> None:
    assert moment_us("2026-03-01T08:00:00+00:00") == moment_us("2026-03-01T09:00:00+01:00")
    assert moment_us("2026-03-01T08:00:00Z") == moment_us("2026-03-01T08:00:00")
    assert [moment_us(text) for text in ("", "yesterday", "9999-99-99")] == [None, None, None]


def update(sender: str, number_: int, **data: object) -> Message:
    return Message(
        sender, "coordinator", "state_update", "", json.dumps(data), number_, f"t{number_}"
    )


@pytest.mark.spec("CK-11")
def test_each_task_of_a_role_keeps_its_own_state() -> None:
    found = states_by_task(
        (
            update("writer", 1, task_id="DRAFT-001", ref="a.md", quality_self_score=80),
            update("writer", 2, task_id="DRAFT-002", ref="b.md"),
            update("writer", 3, task_id="DRAFT-001", quality_self_score=90),
            update("writer", 4, status="idle"),
            Message("writer", "x", "progress", "", '{"task_id": "DRAFT-003"}', 5),
        )
    )
    assert list(found) == ["DRAFT-001", "DRAFT-002"]
    first, second = found.values()
    assert (first.ref, first.quality_self_score, first.updated_at) == ("a.md", 90, "t3")
    assert (second.ref, second.quality_self_score) == ("b.md", None)


@pytest.mark.spec("CK-11")
def test_there_are_limits() -> None:
    many = {f"T-{n}": {} for n in range(MOST_ENTRIES + 5)}
    assert len(read_session(json.dumps({"tasks": many})).tasks) == MOST_ENTRIES
    assert len(read_roles(json.dumps({"role_state": many}))) == MOST_ENTRIES


keys = st.sampled_from(
    sorted({*WHOLE, *STATE, "mode", "term", "question", "key", "value", "id", "not"})
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(keys | st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=20,
)


@pytest.mark.spec("CK-11")
@settings(max_examples=50)
@given(st.dictionaries(keys, values, max_size=8))
def test_nothing_in_a_file_breaks_the_reading(found: dict[str, object]) -> None:
    session = read_session(json.dumps(found))
    assert all(isinstance(task.id, str) and task.id for task in session.tasks)
    roles = read_roles(json.dumps({"role_state": {"r": found}}))
    assert roles["r"].errors >= 0
    states = states_by_task((Message("r", type="state_update", data=json.dumps(found)),))
    assert all(isinstance(state.ref, str) for state in states.values())
