"""Throw-away repositories and the clones of two units of one."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pygit2

from topkick.git.clone.clone import make_clone
from topkick.git.clone.places import Clone, clones, laid_out
from topkick.git.isolation import Isolation
from topkick.git.landing import landing, merge
from topkick.git.landing.landing import Landing
from topkick.git.landing.merge import Merged
from topkick.git.program import Signed

ME = Signed("Someone", "someone@localhost")
IDENTITY = {"user.name": "Someone", "user.email": "someone@localhost"}
MISSION = "topkick/op"


def git(at: Path, *words: str, feed: str = "") -> str:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    found = subprocess.run(
        ["git", "-c", "user.name=S", "-c", "user.email=s@localhost", *words],
        cwd=at, env=env, check=True, capture_output=True, text=True, errors="surrogateescape",
        input=feed,
    )  # fmt: skip
    return found.stdout.strip()


def repository(at: Path) -> str:
    at.mkdir(parents=True)
    git(at, "init", "-q", "-b", "main")
    (at / "a.txt").write_text("one\n" * 20)
    git(at, "add", ".")
    git(at, "commit", "-qm", "first")
    return git(at, "rev-parse", "HEAD")


def commit(at: Path, name: str, text: str) -> str:
    (at / name).parent.mkdir(parents=True, exist_ok=True)
    (at / name).write_text(text)
    git(at, "add", "-A")
    git(at, "commit", "-qm", f"write {name}")
    return git(at, "rev-parse", "HEAD")


def commit_quietly(at: Path, name: str, text: str) -> str:
    """Commit with libgit2, so that no program planted in the repository can run."""
    (at / name).write_text(text)
    repo = pygit2.Repository(os.fspath(at))
    repo.index.add(name)
    repo.index.write()
    who = ME.now()
    parents = [] if repo.head_is_unborn else [repo.head.peel(pygit2.Commit).id]
    tree = repo.index.write_tree()
    return str(repo.create_commit("HEAD", who, who, f"write {name}\n", tree, parents))


def isolation_of(root: Path, base: str) -> Isolation:
    trees = root.parent / "trees" / "op"
    return laid_out(root, {root: base}, MISSION, trees)


def unmade_clone(root: Path, base: str, unit: str = "U1") -> Clone:
    (found,) = clones(root, isolation_of(root, base), unit)
    return found


def made_clone(root: Path, base: str, unit: str = "U1", tip: str = "") -> Clone:
    found = replace(unmade_clone(root, base, unit), tip=tip)
    make_clone(found, IDENTITY)
    return found


# --- as a journal would have it: where the branch stands is where topkick left it -------------


def left_at(main: Path, branch: str) -> str:
    found = pygit2.Repository(os.fspath(main)).references.get(f"refs/heads/{branch}")
    return str(found.target) if found is not None else ""


def recorded(clone: Clone) -> Clone:
    return replace(clone, tip=left_at(clone.main, clone.mission))


def integrate(clone: Clone, commit: str, signed: Signed, told: str) -> Merged:
    return merge.integrate(recorded(clone), commit, signed, told)


def catch_up(clone: Clone, signed: Signed, told: str) -> Merged:
    return merge.catch_up(recorded(clone), signed, told)


def tip_of(clone: Clone) -> str:
    return merge.tip_of(recorded(clone))


def look_at(top: Path, branch: str) -> Landing | None:
    return landing.look_at(top, branch, left_at(top, branch))
