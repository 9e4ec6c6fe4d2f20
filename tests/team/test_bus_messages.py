"""Messages and states of a bus: read, written, merged, whatever the text."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.engine.errors import UsageError
from topkick.team.bus import roles_state
from topkick.team.bus.model import (
    Message,
    MessageFilter,
    data_of,
    members,
    page,
    read_line,
    read_lines,
    ready,
    same_words,
    write_line,
)
from topkick.team.bus.roles_state import Legacy, Meta

NAMES = st.text("aZ0-_ é漢", min_size=1, max_size=9)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)
MESSAGES = st.builds(
    Message,
    sender=NAMES,
    to=NAMES,
    type=NAMES,
    summary=st.text(max_size=30),
    data=st.just("") | st.dictionaries(st.text(max_size=5), VALUES).map(data_of),
    number=st.integers(1, 10**15 - 1),
    ts=st.just("2026-02-27T10:11:12.345+00:00"),
)


@pytest.mark.spec("CK-20")
@settings(max_examples=50)
@given(MESSAGES)
def test_what_is_written_is_read_again(message: Message) -> None:
    posted = ready(message)
    line = write_line(posted)
    assert "\n" not in line
    line.encode()
    assert read_line(line) == posted
    assert same_words(message, posted) or not message.summary
    assert json.loads(line)["from"] == message.sender


@pytest.mark.spec("CK-20")
@given(st.text() | st.binary().map(lambda b: b.decode("utf-8", "replace")))
def test_no_line_is_fatal(line: str) -> None:
    read_line(line)
    tuple(read_lines(line))
    roles_state.read_meta(line)


@pytest.mark.spec("CK-20")
def test_ids_are_padded_to_three_and_grow() -> None:
    assert [Message("a", number=n).id for n in (7, 42, 999, 1000)] == [
        *("MSG-007", "MSG-042", "MSG-999", "MSG-1000")
    ]


@pytest.mark.spec("CK-20")
def test_what_others_left_out_has_its_default() -> None:
    message = read_line('\ufeff {"id": "MSG-12", "from": "x", "dispatch_status": "delivered"} ')
    assert message == Message("x", summary="[x] message -> coordinator", number=12)
    assert message.fields == {}
    assert read_line('{"id": "MSG-1", "from": "x", "data": null}') == replace(message, number=1)
    listed = read_line('{"id": "MSG-1", "from": "x", "data": [1]}')
    assert listed is not None
    assert (listed.data, listed.fields) == ("[1]", {})


@pytest.mark.spec("CK-20")
def test_the_same_words_in_another_order_and_at_another_time() -> None:
    one = Message("a", data='{"x": 1, "y": [2]}', number=1, ts="early")
    assert same_words(one, Message("a", data='{"y":[2],"x":1}', number=9))
    for other in (
        Message("b", data=one.data),
        Message("a", to="b", data=one.data),
        Message("a", type="b", data=one.data),
        Message("a", summary="b", data=one.data),
        Message("a", data='{"x": true, "y": [2]}'),
        Message("a"),
    ):
        assert not same_words(one, other)


def said(number: int, sender: str, to: str = "coordinator", kind: str = "message") -> Message:
    ts = f"2026-02-27T10:00:{number:02d}.000+00:00"
    return ready(Message(sender, to, kind, number=number, ts=ts))


@pytest.mark.spec("CK-21")
def test_list_filters_and_shows_the_last() -> None:
    there = [said(n, "ab"[n % 2], "cd"[n % 3 == 0], "xy"[n > 5]) for n in range(1, 11)]
    assert page(there, MessageFilter()).total == 10
    assert [m.number for m in page(there, MessageFilter(), 2).messages] == [9, 10]
    found = page(there, MessageFilter(sender="b", to="d", type="y"), 1)
    assert (found.total, [m.number for m in found.messages]) == (1, [9])
    for last in (0, 101, -1):
        with pytest.raises(UsageError, match="from 1 to 100"):
            page(there, MessageFilter(), last)
    assert len(page([said(n % 60, "a") for n in range(200)], MessageFilter()).messages) == 20


@pytest.mark.spec("CK-21")
def test_the_line_of_a_message_is_one_line() -> None:
    message = Message("a", "b", "t", "two\nlines", number=1, ts="2026-02-27T10:11:12+00:00")
    assert message.line == "MSG-001 [10:11:12] a -> b (t) two lines"
    assert "[--:--:--]" in replace(message, ts="nonsense").line


@pytest.mark.spec("CK-21")
def test_status_has_who_wrote_and_who_was_written_to() -> None:
    found = members([said(1, "a", "b", "x"), said(2, "b", "a", "y"), said(3, "b", "c", "z")])
    assert [(m.name, m.last_seen[17:19], m.last_action, m.count) for m in found] == [
        ("b", "03", "sent z -> c", 2),
        ("c", "03", "", 0),
        ("a", "01", "sent x -> b", 1),
    ]


# --- states --------------------------------------------------------------------------------------


def update(number: int, sender: str, **data: object) -> Message:
    return replace(said(number, sender, kind="state_update"), data=data_of(data))


NONE = Legacy()


@pytest.mark.spec("CK-21")
def test_state_updates_are_merged_and_some_keys_lifted() -> None:
    there = [
        update(1, "a", x=1, y=2, pipeline_mode="full"),
        said(2, "a"),
        update(3, "a", y=3, roles=["a", "b"]),
        update(4, "b", x=9),
    ]
    meta = roles_state.written(None, there, NONE)
    assert meta.role_state == {
        "a": {
            "x": 1,
            "y": 3,
            "pipeline_mode": "full",
            "roles": ["a", "b"],
            "_updated_at": there[2].ts,
        },
        "b": {"x": 9, "_updated_at": there[3].ts},
    }
    assert meta.values["pipeline_mode"] == "full"
    assert meta.values["roles"] == ["a", "b"]
    assert "x" not in meta.values
    assert meta.status == "active"
    assert (meta.values["created_at"], meta.values["updated_at"]) == (there[0].ts, there[3].ts)
    assert roles_state.read_meta(meta.text) == meta


@pytest.mark.spec("CK-21")
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(0, 3)), max_size=12
    )
)
def test_step_by_step_or_all_at_once(words: list[tuple[str, str, int]]) -> None:
    there = [update(n, who, **{key: value}) for n, (who, key, value) in enumerate(words, 1)]
    meta: Meta | None = None
    for count in range(1, len(there) + 1):
        if count % 3:  # a third of the posters died before they wrote it down
            meta = roles_state.written(meta, there[:count], NONE)
    last = roles_state.current(meta, there, NONE)
    assert last.role_state == roles_state.current(None, there, NONE).role_state


@pytest.mark.spec("CK-21")
def test_what_another_tool_wrote_into_meta_stays() -> None:
    foreign = '{"status": "archived", "updated_at": "2026-02-27T10:00:05.000+00:00", "mine": [1],'
    foreign += ' "role_state": {"a": {"x": "newer"}, "odd": 5}}'
    old = roles_state.read_meta(foreign)
    meta = roles_state.written(old, [update(4, "a", x=4), update(6, "a", y=6)], NONE)
    assert meta.status == "archived"
    assert meta.values["mine"] == [1]
    assert meta.role_state == {
        "a": {"x": "newer", "y": 6, "_updated_at": meta.values["updated_at"]}
    }


@pytest.mark.spec("CK-21")
def test_a_mark_from_nowhere_hides_no_update() -> None:
    old = roles_state.read_meta('{"last_state_update": "MSG-900", "updated_at": "2999"}')
    assert roles_state.current(old, [update(1, "a", x=1)], NONE).role_state["a"]["x"] == 1


@pytest.mark.spec("CK-21")
def test_without_meta_the_messages_and_older_files_say_it() -> None:
    memory = '{"pipeline_mode": "full", "pipeline_stages": ["s"], "writer": {"x": 1}, "n": 5}'
    session = '{"pipeline_mode": "other", "team_name": "t", "roles": [{"name": "r"}, "q", 7]}'
    meta = roles_state.current(
        None, [said(1, "a"), said(2, "a", kind="shutdown")], Legacy(memory, session)
    )
    assert meta.status == "completed"
    assert roles_state.current(None, [said(1, "a")], NONE).status == "active"
    assert meta.values["pipeline_mode"] == "full"
    assert meta.values["team_name"] == "t"
    assert meta.values["roles"] == ["r", "q"]
    assert meta.role_state == {"writer": {"x": 1}}
    assert roles_state.current(None, [], Legacy("nonsense", "[1]")).role_state == {}
    kept = roles_state.current(
        Meta({"status": "active", "team_name": "mine"}), [], Legacy("", session)
    )
    assert kept.values["team_name"] == "mine"
    assert kept.values["pipeline_mode"] == "other"
