"""The deaths of a run's supervisors, kept on disk with the delay before the next restart.

A supervisor that is killed cannot say so. Two others can: its respawner, which waits for it, and
whichever process takes the project's lock next, which finds the holder's note of a supervisor
that never let go. Both write the death to one file in the state directory, and the one that comes
second recognises the death by the process and the time. The journal takes it over when the next
process holds the project, whether that is a supervisor or a command that only answers the inbox.
"""

import json
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path

from topkick.engine.io.files import NOTE_BYTES, read_plain, replace_atomically

DEATHS_FILE = "deaths.json"
FOUND_DEAD = "found dead (killed, or the machine went down)"
LONGEST_CHARS = 120
RESTS_S = (1.0, 10.0, 60.0, 300.0, 600.0)
GOOD_STRETCH_S = 600.0


@dataclass(frozen=True, slots=True)
class SupervisorDeaths:
    """The last death, and how many there were: in this run, and one soon after the other."""

    pid: int = 0
    at_us: int = 0
    died: str = ""
    total: int = 0
    in_a_row: int = 0

    @property
    def rest_s(self) -> float:
        """Seconds to wait before the next supervisor is started.

        The rest grows with each death, since the cause may take time to pass. It is never endless,
        since the user may be away until the morning. After a supervisor that lived long, the rests
        begin anew.
        """
        return RESTS_S[min(max(self.in_a_row, 1), len(RESTS_S)) - 1]

    def and_of(self, pid: int, began_at_us: int, at_us: int, died: str) -> "SupervisorDeaths":
        """Add the death of this process, unless it is the one that was noted last."""
        if pid == self.pid and self.at_us >= began_at_us:
            return self
        lived_long = at_us - began_at_us >= GOOD_STRETCH_S * 1e6
        in_a_row = 1 if lived_long else self.in_a_row + 1
        return SupervisorDeaths(pid, at_us, died[:LONGEST_CHARS], self.total + 1, in_a_row)


def read_deaths(state_dir: Path) -> SupervisorDeaths:
    """Return what was noted in this run; a file that cannot be believed says nothing."""
    try:
        said = json.loads(read_plain(state_dir / DEATHS_FILE, NOTE_BYTES))
        pid, at_us, died, total, in_a_row = said
        numbers = [int(n) for n in (pid, at_us, total, in_a_row)]
    except (OSError, ValueError, TypeError, OverflowError, RecursionError):
        return SupervisorDeaths()
    if min(numbers) < 0 or max(numbers) >= 1 << 62:
        return SupervisorDeaths()
    return SupervisorDeaths(
        numbers[0], numbers[1], str(died)[:LONGEST_CHARS], numbers[2], numbers[3]
    )


def keep_deaths(state_dir: Path, deaths: SupervisorDeaths) -> None:
    """Write the deaths down, unless as many were noted meanwhile.

    Where the disk is full, a respawner does it again before the next start.
    """
    if read_deaths(state_dir).total >= deaths.total:
        return
    with suppress(OSError):
        replace_atomically(state_dir / DEATHS_FILE, json.dumps(astuple(deaths)).encode())


def forget_deaths(state_dir: Path) -> None:
    """Begin to count at zero, for a new run."""
    with suppress(OSError):
        (state_dir / DEATHS_FILE).unlink()
