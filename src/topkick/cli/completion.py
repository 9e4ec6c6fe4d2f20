"""`topkick completion SHELL`: print the script with which the Tab key completes commands."""

import click
from click.shell_completion import get_completion_class

from topkick.engine.errors import TopkickError

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    """Print the completion script for your shell.

    \b
    Example (bash): topkick completion bash > ~/.local/share/bash-completion/completions/topkick
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(ctx.find_root().command, {}, "topkick", "_TOPKICK_COMPLETE").source())
    return 0


# --- completion of units and sprints -----------------------------------------------------------
# The Tab key offers the handles of the run in this directory.

OFFERED = 500


def units(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return _beginning_with(incomplete, sprints_too=False)


def units_and_sprints(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return _beginning_with(incomplete, sprints_too=True)


def _beginning_with(text: str, *, sprints_too: bool) -> list[str]:
    """Return the matching handles; on any error return none, since Tab must print no message."""
    from topkick.app.run_search import find_run
    from topkick.app.run_view import take_a_look

    try:
        view = take_a_look(find_run())
    except (TopkickError, OSError):
        return []
    if view is None:
        return []
    found: list[str] = []
    for unit in view.mission.units.values():
        found.append(unit.handle)
        if sprints_too:
            found.extend(f"{unit.handle}/{sprint.id}" for sprint in unit.sprints)
    return [one for one in found if one.lower().startswith(text.lower())][:OFFERED]
