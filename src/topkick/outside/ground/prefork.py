"""A small process that forks ready-made children on request: a launch without a new interpreter."""

import gc
import json
import os
import signal
from collections.abc import Callable
from typing import NoReturn

Request = tuple[str, dict[str, str]]
"""A place, and variables that are to be written down nowhere."""


def launch_loop(fd: int, become: Callable[[str, dict[str, str]], None]) -> None:
    """For each line (JSON) fork a child that becomes it; return when the asker is gone.

    A child leads its own session and outlives this process and the one that asked.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children here
    gc.collect()
    gc.freeze()
    gc.disable()  # the collector would touch, and so copy, every shared page
    pending = b""
    while data := os.read(fd, 1 << 16):
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            _fork(fd, become, tuple(json.loads(line)))


def _fork(fd: int, become: Callable[[str, dict[str, str]], None], request: Request) -> None:
    try:
        pid = os.fork()
    except OSError:  # no processes left: the asker sees no claim and asks again
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
