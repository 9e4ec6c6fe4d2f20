"""The deaths of a run's supervisors, kept on disk with the delay before the next restart.

A killed supervisor cannot report its death. Two other processes can: its respawner, which waits for
it, and the next process that takes the project's lock, which finds the holder file of a supervisor
that never released the lock. Both write the death to one file in the state directory; the second
one recognises a known death by process and time. The next process that holds the project, whether a
supervisor or a command that only answers queued commands, copies the death into the journal.
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
    """The last death, and the number of deaths: in the whole run, and in quick succession."""

    pid: int = 0
    at_us: int = 0
    died: str = ""
    total: int = 0
    in_a_row: int = 0

    @property
    def rest_s(self) -> float:
        """Seconds to wait before the next supervisor is started.

        The wait grows with each death, since the cause may take time to go away. It has an upper
        limit, since the user may be away until the morning. After a supervisor that lived long, the
        waits begin with the shortest again.
        """
        return RESTS_S[min(max(self.in_a_row, 1), len(RESTS_S)) - 1]

    def and_of(self, pid: int, began_at_us: int, at_us: int, died: str) -> "SupervisorDeaths":
        """Add the death of this process, unless it is the last one recorded."""
        if pid == self.pid and self.at_us >= began_at_us:
            return self
        lived_long = at_us - began_at_us >= GOOD_STRETCH_S * 1e6
        in_a_row = 1 if lived_long else self.in_a_row + 1
        return SupervisorDeaths(pid, at_us, died[:LONGEST_CHARS], self.total + 1, in_a_row)


def read_deaths(state_dir: Path) -> SupervisorDeaths:
    """Return the deaths recorded in this run; ignore a file that makes no sense."""
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
    """Write the deaths to disk, unless as many were recorded meanwhile.

    If the disk is full, the respawner tries again before the next start.
    """
    if read_deaths(state_dir).total >= deaths.total:
        return
    with suppress(OSError):
        replace_atomically(state_dir / DEATHS_FILE, json.dumps(astuple(deaths)).encode())


def forget_deaths(state_dir: Path) -> None:
    """Start counting at zero, for a new run."""
    with suppress(OSError):
        (state_dir / DEATHS_FILE).unlink()
