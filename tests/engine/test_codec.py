"""One value, one text: what the codec writes it reads back, and nothing else."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, NewType, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.engine import messages as h
from topkick.engine.codec.codec import Codec, CodecError, Text, texts_of
from topkick.engine.codec.shapes import shape_of

RunId = NewType("RunId", str)


class Tier(StrEnum):
    LOW = "low"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Flat:
    run: RunId
    code: int | None
    share: float
    sure: bool = False
    tier: Tier = Tier.LOW
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0


@dataclass(frozen=True, slots=True)
class Said:
    prompt: Text
    extra: Text | None = None


@dataclass(frozen=True, slots=True)
class Deep:
    where: Point | Said | None
    points: tuple[Point, ...]
    by_name: Mapping[str, Point | Said]
    texts: tuple[Text, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    tier: Tier | None = None


CODEC = Codec(Flat | Point, Deep)

# Two halves of a surrogate pair side by side are the one thing that comes back joined.
WORDS = st.text(st.characters(exclude_categories=["Cs"])) | st.just("caf\udce9")
INTS = st.integers()
TEXTS = WORDS.map(Text.of)
POINTS = st.builds(Point, INTS, INTS)
SAID = st.builds(Said, TEXTS, st.none() | TEXTS)
FLATS = st.builds(
    Flat,
    WORDS,
    st.none() | INTS,
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.sampled_from(Tier),
    st.lists(WORDS).map(tuple),
)
DEEPS = st.builds(
    Deep,
    st.none() | POINTS | SAID,
    st.lists(POINTS, max_size=3).map(tuple),
    st.dictionaries(WORDS, POINTS | SAID, max_size=3),
    st.lists(TEXTS, max_size=3).map(tuple),
    st.dictionaries(WORDS, INTS, max_size=3),
    st.none() | st.sampled_from(Tier),
)


@given(FLATS | POINTS | DEEPS)
def test_what_is_written_is_read_back(value: object) -> None:
    kind, body = CODEC.encode(value)
    again = CODEC.decode(kind, body)
    assert again == value
    assert type(again) is type(value)
    assert CODEC.encode(again) == (kind, body)
    assert body.encode().decode() == body


@given(st.dictionaries(WORDS, INTS, min_size=2))
def test_the_order_of_a_mapping_does_not_show(counts: dict[str, int]) -> None:
    there = Deep(None, (), {}, counts=counts)
    back = Deep(None, (), {}, counts=dict(reversed(counts.items())))
    assert CODEC.encode(there) == CODEC.encode(back)


@pytest.mark.parametrize(
    ("value", "body"),
    [
        (Point(1), '{"x":1}'),
        (Point(1, 2), '{"x":1,"y":2}'),
        (Flat(RunId("ü"), None, 1), '{"run":"ü","code":null,"share":1.0}'),
        (Flat(RunId("r"), 0, -0.0), '{"run":"r","code":0,"share":0.0}'),
        (
            Deep(Point(1), (), {"b": Point(2), "a": Point(3)}),
            '{"where":{"is":"Point","x":1},"points":[],'
            '"by_name":{"a":{"is":"Point","x":3},"b":{"is":"Point","x":2}}}',
        ),
        (Point(10**30), '{"x":1000000000000000000000000000000}'),
    ],
)
def test_the_text_is_short_and_in_the_order_of_the_class(value: object, body: str) -> None:
    assert CODEC.encode(value) == (type(value).__name__, body)
    assert CODEC.decode(type(value).__name__, body) == value


@pytest.mark.parametrize(
    ("kind", "body", "reason"),
    [
        ("Point", "{}", "Point lacks x"),
        ("Point", '{"x":1,"z":2}', "Point has no field 'z'"),
        ("Point", '{"x":"1"}', "Point.x: expected int, found str"),
        ("Point", '{"x":true}', "Point.x: expected int, found bool"),
        ("Point", '{"x":1.0}', "Point.x: expected int, found float"),
        ("Point", "[1]", "expected Point, found list"),
        ("Point", '{"x":1} ', "more text after the value"),
        ("Point", '{"x":', "not JSON"),
        ("Point", "[" * 200_000, "not JSON"),
        ("Flat", '{"run":"r","code":1,"share":NaN}', "NaN is not a number that topkick writes"),
        ("Flat", '{"run":"r","code":1,"share":1.0,"tier":"top"}', "Flat.tier: expected Tier"),
        ("Flat", '{"run":"r","code":1,"share":1.0,"tags":[1]}', "Flat.tags: expected str"),
        ("Deep", '{"where":{"is":"Flat"},"points":[],"by_name":{}}', "Point or Said"),
        ("Deep", '{"where":{"is":["Point"]},"points":[],"by_name":{}}', "Point or Said"),
        ("Deep", '{"where":null,"points":[{}],"by_name":{}}', "Deep.points: Point lacks x"),
        ("Deep", '{"where":null,"points":[],"by_name":{},"texts":["ab"]}', "sha256"),
        ("Nobody", "{}", "unknown kind 'Nobody'"),
        ("Point/2", "{}", "knows Point up to version 1"),
        ("Point/0", "{}", "knows Point up to version 1"),
        ("Point/x", "{}", "unknown kind"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(kind: str, body: str, reason: str) -> None:
    with pytest.raises(CodecError, match=reason.replace("[", r"\[")):
        CODEC.decode(kind, body)


@given(st.sampled_from(["Flat", "Point", "Deep"]), st.text() | st.from_regex(r"\{.*\}"))
def test_any_other_text_is_a_codec_error_and_nothing_worse(kind: str, body: str) -> None:
    try:
        CODEC.decode(kind, body)
    except CodecError:
        return
    json.loads(body)


JSON = st.recursive(
    st.none() | st.booleans() | INTS | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
NAMES = ["run", "code", "share", "where", "points", "by_name", "texts", "x", "is"]


@given(st.sampled_from(["Flat", "Point", "Deep"]), st.dictionaries(st.sampled_from(NAMES), JSON))
def test_a_wrong_type_never_gets_into_a_value(kind: str, fields: dict[str, Any]) -> None:
    try:
        value = CODEC.decode(kind, json.dumps(fields))
    except CodecError:
        return
    assert CODEC.decode(*CODEC.encode(value)) == value


@pytest.mark.parametrize(
    "value",
    [
        Point("1"),  # type: ignore[arg-type]
        Point(True),
        Flat(RunId("r"), 1, float("nan")),
        Flat(RunId("r"), 1, float("inf")),
        Flat(RunId("r"), 1, 1.0, tags=["a"]),  # type: ignore[arg-type]
        Flat(RunId("r"), 1, 1.0, tier="low!"),  # type: ignore[arg-type]
        Deep(Flat(RunId("r"), 1, 1.0), (), {}),  # type: ignore[arg-type]
        Deep(None, (), {1: Point(1)}),  # type: ignore[dict-item]
        Said(Text.of("a")),
    ],
)
def test_a_value_that_could_not_be_read_back_is_not_written(value: object) -> None:
    with pytest.raises(CodecError):
        CODEC.encode(value)


def test_texts_travel_apart_and_are_named_by_their_hash() -> None:
    prompt, extra = Text.of("do it\n"), Text.of("\udce9")
    value = Deep(Said(prompt, extra), (), {"a": Said(prompt)}, texts=(Text.of("out"),))
    assert set(texts_of(value).values()) == {"do it\n", "\udce9", "out"}
    again = CODEC.decode(*CODEC.encode(value))
    assert again == value
    assert texts_of(again) == {}
    assert "do it" not in CODEC.encode(value)[1]


def test_values_without_texts_have_none() -> None:
    assert texts_of(Point(1)) == {}
    assert texts_of(Deep(None, (), {})) == {}


@given(st.text(), st.text())
def test_a_text_is_its_bytes(one: str, other: str) -> None:
    assert (Text.of(one) == Text.of(other)) == (one == other)


def test_older_versions_are_brought_up_to_date_in_order() -> None:
    @dataclass(frozen=True, slots=True)
    class Moved:
        VERSION: ClassVar[int] = 3
        to: str
        why: str

    codec = Codec(
        Moved,
        upcasters={
            ("Moved", 1): lambda old: {"to": old["target"]},
            ("Moved", 2): lambda old: {**old, "why": "unknown"},
        },
    )
    assert codec.encode(Moved("a", "b")) == ("Moved/3", '{"to":"a","why":"b"}')
    assert codec.decode("Moved", '{"target":"a"}') == Moved("a", "unknown")
    assert codec.decode("Moved/2", '{"to":"a"}') == Moved("a", "unknown")
    assert codec.decode("Moved/3", '{"to":"a","why":"b"}') == Moved("a", "b")
    with pytest.raises(CodecError, match="no upcaster for version 1 of Moved"):
        Codec(Moved)


def test_a_refusal_of_the_class_itself_is_a_codec_error() -> None:
    @dataclass(frozen=True, slots=True)
    class Even:
        number: int

        def __post_init__(self) -> None:
            if self.number % 2:
                raise ValueError(f"{self.number} is odd")

    with pytest.raises(CodecError, match="Even was refused: 3 is odd"):
        Codec(Even).decode("Even", '{"number":3}')


@pytest.mark.parametrize(
    "hint",
    [list[str], set[str], str | Point, Tier | Point, Mapping[int, str], tuple[int, int], Any],
)
def test_what_json_cannot_tell_apart_is_refused_when_compiled(hint: Any) -> None:
    @dataclass(frozen=True, slots=True)
    class Odd:
        one: int

    Odd.__annotations__["one"] = hint
    with pytest.raises(CodecError):
        shape_of(Odd)


@pytest.mark.parametrize("union", [h.Happening, h.Command])
def test_every_record_and_every_command_can_be_compiled(union: Any) -> None:
    for cls in get_args(union):
        shape_of(cls)


def test_two_classes_of_one_name_are_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Point:
        z: int

    with pytest.raises(CodecError, match="two classes"):
        Codec(CODEC.decode("Point", '{"x":1}').__class__, Point)
