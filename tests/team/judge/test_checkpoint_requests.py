"""Requests in the forms in which they come, and in those in which they cannot be read."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.team.bus.model import Message
from topkick.team.requests import (
    CheckpointRequest,
    ShutdownRequest,
    Unreadable,
    checkpoint_of,
    is_checkpoint,
    is_request,
    read_request,
    round_after,
    write_request,
)

SEED = """\
## Checkpoint Request
task_id: CHECKPOINT-001
scope: [DRAFT-001, DRAFT-002]
pipeline_progress: 3/10 tasks completed
"""
ASKED = CheckpointRequest("CHECKPOINT-001", ("DRAFT-001", "DRAFT-002"), "3/10 tasks completed")


def sent(data: object = None, summary: str = "", type_: str = "message") -> Message:
    text = json.dumps(data) if data is not None else ""
    return Message("coordinator", "supervisor", type_, summary, text, 7)


FIELDS = {
    "task_id": "CHECKPOINT-001",
    "scope": ["DRAFT-001", "DRAFT-002"],
    "pipeline_progress": "3/10 tasks completed",
}


@pytest.mark.spec("CK-02")
@pytest.mark.parametrize(
    "message",
    [
        sent({"content": SEED}),
        sent({"message": SEED}),
        sent({"content": SEED.replace("\n", "\r\n")}),
        sent({"content": " ".join(SEED.split())}),
        sent(None, SEED),
        sent(FIELDS),
        sent({"content": FIELDS}),
        sent({"content": json.dumps(FIELDS)}),
        sent({**FIELDS, "scope": "DRAFT-001, DRAFT-002"}),
        sent({"content": SEED.replace("[DRAFT-001, DRAFT-002]", "\n  - DRAFT-001\n  - DRAFT-002")}),
        sent({"content": SEED.replace("task_id:", "**task_id**:").replace("scope:", "- Scope:")}),
        sent({"content": "hello"}, SEED),
        write_request(ASKED.task_id, ASKED.scope, ASKED.progress, "coordinator"),
    ],
)
def test_a_request_is_read_in_each_form(message: Message) -> None:
    assert is_request(message)
    assert read_request(message) == ASKED


@pytest.mark.spec("CK-02")
@pytest.mark.parametrize(
    ("message", "says"),
    [
        (sent(), "no task_id"),
        (sent({"content": "Please look at the drafts"}), "no task_id"),
        (sent({"content": "{torn"}), "no task_id"),
        (sent({"content": ["task_id"]}), "no task_id"),
        (sent({**FIELDS, "scope": []}), "scope names 0 tasks"),
        (sent({"task_id": "CHECKPOINT-001"}), "scope names 0 tasks"),
        (sent({**FIELDS, "scope": [f"T-{n}" for n in range(201)]}), "scope names 201 tasks"),
        (sent({**FIELDS, "scope": {"a": 1}}), "scope names 0 tasks"),
        (sent({**FIELDS, "scope": ["../../etc"]}), "is not a task id"),
        (sent({**FIELDS, "scope": [["DRAFT-001"]]}), "is not a task id"),
        (sent({"content": SEED + "task_id: CHECKPOINT-002\n"}), "gives task_id twice"),
    ],
)
def test_what_cannot_be_read_says_why_and_what_to_write(message: Message, says: str) -> None:
    found = read_request(message)
    assert isinstance(found, Unreadable)
    assert says in found.why
    assert "CHECKPOINT-001" in found.why


@pytest.mark.spec("CK-24")
@pytest.mark.parametrize(
    "task_id",
    [
        "DRAFT-001",
        "",
        "CHECKPOINT-",
        "CHECKPOINT-1",
        "CHECKPOINT-ABC",
        "checkpoint-001",
        "CHECKPOINT-001-R0",
        "CHECKPOINT-001-R",
        "CHECKPOINT-001/../x",
        "XCHECKPOINT-001",
        "CHECKPOINT-001\nscope",
        "CHECKPOINT-\u0660\u0660\u0661",
        7,
    ],
)
def test_only_checkpoints_are_judged(task_id: object) -> None:
    found = read_request(sent({**FIELDS, "task_id": task_id}))
    assert isinstance(found, Unreadable)
    assert "only checkpoints are judged here" in found.why


@pytest.mark.spec("CK-24")
def test_a_checkpoint_that_is_judged_again_has_an_id_of_its_own() -> None:
    assert is_checkpoint("CHECKPOINT-001-R2")
    assert checkpoint_of("CHECKPOINT-001-R2") == "CHECKPOINT-001"
    assert round_after("CHECKPOINT-001") == "CHECKPOINT-001-R2"
    assert round_after("CHECKPOINT-001-R2") == "CHECKPOINT-001-R3"


@pytest.mark.spec("CK-02")
@pytest.mark.parametrize(
    ("message", "request_id"),
    [
        (sent({"request_id": "r-1"}, type_="shutdown_request"), "r-1"),
        (sent({"requestId": "r-2"}, type_="shutdown_request"), "r-2"),
        (sent({"type": "shutdown_request", "request_id": "r-3"}), "r-3"),
        (sent(None, type_="shutdown_request"), "MSG-007"),
        (sent({"request_id": {"a": 1}}, type_="shutdown_request"), "MSG-007"),
        (sent({**FIELDS, "request_id": "r-4"}, type_="shutdown_request"), "r-4"),
    ],
)
def test_a_shutdown_request_keeps_its_id(message: Message, request_id: str) -> None:
    assert read_request(message) == ShutdownRequest(request_id)


@pytest.mark.spec("CK-02")
def test_who_is_meant() -> None:
    assert is_request(Message("coordinator", "Supervisor"))
    assert not is_request(Message("supervisor", "supervisor"))
    assert not is_request(Message("SUPERVISOR", "supervisor"))
    assert not is_request(Message("coordinator", "all"))
    assert not is_request(Message("supervisor", "coordinator"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["task_id", "scope", "content", "message", "type", "pipeline_progress"])
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.spec("CK-02")
@given(data=json_values, summary=st.text(max_size=60), type_=st.text(max_size=20))
def test_nothing_that_is_sent_breaks_the_reading(data: object, summary: str, type_: str) -> None:
    match read_request(sent(data, summary, type_)):
        case CheckpointRequest(task_id, scope, _):
            assert is_checkpoint(task_id)
            assert scope
        case ShutdownRequest(request_id):
            assert request_id
        case Unreadable(why):
            assert why


@pytest.mark.spec("CK-02")
@settings(max_examples=30)
@given(
    number=st.integers(1, 999),
    scope=st.lists(
        st.from_regex(r"[A-Z]{2,8}-[0-9]{3}", fullmatch=True), min_size=1, max_size=5, unique=True
    ),
    progress=st.from_regex(r"[0-9]{1,2}/[0-9]{1,2} tasks completed", fullmatch=True),
)
def test_what_is_asked_is_what_is_read(number: int, scope: list[str], progress: str) -> None:
    asked = CheckpointRequest(f"CHECKPOINT-{number:03}", tuple(scope), progress)
    assert read_request(write_request(asked.task_id, asked.scope, progress, "coordinator")) == asked
