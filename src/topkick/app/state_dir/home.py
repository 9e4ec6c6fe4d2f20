"""Decide which project the runs in a state directory belong to: this one, its original, or another
container.
"""

import json
import os
import secrets
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from topkick.engine.io.files import NOTE_BYTES, read_plain, replace_atomically
from topkick.runner import run_dir
from topkick.runner.process import processes

HOME_FILE = "home.json"
DOUBT_S = 1.0


@dataclass(frozen=True, slots=True)
class Home:
    """The place of a state directory when a supervisor last used it.

    A moved directory keeps its inode; after a move to another disk it is gone from its old path.
    Only a copy finds the same token at the old path.
    """

    token: str
    path: str
    device: int
    inode: int


def settle(state_dir: Path) -> None:
    """Record this path as the state directory's home. The caller must hold the project lock."""
    known, here = _read(state_dir), state_dir.stat()
    token = known.token if known is not None and original(state_dir) is None else _new_token()
    home = Home(token, str(state_dir.resolve()), here.st_dev, here.st_ino)
    if home != known:
        said = json.dumps(asdict(home)).encode()
        with suppress(OSError):  # a full disk must not keep killall from its work
            replace_atomically(state_dir / HOME_FILE, said)


def original(state_dir: Path) -> Path | None:
    """Return the state directory that this one is a copy of, if it still exists."""
    home = _read(state_dir)
    if home is None:
        return None
    here, there = state_dir.stat(), Path(home.path)
    if (home.device, home.inode) == (here.st_dev, here.st_ino):
        return None
    with suppress(OSError):
        if os.path.samestat(here, there.stat()):
            return None
        other = _read(there)
        return there if other is not None and other.token == home.token else None
    return None


def claimed_runs(runs: Path) -> list[Path]:
    """Return directories of runs that a keeper claimed and whose end is not recorded."""
    try:
        found = sorted(runs.iterdir())
    except OSError:
        return []
    return [path for path in found if _is_claimed(path)]


def _is_claimed(path: Path) -> bool:
    try:
        if not path.is_dir() or (path / "exit.json").exists():
            return False
        claim = run_dir.read_claim(path)
    except OSError:  # no keeper made it; the run's watch will report it
        return False
    return claim is not None and claim.revoked is None


def give_up(runs: Path) -> None:
    """Disown all runs of a copied project: their agents belong to the original."""
    for path in claimed_runs(runs):
        run_dir.disown(path, "its agent belongs to the original")
    for order in runs.glob("*/order.json"):
        if not order.with_name("claim").exists():  # it names paths of the original
            order.unlink()


def kept_elsewhere(runs: Path) -> list[str]:
    """Return runs whose keeper lives in another container."""
    return [path.name for path in claimed_runs(runs) if _is_kept_elsewhere(path)]


def _is_kept_elsewhere(path: Path) -> bool:
    """Return whether the keeper's lock is held although its process cannot be seen.

    This is checked for a while: a child forked by a dying keeper may hold the lock for a moment.
    Without /proc, start times are too coarse to prove that a process is not the keeper.
    """
    claim = run_dir.read_claim(path)
    if claim is None or claim.keeper is None or claim.keeper.portable:
        return False
    ends_at_s = time.monotonic() + DOUBT_S
    while not processes.alive(claim.keeper) and run_dir.keeper_lives(path):
        if time.monotonic() >= ends_at_s:
            return True
        time.sleep(0.05)
    return False


def _read(state_dir: Path) -> Home | None:
    try:
        said = json.loads(read_plain(state_dir / HOME_FILE, NOTE_BYTES))
        return Home(str(said["token"]), str(said["path"]), int(said["device"]), int(said["inode"]))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _new_token() -> str:
    return secrets.token_hex(8)
