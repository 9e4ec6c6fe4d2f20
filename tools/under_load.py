"""Run a command beside processes that keep the machine busy: `under_load.py COMMAND...`.

Eight busy processes a core, so that a program that counts on being quick fails. They end with the
command, and also when this script is killed: each looks several times a second whether its parent
is still there.
"""

import os
import subprocess
import sys
import time
from contextlib import ExitStack

BUSY_PER_CORE = 8
TURN_S = 0.1


def keep_busy(parent: int) -> None:
    """Use a core as far as the machine gives it, until the parent is gone."""
    while os.getppid() == parent:
        until_s = time.monotonic() + TURN_S
        while time.monotonic() < until_s:
            pass


def run(command: list[str], busy: int) -> int:
    """Return the exit code of the command; no busy process outlives it."""
    spin = [sys.executable, __file__, "--busy", str(os.getpid())]
    with ExitStack() as ending:
        for _ in range(busy):
            process = ending.enter_context(subprocess.Popen(spin))
            ending.callback(process.kill)
        return subprocess.run(command, check=False).returncode


def main() -> int:
    match sys.argv[1:]:
        case ["--busy", parent]:
            keep_busy(int(parent))
            return 0
        case []:
            print("Usage: under_load.py COMMAND...", file=sys.stderr)
            return 2
        case command:
            busy = BUSY_PER_CORE * (os.cpu_count() or 1)
            print(f"Beside {busy} busy processes.", file=sys.stderr)
            return run(command, busy)


if __name__ == "__main__":
    sys.exit(main())
