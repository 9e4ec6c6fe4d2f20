"""Y3: the real killall against many agents at once, every second of them deaf to SIGTERM.

`python -m proof.processes.many` has 64 of them, and none may be left after the grace plus 20 s.
"""

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass

from proof.races.arena import CONFIG, Arena, UnitText, arena, plan_text, wait_for

AGENT = """\
case $2 in deaf*) trap '' TERM ;; esac
printf '%s %s\\n' "$1" "$$" >> "$4"
n=0
while [ $n -lt 600 ]; do sleep 1; n=$((n + 1)); done
"""
GRACE_S = 3.0
BOUND_S = 20.0
PATIENCE_S = 600.0


@dataclass(frozen=True, slots=True)
class Killed:
    agents: int
    code: int
    seconds: float
    left: int
    said: str

    @property
    def good(self) -> bool:
        return self.code == 0 and not self.left


def kill_many(agents: int, *, supervised: bool) -> Killed:
    """Kill with a living supervisor, or with only the keepers left."""
    names = [f"{('deaf', 'plain')[n % 2]}{n}" for n in range(agents)]
    config = CONFIG.replace("max_agents = 3", f"max_agents = {agents}")
    config = config.replace("kill_grace_seconds = 0.2", f"kill_grace_seconds = {GRACE_S}")
    config = config.replace("sprint_minutes = 1", "sprint_minutes = 30")
    with arena(plan_text([UnitText(name) for name in names]), AGENT, config) as place:
        supervisor = _begin(place, "start", "--yes", "--foreground")
        try:
            ready = wait_for(lambda: len(place.starts()) == agents, PATIENCE_S)
            assert ready, f"{len(place.starts())} of {agents} agents were started"
            if not supervised:
                supervisor.kill()
                supervisor.wait()
            began_s = time.monotonic()
            killall = _begin(place, "killall")
            said, _ = killall.communicate(timeout=PATIENCE_S)
            pids = {start.pid for start in place.starts()}
            left = pids & set(place.processes())
            seconds = time.monotonic() - began_s
        finally:
            supervisor.kill()
            supervisor.wait()
    return Killed(len(pids), killall.returncode, seconds, len(left), said)


def _begin(place: Arena, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "topkick", *words],
        cwd=place.root,
        env=place.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if words[0] == "killall" else subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        text=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m proof.processes.many", description=__doc__)
    parser.add_argument("--agents", type=int, default=64, help="how many at once (64)")
    agents = parser.parse_args().agents
    good = True
    for supervised in (True, False):
        found = kill_many(agents, supervised=supervised)
        good &= found.good and found.seconds <= GRACE_S + BOUND_S
        print(
            f"{found.agents} agents, half of them deaf, {'with' if supervised else 'without'} a "
            f"supervisor: {found.left} left after {found.seconds:.1f} s (limit "
            f"{GRACE_S + BOUND_S:.0f}), code {found.code}"
        )
        if not found.good:
            print(found.said)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
