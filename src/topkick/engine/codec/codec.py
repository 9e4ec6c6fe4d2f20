"""Convert dataclasses of closed unions to JSON text and back: one value, one text.

A field that equals its default is left out, so a changed default needs a new VERSION too. Two
halves of a surrogate pair in one string come back as the character they stand for.
"""

from collections.abc import Callable, Mapping
from json import JSONDecoder, JSONEncoder
from typing import Any, get_args

from topkick.engine.codec.shapes import CodecError, CodecShape, shape_of
from topkick.engine.codec.texts import Text

__all__ = ["Codec", "CodecError", "Text", "Upcaster", "texts_of"]

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]

_NO_UPCASTERS: Mapping[tuple[str, int], Upcaster] = {}
_ENCODER = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_ASCII_ENCODER = JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def _refuse(constant: str) -> None:
    raise CodecError(f"{constant} is not a number that topkick writes")


_DECODER = JSONDecoder(parse_constant=_refuse)


class Codec:
    """Writes and reads the values of the given classes and unions.

    The kind is the class name, or `Name/2` from `VERSION: ClassVar[int] = 2` on; then there is an
    upcaster for every older version, from the fields of version n to those of n + 1. The shape of
    a class is compiled when the first value of it is written or read.
    """

    def __init__(
        self,
        *unions_or_classes: Any,
        upcasters: Mapping[tuple[str, int], Upcaster] = _NO_UPCASTERS,
    ) -> None:
        self._kinds: dict[type, str] = {}
        self._loads: dict[str, Callable[[Any], Any]] = {}
        self._current: dict[str, type] = {}
        self._upcasters = upcasters
        for given in unions_or_classes:
            for cls in get_args(given) or (given,):
                if cls not in self._kinds:
                    self._add(cls)

    def _add(self, cls: type) -> None:
        name, version = cls.__name__, _version(cls)
        if name in self._current:
            raise CodecError(f"two classes of the name {name}")
        for older in range(1, version):
            if (name, older) not in self._upcasters:
                raise CodecError(f"no upcaster for version {older} of {name}")
        kind = name if version == 1 else f"{name}/{version}"
        self._kinds[cls] = kind
        self._current[name] = cls

    def encode(self, value: object) -> tuple[str, str]:
        """Return the kind and the body of a value."""
        cls: Any = type(value)
        kind = self._kinds.get(cls)
        if kind is None:
            raise CodecError(f"{cls.__name__} is not a kind of this codec")
        return kind, _to_json(shape_of(cls).dump(value))

    def decode(self, kind: str, body: str) -> object:
        """Return the value that was encoded; an older version is brought up to date."""
        load = self._loads.get(kind)
        return self._decode_first(kind, body) if load is None else load(_from_json(body))

    def _decode_first(self, kind: str, body: str) -> object:
        """Decode the first value of a kind, or a value of an older version."""
        name, _, digits = kind.partition("/")
        cls = self._current.get(name)
        if cls is None or not (digits or "1").isdecimal():
            raise CodecError(f"unknown kind {kind!r}")
        version, current = int(digits or "1"), _version(cls)
        if not 1 <= version <= current:
            raise CodecError(f"{kind}: this topkick knows {name} up to version {current}")
        shape: CodecShape = shape_of(cls)
        if kind == self._kinds[cls]:
            self._loads[kind] = shape.load
        data = _from_json(body)
        for older in range(version, current):
            data = self._upcasters[name, older](data)
        return shape.load(data)


def _version(cls: type) -> int:
    version: int = getattr(cls, "VERSION", 1)
    return version


def texts_of(value: object) -> dict[str, str]:
    """Return the bodies of all texts in a dataclass, by hash; texts known only by hash are left
    out.
    """
    cls: Any = type(value)
    find = shape_of(cls).texts
    if find is None:
        return {}
    return {text.sha256: text.body for text in find(value) if text.body is not None}


def _to_json(data: object) -> str:
    try:
        text = _ENCODER.encode(data)
    except ValueError as error:  # NaN and the infinities
        raise CodecError(str(error)) from error
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate: escaped, it survives
        return _ASCII_ENCODER.encode(data)
    return text


def _from_json(body: str) -> Any:
    try:
        data, end = _DECODER.raw_decode(body)
    except CodecError:
        raise
    except (ValueError, RecursionError) as error:
        raise CodecError(f"not JSON: {error}") from error
    if end != len(body):
        raise CodecError(f"more text after the value: {body[end:]!r:.80}")
    return data
