"""A program of its own: loads a program's modules, then is traced, and only then becomes it.

A tracer stops its process at every system call, also at the thousands that loading takes, none of
which could be a point. `late.py LOADS TRACER... -- -m MODULE WORD...`, or `-c CODE WORD...`.
"""

import ctypes
import importlib
import os
import runpy
import subprocess
import sys
import time
from pathlib import Path

ANYBODY, SET_PTRACER = ctypes.c_ulong(-1), 0x59616D61
PATIENCE_S = 60.0
BEHIND = 'exec </dev/null >/dev/null 2>&1; "$@" &'
"""Detach the tracer: the program must find no child that it has not started."""


def be_traced(tracer: list[str]) -> None:
    ctypes.CDLL(None).prctl(SET_PTRACER, ANYBODY, 0, 0, 0)
    words = ["/bin/sh", "-c", BEHIND, "sh", *tracer, "-p", str(os.getpid())]
    subprocess.run(words, check=True, close_fds=True)
    ends_at_s = time.monotonic() + PATIENCE_S
    while "TracerPid:\t0\n" in Path("/proc/self/status").read_text():
        if time.monotonic() >= ends_at_s:
            sys.exit("the tracer never came")
        time.sleep(0.001)


def become(how: str, what: str, words: list[str]) -> None:
    sys.argv = [how, *words]
    if how == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})


def main() -> None:
    sys.path.pop(0)
    border = sys.argv.index("--")
    (loads, *tracer), (how, what, *words) = sys.argv[1:border], sys.argv[border + 1 :]
    for name in loads.split(","):
        importlib.import_module(name)
    be_traced(tracer)
    become(how, what, words)


if __name__ == "__main__":
    main()
