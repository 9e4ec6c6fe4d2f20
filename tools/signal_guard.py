"""A pytest plugin: fail a test that leaves a signal set otherwise than it found it.

What a test leaves behind is met by later tests of the same worker. A process inherits which signals
are ignored, so a test left SIGINT ignored once, and every program that a later test started was
deaf to Ctrl-C.
"""

import signal
from collections.abc import Iterator

import pytest

WATCHED = (
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM),
    *(signal.SIGCHLD, signal.SIGALRM, signal.SIGPIPE, signal.SIGIO),
)


@pytest.fixture(autouse=True)
def _signals_as_before() -> Iterator[None]:
    """Compare the settings around a test, put them back, and name what is different."""
    before = {number: signal.getsignal(number) for number in WATCHED}
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    yield
    left = [number for number in WATCHED if signal.getsignal(number) != before[number]]
    changed = [number.name for number in left]
    for number in left:
        signal.signal(number, before[number])
    if signal.pthread_sigmask(signal.SIG_SETMASK, blocked) != blocked:
        changed.append("the signal mask")
    if signal.set_wakeup_fd(-1) != -1:
        changed.append("the wake-up descriptor")
    assert not changed, f"this test left changed for all later ones: {', '.join(changed)}"
