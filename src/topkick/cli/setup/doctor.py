"""`topkick doctor`: check this machine and this project, and advise on what fails."""

import json
from dataclasses import asdict

import click

from topkick.cli.setup.checkup import CheckupFinding, Level, look_at_everything
from topkick.text import escape


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
