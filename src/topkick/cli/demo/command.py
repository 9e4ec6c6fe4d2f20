"""`topkick demo`: a whole run in a throw-away project."""

import click

from topkick.engine.errors import UsageError


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
    from topkick.cli.demo import demo

    if real_model and not agent:
        raise UsageError(
            "--real-model needs --agent, and nothing was run. "
            "Example: topkick demo --agent claude --real-model"
        )
    return demo.run(agent or "", real_model=real_model)
