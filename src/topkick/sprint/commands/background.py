"""`topkick background`: processes that a sprint leaves running on purpose."""

import os
import time
from pathlib import Path

import click

from topkick.app.project import Project
from topkick.app.run_search import run_here
from topkick.app.run_view import Follow, take_a_look
from topkick.app.send_command import tell
from topkick.engine import messages as h
from topkick.engine.errors import TopkickError, UsageError

CONFIRM_LIMIT_S = 30.0
LOOK_EVERY_S = 0.05


@click.group("background")
def command() -> None:
    """Start, list and end processes that a sprint leaves running on purpose.

    \b
    Example: topkick background list
    """


@command.command("run", context_settings={"ignore_unknown_options": True})
@click.argument("name")
@click.argument("argv", nargs=-1, required=True, type=click.UNPROCESSED)
def run(name: str, argv: tuple[str, ...]) -> int:
    """Start a process that outlives the agent; for agents, in a `background` sprint.

    \b
    Example: topkick background run server -- python3 -m http.server 8000
    """
    run_id = os.environ.get("TOPKICK_ORDER")
    if not run_id:
        raise UsageError(
            "`topkick background run` is for agents, and this process has no order. "
            "Nothing was started.\nLook: topkick background list"
        )
    project = run_here()
    told = tell(project, h.BeginBackground(run_id, name, argv, str(Path.cwd())))
    if not told.accepted:
        raise UsageError(told.answer)
    _wait_until_it_runs(project, name)
    click.echo(f"{name} is running.")
    return 0


def _wait_until_it_runs(project: Project, name: str) -> None:
    follow = Follow(project)
    ends_at_s = time.monotonic() + CONFIRM_LIMIT_S
    try:
        while time.monotonic() < ends_at_s:
            mine = [b for b in follow.catch_up().backgrounds.values() if b.name == name]
            if any(b.running for b in mine):
                return
            if not mine:
                raise TopkickError(f"{name} ended at once; run it by hand to see why.")
            time.sleep(LOOK_EVERY_S)
    finally:
        follow.close()
    raise TopkickError(
        f"{name} was not seen running within {CONFIRM_LIMIT_S:.0f} s. Look: topkick background list"
    )


@command.command("list")
def list_() -> int:
    """List what runs in the background.

    \b
    Example: topkick background list
    """
    view = take_a_look(run_here())
    found = list(view.mission.backgrounds.values()) if view is not None else []
    for background in found:
        how = "running" if background.running else "starting"
        click.echo(f"{background.name}  {how}  {' '.join(background.argv)}")
    if not found:
        click.echo("Nothing runs in the background.")
    return 0


@command.command("stop")
@click.argument("names", nargs=-1)
def stop(names: tuple[str, ...]) -> int:
    """End background processes; all of them without a name.

    \b
    Example: topkick background stop server
    """
    told = tell(run_here(), h.EndBackground(names))
    if not told.accepted:
        raise UsageError(told.answer)
    click.echo("Ending " + (", ".join(names) if names else "everything in the background") + ".")
    return 0
