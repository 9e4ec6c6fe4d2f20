"""A frozen dataclass with some fields changed: `dataclasses.replace`, several times faster.

Replaying a long journal makes hundreds of thousands of these; nothing is validated or computed
in our `__init__`s, so the slots can be copied as they are.
"""

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

T = TypeVar("T")
Setter = Callable[[Any, Any], None]


def evolve(value: T, **changes: Any) -> T:
    cls: Any = type(value)
    read, setters = _slots(cls)
    made: T = cls.__new__(cls)
    for name, found in zip(setters, read(value), strict=True):
        setters[name](made, changes.pop(name) if name in changes else found)
    if changes:
        raise TypeError(f"{cls.__name__} has no {', '.join(changes)}")
    return made


@cache
def _slots(cls: type) -> tuple[Callable[[Any], tuple[Any, ...]], dict[str, Setter]]:
    names = [field.name for field in fields(cls)]
    assert len(names) > 1, "attrgetter of one name gives no tuple"
    return attrgetter(*names), {name: cls.__dict__[name].__set__ for name in names}
