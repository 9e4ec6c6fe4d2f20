"""`topkick demo`: a whole run in a throw-away project."""

import click


@click.command("demo")
def command() -> int:
    """Watch a whole run in a throw-away project: a failure, a false claim, a crash, the end.

    \b
    Example: topkick demo
    """
    from topkick.faces import demo

    return int(demo.run() or 0)
