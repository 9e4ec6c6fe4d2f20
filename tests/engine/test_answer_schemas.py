"""The published schemas: a JSON Schema validator and topkick take and refuse the same answers."""

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from topkick.engine.agents.json_schema import DRAFT, Schema, problems
from topkick.epic import answers
from topkick.epic.answers import SCHEMAS as EPIC
from topkick.kanban.prompts import SCHEMAS as KANBAN
from topkick.team.judge.agent_checks import SCHEMAS as CHECKPOINT
from topkick.team.pipeline.prompts import SCHEMAS as PIPELINE

ALL = (*KANBAN, *EPIC, *CHECKPOINT, *PIPELINE)
OTHERS = (None, "", "x", "x" * 99, "x" * 301, "x" * 20_001, -1, 3, 101, 2.5, True, {}, {"a": 1}, [])
LISTS = (["x"], ["x"] * 6, ["x" * 2001], [""], [3], [None], [[]], [{}])


def _changed(value: Any) -> Iterator[Any]:
    """Everything that one change can make of an answer, at any depth."""
    yield from OTHERS
    yield from LISTS
    match value:
        case dict():
            yield {**value, "not_asked_for": 1}
            for name, inner in value.items():
                yield {key: kept for key, kept in value.items() if key != name}
                yield from ({**value, name: other} for other in _changed(inner))
        case list():
            for number, inner in enumerate(value):
                for other in _changed(inner):
                    yield [*value[:number], other, *value[number + 1 :]]


@pytest.mark.parametrize("schema", ALL, ids=lambda s: s.name)
def test_a_validator_of_json_schema_takes_and_refuses_the_same(schema: Schema) -> None:
    Draft202012Validator.check_schema(schema.body)
    assert (schema.body["$schema"], schema.body["title"]) == (DRAFT, schema.name)
    validator = Draft202012Validator(schema.body)
    example = json.loads(schema.example)
    refused = 0
    for answer in (example, *_changed(example)):
        assert validator.is_valid(answer) is not bool(problems(answer, schema.body)), answer
        refused += not validator.is_valid(answer)
    assert refused > 20
    assert validator.is_valid(example)


@pytest.mark.parametrize(
    ("form", "wrong", "told"),
    [
        ({"const": "halt"}, "go", "the answer is not 'halt'"),
        ({"enum": ["a", "b"]}, "c", "the answer is not one of a, b"),
        ({"type": "string", "minLength": 1}, " \n", "the answer is empty"),
        ({"maxLength": 2}, "abc", "the answer is longer than 2 characters"),
        ({"minItems": 1}, [], "the answer has fewer than 1 entries"),
        ({"maxItems": 1}, [1, 2], "the answer has more than 1 entries"),
        ({"minimum": 0}, -1, "the answer is less than 0"),
        ({"maximum": 100}, 100.5, "the answer is more than 100"),
        ({"type": "integer"}, True, "the answer is not integer"),
        ({"type": "integer"}, 3.0, "the answer is not integer"),
        (
            {"items": {"type": ["string", "null"]}},
            [3],
            "the answer, entry 1, is not string or null",
        ),
    ],
)
def test_what_does_not_fit_is_told_in_words(form: dict[str, Any], wrong: object, told: str) -> None:
    assert problems(wrong, form) == (told,)


@pytest.mark.parametrize(
    ("form", "cls"),
    [
        (EPIC[0].form["oneOf"][0], answers.DispatchAnswer),
        (EPIC[0].form["oneOf"][1], answers.FileFix),
        (EPIC[0].form["oneOf"][2], answers.Halt),
        (EPIC[1].form["oneOf"][0]["properties"]["subtasks"]["items"], answers.Subtask),
        (EPIC[4].form, answers.Handback),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_an_answer_becomes_a_class_of_the_same_fields(form: dict[str, Any], cls: type) -> None:
    assert set(form["properties"]) - {"action"} == {field.name for field in fields(cls)}
