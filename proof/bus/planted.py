"""Bugs that the judge must find; otherwise it proves nothing."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from topkick.team.bus import store as bus_module
from topkick.team.bus.files import BusPlace

PLANTED = ("no-lock", "no-repair", "no-mark", "no-catching-up")


def plant(name: str) -> None:
    match name:
        case "":
            return
        case "no-lock":
            BusPlace.locked = _open  # type: ignore[method-assign]
        case "no-repair":
            bus_module._written = _straight
            bus_module._is_alone = lambda _descriptor, _begin: True
        case "no-mark":
            bus_module.Bus._raise_mark = lambda _self: None  # type: ignore[method-assign]
        case "no-catching-up":
            bus_module.roles_state._not_in = lambda _meta, updates, _newest: updates[-1:]
        case _:
            raise SystemExit(f"There is no planted bug {name}. There are: {', '.join(PLANTED)}")


@contextmanager
def _open(self: BusPlace) -> Iterator[None]:
    self.make()
    yield


def _straight(descriptor: int, data: bytes) -> int:
    os.write(descriptor, data)
    return 0
