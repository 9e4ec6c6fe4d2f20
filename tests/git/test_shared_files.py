"""Task files shared by a branch: two real clones and a bare repository, races and crashes."""

import multiprocessing
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from repositories import commit, git, repository

from topkick.checks.request import Trip
from topkick.engine.codec.texts import Text
from topkick.engine.effects import Came, Edit, Share, Upshot
from topkick.engine.io import crash_points
from topkick.git.program import GitFailed
from topkick.git.remote.remotes import Store
from topkick.git.remote.shared_files import share_files

pytestmark = pytest.mark.spec("EP-03")
EPIC = "tasks/e.md"
WHERE = "origin/epics"
FORK = multiprocessing.get_context("fork")


@dataclass
class Host:
    """A clone with task files, and what topkick knows of the remote there."""

    root: Path
    count: int = 0

    def read(self, path: str = EPIC) -> str:
        return (self.root / path).read_text()

    def write(self, text: str, path: str = EPIC) -> None:
        (self.root / path).write_text(text)

    def level(self, *paths: str) -> Upshot:
        self.count += 1
        return share_files(
            self._trip(f"{self.root.name}-{self.count}", Share(WHERE, paths or (EPIC,)))
        )

    def put(self, new: str, path: str = EPIC, errand: str = "") -> Upshot:
        self.count += 1
        return share_files(self.edit(new, path, errand or f"{self.root.name}-{self.count}"))

    def edit(self, new: str, path: str, errand: str) -> Trip:
        was = Text.of(self.read(path)).sha256 if (self.root / path).exists() else ""
        edits = (Edit(path, was, Text.of(new)),)
        return self._trip(errand, Share(WHERE, (path,), edits), new)

    def _trip(self, errand: str, share: Share, *texts: str) -> Trip:
        return Trip(errand, str(self.root), str(self.root / ".git/topkick"), share, texts)


@dataclass
class Pair:
    bare: Path
    a: Host
    b: Host

    def there(self, path: str = EPIC) -> str:
        return git(self.bare, "show", f"epics:{path}") + "\n"

    def commits(self) -> int:
        return int(git(self.bare, "rev-list", "--count", "epics"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both have the same epic, level, with a checkout that is none of topkick's business."""
    at = tmp_path_factory.mktemp("pair")
    repository(at / "seed")
    subprocess.run(["git", "clone", "-q", "--bare", at / "seed", at / "bare.git"], check=True)
    for name in ("a", "b"):
        subprocess.run(["git", "clone", "-q", at / "bare.git", at / name], check=True)
        (at / name / "tasks").mkdir()
    a, b = Host(at / "a"), Host(at / "b")
    a.write("one\ntwo\nthree\nfour\nfive\n")
    assert [a.level().came, b.level().came] == [Came.DONE, Came.DONE]
    assert b.read() == a.read()
    return at


@pytest.fixture
def pair(made: Path, tmp_path: Path) -> Pair:
    at = tmp_path / "pair"
    shutil.copytree(made, at, symlinks=True)
    for name in ("a", "b"):
        for path in (at / name / ".git/config", at / name / ".git/topkick/share.git/address"):
            path.write_text(path.read_text().replace(str(made), str(at)))
    return Pair(at / "bare.git", Host(at / "a"), Host(at / "b"))


def died_at(point: str, trip: Trip) -> None:
    """The errand is begun by a process that is killed there."""

    def run() -> None:
        crash_points.here = crash_points._Armed(point, "").here
        share_files(trip)
        os._exit(0)

    process = FORK.Process(target=run)
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL


def test_who_pushes_first_wins_and_the_other_does_nothing(pair: Pair) -> None:
    assert pair.a.put("a was here\n") == Upshot(Came.DONE)
    before = pair.b.read()
    assert pair.b.put("b was here\n") == Upshot(Came.LOST, EPIC)
    assert (pair.there(), pair.b.read()) == ("a was here\n", before)
    assert pair.b.level() == Upshot(Came.DONE)
    assert pair.b.read() == "a was here\n"
    assert pair.b.put("b was here\n") == Upshot(Came.DONE)
    assert pair.there() == "b was here\n"


@pytest.fixture
def first(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Upshot]], None]:
    """Have another host go first, right before the next push."""
    push = Store.push

    def arrange(other: Callable[[], Upshot]) -> None:
        def late(store: Store, commit: str) -> str:
            monkeypatch.setattr(Store, "push", push)
            assert other().came is Came.DONE
            return push(store, commit)

        monkeypatch.setattr(Store, "push", late)

    return arrange


def test_who_is_beaten_at_the_very_last_moment_has_lost(
    pair: Pair, first: Callable[[Callable[[], Upshot]], None]
) -> None:
    first(lambda: pair.a.put("a was here\n"))
    assert pair.b.put("b was here\n") == Upshot(Came.LOST, EPIC)
    assert pair.there() == "a was here\n"


def test_what_a_person_wrote_here_comes_on_top_of_what_was_just_written_there(
    pair: Pair, first: Callable[[Callable[[], Upshot]], None]
) -> None:
    pair.b.write("one\ntwo\nthree\nfour\nmine\n")
    first(lambda: pair.a.put("theirs\ntwo\nthree\nfour\nfive\n"))
    assert pair.b.level().came is Came.DONE
    assert pair.there() == pair.b.read() == "theirs\ntwo\nthree\nfour\nmine\n"


def test_of_many_at_once_one_wins_each_round(pair: Pair) -> None:
    """Both push on top of the same commit at the same moment, again and again."""
    for number in range(5):
        results, gate = FORK.Queue(), FORK.Barrier(2)

        def run(host: Host, told: str, results: Any = results, gate: Any = gate) -> None:
            gate.wait(60)
            results.put(
                (
                    host.root.name,
                    share_files(host.edit(told, EPIC, told.strip().replace(" ", "-"))).came,
                )
            )

        hosts = (pair.a, pair.b)
        processes = [
            FORK.Process(target=run, args=(host, f"{host.root.name} in {number}\n"))
            for host in hosts
        ]
        before = pair.commits()
        for process in processes:
            process.start()
        found = dict(results.get(timeout=60) for _ in processes)
        for process in processes:
            process.join(60)
        assert sorted(found.values()) == [Came.DONE, Came.LOST]
        winner = next(name for name, came in found.items() if came is Came.DONE)
        assert pair.there() == f"{winner} in {number}\n"
        assert pair.commits() == before + 1
        for host in hosts:
            assert host.level().came is Came.DONE


def test_the_first_to_share_anything_begins_the_branch(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "bare.git"], check=True)
    repository(tmp_path / "a")
    git(tmp_path / "a", "remote", "add", "origin", str(tmp_path / "bare.git"))
    (tmp_path / "a/tasks").mkdir()
    host = Host(tmp_path / "a")
    host.write("mine\n")
    assert host.level().came is Came.DONE
    assert git(tmp_path / "bare.git", "ls-tree", "-r", "--name-only", "epics").split() == [EPIC]


def test_others_on_the_same_branch_are_in_nobodys_way(pair: Pair) -> None:
    """The branch moved, but not this file: the edit goes on top, and no other change is lost."""
    (pair.b.root / "tasks/other.md").write_text("other\n")
    assert pair.b.level("tasks/other.md").came is Came.DONE
    assert pair.a.put("new\n").came is Came.DONE
    assert (pair.there("tasks/other.md"), pair.there()) == ("other\n", "new\n")


@pytest.mark.parametrize("point", ["share.before-push", "share.after-push", "share.after-write"])
def test_killed_it_is_done_again_and_done_once(pair: Pair, point: str) -> None:
    before = pair.commits()
    trip = pair.a.edit("new\n", EPIC, "a-errand")
    died_at(point, trip)
    assert pair.there() == ("one\ntwo\nthree\nfour\nfive\n" if "before" in point else "new\n")
    assert share_files(trip) == Upshot(Came.DONE)
    assert (pair.there(), pair.a.read()) == ("new\n", "new\n")
    assert pair.commits() == before + 1


def test_killed_after_the_push_and_overtaken_it_says_so(pair: Pair) -> None:
    trip = pair.a.edit("new\n", EPIC, "a-errand")
    died_at("share.after-push", trip)
    pair.b.level()
    assert pair.b.put("newer\n").came is Came.DONE
    assert share_files(trip) == Upshot(Came.OVERTAKEN, EPIC)
    assert pair.a.read() == "newer\n"


def test_killed_before_the_push_and_beaten_it_has_lost(pair: Pair) -> None:
    trip = pair.a.edit("new\n", EPIC, "a-errand")
    died_at("share.before-push", trip)
    assert pair.b.put("theirs\n").came is Came.DONE
    assert share_files(trip) == Upshot(Came.LOST, EPIC)


def test_what_a_person_wrote_here_goes_there(pair: Pair) -> None:
    pair.a.write("one\ntwo\nmine\nfour\nfive\n")
    assert pair.a.level().came is Came.DONE
    assert pair.there() == pair.a.read() == "one\ntwo\nmine\nfour\nfive\n"


def test_changes_of_different_lines_are_both_kept(pair: Pair) -> None:
    assert pair.b.put("one\ntwo\nthree\nfour\ntheirs\n").came is Came.DONE
    pair.a.write("mine\ntwo\nthree\nfour\nfive\n")
    assert pair.a.level().came is Came.DONE
    assert pair.there() == pair.a.read() == "mine\ntwo\nthree\nfour\ntheirs\n"


def test_changes_of_the_same_line_are_a_persons(pair: Pair) -> None:
    assert pair.b.put("theirs\n").came is Came.DONE
    pair.a.write("mine\n")
    with pytest.raises(GitFailed, match="changed here and on origin/epics"):
        pair.a.level()
    assert (pair.a.read(), pair.there()) == ("mine\n", "theirs\n")


def test_a_person_who_writes_during_the_tick_is_not_overwritten(pair: Pair) -> None:
    trip = pair.a.edit("new\n", EPIC, "a-errand")
    pair.a.write("a person's\n")
    assert share_files(trip) == Upshot(Came.CHANGED, EPIC)
    assert pair.a.read() == "a person's\n"


def test_what_was_never_shared_from_here_is_not_overwritten(pair: Pair) -> None:
    (pair.b.root / "tasks/new.md").write_text("theirs\n")
    pair.b.level("tasks/new.md")
    (pair.a.root / "tasks/new.md").write_text("mine\n")
    with pytest.raises(GitFailed, match="never shared from here"):
        pair.a.level("tasks/new.md")


def test_an_older_copy_is_brought_up_to_date(pair: Pair) -> None:
    """Of a file that this host has never shared: a clone from before, say."""
    older = pair.a.read()
    assert pair.a.put("new\n").came is Came.DONE
    shutil.rmtree(pair.b.root / ".git/topkick")
    assert pair.b.read() == older
    assert pair.b.level().came is Came.DONE
    assert pair.b.read() == "new\n"


def test_what_was_removed_there_is_not_brought_back(pair: Pair) -> None:
    other = pair.bare.parent / "other"
    subprocess.run(["git", "clone", "-q", "-b", "epics", pair.bare, other], check=True)
    (other / EPIC).unlink()
    commit(other, "gone.txt", "gone\n")
    git(other, "push", "-q", "origin", "epics")
    with pytest.raises(GitFailed, match="was removed on origin/epics"):
        pair.a.level()


def test_nothing_but_the_task_files_is_touched(pair: Pair) -> None:
    """No branch, no index, no settings of the user's, and no other file."""
    git(pair.a.root, "add", "tasks")

    def state() -> tuple[object, ...]:
        return (
            git(pair.a.root, "for-each-ref"),
            git(pair.a.root, "ls-files", "--stage"),
            (pair.a.root / ".git/config").read_text(),
            sorted(x.name for x in (pair.a.root / ".git").iterdir()),
            sorted(x for x in pair.a.root.rglob("*") if ".git" not in x.parts),
        )

    before = state()
    assert pair.a.put("new\n").came is Came.DONE
    assert pair.a.level().came is Came.DONE
    assert state() == before


def test_another_address_is_not_taken_unasked(pair: Pair) -> None:
    git(pair.a.root, "remote", "set-url", "origin", str(pair.bare.parent / "elsewhere.git"))
    with pytest.raises(GitFailed, match="The remote was"):
        pair.a.level()


@pytest.mark.parametrize("url", ["ext::sh -c 'touch {mark}'", "--upload-pack=touch {mark}"])
def test_an_address_that_runs_something_is_refused(pair: Pair, url: str) -> None:
    mark = pair.bare.parent / "mark"
    git(pair.a.root, "config", "remote.origin.url", url.format(mark=mark))
    with pytest.raises(GitFailed, match="not an https, ssh or file address"):
        pair.a.level()
    assert not mark.exists()


def test_settings_that_run_something_are_not_read(pair: Pair) -> None:
    mark = pair.bare.parent / "mark"
    for key in ("remote.origin.receivepack", "remote.origin.uploadpack", "core.sshCommand"):
        git(pair.a.root, "config", key, f"touch {mark}; false")
    hook = pair.a.root / ".git/hooks/pre-push"
    hook.write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
    hook.chmod(0o755)
    assert pair.a.put("new\n").came is Came.DONE
    assert not mark.exists()


def test_without_the_remote_it_says_why(pair: Pair) -> None:
    pair.bare.rename(pair.bare.parent / "away.git")
    with pytest.raises(GitFailed, match="fetch"):
        pair.a.level()


def test_over_ssh_with_the_users_own_program(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    ssh = pair.bare.parent / "bin/ssh"
    ssh.parent.mkdir()
    ssh.write_text(
        f'#!/bin/sh\necho "$*" >> {ssh}.said\nfor last; do :; done\n'
        f'exec sh -c "$(echo "$last" | sed \'s#/far/#{pair.bare.parent}/#\')"\n'
    )
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}{os.pathsep}{os.environ['PATH']}")
    git(pair.a.root, "remote", "set-url", "origin", "ssh://git@example.test/far/bare.git")
    (pair.a.root / ".git/topkick/share.git/address").unlink()
    assert pair.a.put("new\n").came is Came.DONE
    assert pair.there() == "new\n"
    assert "-oBatchMode=yes" in Path(f"{ssh}.said").read_text()
