"""`topkick demo`: a whole run in a throw-away project."""

import click

from topkick.engine.errors import UsageError


@click.command("demo")
@click.option(
    "--agent",
    type=click.Choice(["claude", "codex"]),
    help="Take this real program; its model is a scripted one on loopback, without key or cost.",
)
@click.option("--real-model", is_flag=True, help="With --agent: its own model. Asks first.")
def command(agent: str | None, real_model: bool) -> int:
    """Watch a whole run in a throw-away project: a failure, a false claim, a crash, the end.

    \b
    Example: topkick demo
             topkick demo --agent claude
    """
    from topkick.cli.demo import demo

    if real_model and not agent:
        raise UsageError("Whose model? Say it with --agent claude or --agent codex.")
    return demo.run(agent or "", real_model=real_model)
