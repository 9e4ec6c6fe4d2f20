"""Every mistake a person makes: the message, the exit code, the next step, and nothing is lost."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from story_project import Project, plan, sprint, unit, wait_for

Prepare = Callable[[Project], None]
START = ("start", "--yes", "--foreground")
PLAN = plan(unit("a", sprint(), sprint()), unit("b", needs="a"))
SMALL_DISK = "size=3m"


@dataclass(frozen=True)
class Mistake:
    """`says` are parts of what a person reads, the next step among them."""

    name: str
    prepare: Prepare
    words: tuple[str, ...]
    code: int
    says: tuple[str, ...]
    begun: bool = False
    disk: str = ""
    unprivileged: bool = False


# --- what a person may have done -----------------------------------------------------------


def nothing(_project: Project) -> None:
    return


def no_plan(project: Project) -> None:
    (project.root / "EXECUTION_PLAN.md").unlink()


def plan_is(text: str) -> Prepare:
    return lambda project: rewrite(project.root / "EXECUTION_PLAN.md", text)


def rewrite(path: Path, text: str) -> None:
    path.write_text(text)


def plan_is_a_directory(project: Project) -> None:
    no_plan(project)
    (project.root / "EXECUTION_PLAN.md").mkdir()


def no_agent_set_up(project: Project) -> None:
    (project.root / "topkick.toml").unlink()


def no_such_agent(project: Project) -> None:
    project.configure(f'"{sys.executable}"', '"no-such-agent"')


def misspelt_setting(project: Project) -> None:
    project.configure("[limits]", "[limts]")


def broken_toml(project: Project) -> None:
    rewrite(project.root / "topkick.toml", "[agents\n")


def locked(*parts: str, mode: int = 0) -> Prepare:
    return lambda project: project.root.joinpath(*parts).chmod(mode)


def fill_the_disk(project: Project) -> None:
    with (project.root / "filler").open("wb", buffering=0) as file:
        for size in (65536, 512, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue


def read_only_disk(project: Project) -> None:
    mount("-o", "remount,ro", str(project.root))


def damage_the_journal(project: Project) -> None:
    with project.place.journal_path.open("r+b") as file:
        data = bytearray(file.read())
        at = data.index(b"MissionBegan")
        file.seek(at)
        file.write(b"M1ssionBegan")


def lose_the_tail(project: Project) -> None:
    """The journal of a backup: whole, and older than what the board says."""
    db = sqlite3.connect(project.place.journal_path)
    db.execute("DELETE FROM records WHERE step = (SELECT max(step) FROM records)")
    db.commit()
    db.close()


def from_a_newer_release(project: Project) -> None:
    db = sqlite3.connect(project.place.journal_path)
    db.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    db.commit()
    db.close()


# --- the table -----------------------------------------------------------------------------

NO_RUN = "There is no run here"
DAMAGED = ("journal", "topkick journal check")
NEWER = ("has version 99", "Upgrade topkick")
MISTAKES = (
    Mistake("no plan", no_plan, START, 2, ("Cannot find EXECUTION_PLAN.md", "topkick start /path")),
    Mistake("no plan at that path", nothing, ("start", "nowhere.md"), 2, ("There is no plan at",)),
    Mistake("plan is a directory", plan_is_a_directory, START, 2, ("Cannot find EXECUTION",)),
    Mistake("empty plan", plan_is(""), START, 2, ("it defines no sprint", "### Sprint 1: Name")),
    Mistake(
        "cycle",
        plan_is(plan(unit("a", needs="b"), unit("b", needs="a"))),
        START,
        2,
        ("line 7", "a → b → a", "Remove one of these"),
    ),
    Mistake("unit twice", plan_is(plan(unit("a"), unit("a"))), START, 2, ("line 8", "rename one")),
    Mistake(
        "waits for nobody",
        plan_is(plan(unit("a", needs="ghost"))),
        START,
        2,
        ("ghost",),
    ),
    Mistake("unknown unit at start", nothing, (*START, "--only", "zz"), 2, ("no 'zz'", "U1  a")),
    Mistake("unknown unit", nothing, ("stop", "zz"), 2, ("no 'zz'", "U1  a"), begun=True),
    Mistake("unknown sprint", nothing, ("retry", "a/9"), 2, ("no 'a/9'", "U1/1"), begun=True),
    Mistake("unknown command", nothing, ("stauts",), 2, ("Did you mean: topkick status",)),
    Mistake("unknown option", nothing, ("start", "--frob"), 2, ("--frob", "topkick start --help")),
    Mistake("no reason given", nothing, ("accept", "U1/1"), 2, ("--why",), begun=True),
    Mistake("no agent set up", no_agent_set_up, START, 2, ("No agent is set up", "topkick init")),
    Mistake("no such agent", no_such_agent, START, 2, ("no-such-agent", "topkick doctor")),
    Mistake("unknown agent", nothing, (*START, "--agent", "x"), 2, ("x", "scripted")),
    Mistake("misspelt setting", misspelt_setting, START, 2, ("did you mean limits?",)),
    Mistake("broken toml", broken_toml, START, 2, ("not valid TOML", "line 1")),
    Mistake("start twice", nothing, START, 2, ("A run is here already", "resume"), begun=True),
    Mistake("resume of nothing", nothing, ("resume", "--yes"), 2, (NO_RUN, "topkick start")),
    Mistake("stop of nothing", nothing, ("stop",), 2, (NO_RUN, "topkick start")),
    Mistake("killall of nothing", nothing, ("killall",), 0, (NO_RUN,)),
    Mistake(
        "nobody to ask",
        nothing,
        ("start",),
        2,
        ("There is no terminal to ask in", "topkick start --yes"),
    ),
    Mistake(
        "plan not readable",
        locked("EXECUTION_PLAN.md"),
        START,
        2,
        ("cannot be read: Permission denied", "that you may read"),
        unprivileged=True,
    ),
    Mistake(
        "settings not readable",
        locked("topkick.toml"),
        START,
        2,
        ("cannot be read: Permission denied", "that you may read"),
        unprivileged=True,
    ),
    Mistake(
        "state not writable",
        locked(".git", mode=0o500),
        START,
        1,
        ("Permission denied", "Make the directory writable"),
        unprivileged=True,
    ),
    Mistake("full disk at start", fill_the_disk, START, 1, ("No space left",), disk=SMALL_DISK),
    Mistake(
        "full disk at resume",
        fill_the_disk,
        ("resume", "--yes", "--foreground"),
        1,
        ("full",),
        begun=True,
        disk=SMALL_DISK,
    ),
    Mistake(
        "status on a full disk",
        fill_the_disk,
        ("status",),
        0,
        ("U1/2", "BLOCKED"),
        begun=True,
        disk=SMALL_DISK,
    ),
    Mistake("read-only project", read_only_disk, START, 1, ("Read-only",), disk=SMALL_DISK),
    Mistake(
        "resume on a read-only disk",
        read_only_disk,
        ("resume", "--yes", "--foreground"),
        1,
        ("readonly", "topkick resume"),
        begun=True,
        disk=SMALL_DISK,
    ),
    Mistake(
        "status on a read-only disk",
        read_only_disk,
        ("status",),
        0,
        ("U1/2", "BLOCKED"),
        begun=True,
        disk=SMALL_DISK,
    ),
    *(
        Mistake(f"{words[0]} with a damaged journal", damage_the_journal, words, 5, DAMAGED, True)
        for words in (START, ("resume", "--yes"), ("status",), ("stop",), ("journal", "check"))
    ),
    Mistake("lost tail", lose_the_tail, ("resume", "--yes"), 5, ("accept-lost-tail",), begun=True),
    *(
        Mistake(f"{words[0]} with a newer schema", from_a_newer_release, words, 2, NEWER, True)
        for words in (START, ("resume", "--yes"), ("status",), ("stop",))
    ),
    Mistake(
        "killall on a full disk",
        fill_the_disk,
        ("killall",),
        1,
        ("Agents terminated: 0",),
        begun=True,
        disk=SMALL_DISK,
    ),
    Mistake(
        "killall on a read-only disk",
        read_only_disk,
        ("killall",),
        1,
        ("Agents terminated: 0", "could not be recorded"),
        begun=True,
        disk=SMALL_DISK,
    ),
    Mistake(
        "killall with a damaged journal",
        damage_the_journal,
        ("killall",),
        5,
        ("Agents terminated: 0", *DAMAGED),
        begun=True,
    ),
    Mistake(
        "killall with a newer schema",
        from_a_newer_release,
        ("killall",),
        2,
        ("Agents terminated: 0", *NEWER),
        begun=True,
    ),
)


# --- the test ------------------------------------------------------------------------------


def mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    root = tmp_path / "project"
    if root.is_mount():
        subprocess.run(["umount", "-l", str(root)], check=True)


def _made(mistake: Mistake, place: Path) -> Project:
    project = Project(place, portable=False)
    if mistake.disk:
        if os.geteuid() != 0:
            pytest.skip("only root can make a small disk")
        mount("-t", "tmpfs", "-o", mistake.disk, "none", str(project.root))
    project.make(PLAN, limits={"max_retries": 1})
    if mistake.begun:
        project.script("a.2", "")
        project.says(*START, code=3)
        project.wait_for_rest()
    return project


def _run(mistake: Mistake, project: Project) -> subprocess.CompletedProcess[str]:
    """Root may read and write everything, unless it gives that up."""
    drop = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
    prefix = drop if mistake.unprivileged and os.geteuid() == 0 else ()
    return subprocess.run(
        [*prefix, sys.executable, "-m", "topkick", *mistake.words],
        cwd=project.root,
        env=project.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def _everything(project: Project) -> dict[str, bytes]:
    """Return every file but the log and those that only name the project's holder."""
    passing = ("holder.json", "supervisor.log", "halt", "halt.ready")  # and the stop mark
    passing += ("journal.db", "journal.db-shm", "journal.db-wal")
    found = {
        str(path.relative_to(project.root)): path.read_bytes()
        for path in sorted(project.root.rglob("*"))
        if path.is_file() and path.name not in passing
    }
    return {**found, "journal": _journal(project)}


def _journal(project: Project) -> bytes:
    """Return the content of the journal, which SQLite may move between its files."""
    current = project.root / ".git" / "topkick" / "main" / "current"
    if not (current / "journal.db").exists():
        return b""
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(current, copy, dirs_exist_ok=True, ignore=_others)
        db = sqlite3.connect(Path(copy, "journal.db"))
        said = "\n".join(db.iterdump())
        db.close()
    return said.encode("utf-8", "surrogateescape")


def _others(_place: str, names: list[str]) -> list[str]:
    return [name for name in names if not name.startswith("journal.db")]


@pytest.mark.spec("J3", "K6", "PL-02")
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.name.replace(" ", "-"))
def test_a_mistake_is_told_plainly_and_costs_nothing(mistake: Mistake, place: Path) -> None:
    project = _made(mistake, place)
    mistake.prepare(project)
    before, starts = _everything(project), project.starts()
    done = _run(mistake, project)
    said = done.stdout + done.stderr
    assert done.returncode == mistake.code, said
    for part in mistake.says:
        assert part in said, said
    assert "Traceback" not in said
    assert "[Errno" not in said
    wait_for(lambda: not project.processes())
    after = _everything(project)
    assert [name for name in before if after.get(name) != before[name]] == []
    assert not mistake.begun or [name for name in after if name not in before] == []
    assert project.starts() == starts
