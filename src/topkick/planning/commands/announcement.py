"""The announcement of an operation's name: a box in a terminal, plain lines elsewhere (NM-01)."""

from topkick.cli import terminal
from topkick.planning.naming.operation_name import NamedPlan
from topkick.sprint.model import Mission
from topkick.text import escape
from topkick.text.columns import fit, width_of
from topkick.text.format import counted

WIDEST = 72
NARROWEST = 40


def announce(mission: Mission, named: NamedPlan) -> None:
    lines = announced_lines(mission, named)
    width = terminal.width()
    boxed = terminal.is_there() and width >= NARROWEST
    terminal.say("")
    for line in box(lines, min(width, WIDEST)) if boxed else lines:
        terminal.say(line)
    if named.why_not:
        file = escape.line(named.plan.file, 60)
        terminal.say(f"{file} does not have this name: {escape.line(named.why_not, 200)}.")
        terminal.say("The run uses this name anyway.")
    terminal.say("")


def announced_lines(mission: Mission, named: NamedPlan) -> list[str]:
    """Return the operation's name, then the lines that every run prints before it begins."""
    only = mission.settings.only if mission.settings is not None else ()
    units = [u for u in mission.units.values() if not only or u.name in only]
    sprints = sum(len(u.sprints) for u in units)
    return [
        escape.line(named.plan.feature_name, 60),
        f"Mission: {escape.line(named.plan.title, 60)}",
        "Status:  COMMENCING",
        f"Sprints: {counted(sprints, 'sprint')} across {counted(len(units), 'work unit')}",
    ]


def box(lines: list[str], width: int) -> list[str]:
    """Draw a box around the lines; the first line is centred, with blank lines around it."""
    inner = width - 6
    middle = " " * max(0, (inner - width_of(lines[0])) // 2) + lines[0]
    rows = ["", middle, "", *lines[1:], ""]
    edge = "═" * (width - 2)
    return [f"╔{edge}╗", *(f"║  {fit(row, inner)}  ║" for row in rows), f"╚{edge}╝"]
