"""Find a project and its state directory, which is never in the tree that agents work in."""

import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from topkick.app.state_dir.stop_mark import StopMark
from topkick.engine.errors import TopkickError, UsageError
from topkick.engine.io.files import NOTE_BYTES, fsync_dir, read_plain, replace_atomically
from topkick.git.read.directory import GitPlace, find_git
from topkick.sprint.model import JUDGE, PIPELINE, SPRINT

PLAN_NAME = "EXECUTION_PLAN.md"
CONFIG_NAME = "topkick.toml"
STATE_NAME = "SUPERVISOR_STATE.md"
PLAN_VARIABLE = "TOPKICK_PLAN"
PLAN_NOTE = "plan"
LARGEST_BOARD_BYTES = 64 << 20
LONGEST_PLAN_BYTES = 8 << 20
TEAM = PIPELINE
FILE_KINDS = ("kanban", "epic", TEAM, JUDGE)
"""Supervisors whose state is a file; `plan_path` is that file."""
OUR_FILES = (STATE_NAME, "SUPERVISOR_STATE.*.md", "ANALYSIS_REPORT.md", "ANALYSIS_REPORT.*.md")


class PlanNotFound(UsageError):
    """The message of PL-02: exactly these three lines."""

    def __init__(self, more: str = "") -> None:
        super().__init__(
            f"ERROR: Cannot find {PLAN_NAME}.\n"
            "topkick requires an execution plan to operate.\n"
            f"Please provide the path: topkick start /path/to/{PLAN_NAME}{more}"
        )


@dataclass(frozen=True, slots=True)
class Project:
    root: Path
    plan_path: Path
    state_dir: Path
    kind: str = SPRINT

    @property
    def config_path(self) -> Path:
        return self.root / CONFIG_NAME

    @property
    def board_path(self) -> Path:
        """The state file; a plan under another name has its own, because each carries its journal's
        head.

        A judge writes nothing into the project (CK-23).
        """
        if self.kind == JUDGE:
            return self.state_dir / STATE_NAME
        if self.plan_path.name == PLAN_NAME:
            return self.root / STATE_NAME
        named = self.plan_path.relative_to(self.root).with_suffix("")
        return self.root / f"SUPERVISOR_STATE.{'-'.join(named.parts)}.md"

    @property
    def completion_name(self) -> str:
        """The completion log's name, without its ending."""
        name = f"COMPLETE_{_plain(self.root.name) or 'project'}"
        if self.plan_path.name == PLAN_NAME:
            return name
        return f"{name}.{_plain(self.plan_path.stem) or 'plan'}"

    @property
    def current(self) -> Path:
        """The directory of the present run; finished ones are moved to `archive`."""
        return self.state_dir / "current"

    @property
    def archive(self) -> Path:
        return self.state_dir / "archive"

    @property
    def journal_path(self) -> Path:
        return self.current / "journal.db"

    @property
    def runs(self) -> Path:
        return self.current / "runs"

    @property
    def token(self) -> str:
        """The prefix of the marks of this project's agents; empty if its directory is gone.

        It is made from the directory and the plan's name alone, so that it is known even if the
        state, the repository or the plan were deleted. The inode distinguishes a copy of the
        project, or another project in its place.
        """
        try:
            found = self.root.stat()
        except OSError:
            return ""
        said = (self.root, self.kind, self.plan_path, found.st_dev, found.st_ino)
        return sha256("\0".join(map(str, said)).encode("utf-8", "surrogateescape")).hexdigest()[:16]

    @property
    def log_path(self) -> Path:
        return self.state_dir / "supervisor.log"


def find_project(plan: Path | None = None, start: Path | None = None) -> Project:
    """Find the project (PL-01): the given path (or TOPKICK_PLAN); else here; else each parent."""
    named = os.environ.get(PLAN_VARIABLE)
    if plan is None and start is None and named:
        plan = Path(named)
    return of_path(_given(plan) if plan is not None else _search((start or here()).resolve()))


def of_path(path: Path) -> Project:
    """Return the project of a plan, a board or an epic, whether or not that file exists."""
    return _of_file(path) or _of_plan(path)


def _of_plan(plan_path: Path) -> Project:
    root = plan_path.parent
    return Project(root, plan_path, _state_dir(root, plan_path.name))


def project_at(root: Path) -> Project:
    """Return the project in a directory, where a plan may not exist yet."""
    return Project(root, root / PLAN_NAME, _state_dir(root, PLAN_NAME))


def _of_file(path: Path) -> Project | None:
    """Return a board or an epic that was ever run, by the state it left."""
    made = (find_file_project(path, kind) for kind in FILE_KINDS)
    return next((project for project in made if project.state_dir.is_dir()), None)


def find_file_project(path: Path, kind: str) -> Project:
    """Return the project of a file that holds the state; it may be deep below the root."""
    path = path.resolve()
    root = _root_above(path)
    return Project(root, path, _state_dir(root, f"{kind} {path.relative_to(root)}"), kind)


def _root_above(path: Path) -> Path:
    """Return the directory with the settings; else the checkout; else the parent of the tasks."""
    git = find_git(path.parent)
    for place in path.parents:
        if (place / CONFIG_NAME).is_file():
            return place
        if git is not None and place == git.top:
            return place
    return path.parent.parent if path.parent.name == "tasks" else path.parent


def here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise UsageError(
            "The current directory was removed, so topkick finds no project. "
            "Change to the project's directory and run the command again."
        ) from None


def _given(plan: Path) -> Path:
    found = (plan / PLAN_NAME if plan.is_dir() else plan).resolve()
    if not found.is_file():
        raise no_plan_at(found)
    return found


def no_plan_at(path: Path) -> UsageError:
    return UsageError(
        f"There is no plan at {path}, so nothing was done.\n"
        "A small one to try: topkick init --example"
    )


def _search(start: Path) -> Path:
    for place in (start, *start.parents):
        if (place / PLAN_NAME).is_file():
            return place / PLAN_NAME
    runs = _plans_that_run(start)
    if len(runs) == 1:
        return runs[0]
    if runs:
        raise several_runs(runs)
    raise PlanNotFound


def several_runs(paths: Iterable[Path]) -> UsageError:
    names = "\n".join(f"  {PLAN_VARIABLE}={path}" for path in paths)
    return UsageError(
        f"Several plans have a run here. Put one of these before the command:\n{names}"
    )


def _plans_that_run(start: Path) -> list[Path]:
    """Return plans under other names with a run in this worktree."""
    found = (project.plan_path for project in noted_runs(start))
    return [path for path in found if path.is_file()]


def noted_runs(start: Path) -> list[Project]:
    """Return the runs that left a note of their plan's path; the plan itself may be gone.

    In git these are the runs of this worktree. Without git they are the runs of this directory
    and of the directories above it.
    """
    git = find_git(start)
    if git is None:
        places = (start, *start.parents)
        found = _noted(user_state(), Path("/"))
        return [project for project in found if project.root in places]
    found = _noted(git.common / "topkick", git.top)
    return [project for project in found if project.plan_path.is_relative_to(git.top)]


def _noted(states: Path, top: Path) -> list[Project]:
    found = (_of_note(note, top) for note in sorted(states.glob(f"*/{PLAN_NOTE}")))
    return [project for project in found if project is not None and project.current.is_dir()]


def _of_note(note: Path, top: Path) -> Project | None:
    """Return the project of a note; agents can write it, so it counts only in its own state
    directory.
    """
    path = top / _said_in(note)
    try:
        if ".." in path.parts or path.is_dir():
            return None
        project = of_path(path)
    except (OSError, ValueError, RuntimeError):  # not a valid name, or a loop of links
        return None
    return project if project.state_dir == note.parent else None


def _said_in(note: Path) -> str:
    try:
        return read_plain(note, NOTE_BYTES).decode("utf-8", "surrogateescape").strip()
    except OSError:
        return ""


def note_plan(project: Project) -> None:
    """Write the note for `noted_runs`, relative to the checkout, so that it survives a move."""
    git = find_git(project.root)
    path = project.plan_path.relative_to(git.top) if git is not None else project.plan_path
    said = f"{path}\n".encode("utf-8", "surrogateescape")
    replace_atomically(project.state_dir / PLAN_NOTE, said)


def stop_mark(project: Project) -> StopMark:
    return StopMark(project.state_dir, project.token)


def put_board_away(project: Project, now_us: int) -> None:
    """Archive the state file of an earlier journal, which carries that journal's head."""
    with suppress(FileNotFoundError):
        project.archive.mkdir(mode=0o700, exist_ok=True)
        kept = project.archive / f"{stamp(now_us)}-{project.board_path.name}"
        try:
            replace_atomically(kept, read_plain(project.board_path, LARGEST_BOARD_BYTES))
        except FileNotFoundError:
            return
        except OSError:  # no plain file, so not topkick's state file: move it away as it is
            project.board_path.rename(kept)
        else:
            project.board_path.unlink()
        fsync_dir(project.board_path.parent)


def stamp(at_us: int) -> str:
    return time.strftime("%Y%m%d-%H%M%S", time.gmtime(at_us / 1e6))


def _state_dir(root: Path, plan_name: str) -> Path:
    """Return a directory for each plan and worktree, in the git directory that worktrees share.

    If the project became a git repository after its run began, the run's state stays where it is.
    """
    git = find_git(root)
    which = "" if plan_name == PLAN_NAME else f"-{_slug(plan_name)}"
    without_git = user_state() / (_slug(str(root)) + which)
    if git is None:
        return without_git
    in_git = git.common / "topkick" / (_name(git, root) + which)
    return without_git if not in_git.exists() and (without_git / "current").is_dir() else in_git


def _name(git: GitPlace, root: Path) -> str:
    worktree = "main" if git.own == git.common else f"worktree-{_slug(git.own.name)}"
    inside = root.relative_to(git.top).as_posix()
    return worktree if inside == "." else f"{worktree}-{_slug(inside)}"


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "-", name)


def _slug(text: str) -> str:
    """Return a readable name that is unique for each text."""
    readable = re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")[-60:] or "root"
    return f"{readable}-{sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


def user_state() -> Path:
    given = os.environ.get("XDG_STATE_HOME")
    return (Path(given) if given else Path.home() / ".local" / "state") / "topkick"


def require_local_disk(project: Project) -> None:
    """Raise on a network file system, where the journal's write-ahead log does not work."""
    from topkick.engine.io.filesystems import is_network

    place = project.state_dir
    while not place.exists():
        place = place.parent
    kind = is_network(place)
    if kind is not None:
        raise UsageError(
            f"The state directory of this project would be on a network file system ({kind}): "
            f"{place}.\nThe journal needs a local disk, so nothing was started. Clone the project "
            "to a local disk, then there: topkick start"
        )


def make_state_dir(project: Project) -> None:
    try:
        project.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise TopkickError(
            f"The state directory {project.state_dir} cannot be made: {error.strerror}.\n"
            "The journal has to be there, so nothing was started. Make the directory writable, "
            "then run the command again."
        ) from error


def exclude_our_files(project: Project) -> None:
    """Exclude topkick's files at the project root from git (best effort).

    A judge has none there.
    """
    git = find_git(project.root)
    if git is None or project.kind == JUDGE:
        return
    path = git.common / "info" / "exclude"
    inside = project.root.relative_to(git.top).as_posix()
    prefix = "/" if inside == "." else f"/{inside}/"
    names = (*OUR_FILES, f"{project.completion_name}*.md")
    wanted = [os.fsencode(prefix + name) for name in names]
    try:
        text = read_plain(path, LARGEST_BOARD_BYTES, follow_links=True) if path.exists() else b""
        missing = [line for line in wanted if line not in text.split(b"\n")]
        if missing:
            path.parent.mkdir(exist_ok=True)
            end = b"" if text.endswith(b"\n") or not text else b"\n"
            text += end + b"".join(line + b"\n" for line in missing)
            replace_atomically(path.resolve(), text, mode=0o644)
    except OSError:
        return
