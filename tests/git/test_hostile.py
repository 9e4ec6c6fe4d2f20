"""topkick never runs a program that a repository names (law 7), and takes over only its commits."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pygit2
import pytest
from repositories import (
    IDENTITY,
    ME,
    catch_up,
    commit_quietly,
    git,
    integrate,
    isolation_of,
    look_at,
    made_clone,
    repository,
    unmade_clone,
)
from traps import TRAPS, Ground, environment_of

from topkick.git.clone import cleanup
from topkick.git.clone.clone import make_clone
from topkick.git.landing import landing
from topkick.git.landing.fetch_commits import NotGathered, gather, head_of
from topkick.git.landing.merge import lend_mission
from topkick.git.program import GitFailed
from topkick.git.program import git as hardened
from topkick.git.read.repository import read_tree
from topkick.git.salvage import kept_in, restore, save, snapshot

EVERYDAY = (
    "status --porcelain",
    "diff",
    "add a.txt",
    "commit -m words",
    "commit --allow-empty",
    "tag -a v1 -m words",
    "checkout -b other",
    "merge --no-edit HEAD~1",
    "rebase -i HEAD~1",
    "gc --auto",
    "fetch MAIN",
    "ls-remote ssh://h/x",
    "ls-remote git://h.invalid/x",
    "ls-remote https://h.invalid/x",
    "submodule update --init",
)
NAMED_BY_THE_REPOSITORY = {
    "alias",
    "diff_command",
    "filter_called_lfs",
    "filter_clean",
    "filter_process",
    "filter_smudge",
    "merge_driver",
    "modules_updated_by_a_program",
    "textconv",
    "trailer",
    "upload_pack",
}
REFUSED_AT_HOME = ("other_addresses",)
LINES = ["one\n"] * 20


@dataclass(frozen=True)
class World:
    main: Path
    canary: Path
    program: Path
    base: str

    def ground(self, top: Path) -> Ground:
        return Ground(top, top / ".git", self.program, self.main)

    def still(self, what: str) -> None:
        said = self.canary.read_text() if self.canary.exists() else ""
        assert not said, f"{what} ran {said}"


@pytest.fixture
def world(tmp_path: Path) -> World:
    canary, program, main = tmp_path / "canary", tmp_path / "program", tmp_path / "proj"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> "{canary}"\nexit 0\n')
    program.chmod(0o755)
    repository(main)
    git(main, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    git(main, "commit", "-qm", "a submodule that is not here")
    return World(main, canary, program, git(main, "rev-parse", "HEAD"))


def _line(number: int, text: str) -> str:
    return "".join([*LINES[:number], text, *LINES[number + 1 :]])


@pytest.mark.parametrize("name", TRAPS)
def test_the_trap_is_one(world: World, name: str) -> None:
    trap = TRAPS[name]
    at = world.main.parent / "plain"
    git(world.main, "clone", "-q", str(world.main), str(at))
    git(at, "config", "user.name", "S")
    git(at, "config", "user.email", "s@localhost")
    git(at, "remote", "remove", "origin")
    trap.plant(world.ground(at))
    commit_quietly(world.main, "later.txt", "later\n")
    alien = ("GIT_", "SSH_ASKPASS")
    env = {name: value for name, value in os.environ.items() if not name.startswith(alien)}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
    env |= environment_of(trap, world.program)
    line = trap.springs.replace("MAIN", str(world.main))
    subprocess.run(["/bin/sh", "-c", line], cwd=at, env=env, capture_output=True, check=False)
    assert world.canary.exists(), f"plain git does not fall into it: {line}"


@pytest.mark.spec("GT-06")
@pytest.mark.parametrize("name", TRAPS)
def test_no_operation_springs_it(world: World, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trap = TRAPS[name]
    if name not in REFUSED_AT_HOME:
        trap.plant(world.ground(world.main))
    for variable, value in environment_of(trap, world.program).items():
        monkeypatch.setenv(variable, value)
    for what, operation in _operations(world, lambda at: trap.plant(world.ground(at))):
        operation()
        world.still(what)


@pytest.mark.parametrize("name", sorted(TRAPS.keys() - NAMED_BY_THE_REPOSITORY))
def test_the_program_does_not_spring_it_either(
    world: World, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """We do not run git where agents write; if ever we did, this much would still hold."""
    one = made_clone(world.main, world.base)
    TRAPS[name].plant(world.ground(one.at))
    for variable, value in environment_of(TRAPS[name], world.program).items():
        monkeypatch.setenv(variable, value)
    (one.at / "a.txt").write_text("changed\n")
    for line in EVERYDAY:
        with suppress(GitFailed):
            hardened(*line.replace("MAIN", str(world.main)).split(), at=one.at)
        world.still(line)


def _operations(
    world: World, plant: Callable[[Path], None]
) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield everything that topkick does with git, in the order of a run."""
    main, units = world.main, ("U1", "U2")
    one, two = (unmade_clone(main, world.base, unit) for unit in units)
    cleanup.write_about(main, isolation_of(main, world.base))
    for clone in (one, two):
        yield "make_clone", lambda clone=clone: make_clone(clone, IDENTITY)
        plant(clone.at)
    for number, clone in enumerate((one, two)):
        yield "read_tree", lambda clone=clone: read_tree(clone.at, world.base)
        made = commit_quietly(clone.at, "a.txt", _line(19 * number, f"by {clone.unit}\n"))
        yield "gather", lambda clone=clone, made=made: gather(clone, made)
        yield "integrate", lambda clone=clone, made=made: integrate(clone, made, ME, "Merge")
    yield "lend_mission", lambda: lend_mission(one)
    yield "catch_up", lambda: catch_up(one, ME, "Catch up")
    assert "by u2" in (one.at / "a.txt").read_text()
    (two.at / "a.txt").write_text("uncommitted\n")
    yield "save", lambda: save(two.at, main, "u2", ME, "Work of U2")
    (kept,) = kept_in(main)
    yield "restore", lambda: restore(main, kept, force=True)
    yield "snapshot", lambda: snapshot(main, "start", ME, "At the start")
    commit_quietly(main, "a.txt", _line(10, "by the user\n"))
    yield "look_at", lambda: look_at(main, one.mission)
    found = look_at(main, one.mission)
    assert found is not None
    assert not found.forward
    yield "land", lambda: landing.land(found, ME)
    assert "by u1" in (main / "a.txt").read_text()
    (two.at / "a.txt").write_text(_line(19, "by u2\n"))
    trees = main.parent / "trees"
    yield "look_around", lambda: list(cleanup.look_around(trees, ""))
    for standing in cleanup.look_around(trees, ""):
        yield "clear", lambda standing=standing: cleanup.clear(_going(standing))


def _going(standing: cleanup.UnitTrees) -> cleanup.UnitTrees:
    """Also one that stays because of what was planted in it: here all have to go."""
    return cleanup.UnitTrees(standing.place, standing.mission, standing.unit, standing.bytes)


# --- what is taken over --------------------------------------------------------------------


@pytest.mark.spec("GT-06")
def test_other_refs_of_a_clone_stay_there(world: World) -> None:
    one = made_clone(world.main, world.base)
    before = git(world.main, "for-each-ref", "--format=%(refname) %(objectname)")
    made = commit_quietly(one.at, "work.txt", "work\n")
    git(one.at, "tag", "v1")
    git(one.at, "tag", "-m", "told", "v2", made)
    aside = commit_quietly(one.at, "aside.txt", "aside\n")
    git(one.at, "branch", "aside")
    git(one.at, "update-ref", "refs/heads/main", aside)
    git(one.at, "update-ref", "refs/topkick/units/op/u2", aside)
    gather(one, made)
    after = git(world.main, "for-each-ref", "--format=%(refname) %(objectname)")
    assert set(after.splitlines()) - set(before.splitlines()) == {f"{one.gathered} {made}"}
    assert aside not in pygit2.Repository(str(world.main))


def _tree(repo: Path, *entries: bytes) -> str:
    """Write a tree object that no git program would write."""
    raw = pygit2.Repository(str(repo))
    return str(raw.odb.write(pygit2.enums.ObjectType.TREE, b"".join(entries)))


def _entry(mode: bytes, name: bytes, oid: str) -> bytes:
    return mode + b" " + name + b"\0" + bytes.fromhex(oid)


@pytest.mark.spec("GT-06")
@pytest.mark.parametrize("name", [b".git", b"..", b".", b".GIT", b"a/b", b"git~1"])
def test_a_tree_with_a_treacherous_name_is_refused(world: World, name: bytes) -> None:
    one = made_clone(world.main, world.base)
    blob = git(one.at, "hash-object", "-w", "--stdin", feed="x")
    inner = _tree(one.at, _entry(b"100644", b"config", blob))
    entry = _entry(b"40000", name, inner)
    if b"/" in name:
        entry = _entry(b"100644", name, blob)
    made = git(one.at, "commit-tree", "-p", world.base, "-m", "bad", _tree(one.at, entry))
    git(one.at, "update-ref", f"refs/heads/{one.branch}", made)
    assert head_of(one) == made
    before = git(world.main, "for-each-ref")
    with pytest.raises(GitFailed, match=r"(?i)fsck|contains|hasDot|fullPath|error in object"):
        gather(one, made)
    assert git(world.main, "for-each-ref") == before
    assert made not in pygit2.Repository(str(world.main))


@pytest.mark.spec("GT-06")
def test_a_modules_file_with_an_option_for_an_address_is_refused(world: World) -> None:
    one = made_clone(world.main, world.base)
    text = '[submodule "lib"]\n\tpath = lib\n\turl = --upload-pack=touch\n'
    with pytest.raises(GitFailed, match="gitmodules"):
        gather(one, commit_quietly(one.at, ".gitmodules", text))


@pytest.mark.spec("GT-06")
def test_a_history_that_an_agent_cut_off_stays_whole_at_home(world: World) -> None:
    one = made_clone(world.main, world.base)
    (one.at / ".git" / "shallow").write_text(f"{world.base}\n")
    gather(one, commit_quietly(one.at, "work.txt", "work\n"))
    assert not (world.main / ".git" / "shallow").exists()
    assert len(git(world.main, "log", "--format=%h", one.gathered).split()) == 3


@pytest.mark.spec("GT-06")
def test_addresses_that_stand_for_programs_are_refused_at_home(world: World) -> None:
    one = made_clone(world.main, world.base)
    made = commit_quietly(one.at, "work.txt", "work\n")
    TRAPS["other_addresses"].plant(world.ground(world.main))
    with pytest.raises(GitFailed):
        gather(one, made)
    world.still("gather")


@pytest.mark.spec("GT-06", "N4")
@pytest.mark.parametrize("how", ["worktree", "bare", "link", "commondir"])
def test_a_clone_that_leads_elsewhere_is_refused(world: World, how: str) -> None:
    one, two = (made_clone(world.main, world.base, unit) for unit in ("U1", "U2"))
    made = commit_quietly(two.at, "new.txt", "new\n")
    gather(two, made)
    integrate(two, made, ME, "Merge")
    elsewhere = world.main.parent / "elsewhere"
    elsewhere.mkdir()
    match how:
        case "worktree":
            git(one.at, "config", "core.worktree", str(elsewhere))
        case "bare":
            git(one.at, "config", "core.bare", "true")
        case "link":
            (one.at / ".git").rename(elsewhere / "git")
            (one.at / ".git").symlink_to(elsewhere / "git")
        case "commondir":
            (one.at / ".git" / "commondir").write_text(f"{world.main / '.git'}\n")
    for operation in (
        lambda: head_of(one),
        lambda: lend_mission(one),
        lambda: catch_up(one, ME, "Catch up"),
        lambda: gather(one, "1" * 40),
    ):
        with pytest.raises(NotGathered, match="lead to another directory"):
            operation()
    assert [p.name for p in elsewhere.iterdir()] == (["git"] if how == "link" else [])
    cleanup.write_about(world.main, isolation_of(world.main, world.base))
    found = {s.unit: s.why_not for s in cleanup.look_around(world.main.parent / "trees", "")}
    assert "lead to another directory" in found["u1"]
