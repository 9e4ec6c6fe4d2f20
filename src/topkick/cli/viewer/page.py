"""The viewer's screen: the status table, notices, the last events, and the keys."""

from collections.abc import Sequence
from enum import Enum, auto

from rich.console import Group
from rich.text import Text

from topkick.app.run_view import View
from topkick.cli import terminal
from topkick.engine.agents.runs import Run, Stage
from topkick.engine.blockers import Intent
from topkick.engine.views import run_status
from topkick.sprint import status as sprint_status
from topkick.sprint.blockers import unit
from topkick.sprint.blockers.holds import FatalCause
from topkick.sprint.blockers.model import Blocked
from topkick.sprint.blockers.waits import GateAsks
from topkick.sprint.gates import views as gates
from topkick.sprint.model import SPRINT, Mission, Overall
from topkick.sprint.views import activity as live
from topkick.sprint.views import blocker_lines, status
from topkick.sprint.views.activity import handle_of
from topkick.sprint.views.status import Situation
from topkick.text import columns, escape
from topkick.text import format as fmt
from topkick.text.format import counted

COMMAND = "topkick "
ANSWERS = "y: yes   any other key: no"
LEAST_EVENTS = 5
MOST_AT_WORK = 6
STYLES = {
    "COMPLETED": "green",
    "RUNNING": "cyan",
    "DISPATCHED": "cyan",
    "PARTIAL": "yellow",
    "BACKOFF": "yellow",
    "STOPPING": "yellow",
    "STOPPED": "yellow",
    "BLOCKED": "bold red",
    "FATAL": "bold red",
    "KILLED": "bold red",
    "WAITS FOR YOU": "bold yellow",
}


class StopQuestion(Enum):
    """A question of the viewer after the key `s`: let the agents finish, or stop them now."""

    DRAIN = auto()
    NOW = auto()


def page(
    view: View,
    events: Sequence[str],
    width: int,
    height: int,
    *,
    asks: StopQuestion | None = None,
    where: Situation | None = None,
) -> Group:
    """Return the screen, at most `height` lines; the table is cut before the events are."""
    where = where or terminal.situation(view)
    foot = ["", *_wrapped(footer(view, asks), width)]
    if view.mission.policy != SPRINT:
        body = _with_commands([*run_status.lines(view.mission, where), "", *events], width)
        body = body[-max(height - len(foot), 0) :]
        return Group(*(_styled(line, width) for line in [*body, *foot][:height]))
    told = status.headline(view.mission, view.now_us, supervised=where.is_supervised)
    head = [*_wrapped(told, width), ""]
    notices = _with_commands(_notices(view.mission, where), width)
    notices = [*_at_work(view.mission, where, width, height), *notices]
    events = _with_commands(events, width)
    room = height - len(head) - len(notices) - len(foot) - 1
    table = _table(view, width, max(room - LEAST_EVENTS, 4))
    shown = list(events)[-max(room - len(table) - 1, 0) :] if room > len(table) + 1 else []
    body = [*head, *table, *notices, "", *shown][: max(height - len(foot), 0)]
    return Group(*(_styled(line, width) for line in [*body, *foot][:height]))


def _table(view: View, width: int, most: int) -> list[str]:
    lines = status.table(view.mission, view.now_us, width)
    if len(lines) <= most:
        return lines
    quiet = ("COMPLETED", "NOT_STARTED")
    busy = [line for line in lines[2:] if not any(f" {word} " in line for word in quiet)]
    shown = busy[: most - 3]
    left = len(lines) - 2 - len(shown)
    units = counted(left, "more work unit")
    return [*lines[:2], *shown, f"… {units}: topkick status"]


def _at_work(mission: Mission, where: Situation, width: int, height: int) -> list[str]:
    """Return a line for each agent at work; on a small screen for the first few only."""
    lines = live.at_work(mission, where.now_us, where.doing, width)[1:]
    most = max(1, min(MOST_AT_WORK, height // 6))
    more = [f"  … and {len(lines) - most} more at work"] if len(lines) > most else []
    return ["", *lines[:most], *more] if lines else []


def _notices(mission: Mission, where: Situation) -> list[str]:
    lines = status.dead_supervisor(mission, where)
    lines += live.usage_limits(mission, where.now_us, where.utc_offset_s)[:1]
    lines += live.spent_budget(mission)[:1]
    lines += _gates(mission, where.now_us)
    needs = unit.needs(mission)
    blocked = [n for n in needs if isinstance(n.by, FatalCause)]
    lines += [f"BLOCKED {n.handle}: {_cut(n, 100)} → topkick status" for n in blocked[:2]]
    others = [n for n in needs if not isinstance(n.by, FatalCause)]
    if sprint_status.overall(mission) in {Overall.RUNNING, Overall.BLOCKED}:
        lines += [_waits_for_you(n) for n in others[:2]]
    return ["", *lines] if lines else []


def _gates(mission: Mission, now_us: int) -> list[str]:
    """Return a line about the gate that runs now, or else about the last verdict."""
    building = [g for g in mission.gates.values() if g.verdict is None]
    if building:
        gate = building[0]
        of = f" of {gates.names(gate.units)}" if gate.covers else ""
        return [f"{gates.title(gate)}{of}: {gates.under_way(mission, gate, now_us)}"]
    last = gates.last_of_phases(mission)[-1:] if not mission.gates else ()
    return [f"{gates.title(gate)} {gates.outcome(gate)}" for gate in last]


def _waits_for_you(need: Blocked) -> str:
    """Put the command for a gate first: all units wait for it, and a narrow screen cuts lines."""
    if isinstance(need.by, GateAsks):
        accept = next(o.command for o in need.offers if o.intent is Intent.LET_PASS)
        return f"WAITS FOR YOU: {accept} ({_cut(need, 80)})"
    return f"Waits for you: {need.handle} {_cut(need, 60)}"


def _cut(need: Blocked, width: int) -> str:
    return escape.line(blocker_lines.words(need), width)


def footer(view: View, asks: StopQuestion | None = None) -> str:
    """Return the keys that work now, or the question that waits for an answer."""
    out = [r for r in view.mission.runs.values() if r.stage in {Stage.WORKING, Stage.CHECKING}]
    names = ", ".join(_out(view.mission, r, view.now_us) for r in out)
    match asks:
        case StopQuestion.DRAIN if not out:
            return f"Stop the run? No agent is at work. {ANSWERS}"
        case StopQuestion.DRAIN:
            return f"Drain {names}? {ANSWERS}   s again: stop them now"
        case StopQuestion.NOW:
            return f"Stop {names or 'the last checks'} now, in the middle of the work? {ANSWERS}"
        case None if sprint_status.overall(view.mission) is not Overall.STOPPING:
            return "Ctrl-C or q: leave (the run continues)   s: stop the run"
        case None if any(r.cancel is not None for r in out):
            return f"Stopping now: {names}. Ctrl-C or q: leave"
        case None:
            return f"Draining: {names or 'the last checks'}. s: stop them now   Ctrl-C or q: leave"


def _out(mission: Mission, run: Run, now_us: int) -> str:
    since_us = run.dispatch.at_us if run.dispatch is not None else run.opened_at_us
    return f"{handle_of(mission, run.unit, run.sprint)} ({fmt.lasted(now_us - since_us)} so far)"


def _wrapped(text: str, width: int) -> list[str]:
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def _with_commands(lines: Sequence[str], width: int) -> list[str]:
    """Wrap lines that may hold a command, so that the user sees the whole command."""
    found: list[str] = []
    for line in lines:
        fits = columns.width_of(line) <= width
        found += [line] if fits or COMMAND not in line else _wrapped(line.strip(), width)
    return found


def _styled(line: str, width: int) -> Text:
    """Return the line with coloured states; no part of it is read as markup."""
    text = Text(line, no_wrap=True, overflow="ellipsis")
    text.truncate(width, overflow="ellipsis")
    for word, style in STYLES.items():
        text.highlight_regex(rf"\b{word}\b", style)
    return text
