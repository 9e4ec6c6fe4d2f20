"""Pause Python's garbage collector for work that makes many small objects and no cycles.

Searching a growing heap for cycles again and again takes a third of such work.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collecting() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
