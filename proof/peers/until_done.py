"""A listener of supervisord: when each of the named programs has ended once, the run is over."""

import os
import signal
import sys


def main(left: set[str]) -> None:
    print("READY", flush=True)
    while line := sys.stdin.readline():
        head = dict(word.split(":") for word in line.split())
        told = dict(word.split(":") for word in sys.stdin.read(int(head["len"])).split())
        left.discard(told["processname"])
        if not left:
            os.kill(os.getppid(), signal.SIGTERM)
        print("RESULT 2\nOKREADY", flush=True)


main(set(sys.argv[1:]))
