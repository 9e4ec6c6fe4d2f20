"""Fifty random dirty trees: `killall`, `stop` and `resume` leave every byte of them as it was."""

import hashlib
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import dirt
import pytest
from story_project import Project, wait_for

UNITS = [f"t{number}" for number in range(10)]
PATIENCE_S = 90.0
PLAN_HEAD = """# EXECUTION_PLAN.md — Dirty trees

## Work Units

| Work Unit | Directory | Sprints | Dependencies |
|---|---|---|---|
"""


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    made.env |= {"GIT_AUTHOR_NAME": "S", "GIT_AUTHOR_EMAIL": "s@localhost"}
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


@pytest.mark.spec("K5")
@pytest.mark.parametrize("seed", range(3))
def test_in_the_checkout_itself(alone: Project, seed: int) -> None:
    """Each unit's directory is a repository of its own."""
    _write_plan(alone, "shared", seed="")
    template = alone.scripts / "template"
    template.mkdir()
    dirt.fill(template)
    _commit_all(template)
    _commit_all(alone.root)
    for unit in UNITS:
        shutil.copytree(template, alone.root / unit, symlinks=True)
        dirt.make_dirty(alone.root / unit, random.Random(f"{seed}.{unit}"))
    trees = [alone.root / unit for unit in UNITS]
    before = _all(trees)
    alone.start_in_background("--max-agents", "10")
    _all_at_work(alone, 10)
    assert _all(trees) == before, "start"
    _kill_stop_resume(alone, trees)


@pytest.mark.spec("K5", "GT-06")
@pytest.mark.parametrize("seed", range(2))
def test_in_clones(alone: Project, seed: int) -> None:
    """Each agent makes its own clone dirty."""
    _write_plan(alone, "clone", seed=f"clone{seed}")
    for unit in UNITS:
        dirt.fill(alone.root / unit)
    _commit_all(alone.root)
    home = [alone.root]
    before = _all(home)
    alone.start_in_background("--max-agents", "10")
    _all_at_work(alone, 10)
    isolation = alone.mission().isolation
    assert isolation is not None
    trees = [Path(isolation.place) / f"u{n}" / isolation.home for n in range(1, 11)]
    assert len({_hash(tree) for tree in trees}) == 10
    _kill_stop_resume(alone, trees)
    assert _all(home) == before


def _kill_stop_resume(project: Project, trees: list[Path]) -> None:
    assert all(_is_dirty(tree) for tree in trees)
    before = _all(trees)
    project.says("killall")
    assert _all(trees) == before, "killall"
    _at_rest(project)
    project.says("resume")
    _all_at_work(project, 20)
    assert _all(trees) == before, "resume"
    project.says("stop", "--now")
    _at_rest(project)
    assert _all(trees) == before, "stop"


def _at_rest(project: Project) -> None:
    wait_for(lambda: project.supervisor() is None and not project.processes(), PATIENCE_S)


def _is_dirty(tree: Path) -> bool:
    env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "GIT_OPTIONAL_LOCKS": "0"}
    words = ["git", "status", "--porcelain"]
    return bool(subprocess.run(words, cwd=tree, env=env, check=True, capture_output=True).stdout)


def _all_at_work(project: Project, count: int) -> None:
    wait_for(lambda: len(list(project.scripts.glob("at-work.*"))) >= count, PATIENCE_S)


def _write_plan(project: Project, isolation: str, seed: str) -> None:
    rows = "".join(f"| {u} | {u} | 1 | none |\n" for u in UNITS)
    units = "".join(
        f"\n## {u}\n\n### Sprint 1: One\n\n**Exit criteria**:\n\n```sh\ntest -f {u}/done\n```\n"
        for u in UNITS
    )
    (project.root / "EXECUTION_PLAN.md").write_text(PLAN_HEAD + rows + units)
    words = [sys.executable, "-I", "-S", dirt.__file__, str(project.scripts), "{run_id}", seed]
    (project.root / "topkick.toml").write_text(
        f'agent = "dirty"\nisolation = "{isolation}"\nritual = false\n'
        f"[agents.dirty]\ncommand = {words!r}\n"
        "[limits]\nstop_grace_seconds = 0.5\nkill_grace_seconds = 0.5\n"
    )


def _commit_all(top: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=S", "-c", "user.email=s@localhost")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "first")):
        subprocess.run(["git", *who, *words], cwd=top, env=env, check=True)


def _all(trees: list[Path]) -> dict[Path, str]:
    return {tree: _hash(tree) for tree in trees}


def _hash(top: Path) -> str:
    """HEAD, the bytes of the index, and each file with its kind and mode; not our own board."""
    found = hashlib.sha256()
    for name in ("HEAD", "index"):
        found.update((top / ".git" / name).read_bytes())
    start = os.fsencode(top)
    for directory, below, names in os.walk(start):
        below[:] = sorted(name for name in below if name != b".git")
        links = [name for name in below if os.path.islink(os.path.join(directory, name))]
        for name in sorted([*names, *links]):
            path = os.path.join(directory, name)
            if name.startswith((b"SUPERVISOR_STATE", b"COMPLETE_", b"ANALYSIS_REPORT")):
                continue
            link = os.path.islink(path)
            data = os.readlink(path) if link else Path(os.fsdecode(path)).read_bytes()
            found.update(b"%s %o %s\0" % (path, os.lstat(path).st_mode, data))
    return found.hexdigest()
