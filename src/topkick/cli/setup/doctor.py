"""`topkick doctor`: checks of this machine and project, each with advice if it fails."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

import click

from topkick.app.agents.configured import (
    AgentCheck,
    check_agent,
    login_of,
    permissions_of,
    untold_cost,
)
from topkick.app.config.file import load_config, user_config_path
from topkick.app.config.settings import make_settings, program_named
from topkick.app.project import PlanNotFound, Project, find_project
from topkick.app.run_view import has_journal, journal_check, take_a_look
from topkick.cli.setup.known_agents import BY_NAME
from topkick.engine.agents.program import PLAIN, AgentProgram
from topkick.engine.errors import TopkickError
from topkick.engine.io.filesystems import is_network
from topkick.runner.process import cgroups
from topkick.runner.process.processes import portable
from topkick.sprint import status
from topkick.sprint.model import Overall
from topkick.sprint.run.load_plan import imagined, read_plan
from topkick.sprint.start.missing_tools import absent_tools, what
from topkick.text import escape
from topkick.text.format import counted

LEAST_PYTHON = (3, 11)


class Level(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class CheckupFinding:
    level: Level
    what: str
    detail: str
    advice: str = ""


def look_at_everything() -> Iterator[CheckupFinding]:
    yield _python()
    yield _git()
    yield _containment()
    try:
        project = find_project()
    except PlanNotFound:
        yield CheckupFinding(
            Level.FAIL, "plan", "no EXECUTION_PLAN.md here or above", "topkick init --example"
        )
        return
    yield from _of_project(project)


def _of_project(project: Project) -> Iterator[CheckupFinding]:
    yield _plan(project)
    yield from _checks(project)
    yield _repository(project)
    yield _state_directory(project)
    yield from _agents(project)
    yield _journal(project)
    yield _supervisor(project)


# --- the machine ---------------------------------------------------------------------------


def _python() -> CheckupFinding:
    version = platform.python_version()
    if sys.version_info[:2] < LEAST_PYTHON:
        return CheckupFinding(Level.FAIL, "python", version, "install Python 3.11 or newer")
    return CheckupFinding(Level.OK, "python", version)


def _git() -> CheckupFinding:
    path = shutil.which("git")
    if path is None:
        return CheckupFinding(
            Level.WARN, "git", "not on PATH", "install git: agents commit with it"
        )
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return CheckupFinding(Level.OK, "git", done.stdout.strip())


def _containment() -> CheckupFinding:
    """Report the mechanism that ends an agent's whole process tree (law 5)."""
    if portable():
        return CheckupFinding(Level.WARN, "agents", "portable mode: sweeps end process trees", "")
    leaf = cgroups.make(f"topkick-doctor-{os.getpid()}")
    if leaf is None:
        return CheckupFinding(
            Level.OK, "agents", "a subreaper ends process trees (no writable cgroup v2)"
        )
    cgroups.remove(leaf)
    return CheckupFinding(Level.OK, "agents", "cgroup v2 ends process trees")


# --- the project ---------------------------------------------------------------------------


def _plan(project: Project) -> CheckupFinding:
    try:
        reading = read_plan(project)
    except TopkickError as mistake:
        return CheckupFinding(Level.FAIL, "plan", str(mistake), f"correct {project.plan_path}")
    sprints = sum(len(u.sprints) for u in reading.plan.units)
    detail = f"{counted(len(reading.plan.units), 'work unit')}, {counted(sprints, 'sprint')}"
    if not sprints:
        return CheckupFinding(Level.FAIL, "plan", "the plan has no sprints", "topkick plan show")
    if reading.findings:
        noticed = f"{detail}, {counted(len(reading.findings), 'remark')} about the plan"
        return CheckupFinding(Level.WARN, "plan", noticed, "topkick plan show")
    return CheckupFinding(Level.OK, "plan", detail)


def _checks(project: Project) -> Iterator[CheckupFinding]:
    """Find commands whose program is missing: they would cost an order or a gate."""
    try:
        plan = read_plan(project).plan
        settings = make_settings(load_config(project))
    except TopkickError:  # reported by the checks of plan and agent
        return
    found = absent_tools(project, imagined(plan, settings))
    for one in found:
        yield CheckupFinding(Level.WARN, "checks", what(one), one.missing.mend)
    if not found:
        yield CheckupFinding(Level.OK, "checks", "programs of the plan's commands are installed")


def _repository(project: Project) -> CheckupFinding:
    import pygit2

    found = pygit2.discover_repository(os.fspath(project.root))
    if found is None:
        advice = "git init (without git, topkick cannot see what an agent changed)"
        return CheckupFinding(Level.WARN, "repository", "no git here", advice)
    config = pygit2.Repository(found).config
    if "user.email" not in config and "GIT_AUTHOR_EMAIL" not in os.environ:
        advice = "git config user.name ... and git config user.email ..."
        return CheckupFinding(Level.WARN, "repository", "no identity: agents cannot commit", advice)
    return CheckupFinding(Level.OK, "repository", found)


def _state_directory(project: Project) -> CheckupFinding:
    place: Path = project.state_dir
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK | os.X_OK):
        return CheckupFinding(Level.FAIL, "state", f"{place} is not writable", f"chmod u+w {place}")
    if kind := is_network(place):
        advice = "clone the project to a local disk"
        return CheckupFinding(Level.FAIL, "state", f"{place} is on a network disk ({kind})", advice)
    return CheckupFinding(Level.OK, "state", str(project.state_dir))


def _agents(project: Project) -> Iterator[CheckupFinding]:
    try:
        config = load_config(project)
        settings = make_settings(config)
        chosen = settings.agent.name
    except TopkickError as mistake:
        yield CheckupFinding(Level.FAIL, "agent", str(mistake), _mended(project, str(mistake)))
        return
    for name in config.agents:
        yield from _agent(program_named(config, name), project.root, chosen=name == chosen)
    if why := untold_cost(settings.agent, settings.budgets):
        yield CheckupFinding(
            Level.WARN, "budget", why, "see [budget] in docs/reference/configuration.md"
        )


def _mended(project: Project, mistake: str) -> str:
    """Return the advice: `init` never overwrites, so the user has to correct an existing file."""
    place = next((p for p in (project.config_path, user_config_path()) if str(p) in mistake), None)
    if place is None or not place.exists():
        return "topkick init"
    line = re.search(r"\(at (line \d+)", mistake)
    return f"correct {place}{f', {line[1]}' if line else ''}"


def _agent(agent: AgentProgram, root: Path, *, chosen: bool) -> Iterator[CheckupFinding]:
    """Check an agent without cost: no model is called."""
    check = checked(agent, root)
    name = f"{check.name}{' (chosen)' if chosen else ''}"
    if check.path is None:
        level = Level.FAIL if chosen else Level.WARN
        yield CheckupFinding(
            level,
            "agent",
            f"{name}: {check.program} not found",
            "install it, or add its directory to PATH",
        )
        return
    yield _version(check, name)
    if agent.adapter != PLAIN:
        yield _login(agent)
        yield CheckupFinding(Level.OK, "agent", f"{agent.name} may: {permissions_of(agent)}")


def checked(agent: AgentProgram, root: Path) -> AgentCheck:
    """Check an agent; run only known programs with --version, others might start working."""
    known = Path(agent.command[0]).name in BY_NAME
    return check_agent(agent, root, ask_version=known)


def _version(check: AgentCheck, name: str) -> CheckupFinding:
    found = f"{name}: {check.path} {check.version}".strip()
    if check.differs:
        return CheckupFinding(
            Level.WARN, "agent", f"{found}; tested: {check.tested}", try_first(check)
        )
    return CheckupFinding(
        Level.OK, "agent", f"{found}{', as tested' * bool(check.number and check.tested)}"
    )


def try_first(check: AgentCheck) -> str:
    return f'try it: topkick agents try {check.name} "Say hello"'


def _login(agent: AgentProgram) -> CheckupFinding:
    login = login_of(agent)
    if login is None:
        return CheckupFinding(
            Level.OK, "agent", f"{agent.name}: topkick cannot tell whether it is logged in"
        )
    if login.found:
        return CheckupFinding(Level.OK, "agent", f"{agent.name}: {login.found}")
    return CheckupFinding(
        Level.WARN, "agent", f"{agent.name}: no key and no login found", login.advice
    )


def _journal(project: Project) -> CheckupFinding:
    try:
        if not has_journal(project):
            return CheckupFinding(Level.OK, "journal", "no run here yet")
        problems = journal_check(project)
    except TopkickError as mistake:
        problems = [str(mistake)]
    if problems:
        return CheckupFinding(Level.FAIL, "journal", "; ".join(problems), "topkick journal check")
    return CheckupFinding(Level.OK, "journal", "whole")


def _supervisor(project: Project) -> CheckupFinding:
    try:
        view = take_a_look(project)
    except TopkickError as mistake:
        return CheckupFinding(Level.FAIL, "supervisor", str(mistake), "topkick journal check")
    if view is None or view.mission.plan is None:
        return CheckupFinding(Level.OK, "supervisor", "none, and no run")
    if view.holder is not None:
        return CheckupFinding(Level.OK, "supervisor", f"alive, process {view.holder.pid}")
    overall = status.overall(view.mission)
    if view.live_agents or overall in {Overall.RUNNING, Overall.STOPPING}:
        detail = f"died during the run; {counted(view.live_agents, 'agent')} still working"
        return CheckupFinding(Level.WARN, "supervisor", detail, "topkick resume")
    return CheckupFinding(Level.OK, "supervisor", f"none; the run is {overall}")


# --- the command ---------------------------------------------------------------------------------


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def command(as_json: bool) -> int:
    """Check everything that topkick needs; exit 1 if a check fails.

    \b
    Example: topkick doctor
    """
    found = []
    for finding in look_at_everything():
        found.append(finding)
        if not as_json:
            click.echo(_line(finding))
    if as_json:
        click.echo(json.dumps([asdict(f) for f in found], indent=2))
    return 1 if any(f.level is Level.FAIL for f in found) else 0


def _line(finding: CheckupFinding) -> str:
    text = f"{finding.level.value:<5} {finding.what:<11} {escape.line(finding.detail, 200)}"
    if not finding.advice or finding.level is Level.OK:
        return text
    return f"{text}\n{'':<18}→ {escape.line(finding.advice, 200)}"
