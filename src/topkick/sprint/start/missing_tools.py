"""Find commands of the plan and the gate that cannot run here, before a token is spent.

`detected_now` previews the commands of a gate that no person configures (GT-02).

No command of the plan is run for it, and nothing of the project is imported: a program is looked up
on PATH, a module by its interpreter from a directory outside the project.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from topkick.app.project import Project
from topkick.checks.missing_tools import (
    Missing,
    MissingKind,
    WantedTool,
    settled,
    wanted_by,
    words_of,
)
from topkick.engine.errors import TopkickError
from topkick.engine.io.files import read_plain
from topkick.plan_format.model import Plan
from topkick.sprint.gates.due import gate_commands
from topkick.sprint.gates.model import GateMode
from topkick.sprint.model import Mission
from topkick.text import escape

PROBE_S = 20.0
MOST_PACKAGE_BYTES = 1 << 20
_PROBE = """\
import importlib.util, sys
for name in sys.argv[1:]:
    print(importlib.util.find_spec(name) is not None)"""


@dataclass(frozen=True, slots=True)
class Absent:
    """A command that cannot run here; `line` is its line in the plan, 0 if it is not in
    the plan.
    """

    command: str
    missing: Missing
    line: int = 0


def absent_tools(project: Project, mission: Mission) -> tuple[Absent, ...]:
    """Return absent commands of the plan's criteria and the gate, in the order of the plan, each
    once.
    """
    plan = mission.plan
    assert plan is not None
    asked = dict((*_criteria(plan), *_others(project, mission)))
    wanted = {command: wanted_by(command) for command in asked}
    lacks = _lacking({one for found in wanted.values() for one in found}, project.root)
    promised = frozenset(words_of(plan)) if lacks else frozenset()

    def holds(name: str) -> bool:
        return _holds(project.root, name)

    return tuple(
        Absent(command, missing, asked[command])
        for command, found in wanted.items()
        for one in [w for w in found if w in lacks][:1]
        if not (missing := settled(one.kind, one.name, command, promised, holds, one.by)).owed
    )


def _criteria(plan: Plan) -> Iterator[tuple[str, int]]:
    for unit in plan.units:
        for sprint in unit.sprints:
            for criterion in (*sprint.entry, *sprint.exit):
                if criterion.command is not None:
                    yield criterion.named or criterion.command, criterion.line


def _others(project: Project, mission: Mission) -> Iterator[tuple[str, int]]:
    settings = mission.settings
    units = mission.plan.units if mission.plan is not None else ()
    yield from ((command, 0) for unit in units for command in unit.verify)
    if settings is not None:
        yield from ((command, 0) for command in settings.verify_always)
    if settings is not None and settings.gate is not GateMode.OFF:
        gate = gate_commands(mission) or detected_now(project, mission)
        yield from ((command, 0) for command in gate)


# --- look up programs and modules ----------------------------------------------------------


def _lacking(wanted: Iterable[WantedTool], root: Path) -> frozenset[WantedTool]:
    known = list(wanted)
    modules = [w for w in known if w.kind is MissingKind.MODULE]
    others = {w for w in known if w.kind is not MissingKind.MODULE and not _is_here(w, root)}
    return frozenset(others | set(_lacking_modules(modules)))


def _is_here(wanted: WantedTool, root: Path) -> bool:
    match wanted.kind:
        case MissingKind.PROGRAM:
            return shutil.which(wanted.name) is not None
        case MissingKind.SUBCOMMAND:
            has_alias = any((root / ".cargo").glob("config*"))
            return has_alias or shutil.which(f"cargo-{wanted.name}") is not None
        case MissingKind.SCRIPT:
            return _has_script(root / wanted.folder / "package.json", wanted.name)
        case _:
            return True


def _has_script(package: Path, name: str) -> bool:
    """Return whether the script exists; without a package.json the work will bring it."""
    try:
        data = json.loads(read_plain(package, MOST_PACKAGE_BYTES))
    except (OSError, ValueError):
        return True
    scripts = data.get("scripts") if isinstance(data, dict) else None
    return isinstance(scripts, dict) and name in scripts


def _lacking_modules(modules: list[WantedTool]) -> Iterator[WantedTool]:
    for interpreter in dict.fromkeys(w.by for w in modules):
        mine = [w for w in modules if w.by == interpreter]
        roots = [w.name.partition(".")[0] for w in mine]
        found = _importable(interpreter, roots)
        yield from (w for w, here in zip(mine, found, strict=True) if not here)


def _importable(interpreter: str, roots: list[str]) -> list[bool]:
    """Return whether the interpreter finds the modules; in doubt, yes."""
    doubt = [True] * len(roots)
    program = shutil.which(interpreter)
    if program is None:
        return doubt
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONSTARTUP")}
    try:
        done = subprocess.run(
            [program, "-c", _PROBE, *roots],
            cwd="/",
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PROBE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return doubt
    lines = done.stdout.split()
    return [line == "True" for line in lines] if len(lines) == len(roots) else doubt


def _holds(root: Path, name: str) -> bool:
    nearest = [root, *(path for path in root.iterdir() if path.is_dir())]
    return any((p / name).is_dir() or (p / f"{name}.py").is_file() for p in nearest)


# --- wording for lint, doctor and the start screen -----------------------------------------


def cannot_run(absent: Absent) -> str:
    return f"{what(absent)} ({absent.missing.mend})"


def what(absent: Absent) -> str:
    return f"`{escape.line(absent.command, 80)}` cannot run here: {absent.missing.what}"


# --- the commands of the gate --------------------------------------------------------------


def detected_now(project: Project, mission: Mission) -> tuple[str, ...]:
    """Return the commands from the manifests of the checked out commits; empty without git."""
    if mission.settings is None or mission.settings.gate is GateMode.OFF or gate_commands(mission):
        return ()
    import pygit2

    from topkick.checks.worker.detected_gate import detected_in
    from topkick.git.clone.places import layout_of

    root = project.root
    directories = tuple(dict.fromkeys(u.plan.directory for u in mission.units.values()))
    places: list[Path] = [root, *(root / directory for directory in directories)]
    try:
        layout = layout_of(root, places, str(project.state_dir))
        return () if layout is None else detected_in(layout, directories)
    except (TopkickError, pygit2.GitError, OSError):  # a preview must not fail
        return ()
