"""Convert each type hint to JSON and back, compiled once per hint.

A class may not contain itself, and a union must be of scalars, of dataclasses, or of one other type
with None: an ambiguous hint is refused when it is compiled.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from topkick.engine.codec.texts import Text

SCALARS = frozenset({str, int, float, bool, NoneType})
SHA256 = re.compile(r"[0-9a-f]{64}")
TAG = "is"


class CodecError(ValueError):
    """A value or a text does not fit its type."""


@dataclass(frozen=True, slots=True)
class CodecShape:
    """One hint: Python to JSON, JSON to Python, and where texts are found."""

    dump: Callable[[Any], Any]
    load: Callable[[Any], Any]
    texts: Callable[[Any], Iterator[Text]] | None = None
    accepts: frozenset[type] | None = None  # set if loading only checks the type


def misfit(wanted: str, found: object) -> CodecError:
    return CodecError(f"expected {wanted}, found {type(found).__name__} {found!r:.80}")


@cache
def shape_of(hint: Any) -> CodecShape:
    if hasattr(hint, "__supertype__"):  # a NewType
        return shape_of(hint.__supertype__)
    return _of_class(hint) if get_origin(hint) is None else _of_generic(hint)


def _of_class(hint: Any) -> CodecShape:
    if hint in SCALARS:
        return _scalar(frozenset({hint}))
    if hint is Text:
        return CodecShape(_dump_text, _load_text, texts=lambda value: iter((value,)))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum(hint)
    if isinstance(hint, type) and is_dataclass(hint):
        return _record(hint)
    raise CodecError(f"no way to write the type {hint}")


def _of_generic(hint: Any) -> CodecShape:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple and arguments[1:] == (...,):
        return _sequence(shape_of(arguments[0]))
    if origin in (Mapping, dict) and arguments[0] is str:
        return _mapping(shape_of(arguments[1]))
    if origin in (Union, UnionType):
        return _union(arguments)
    raise CodecError(f"no way to write the type {hint}")


def _scalar(accepts: frozenset[type]) -> CodecShape:
    wanted = " or ".join(sorted(kind.__name__ for kind in accepts))

    def dump(value: Any) -> Any:
        kind = type(value)
        if kind is int and int not in accepts and float in accepts:
            return float(value)
        if kind in accepts:
            return value + 0.0 if kind is float else value  # turns -0.0 into 0.0
        if isinstance(value, str) and str in accepts:
            return str.__str__(value)
        raise misfit(wanted, value)

    def load(value: Any) -> Any:
        if type(value) not in accepts:
            raise misfit(wanted, value)
        return value

    return CodecShape(dump, load, accepts=accepts)


def _enum(enum: type[Enum]) -> CodecShape:
    members = {member.value: member for member in enum}
    if not all(isinstance(value, str) for value in members):
        raise CodecError(f"{enum.__name__} has values that are not texts")

    def dump(value: Any) -> Any:
        if not isinstance(value, enum):
            raise misfit(enum.__name__, value)
        return value.value

    def load(value: Any) -> Any:
        member = members.get(value) if type(value) is str else None
        if member is None:
            raise misfit(enum.__name__, value)
        return member

    return CodecShape(dump, load)


def _dump_text(value: Any) -> Any:
    if type(value) is not Text:
        raise misfit("Text", value)
    return value.sha256


def _load_text(value: Any) -> Any:
    if type(value) is not str or not SHA256.fullmatch(value):
        raise misfit("a sha256 in hex", value)
    return Text(value)


def _sequence(item: CodecShape) -> CodecShape:
    def dump(value: Any) -> Any:
        if type(value) is not tuple:
            raise misfit("tuple", value)
        return [item.dump(one) for one in value]

    def load(value: Any) -> Any:
        if type(value) is not list:
            raise misfit("list", value)
        if accepts is not None and accepts.issuperset(map(type, value)):
            return tuple(value)
        return tuple([item.load(one) for one in value])

    inner, accepts = item.texts, item.accepts
    if inner is None:
        return CodecShape(dump, load)
    return CodecShape(dump, load, lambda value: (text for one in value for text in inner(one)))


def _mapping(item: CodecShape) -> CodecShape:
    def dump(value: Any) -> Any:
        if not isinstance(value, Mapping) or not all(type(key) is str for key in value):
            raise misfit("mapping with texts as keys", value)
        return {key: item.dump(value[key]) for key in sorted(value)}

    def load(value: Any) -> Any:
        if type(value) is not dict:
            raise misfit("mapping", value)
        return {key: item.load(one) for key, one in value.items()}

    inner = item.texts
    if inner is None:
        return CodecShape(dump, load)
    return CodecShape(dump, load, lambda value: (t for one in value.values() for t in inner(one)))


def _union(arguments: tuple[Any, ...]) -> CodecShape:
    hints = [getattr(hint, "__supertype__", hint) for hint in arguments]
    others = [hint for hint in hints if hint not in SCALARS]
    if not others:
        return _scalar(frozenset(hints))
    if set(hints) & (SCALARS - {NoneType}):
        raise CodecError(f"a scalar beside another type cannot be told apart: {arguments}")
    shape = shape_of(others[0]) if len(others) == 1 else _tagged(others)
    return _optional(shape) if NoneType in hints else shape


def _optional(shape: CodecShape) -> CodecShape:
    def dump(value: Any) -> Any:
        return None if value is None else shape.dump(value)

    def load(value: Any) -> Any:
        return None if value is None else shape.load(value)

    inner = shape.texts
    if inner is None:
        return CodecShape(dump, load)
    return CodecShape(dump, load, lambda value: iter(()) if value is None else inner(value))


def _tagged(classes: list[Any]) -> CodecShape:
    if not all(is_dataclass(cls) and cls is not Text for cls in classes):
        raise CodecError(f"a union of other things than dataclasses: {classes}")
    names = {cls.__name__: cls for cls in classes}
    shapes = {cls: shape_of(cls) for cls in classes}
    if len(names) < len(classes):
        raise CodecError(f"two classes of one name: {classes}")

    def dump(value: Any) -> Any:
        if type(value) not in shapes:
            raise misfit(" or ".join(names), value)
        return {TAG: type(value).__name__, **shapes[type(value)].dump(value)}

    def load(value: Any) -> Any:
        tag = value.pop(TAG, None) if type(value) is dict else None
        if type(tag) is not str or tag not in names:
            raise misfit(" or ".join(names), value)
        return shapes[names[tag]].load(value)

    def texts(value: Any) -> Iterator[Text]:
        inner = shapes[type(value)].texts
        return iter(()) if inner is None else inner(value)

    return CodecShape(dump, load, texts if any(shape.texts for shape in shapes.values()) else None)


def _record(cls: type) -> CodecShape:
    hints = get_type_hints(cls)
    if not all(field.init for field in fields(cls)):
        raise CodecError(f"{cls.__name__} has fields that its constructor does not take")
    shapes = {field.name: shape_of(hints[field.name]) for field in fields(cls)}
    holders = [(name, shape.texts) for name, shape in shapes.items() if shape.texts]

    def texts(value: Any) -> Iterator[Text]:
        for name, inner in holders:
            yield from inner(getattr(value, name))

    return CodecShape(_dumper(cls, shapes), _loader(cls, shapes), texts if holders else None)


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _dumper(cls: type, shapes: Mapping[str, CodecShape]) -> Callable[[Any], Any]:
    plan = [(field.name, shapes[field.name].dump, _default(field)) for field in fields(cls)]

    def dump(value: Any) -> Any:
        if type(value) is not cls:
            raise misfit(cls.__name__, value)
        written = {}
        for name, dump_field, default in plan:
            item = getattr(value, name)
            if type(item) is type(default) and item == default:
                continue
            try:
                written[name] = dump_field(item)
            except CodecError as error:
                raise CodecError(f"{cls.__name__}.{name}: {error}") from None
        return written

    return dump


def _loader(cls: type, shapes: Mapping[str, CodecShape]) -> Callable[[Any], Any]:
    """Return the loader, the hot path of a replay: scalars are checked in place and stay in the
    parsed dict.
    """
    checked = {name: shape.accepts for name, shape in shapes.items() if shape.accepts}
    loads = {name: shape.load for name, shape in shapes.items()}
    required = {field.name for field in fields(cls) if _default(field) is MISSING}

    def load(value: Any) -> Any:
        if type(value) is not dict:
            raise misfit(cls.__name__, value)
        for name, item in value.items():
            if type(item) in checked.get(name, ()):
                continue
            if name not in loads:
                raise CodecError(f"{cls.__name__} has no field {name!r}")
            try:
                value[name] = loads[name](item)
            except CodecError as error:
                raise CodecError(f"{cls.__name__}.{name}: {error}") from None
        try:
            return cls(**value)
        except (TypeError, ValueError) as error:
            lacking = ", ".join(sorted(required - value.keys()))
            reason = f"lacks {lacking}" if lacking else f"was refused: {error}"
            raise CodecError(f"{cls.__name__} {reason}") from error

    return load
