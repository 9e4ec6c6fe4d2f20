"""`topkick completion SHELL`: the script that makes the Tab key know our commands."""

import click
from click.shell_completion import get_completion_class

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
