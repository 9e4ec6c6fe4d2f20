"""The prefork server: a small process that forks children on request.

Starting a Python interpreter for each keeper would cost tens of milliseconds and much memory. The
server imports everything once; each request is one line of JSON on its socket, and each child is a
fork that shares the server's memory pages. The server knows nothing about runs: a child calls
`become`, which is `keeper.keep` for runs.

What happens if it is killed here? A child that was forked continues, because it leads its own
session. A request that the server had read but not forked is lost without a trace; the supervisor
sees no claim within LAUNCH_LIMIT_S, or sees the socket close, and asks a new server. A request that
was forked twice is harmless, because only one keeper can claim a run. When the supervisor dies, its
end of the socket closes and the server exits; its children stay.
"""

import gc
import json
import os
import signal
from collections.abc import Callable
from typing import NoReturn

Request = tuple[str, dict[str, str]]
"""A directory, and variables that must never be written to disk."""


def launch_loop(fd: int, become: Callable[[str, dict[str, str]], None]) -> None:
    """Fork a child for each line of JSON, and return when the other end of the socket is closed.

    A child leads its own session and outlives this process and the supervisor.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are reaped by the kernel
    gc.collect()
    gc.freeze()
    gc.disable()  # a collection would touch, and so copy, every shared page
    pending = b""
    while data := os.read(fd, 1 << 16):
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            _fork(fd, become, tuple(json.loads(line)))


def _fork(fd: int, become: Callable[[str, dict[str, str]], None], request: Request) -> None:
    try:
        pid = os.fork()
    except OSError:  # no process slots left: the supervisor sees no claim and asks again
        return
    if pid == 0:
        _child(fd, become, request)


def _child(fd: int, become: Callable[[str, dict[str, str]], None], request: Request) -> NoReturn:
    code = 1
    try:
        os.close(fd)
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        become(*request)
        code = 0
    finally:
        os._exit(code)
