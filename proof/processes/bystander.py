"""An innocent process: records every signal that it receives, and `end` when it is released.

It runs as a program of its own: the record, words to look like an agent with, and after `--` a
program to start as a child in its session. It continues until its standard input ends.
"""

import os
import signal
import sys
from types import FrameType

UNHEARD = {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}


def main() -> None:
    record = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def hear(number: int, _frame: FrameType | None) -> None:
        os.write(record, b"%d\n" % number)

    program = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    if program and os.fork() == 0:
        os.execv(program[0], program)
    for number in signal.valid_signals() - UNHEARD:
        if int(number) < 32:
            signal.signal(number, hear)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # it may be the process 1 of a namespace
    os.write(record, b"ready %d\n" % os.getpid())
    while os.read(0, 1 << 10):
        continue
    os.write(record, b"end\n")
    os._exit(0)


main()
