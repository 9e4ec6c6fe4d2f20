"""A foreign process with the pid of a dead agent, in a pid namespace of its own.

Run as `unshare --pid --fork --mount-proc python -m proof.processes.pid_reuse PLACE`; prints the
result as JSON.
"""

import json
import os
import sys
from pathlib import Path

from proof.processes.batch import MODES
from proof.processes.innocents import ALONE, Innocents
from proof.processes.yard import Yard, end
from topkick.runner.process import processes


def main() -> None:
    place, mode = Path(sys.argv[1]), os.environ["PROOF_MODE"]
    assert os.getpid() == 1, "this has to be process 1"
    os.environ.update(MODES[mode] | {ALONE: "1"})
    yard, innocents = Yard(place, mode), Innocents(place)
    yard.shape("r1", "deaf_daemon")
    found = yard.running("r1")
    yard.runner.close()  # before it sees anything
    for pid in (found.keeper_pid, found.agent_pid):
        end(pid)
    _reap(found.agent_pid or 0)
    taken_over = innocents.take_over([found.agent_pid or 0], tries=200)
    innocents.wait_until_ready()
    yard.again()
    yard.argv("r1", "/bin/false")
    yard.runner.stop("r1", 0.1)
    ended = yard.end_of("r1")
    told = {
        "taken_over": taken_over,
        "survivors": list(ended.survivors),
        "alive": yard.alive("r1"),
        "heard": innocents.let_go(),
    }
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
    os._exit(0)


def _reap(pid: int) -> None:
    """Reap as process 1, which inherited the agent when its keeper died."""
    while processes.look(pid) is not None:
        try:
            os.waitpid(pid, 0)
        except ChildProcessError:
            continue


main()
