"""The main job offline, before your eyes: a failure, a lie, a crash, and a finished plan."""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click

from topkick.core.errors import TopkickError

AGENT = Path(__file__).with_name("demo_agent.py")
KILL_AT = "U1/2 words: at work"
LIMIT_S = 120.0

PLAN = """\
# EXECUTION_PLAN.md — Greeter

A page that greets its visitors. Three work units in two layers; `site` needs the other two.

## Work Units

| Work Unit | Directory | Sprints | Layer | Dependencies |
|-----------|-----------|---------|-------|--------------|
| words     | words     | 2       | 0     | none         |
| page      | page      | 1       | 0     | none         |
| site      | site      | 1       | 1     | words, page  |

## words

### Sprint 1: A list of greetings

**Entry criteria**:
- [ ] First sprint, no prerequisites

**Tasks**:
1. Write `words/greetings.txt` with at least three greetings, one a line.

**Exit criteria**:
- [ ] `test "$(wc -l < words/greetings.txt)" -ge 3`

### Sprint 2: Pick one of them

**Entry criteria**:
- [ ] `test -f words/greetings.txt`

**Tasks**:
1. Write `words/pick.py` with `pick(hour)`: the second greeting before ten, else the first.

**Exit criteria**:
- [ ] `python3 -c "from words.pick import pick; assert pick(8) == 'Good morning'"`
- [ ] `python3 -c "from words.pick import pick; assert pick(12) == 'Hello'"`

## page

### Sprint 1: A template

**Tasks**:
1. Write `page/template.html` with a heading that holds `{greeting}`.

**Exit criteria**:
- [ ] `grep -q '{greeting}' page/template.html`

## site

### Sprint 1: Put it together

**Tasks**:
1. Write `site/build.py` that prints the page with the greeting for noon.

**Exit criteria**:
- [ ] `python3 site/build.py | grep -q Hello`
"""


def run(keep: Path | None = None) -> int:
    """The whole story; the exit code of the resumed run."""
    root = keep or Path(tempfile.mkdtemp(prefix="topkick-demo-"))
    project = root / "greeter"
    _make_project(project)
    _say("A plan with three work units, and scripted agents that edit and commit.")
    _say(f"It is in {project}\n")
    _run(project, "plan", "show")
    _say("\nNow: topkick start. One agent will give up once. One will claim to be done.\n")
    _start_and_kill(project)
    _say("\nThe supervisor was just SIGKILLed; its agents do not care. topkick status:\n")
    _run(project, "status")
    _say("\nNow: topkick resume. The living agent is found again, not started twice.\n")
    code = _run(project, "resume", "--foreground", "--yes")
    _say("\ntopkick status:\n")
    _run(project, "status")
    _say("\nWhat the agents committed (git log --oneline):\n")
    subprocess.run(["git", "--no-pager", "log", "--oneline"], cwd=project, check=True)
    _say(f"\nLook around: cd {shlex.quote(str(project))}")
    _say("  topkick logs U2/1        the agent that claimed to be done and was caught")
    _say("  topkick journal show     every fact and every decision, in order")
    _say("  cat SUPERVISOR_STATE.md  the same for people")
    _say("Your own plan: topkick init, then topkick start")
    return code


def _make_project(project: Path) -> None:
    project.mkdir(parents=True)
    words = ", ".join(f'"{word}"' for word in (sys.executable, "-I", str(AGENT)))
    (project / "EXECUTION_PLAN.md").write_text(PLAN)
    (project / "topkick.toml").write_text(
        f'agent = "scripted"\n\n[agents.scripted]\ncommand = [{words}]\n'
        'pass_env = ["TOPKICK_DEMO_PACE"]\n'
    )
    (project / ".gitignore").write_text("__pycache__/\n")
    for words_ in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Demo"),
        ("config", "user.email", "demo@localhost"),
        ("add", "."),
        ("commit", "-q", "-m", "The plan"),
    ):
        _git(project, *words_)


def _git(project: Path, *words: str) -> None:
    try:
        subprocess.run(["git", *words], cwd=project, check=True)
    except FileNotFoundError:
        raise TopkickError("The demo needs git; install it and try again.") from None


def _topkick(*words: str) -> list[str]:
    return [sys.executable, "-m", "topkick", *words]


def _run(project: Path, *words: str) -> int:
    return subprocess.run(_topkick(*words), cwd=project, check=False).returncode


def _start_and_kill(project: Path) -> None:
    process = subprocess.Popen(
        _topkick("start", "--yes", "--foreground"),
        cwd=project,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    for line in _lines(process):
        click.echo(line)
        if KILL_AT in line:
            process.send_signal(signal.SIGKILL)
            break
    process.wait()


def _lines(process: subprocess.Popen[str]) -> Iterator[str]:
    assert process.stdout is not None
    ends_at_s = time.monotonic() + LIMIT_S
    for line in process.stdout:
        if time.monotonic() > ends_at_s:
            process.kill()
            raise TopkickError("The demo took too long; please report this.")
        yield line.rstrip()


def _say(text: str) -> None:
    click.secho(text, bold=True)
