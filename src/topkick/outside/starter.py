"""Names the process that has queued a start and waits for a supervisor to read it."""

import json
import os
from pathlib import Path

from topkick.outside.ground import processes
from topkick.outside.ground.files import NOTE_BYTES, read_plain, replace_atomically
from topkick.outside.ground.processes import Identity

STARTER_FILE = "starter.json"


def sign(state_dir: Path) -> None:
    """Record this process, before the queued start can be found."""
    said = json.dumps(processes.identify(os.getpid())).encode()
    replace_atomically(state_dir / STARTER_FILE, said, durable=False)


def living(state_dir: Path) -> int | None:
    """Return the pid of the process that signed last, if it lives and is not this process."""
    try:
        who = Identity(*json.loads(read_plain(state_dir / STARTER_FILE, NOTE_BYTES)))
        return who.pid if who.pid != os.getpid() and processes.alive(who) else None
    except (OSError, ValueError, TypeError, RecursionError, OverflowError):
        return None
