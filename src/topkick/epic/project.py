"""Find, create and change epics on disk, for people and hooks."""

import platform
import re
import time
from datetime import UTC, datetime
from pathlib import Path

from topkick.app.config.file import load_config
from topkick.app.project import Project, find_file_project, make_state_dir
from topkick.app.state_dir.identity import who_commits
from topkick.app.state_dir.lock import ProjectLock
from topkick.checks.request import Trip
from topkick.engine.effects import Came, Share
from topkick.engine.errors import TopkickError, UsageError
from topkick.engine.io.files import read_plain, replace_atomically
from topkick.epic.body import Epic, read_epic, write
from topkick.epic.items import Status, is_id
from topkick.epic.task_files import task_path
from topkick.runner.run_dir import describe
from topkick.text.task_file import TaskFile

KIND = "epic"
LONGEST_BYTES = 1 << 20
PLACES = ("", "tasks", "epics")
MOST_FILES = 2000


# --- finding and reading ---------------------------------------------------------------------


def find_epic(named: str, here: Path) -> Project:
    """Find an epic by its path, or by its id in this directory, `tasks` or `epics`."""
    path = Path(named)
    if path.suffix == ".md" and path.is_file():
        return find_file_project(path, KIND)
    for place in PLACES if is_id(named) else ():
        found = here / place / f"{named}.md"
        if found.is_file():
            return find_file_project(found, KIND)
    raise UsageError(
        f"There is no epic {named!r}.\nName its file, or create one: topkick epic new TITLE"
    )


def epics_in(directory: Path) -> tuple[Path, ...]:
    """Return task files that say that they are epics, or have work items."""
    found = []
    for path in sorted(directory.glob("*.md"))[:MOST_FILES]:
        epic = read(path)
        if epic.file.get("type") == KIND or epic.file.section("Work Items") is not None:
            found.append(path)
    return tuple(found)


def text_of(path: Path) -> str:
    try:
        data = read_plain(path, LONGEST_BYTES + 1)
    except OSError as trouble:
        raise UsageError(
            f"{path} cannot be read: {trouble.strerror}.\n"
            f"It must be a regular file that you may read; see: ls -l {path}"
        ) from trouble
    if len(data) > LONGEST_BYTES:
        raise UsageError(f"{path} is larger than 1 MiB, so it is not read as a task file.")
    return data.decode("utf-8", "surrogateescape")


def read(path: Path) -> Epic:
    return read_epic(text_of(path), fallback_id=path.stem, at_us=now_us(), host=host())


def now_us() -> int:
    return time.time_ns() // 1000


def host() -> str:
    """Return this machine's name, without a path or a process number."""
    return re.sub(r"[^A-Za-z0-9-]", "-", platform.node().split(".")[0])[:40] or "host"


# --- changes by people and hooks -------------------------------------------------------------


def fresh(project: Project) -> Epic:
    """Return the epic as it is now, including the branch that shares it."""
    if share_of(project):
        make_state_dir(project)
        with ProjectLock(project.state_dir).acquire(now_us()):
            _bring_level(project)
    return read(project.plan_path)


def save(project: Project, before: Epic, after: Epic, done: tuple[str, ...] = ()) -> None:
    """Save the epic, unless a tick is at work or others changed the file meanwhile.

    The files of the items in `done` are updated too.
    """
    make_state_dir(project)
    with ProjectLock(project.state_dir).acquire(now_us()):
        path = project.plan_path
        if text_of(path) != before.file.text:
            raise UsageError(
                f"Another program changed {path} meanwhile, so nothing was written.\n"
                "Give the same command again."
            )
        data = write(after).encode("utf-8", "surrogateescape")
        replace_atomically(path, data, mode=path.stat().st_mode & 0o777)
        for name in done:
            _set_status(path.with_name(f"{name}.md"), Status.DONE)
        if share_of(project):
            _bring_level(project)


def share_of(project: Project) -> str:
    return load_config(project).epic.share


def _bring_level(project: Project) -> None:
    """Synchronise in this process, because a person waits for it."""
    from topkick.git.remote.shared_files import share_files

    own = project.plan_path.relative_to(project.root).as_posix()
    paths = (own, *(task_path(own, item.id) for item in read(project.plan_path).items))
    name, email = who_commits(project.root)
    trip = Trip("a person", str(project.root), str(project.state_dir),
                Share(share_of(project), paths), name=name, email=email)  # fmt: skip
    try:
        upshot = share_files(trip)
    except OSError as trouble:
        raise TopkickError(f"{own} could not be shared: {trouble}") from trouble
    if upshot.came is not Came.DONE:
        raise TopkickError(f"{own} could not be shared; the next tick tries again.\n{upshot.about}")


def _set_status(path: Path, status: str) -> None:
    """Set the status in a child's own file, if there is one."""
    if not path.is_file():
        return
    file = TaskFile.read(text_of(path)).with_value("status", status)
    data = file.text.encode("utf-8", "surrogateescape")
    replace_atomically(path, data, mode=path.stat().st_mode & 0o777)


def is_alive(project: Project, dispatch: str) -> bool:
    """Return whether this host has a worker at work under that id."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", dispatch):
        return False
    place = project.runs / dispatch
    return place.is_dir() and describe(place).state in {"claimed", "running", "orphaned"}


def make_epic(directory: Path, title: str, goal: str) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:50] or "epic"
    path = directory / f"{slug}.md"
    if path.exists():
        raise UsageError(
            f"{path} exists already, so nothing was written.\n"
            f"Choose another title, or look at it: topkick epic show {path}"
        )
    created = datetime.now(UTC).strftime("%Y-%m-%d")
    replace_atomically(path, _new_text(slug, title, goal, created).encode(), mode=0o644)
    return path


def _new_text(slug: str, title: str, goal: str, created: str) -> str:
    file = TaskFile.read("---\n---\n")
    for key, value in (("id", slug), ("title", title), ("type", KIND), ("status", "queued")):
        file = file.with_value(key, value)
    file = file.with_value("created", created)
    for key in ("parent", "assignee", "project", "effort"):
        file = file.with_value(key, None)
    file = file.with_items("depends_on", ()).with_items("tags", ())
    return f"{file.text}# {title}\n\n## Goal\n\n{goal.strip() or title}\n"
