"""Follow, count and signal only agents that belong to this project and are within reach.

The state directory may be a copy of another project's, or its agents may be in another container.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from topkick.app.project import Project, put_board_away
from topkick.app.state_dir.lock import ProjectLock
from topkick.engine.errors import AnotherSupervisor, UsageError
from topkick.engine.io.files import NOTE_BYTES, read_plain, replace_atomically
from topkick.git.read.directory import find_git

HOME_FILE = "home.json"


class CopiedProject(UsageError):
    """The agents in this project's files belong to the original."""


class RunsElsewhere(AnotherSupervisor):
    """Agents run in another container, where their process ids are valid."""


def whose_copy(project: Project) -> Path | None:
    """Return the state directory that this one was copied from, while its agents are in doubt."""
    if not project.state_dir.is_dir():
        return None
    copied_from = original(project.state_dir)
    if copied_from is None:
        return None
    from topkick.app.state_dir.claimed_runs import claimed_runs  # it loads the runner

    return copied_from if claimed_runs(project.runs) else None


def require_own(project: Project) -> None:
    _require_own_worktree(project)
    copied_from = whose_copy(project)
    if copied_from is not None:
        raise CopiedProject(
            f"This project is a copy, made during a run. The state directory of the original is "
            f"{copied_from}.\nThe agents of that run belong to the original: this copy neither "
            "follows nor ends them.\n"
            "Continue in the original: topkick resume    "
            "Or repeat their work here too: topkick resume --adopt-copy"
        )


def _require_own_worktree(project: Project) -> None:
    """Raise for a copied worktree, which points to the same git directory and state."""
    git = find_git(project.root)
    if git is None or git.checked_out_at is None:
        return
    if not git.checked_out_at.exists() or git.checked_out_at.samefile(git.top / ".git"):
        return
    raise CopiedProject(
        f"{git.top} is a copy of the git worktree {git.checked_out_at.parent} and would share the "
        "original's run, so nothing was done.\n"
        "Make a worktree instead (git worktree add), or work in the original."
    )


def require_within_reach(project: Project) -> None:
    from topkick.app.state_dir.claimed_runs import kept_elsewhere

    away = kept_elsewhere(project.runs)
    if away:
        raise RunsElsewhere(
            f"Agents of this project work in another container (PID namespace): {', '.join(away)}."
            "\nFrom here, topkick can neither follow nor end them; nothing was signalled.\n"
            "In that container: topkick resume, or topkick killall    Or wait until they end."
        )


def settle(project: Project) -> None:
    """Check ownership; called by the holder of the project before it acts."""
    require_own(project)
    require_within_reach(project)
    settle_home(project.state_dir)


def adopt_copy(project: Project, now_us: int) -> None:
    """Make a copied run this project's own; the original's agents count as lost."""
    if whose_copy(project) is None:
        return
    from topkick.app.state_dir.claimed_runs import give_up

    with ProjectLock(project.state_dir).acquire(now_us):
        give_up(project.runs)
        put_board_away(project, now_us)  # copied while the original continued, it may be ahead
        settle_home(project.state_dir)


# --- the home of a state directory ------------------------------------------------------------


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


def settle_home(state_dir: Path) -> None:
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


def _read(state_dir: Path) -> Home | None:
    try:
        said = json.loads(read_plain(state_dir / HOME_FILE, NOTE_BYTES))
        return Home(str(said["token"]), str(said["path"]), int(said["device"]), int(said["inode"]))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _new_token() -> str:
    return os.urandom(8).hex()
