"""A signal pipe in the process of the tests themselves, which is a checker for that long."""

import os
import signal
from collections.abc import Iterator

import pytest

from topkick.runner.keeper.birth import HANDLED
from topkick.runner.process.tree import SignalPipe


@pytest.fixture
def bell() -> Iterator[tuple[SignalPipe, int]]:
    """With the descriptor by which it is rung. Signals are as before afterwards."""
    before = {number: signal.getsignal(number) for number in HANDLED}
    here, there = os.pipe()
    made = SignalPipe(stop_fd=here)
    yield made, there
    signal.set_wakeup_fd(-1)
    for number in HANDLED:
        signal.signal(number, before[number])
    for fd in (here, there):
        os.close(fd)
