"""Reading a repository runs no program that it names."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from topkick.git.read.changes import ours_in
from topkick.git.read.directory import find_git
from topkick.git.read.repository import UNBORN, GitTree, NotCounted, read_tree


class Repo:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Test")
        self.git("config", "user.email", "test@localhost")

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.root, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def commit(self, path: str, text: str) -> str:
        self.write(path, text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", path)
        return self.git("rev-parse", "HEAD")

    def look(self, directory: str = ".", base: str | None = None) -> GitTree:
        found = read_tree(self.root / directory, base)
        assert found is not None
        return found


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path)
    made.commit("a/code.py", "x = 1\n")
    return made


def test_no_repository_is_seen_as_none(tmp_path: Path) -> None:
    assert read_tree(tmp_path, None) is None


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    assert repo.look().head == UNBORN
    head = repo.commit("a.txt", "text\n")
    assert repo.look(base=UNBORN) == GitTree(head, (head,), substance=True)


@pytest.mark.spec("VF-03")
def test_only_commits_in_the_directory_count(repo: Repo) -> None:
    base = repo.look().head
    other = repo.commit("b/code.py", "y = 1\n")
    elsewhere = GitTree(other, outside=(other,), outside_files=("b/code.py",))
    assert repo.look("a", base) == elsewhere
    of_another = NotCounted(others=("b",))
    assert read_tree(repo.root / "a", base, without=of_another) == GitTree(other)
    mine = repo.commit("a/code.py", "x = 2\n")
    assert repo.look("a", base) == replace(elsewhere, head=mine, commits=(mine,), substance=True)


@pytest.mark.spec("VF-03")
def test_files_that_are_nobodys_work_do_not_count(repo: Repo) -> None:
    base = repo.look().head
    head = repo.commit("topkick.toml", "agent = 'x'\n")
    (repo.root / "SUPERVISOR_STATE.md").write_text("as it stands\n")
    without = NotCounted(is_ours=ours_in(repo.root, repo.root))
    assert read_tree(repo.root, base, without=without) == GitTree(head)
    assert repo.look(base=base).substance


@pytest.mark.spec("VF-03")
def test_an_empty_commit_is_none(repo: Repo) -> None:
    base = repo.look().head
    repo.git("commit", "-q", "--allow-empty", "-m", "nothing")
    assert repo.look("a", base).commits == ()
    assert not repo.look("a", base).substance


@pytest.mark.spec("SM-07")
@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("x  =  1\n\n\n", False),
        ("# a comment\nx = 1\n", False),
        ("x = 1\n// another\n", False),
        ("x = 10\n", True),
        ("x = 1\ny = 2\n", True),
        ("", True),
    ],
)
def test_blanks_and_comments_are_no_substance(repo: Repo, text: str, counts: bool) -> None:
    base = repo.look().head
    repo.commit("a/code.py", text)
    assert repo.look("a", base).substance is counts


def test_a_renamed_file_is_substance(repo: Repo) -> None:
    base = repo.look().head
    repo.git("mv", "a/code.py", "a/other.py")
    repo.git("commit", "-q", "-m", "rename")
    assert repo.look("a", base).substance


def test_a_base_that_is_gone_proves_nothing(repo: Repo) -> None:
    head = repo.commit("a/code.py", "x = 3\n")
    assert repo.look("a", "1" * 40) == GitTree(head)


@pytest.mark.spec("SD-03")
def test_what_is_not_committed_is_named(repo: Repo) -> None:
    repo.write("a/new.py", "z = 1\n")
    repo.write("a/code.py", "x = 5\n")
    repo.write("b/elsewhere.py", "q = 1\n")
    repo.write(".gitignore", "*.log\n")
    repo.write("a/noise.log", "noise\n")
    assert repo.look("a").uncommitted == ("a/code.py", "a/new.py")


def test_a_directory_that_is_not_there_yet(repo: Repo) -> None:
    assert repo.look("later/on").uncommitted == ()


def test_nothing_that_an_agent_put_there_is_run(repo: Repo, tmp_path: Path) -> None:
    """`git status` would run each of these (law 7)."""
    witness = tmp_path / "witness"
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {witness}\ncat\n")
    trap.chmod(0o755)
    base = repo.look().head
    repo.git("config", "core.fsmonitor", str(trap))
    repo.git("config", "filter.trap.clean", str(trap))
    repo.git("config", "filter.trap.smudge", str(trap))
    repo.git("config", "diff.external", str(trap))
    repo.write(".gitattributes", "*.py filter=trap\n")
    repo.write("a/code.py", "x = 9\n")
    os.utime(repo.root / "a/code.py", (1, 1))
    assert "a/code.py" in repo.look("a", base).uncommitted
    assert not witness.exists()


def test_where_the_git_directory_is(repo: Repo, tmp_path: Path) -> None:
    place = find_git(repo.root / "a")
    assert place is not None
    assert (place.common, place.own, place.top) == (
        repo.root / ".git",
        repo.root / ".git",
        repo.root,
    )
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    linked = find_git(tmp_path / "linked")
    assert linked is not None
    assert linked.common == repo.root / ".git"
    assert linked.own == repo.root / ".git" / "worktrees" / "linked"
