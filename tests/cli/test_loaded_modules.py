"""Ceilings for the number of modules that a command loads, since every user pays for start-up.

Each command runs in a process of its own, on a real project. A ceiling is a little above what the
command loads today. If one is exceeded, a module that the command does not need has come in over a
new import: cut that import, or load it where the need arises.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

PLAN = """\
# Two steps

### Sprint 1: One

**Exit criteria**:
- [ ] `test -f one.txt`

### Sprint 2: Two

**Exit criteria**:
- [ ] `test -f two.txt`
"""
EPIC = """\
---
id: headers
type: epic
status: queued
---
# Headers

## Work Items

| # | ID | Title | Status |
|---|---|---|---|
| 1 | t-1 | One | queued |
"""
CONFIG = """\
agent = "scripted"

[agents.scripted]
command = ["sh", "{agent}"]
"""
DOES_NOTHING = "exit 0\n"
DOES_THE_WORK = """\
name=one.txt; test -f one.txt && name=two.txt
echo done > $name && git add $name && git commit -qm "Add $name"
"""
PLANS_A_TASK = """\
case $TOPKICK_SPRINT in
planner*) echo '```json'
  echo '{"action": "dispatch", "task_id": "t-1", "worker": "scripted",' \\
    '"project": "", "command": "Do it."}'
  echo '```' ;;
esac
"""
PROGRAM = """\
import json, os, sys
sys.argv = ["topkick", *sys.argv[2:]]
from topkick.cli.main import main
try:
    main()
except SystemExit as end:
    code = end.code or 0
with open(os.environ["LOADED"], "w") as file:
    json.dump([code, sorted(sys.modules)], file)
"""
DECIDES = ("topkick.engine.kernel", "topkick.engine.loop", "topkick.sprint.policy.decide")
WRITES = (
    "topkick.engine.journal.writer",
    "topkick.runner.keeper.keeper",
    "topkick.sprint.views.state_file",
)


@dataclass(frozen=True, slots=True)
class Place:
    """A project, and the environment of its commands."""

    root: Path
    env: Mapping[str, str]

    def topkick(self, *words: str) -> None:
        command = [sys.executable, "-m", "topkick", *words]
        self._run(command)

    def loaded(self, *words: str) -> frozenset[str]:
        """Run a command; return the modules that its process had loaded at the end."""
        told = self.root.parent / "loaded.json"
        self._run([sys.executable, "-c", PROGRAM, "-", *words], LOADED=str(told))
        code, modules = json.loads(told.read_text())
        assert code == 0
        return frozenset(modules)

    def _run(self, command: list[str], **more: str) -> None:
        done = subprocess.run(
            command,
            cwd=self.root,
            env={**self.env, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout


def made(place: Path, agent: str, files: Mapping[str, str]) -> Place:
    """Create a project whose agent is a shell script, in a repository of its own."""
    root = place / "project"
    (place / "agent.sh").write_text(agent)
    for name, text in {**files, "topkick.toml": CONFIG.format(agent=place / "agent.sh")}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Test"),
        ("config", "user.email", "test@localhost"),
        ("add", "."),
        ("commit", "-q", "-m", "The plan"),
    ):
        subprocess.run(["git", *words], cwd=root, check=True)
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    return Place(root, {"PATH": path, "HOME": str(place), "LANG": "C.UTF-8"})


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A run that has completed both sprints."""
    place = made(tmp_path_factory.mktemp("run"), DOES_THE_WORK, {"EXECUTION_PLAN.md": PLAN})
    place.topkick("start", "--yes", "--foreground", "--isolation", "shared")
    return place


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A plan that no run was started of."""
    return made(tmp_path_factory.mktemp("plan"), DOES_NOTHING, {"EXECUTION_PLAN.md": PLAN})


@pytest.fixture(scope="module")
def epic(tmp_path_factory: pytest.TempPathFactory) -> Place:
    task = "---\nid: t-1\nstatus: queued\n---\n# One\n"
    files = {"tasks/headers.md": EPIC, "tasks/t-1.md": task}
    return made(tmp_path_factory.mktemp("epic"), PLANS_A_TASK, files)


def ours(loaded: frozenset[str]) -> list[str]:
    """Return the modules of topkick, packages among them."""
    return sorted(m for m in loaded if m == "topkick" or m.startswith("topkick."))


@pytest.mark.parametrize(
    ("command", "most"),
    [
        ("--help", 8),
        ("status", 108),
        ("status --json", 120),
        ("explain", 125),
        ("report", 136),
    ],
)
def test_looking_at_a_run_loads_few_modules(command: str, most: int, finished: Place) -> None:
    loaded = finished.loaded(*command.split())
    assert len(ours(loaded)) <= most, ours(loaded)
    assert not loaded & {*DECIDES, *WRITES}


@pytest.mark.parametrize(("command", "most"), [("plan show", 138), ("start --dry-run", 238)])
def test_looking_at_a_plan_loads_few_modules(command: str, most: int, planned: Place) -> None:
    loaded = ours(planned.loaded(*command.split()))
    assert len(loaded) <= most, loaded


def test_status_loads_what_explains_only_if_a_unit_is_stuck(finished: Place) -> None:
    loaded = ours(finished.loaded("status"))
    assert not [m for m in loaded if m.startswith("topkick.sprint.explain")]


def test_a_tick_of_an_epic_loads_few_modules(epic: Place) -> None:
    loaded = ours(epic.loaded("epic", "tick", "tasks/headers.md"))
    assert len(loaded) <= 252, loaded
