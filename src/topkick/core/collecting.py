"""A pause of Python's garbage collector, for work that makes many small things and no circles.

To look for circles over and over, through a heap that only grows, is a third of such work.
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
