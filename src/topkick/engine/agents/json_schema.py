"""Answers by schema: a small part of JSON Schema, published as it is and checked as it is.

type, enum, const, required, properties, additionalProperties (false), items, minItems, maxItems,
oneOf, minLength, maxLength, minimum, maximum; everything else is for the reader.

Policies write the schema into an agent's order and check the agent's answer when they decide what
comes next. They are pure and may import no library for it; the tests compare this checker with a
JSON Schema library. It is stricter in two things: a text of spaces is empty, 3.0 is no integer.
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

PROBLEMS_TOLD = 5
DRAFT = "https://json-schema.org/draft/2020-12/schema"

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}

_NUMBER = (int, float)
_LIMITS: Sequence[tuple[str, type | tuple[type, ...], Callable[[Any, Any], bool], str]] = (
    ("const", object, operator.ne, "is not {!r}"),
    ("minLength", str, lambda value, least: len(value.strip()) < least, "is empty"),
    ("maxLength", str, lambda value, most: len(value) > most, "is longer than {} characters"),
    ("minItems", list, lambda value, least: len(value) < least, "has fewer than {} entries"),
    ("maxItems", list, lambda value, most: len(value) > most, "has more than {} entries"),
    ("minimum", _NUMBER, operator.lt, "is less than {}"),
    ("maximum", _NUMBER, operator.gt, "is more than {}"),
)
"""Each row: the keyword, the type of value it limits, what breaks the limit, and the message."""


@dataclass(frozen=True, slots=True)
class Longest:
    """Limits on the length of a text, or of each text in a list, and on the list's entries."""

    chars: int
    entries: int | None = None


@dataclass(frozen=True, slots=True)
class Schema:
    """`form` is the JSON Schema without its head, `example` an answer that fits.

    `cosmetic` are fields that only people read. If an answer says too much there, it is shortened
    (`trimmed`): no agent is paid a second time for that.
    """

    name: str
    title: str
    form: Mapping[str, Any]
    example: str
    cosmetic: Mapping[str, Longest] = field(default_factory=dict)

    @property
    def body(self) -> Mapping[str, Any]:
        """The JSON Schema as it is published."""
        return {"$schema": DRAFT, "title": self.name, **self.form}


def trimmed(value: object, schema: Schema) -> object:
    """Return the answer with its cosmetic fields cut to the length that the schema allows."""
    if not isinstance(value, dict):
        return value
    limits = schema.cosmetic
    return {k: _cut(v, limits[k]) if k in limits else v for k, v in value.items()}


def _cut(value: object, longest: Longest) -> object:
    match value:
        case str() if len(value) > longest.chars:
            return value[: longest.chars - 1] + "…"
        case list():
            return [_cut(entry, longest) for entry in value[: longest.entries]]
        case _:
            return value


def problems(value: object, schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a sentence for each part that does not fit the schema."""
    found: list[str] = []
    for problem in _problems(value, schema, "the answer"):
        found.append(problem)
        if len(found) == PROBLEMS_TOLD:
            break
    return tuple(found)


def _problems(value: object, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    kinds = schema.get("type")
    if kinds is not None and not _is_one_of(value, kinds):
        yield f"{where} is not {_or(kinds)}"
        return
    for keyword, of, breaks, told in _LIMITS:
        if keyword in schema and isinstance(value, of) and breaks(value, schema[keyword]):
            yield f"{where} {told.format(schema[keyword])}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is not one of {', '.join(map(str, schema['enum']))}"
    if "oneOf" in schema:
        yield from _one_of(value, schema["oneOf"], where)
    if isinstance(value, dict):
        yield from _of_object(value, schema, where)
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value, start=1):
            yield from _problems(item, schema["items"], f"{where}, entry {number},")


def _is_one_of(value: object, kinds: str | Sequence[str]) -> bool:
    names = (kinds,) if isinstance(kinds, str) else kinds
    if isinstance(value, bool):  # which Python takes for a number
        return "boolean" in names
    return any(isinstance(value, _TYPES[name]) for name in names)


def _or(kinds: str | Sequence[str]) -> str:
    return kinds if isinstance(kinds, str) else " or ".join(kinds)


def _one_of(value: object, choices: Sequence[Mapping[str, Any]], where: str) -> Iterator[str]:
    """If no choice fits, report the problems of the choice with the fewest."""
    tried = [tuple(_problems(value, choice, where)) for choice in choices]
    fitting = sum(not found for found in tried)
    if fitting > 1:
        yield f"{where} could be meant in {fitting} ways"
    elif not fitting:
        yield from min(tried, key=len)


def _of_object(value: Mapping[str, object], schema: Mapping[str, Any], where: str) -> Iterator[str]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{where} has no {name}"
    for name, item in value.items():
        if name in known:
            yield from _problems(item, known[name], name)
        elif schema.get("additionalProperties") is False:
            yield f"{where} has {name[:40]}, which is not asked for"
