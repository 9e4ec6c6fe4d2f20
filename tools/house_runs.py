"""Measure what needs the tree to run: `house_runs.py walks ROOT` and `journaled ROOT`.

The tree is imported from a throw-away environment that finds `ROOT/src` before anything else,
in its isolated checkers too, and the libraries of the Python that runs this script. Every process
that loads that environment is traced by `house_trace.py`. Prints JSON.
"""

import ast
import dataclasses
import importlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import typing
import venv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

TRACE = Path(__file__).resolve().with_name("house_trace.py")
LIMIT_S = 300
TICKS_PER_S = 100  # as in house_trace.py
EPIC = "tasks/old-headers.md"

CONFIG = """\
agent = "scripted"
isolation = "shared"

[agents.scripted]
command = ["/bin/sh", "{agent}"]
models = {{ haiku = "haiku", sonnet = "sonnet", opus = "opus" }}
"""
PLAN = """\
# EXECUTION_PLAN.md — Walk

## Work Units

| Work Unit | Directory | Sprints | Dependencies |
|---|---|---|---|
| a | a | 2 | none |

## a
"""
SPRINT = """
### Sprint {number}: Part {number}

**Tasks**:
1. Do part {number}.

**Exit criteria**:

```sh
test -f a/done-{number}.txt
```
"""
# The second agent finds the first one's file, and writes its own.
SPRINT_AGENT = """\
date +%s.%N >> {place}/begun
cd {project} && mkdir -p a
name=a/done-1.txt; test -f $name && name=a/done-2.txt
echo done > $name && git add $name && git commit -qm "Add $name"
date +%s.%N >> {place}/ended
"""
EPIC_TEXT = """\
---
id: old-headers
type: epic
status: queued
---
# Old headers

## Work Items

| # | ID | Title | Status |
|---|---|---|---|
| 1 | t-1 | One | queued |
"""
TASK_TEXT = "---\nid: t-1\nstatus: queued\n---\n# One\n"
EPIC_AGENT = """\
case $TOPKICK_SPRINT in
planner*) echo '```json'
  echo '{{"action": "dispatch", "task_id": "t-1", "worker": "scripted",' \\
    '"project": "", "command": "Do it."}}'
  echo '```' ;;
*) date +%s.%N >> {place}/ended ;;
esac
"""


@dataclass(frozen=True, slots=True)
class Use:
    """A process loaded a file or ran a function of it, at this time."""

    pid: int
    at_s: float
    how: str
    file: str


class Environment:
    """A Python that imports topkick from one tree and records the files it uses."""

    def __init__(self, root: Path, place: Path) -> None:
        self.place = place
        source = f"{root.resolve() / 'src'}/"
        venv.EnvBuilder(symlinks=True, with_pip=False).create(place / "env")
        self._packages = next((place / "env" / "lib").glob("python*/site-packages"))
        (self._packages / "house_trace.d").mkdir()
        (self._packages / "house_trace.source").write_text(source)
        (self._packages / "a.pth").write_text(
            f"{source}\n{sysconfig.get_path('purelib')}\nimport house_trace\n"
        )
        shutil.copy(TRACE, self._packages)

    def topkick(self, project: Path, *words: str) -> int:
        """Run a command of topkick to its end; return its process id."""
        command = [str(self.place / "env" / "bin" / "python"), "-m", "topkick", *words]
        env = {"PATH": os.environ["PATH"], "HOME": str(self.place), "LANG": "C.UTF-8"}
        with subprocess.Popen(
            command,
            cwd=project,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            said, _ = process.communicate(timeout=LIMIT_S)
        if process.returncode:
            sys.exit(f"topkick {' '.join(words)} ended with {process.returncode}:\n{said.decode()}")
        return process.pid

    def uses(self) -> Iterator[Use]:
        for path in (self._packages / "house_trace.d").iterdir():
            for line in path.read_text().splitlines():
                at, how, file = line.split(" ", 2)
                yield Use(int(path.name), int(at) / TICKS_PER_S, how, file)


def make_project(place: Path, agent: str, files: dict[str, str]) -> Path:
    """Create a repository with these files and an agent that is a shell script."""
    project = place / "project"
    project.mkdir(parents=True)
    (place / "agent.sh").write_text(agent.format(place=place, project=project))
    for name, text in {**files, "topkick.toml": CONFIG.format(agent=place / "agent.sh")}.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Walk"),
        ("config", "user.email", "walk@localhost"),
        ("add", "."),
        ("commit", "-q", "-m", "The plan"),
    ):
        subprocess.run(["git", *words], cwd=project, check=True)
    return project


def files_of(uses: Iterable[Use], is_wanted: Callable[[Use], bool]) -> set[str]:
    return {use.file for use in uses if is_wanted(use)}


def told(uses: list[Use], pid: int) -> str:
    """Say how many of the files that a process loaded it also ran a function of."""
    ran = files_of(uses, lambda use: use.pid == pid and use.how == "run")
    loaded = files_of(uses, lambda use: use.pid == pid and use.how == "load")
    return f"{len(ran)} of {len(loaded)} loaded"


def stamps(path: Path) -> list[float]:
    return [float(line) for line in path.read_text().split()]


def sprint_walks(root: Path, place: Path) -> dict[str, str]:
    """Trace a run of two sprints, and the commands that look at it."""
    sprints = "".join(SPRINT.format(number=number) for number in (1, 2))
    project = make_project(place, SPRINT_AGENT, {"EXECUTION_PLAN.md": PLAN + sprints})
    environment = Environment(root, place)
    environment.topkick(project, "start", "--yes", "--foreground")
    status = environment.topkick(project, "status")
    plan_show = environment.topkick(project, "plan", "show")
    uses = list(environment.uses())
    ended_s, begun_s = stamps(place / "ended")[0], stamps(place / "begun")[1]
    between = files_of(uses, lambda use: use.how == "run" and ended_s <= use.at_s <= begun_s)
    return {
        "agent exit to next dispatch": str(len(between)),
        "status": told(uses, status),
        "plan show": told(uses, plan_show),
    }


def epic_walk(root: Path, place: Path) -> dict[str, str]:
    """One tick: the planner is asked, and its worker is dispatched."""
    files = {EPIC: EPIC_TEXT, "tasks/t-1.md": TASK_TEXT}
    project = make_project(place, EPIC_AGENT, files)
    environment = Environment(root, place)
    tick = environment.topkick(project, "epic", "tick", EPIC)
    return {"epic tick": told(list(environment.uses()), tick)}


def walks(root: Path) -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="house-", ignore_cleanup_errors=True) as made:
        place = Path(made).resolve()
        return sprint_walks(root, place / "sprint") | epic_walk(root, place / "epic")


def journaled(root: Path) -> dict[str, str]:
    """Return the class names that a codec of the tree writes into records, with their modules."""
    source = root / "src"
    sys.path.insert(0, str(source))
    found: dict[str, str] = {}
    for path in sorted(source.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for name in codec_names(ast.parse(text)) if "Codec(" in text else ():
            dotted = ".".join(path.relative_to(source).with_suffix("").parts)
            codec = getattr(importlib.import_module(dotted.removesuffix(".__init__")), name)
            for cls in written_classes(vars(codec)["_kinds"]):
                found[cls.__name__] = cls.__module__
    return found


def codec_names(module: ast.Module) -> Iterator[str]:
    """Yield the module-level names that are bound to a codec."""
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="Codec"))):
                yield name
            case _:
                pass


def written_classes(kinds: Iterable[type]) -> Iterator[type]:
    """Yield the classes whose name is in a record: its kind, and each member of a union in it."""
    seen: set[object] = set()

    def within(hint: object) -> Iterator[type]:
        parts = typing.get_args(hint)
        members = [part for part in parts if dataclasses.is_dataclass(part)]
        if len(members) > 1:
            yield from (part for part in members if isinstance(part, type))
        for part in parts:
            yield from within(part)
        if isinstance(hint, type) and dataclasses.is_dataclass(hint) and hint not in seen:
            seen.add(hint)
            for inner in typing.get_type_hints(hint).values():
                yield from within(inner)

    for kind in kinds:
        yield kind
        yield from within(kind)


def main() -> int:
    what, root = sys.argv[1], Path(sys.argv[2]).resolve()
    print(json.dumps({"walks": walks, "journaled": journaled}[what](root)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
