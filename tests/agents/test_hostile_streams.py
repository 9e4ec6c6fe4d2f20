"""A reader survives any output of a program, and its events can be shown and stored."""

import json
from typing import Any

import pytest
from agent_samples import PROGRAMS, exited, samples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from topkick.agents.registry import adapter_named
from topkick.agents.transcript.plain_text import COUNT_MAX
from topkick.agents.vocabulary import Said, StreamReader
from topkick.engine.agents.program import AgentReport, Conversation, Usage

ALL = (*PROGRAMS, "command")
SEEDS = {name: [json.loads(line) for line in samples(name)] for name in PROGRAMS}
KEYS = sorted(
    {key for events in SEEDS.values() for event in events for key in event}
    | {"content", "usage", "item", "part", "state", "tokens", "message", "name", "id", "text"}
)
KINDS = sorted(
    {str(event.get(key)) for es in SEEDS.values() for event in es for key in ("type", "subtype")}
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -1, 2**63, 429, 1e308])
    | st.floats()
    | st.text(st.characters(exclude_categories=()), max_size=20)
    | st.sampled_from([*KINDS, "\ud800", "\x00", "--resume", "resets 99:99pm (Nowhere)"])
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)
few = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def checked(reader: StreamReader) -> AgentReport:
    told = reader.report(exited(1))
    words = (told.said, told.model, told.version, *told.denied)
    assert all(word.isprintable() for word in words)
    for usage in (reader.usage, told.usage):
        cost = usage.cost_microusd or 0
        for number in (usage.turns, usage.input_tokens, usage.output_tokens, cost):
            assert 0 <= number <= 1_000 * COUNT_MAX
    json.dumps(str(told)).encode()
    return told


@pytest.mark.parametrize("name", ALL)
@given(lines=st.lists(st.binary(max_size=60), max_size=8))
@few
def test_any_bytes(name: str, lines: list[bytes]) -> None:
    reader = adapter_named(name).reader()
    for line in lines:
        reader.feed(line)
    checked(reader)


@pytest.mark.parametrize("name", PROGRAMS)
@given(events=st.lists(values, max_size=6))
@few
def test_any_json(name: str, events: list[Any]) -> None:
    reader = adapter_named(name).reader(Conversation("earlier", Usage(1, 5, 3, 2, 7)))
    for event in events:
        reader.feed(json.dumps(event).encode())
    checked(reader)


@pytest.mark.parametrize("name", PROGRAMS)
@given(data=st.data())
@few
def test_samples_with_something_wrong_in_them(name: str, data: st.DataObject) -> None:
    reader = adapter_named(name).reader()
    for _ in range(4):
        event = json.loads(json.dumps(data.draw(st.sampled_from(SEEDS[name]))))
        place, key = data.draw(st.sampled_from(list(_places(event))))
        place[key] = data.draw(values)
        for said in reader.feed(json.dumps(event).encode()):
            assert "\ud800" not in str(said)
    checked(reader)


def _places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            found += [(value, key), *_places(value[key])]
    return found


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "line",
    [
        b'{"a":' * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"type": ' + b"1" * 10_000 + b"}",
        b'{"type": "result", "usage": {"input_tokens": NaN, "output_tokens": -Infinity}}',
        b'{"type": "result", "total_cost_usd": 1e999, "num_turns": 1e400}',
        b'{"type": "system", "subtype": "api_retry", "retry_delay_ms": 1e300, "attempt": -1}',
        b'\xff\xfe{\x00"\x00t\x00"\x00:\x001\x00}\x00',
        b'{"type": "text", "sessionID": "\\ud800", "part": {"text": "\\ud800\\u0000\\u001b[2J"}}',
        b'{"type": "item.completed", "item": {"type": "agent_message", "text": "\\udfff"}}',
        b'{"type": "error", "timestamp": 1e13, "error": {"data": {"statusCode": 1e15}}}',
        b'{"type": "error", "message": "{\\"error\\": [[[[[[[[[[[[[[[[[[[[[["}',
        b"\x00" * 10_000,
    ],
)
def test_lines_made_to_hurt(name: str, line: bytes) -> None:
    reader = adapter_named(name).reader()
    for event in reader.feed(line):
        assert "\ud800" not in str(event)
        assert "\x1b" not in str(event)
    checked(reader)


@pytest.mark.parametrize("name", ALL)
def test_a_long_text_is_cut_before_it_is_shown(name: str) -> None:
    long = "x" * 99_999
    reader = adapter_named(name).reader()
    for event in (
        {"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": long}]}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": long}},
        {"type": "message", "role": "assistant", "content": long},
        {"type": "text", "part": {"text": long}},
    ):
        assert len(str(reader.feed(json.dumps(event).encode()))) < 10_000
    assert len(checked(reader).said) <= 400


def test_of_a_long_answer_the_end_is_kept_for_machines() -> None:
    answer = "x" * 99_999 + '\n```json\n{"status": "ok"}\n```'
    for name, event in (
        ("claude", {"type": "assistant", "message": {"id": "m", "content": [_block(answer)]}}),
        ("codex", {"type": "item.completed", "item": {"type": "agent_message", "text": answer}}),
    ):
        events = adapter_named(name).reader().feed(json.dumps(event).encode())
        (said,) = (x for x in events if isinstance(x, Said))
        assert said.whole == answer


def _block(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
