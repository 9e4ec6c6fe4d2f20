"""A process 1 that never reaps, with a run below it: zombies must not count as survivors.

Run as `unshare --pid --fork --mount-proc python -m proof.processes.pid_one PLACE`; prints the
results as JSON.
"""

import json
import os
import sys
import time
from pathlib import Path

from proof.processes.batch import MODES
from proof.processes.yard import Yard, end
from topkick.runner.process import processes


def main() -> None:
    place = Path(sys.argv[1])
    assert os.getpid() == 1, "this has to be process 1"
    mode = os.environ["PROOF_MODE"]
    if os.fork() == 0:
        os.environ.update(MODES[mode])
        _scenario(place, mode)
    limit_at = time.monotonic() + 90
    while not (place / "told").exists() and time.monotonic() < limit_at:
        time.sleep(0.02)  # and never a wait()
    sys.stdout.write((place / "told").read_text())


def _scenario(place: Path, mode: str) -> None:
    yard = Yard(place, mode)
    for run_id in ("kept", "unkept"):
        yard.shape(run_id, "deaf_daemon")
    end(yard.describe("unkept").keeper_pid)
    yard.until(lambda: yard.describe("unkept").state == "orphaned")
    for run_id in ("kept", "unkept"):
        yard.runner.stop(run_id, 0.1)
    ends = {run_id: yard.end_of(run_id) for run_id in ("kept", "unkept")}
    told = {
        "zombies": _zombies(),
        "survivors": [pid for e in ends.values() for pid in e.survivors],
        "alive": [*yard.alive("kept"), *yard.alive("unkept")],
        "how": [e.how for e in ends.values()],
    }
    (place / "draft").write_text(json.dumps(told))
    (place / "draft").rename(place / "told")
    os._exit(0)


def _zombies() -> list[int]:
    pids = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [pid for pid in pids if (row := processes.look(pid)) is not None and row.dead]


main()
