"""An agent that reaches the limit on processes, in a control group of its own: it must still be
ended.

Run as `python -m proof.processes.crowd PLACE`; prints the result as JSON, or `unfenced`.
"""

import json
import os
import sys
from pathlib import Path

from proof.processes.batch import MODES
from proof.processes.fences import fence, limit_own_processes
from proof.processes.yard import Yard

ROOM = 40
FILL = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
ends_at = time.time() + 50
def stay():
    signal.alarm(50)
    while True: signal.pause()
full = False
while time.time() < ends_at:
    try:
        if os.fork() == 0:
            os.setsid()
            stay()
    except OSError:
        if not full:
            open("full", "w").write("1\\n")
            full = True
        time.sleep(0.001)
"""


def main() -> None:
    place = Path(sys.argv[1])
    mode = os.environ["PROOF_MODE"]
    os.environ.update(MODES[mode])
    with fence("pids", {"pids.max": str(ROOM)}) as path:
        if path is not None:
            (path / "cgroup.procs").write_text(str(os.getpid()))
        elif not limit_own_processes(ROOM):
            sys.stdout.write("unfenced\n")
            return
        try:
            _scenario(Yard(place, mode))
        finally:
            if path is not None:
                (path.parent / "cgroup.procs").write_text(str(os.getpid()))


def _scenario(yard: Yard) -> None:
    yard.python("r1", FILL)
    yard.number_in("full")
    yard.runner.stop("r1", 0.1)
    ended = yard.end_of("r1")
    claim = yard.describe("r1").claim
    assert claim is not None
    needle = f"TOPKICK_RUN={claim.mark}\0".encode()
    left = [p.parent.name for p in Path("/proc").glob("[0-9]*/environ") if needle in _bytes(p)]
    told = {"how": ended.how, "survivors": list(ended.survivors), "left": left}
    sys.stdout.write(json.dumps(told) + "\n")
    yard.close()


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


main()
