"""`topkick demo`: a run with a failure, a false claim, a crash, and a finished plan."""

import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click

from topkick.cli import terminal
from topkick.cli.demo import cast as demo_cast
from topkick.cli.demo.cast import Cast
from topkick.engine.errors import TopkickError, UsageError

KILL_AT = "U1/2 words: at work"
TREES = '\n[tree]\nplace = "../trees"\n'


def run(agent: str = "", *, real_model: bool = False) -> int:
    """Run the whole demo, and return the exit code of the resumed run."""
    root = Path(tempfile.mkdtemp(prefix="topkick-demo-"))
    with _cast(agent, root / "home", real_model=real_model) as cast:
        return _Stage(root / "greeter", cast).play()


def _cast(agent: str, home: Path, *, real_model: bool) -> AbstractContextManager[Cast]:
    if not agent:
        return nullcontext(demo_cast.scripted_agents())
    if not real_model:
        return demo_cast.scripted_model(agent, home)
    cast = demo_cast.real_model(agent)
    _ask(agent)
    return nullcontext(cast)


def _ask(agent: str) -> None:
    _say(demo_cast.price(agent))
    if not terminal.is_there():
        raise UsageError(
            "There is no terminal to ask in, so nothing was run. Run it in a terminal, or without "
            f"cost: topkick demo --agent {agent}"
        )
    if not click.confirm("Run it?", default=False):
        raise UsageError(f"Nothing was run. Without cost: topkick demo --agent {agent}")


class _Stage:
    def __init__(self, project: Path, cast: Cast) -> None:
        self._project = project
        self._cast = cast

    def play(self) -> int:
        project = self._project
        self._make_project()
        _say(self._cast.opening)
        _say(f"The plan is in {project}\n")
        self._run("plan", "show")
        _say(f"\nNow: topkick start. {self._cast.coming}\n")
        self._start_and_kill()
        _say("\nThe demo killed the supervisor (SIGKILL); its agents continue. topkick status:\n")
        self._run("status")
        _say("\nNow: topkick resume. It finds the living agent again and starts no second one.\n")
        code = self._run("resume", "--foreground", "--yes")
        _say("\ntopkick status:\n")
        self._run("status")
        if code == 0:
            _say("\nEach unit worked in a clone of its own. Now: topkick land.\n")
            self._run("land", "--yes")
        _say("\nWhat the agents committed (git log --oneline):\n")
        self._git("--no-pager", "log", "--oneline")
        us = program()
        _say(f"\nLook around: cd {shlex.quote(str(project))}")
        _say(f"  {us} logs U2/1        the agent that falsely claimed to be done")
        _say(f"  {us} journal show     every fact and every decision, in order")
        _say("  cat SUPERVISOR_STATE.md  the state of the run, for people")
        _say(f"Your own plan: {us} init, then {us} start")
        return code

    def _make_project(self) -> None:
        self._project.mkdir(parents=True)
        (self._project / "EXECUTION_PLAN.md").write_text(self._cast.plan)
        (self._project / "topkick.toml").write_text(self._cast.settings + TREES)
        (self._project / ".gitignore").write_text("__pycache__/\n")
        for words in (
            ("init", "-q", "-b", "main"),
            ("config", "user.name", "Demo"),
            ("config", "user.email", "demo@localhost"),
            ("add", "."),
            ("commit", "-q", "-m", "The plan"),
        ):
            self._git(*words)

    def _git(self, *words: str) -> None:
        try:
            subprocess.run(["git", *words], cwd=self._project, env=self._cast.env, check=True)
        except FileNotFoundError:
            raise TopkickError(
                "git is not on PATH, so the demo cannot run. Install git, then: topkick demo"
            ) from None

    def _run(self, *words: str) -> int:
        command = [sys.executable, "-m", "topkick", *words]
        done = subprocess.run(command, cwd=self._project, env=self._cast.env, check=False)
        return done.returncode

    def _start_and_kill(self) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", "topkick", "start", "--yes", "--foreground"],
            cwd=self._project,
            stdout=subprocess.PIPE,
            text=True,
            env={**self._cast.env, "PYTHONUNBUFFERED": "1"},
        )
        for line in _lines(process, self._cast.limit_s):
            click.echo(line)
            if KILL_AT in line:
                process.send_signal(signal.SIGKILL)
                break
        process.wait()


def program() -> str:
    """Return a command that starts topkick from any directory: its name, or its path."""
    if shutil.which("topkick") is not None:
        return "topkick"
    started = Path(sys.argv[0])
    if started.name == "topkick" and started.is_file():
        return shlex.quote(str(started.absolute()))
    return f"{shlex.quote(sys.executable)} -m topkick"


def _lines(process: subprocess.Popen[str], limit_s: float) -> Iterator[str]:
    assert process.stdout is not None
    ends_at_s = time.monotonic() + limit_s
    for line in process.stdout:
        if time.monotonic() > ends_at_s:
            process.kill()
            raise TopkickError(
                f"The demo took longer than {limit_s:.0f} s and was ended. Its project is kept. "
                "Please report this; try again: topkick demo"
            )
        yield line.rstrip()


def _say(text: str) -> None:
    click.secho(text, bold=True)


# --- the command ---------------------------------------------------------------------------------


@click.command("demo")
@click.option(
    "--agent",
    type=click.Choice(["claude", "codex"]),
    help="Use this real program with a scripted model on loopback, without key or cost.",
)
@click.option("--real-model", is_flag=True, help="With --agent: use its real model. Asks first.")
def command(agent: str | None, real_model: bool) -> int:
    """Show a whole run in a throw-away project: a failure, a false claim, a crash, the end.

    \b
    Example: topkick demo
             topkick demo --agent claude
    """
    if real_model and not agent:
        raise UsageError(
            "--real-model needs --agent, and nothing was run. "
            "Example: topkick demo --agent claude --real-model"
        )
    return run(agent or "", real_model=real_model)
