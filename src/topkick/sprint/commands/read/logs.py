"""`topkick logs`: what an agent printed, or what the supervisor did."""

import time
from collections.abc import Iterable
from dataclasses import replace

import click

from topkick.app.agents.tail import (
    OutputReader,
    Speaker,
    hidden_on_screen,
    how_it_ended,
    last_run_of,
    output_of,
    runs_about,
    speaker_of,
)
from topkick.app.project import Project
from topkick.app.run_search import run_here
from topkick.app.run_view import Follow, take_a_look
from topkick.cli import completion, handles, terminal
from topkick.cli.handles import Target
from topkick.engine.agents.program import PLAIN
from topkick.engine.errors import UsageError
from topkick.sprint.model import SPRINT, Mission
from topkick.sprint.views import event_log
from topkick.text import escape as text_escape

LOOK_EVERY_S = 0.2
LINE_LIMIT_BYTES = 1 << 16
_SEQUENCE_BYTES = 256


@click.command("logs")
@click.argument("x", required=False, shell_complete=completion.units_and_sprints)
@click.option("-f", "--follow", is_flag=True, help="Follow: print new output as it comes.")
@click.option("--raw", is_flag=True, help="Print raw output, with terminal controls and secrets.")
def command(x: str | None, follow: bool, raw: bool) -> int:
    """Print what the agent of sprint X printed last; without X, what the supervisor did.

    For a board or an epic, X is an order's id, a role or a task.

    If the agent has an adapter, its events are shown, one a line; --raw prints its stream.

    \b
    Example: topkick logs U2/1 -f
    """
    project = run_here()
    view = take_a_look(project)
    if view is None or view.mission.plan is None:
        raise UsageError("There is no run here yet. Begin one: topkick start")
    if x is None:
        return _story(project, follow=follow)
    if view.mission.policy != SPRINT:
        run_id = _run_about(project, x)
    else:
        run_id = _run_id(project, view.mission, handles.find(view.mission, x))
    secrets = hidden_on_screen(view.mission.settings)
    speaker = None if raw else speaker_of(project, run_id)
    if speaker is not None and speaker.program.adapter != PLAIN:
        _tell(project, run_id, speaker, secrets, follow=follow)
    else:
        _print(output_of(project, run_id), secrets, follow=follow, raw=raw)
    return 0


def _run_about(project: Project, x: str) -> str:
    """Return the run of a board or epic: an order by its id, or the last order of a
    role or a task.
    """
    found = runs_about(project, x)
    if not found:
        raise UsageError(
            f"No agent was asked about '{text_escape.line(x, 60)}'. "
            "Who was: topkick logs, without a name"
        )
    return found[-1]


def _run_id(project: Project, mission: Mission, target: Target) -> str:
    """Return the run at work; else the one that was interrupted, the last one, or the one that was
    judged.
    """
    sprint = target.named_or_current
    run = mission.run_of(target.unit.name)
    if run is not None and run.sprint == sprint.id and run.dispatch is not None:
        return run.id
    judged = sprint.outcome.run_id if sprint.outcome is not None else ""
    found = sprint.interrupted_run or last_run_of(project, target.unit.name, sprint.id) or judged
    if not found:
        raise UsageError(
            f"{target.unit.handle}/{sprint.id} was not given to an agent yet, so it has no log."
        )
    return found


def _tell(
    project: Project, run_id: str, speaker: Speaker, secrets: tuple[str, ...], *, follow: bool
) -> None:
    """Print the agent's events in words, and at the end a summary."""
    from topkick.agents.transcript.tail import TailReader, tail_of
    from topkick.app.agents.event_lines import Transcript, summary

    tail = tail_of(project.runs / run_id)
    if tail is None:
        return
    reader = output_of(project, run_id)
    listener = TailReader(speaker.program, speaker.resumed, text_escape.long_ones(secrets))
    transcript = Transcript(terminal.utc_offset_s(), secrets)
    while True:
        ended = reader.ended
        _say_all(transcript.line(event) for event in listener.hear(tail))
        if listener.has_more(tail):
            continue
        if ended:
            _say_all(transcript.line(event) for event in listener.end())
            if (how := how_it_ended(project, run_id)) is not None:
                report = listener.report(how)
                usage = speaker.program.priced(report.usage)
                terminal.say(summary(replace(report, usage=usage), secrets))
        if ended or not follow:
            return
        time.sleep(LOOK_EVERY_S)


def _say_all(lines: Iterable[str]) -> None:
    for line in lines:
        if line:
            terminal.say(line)


def _print(reader: OutputReader, secrets: Iterable[str], *, follow: bool, raw: bool) -> None:
    """Print whole lines if possible, so that no secret and no escape sequence is cut in two."""
    offset, held, secrets = 0, b"", tuple(secrets)
    while True:
        ended = reader.ended
        data, next_offset = reader.read(offset)
        missing_bytes = next_offset - len(data) - offset
        if missing_bytes > 0 and not raw:
            _echo(held, secrets, raw=raw)
            click.echo(f"\n[… {missing_bytes} bytes were not kept …]")
            held = b""
        offset = next_offset
        shown, held = _ready(held + data, secrets)
        _echo(shown, secrets, raw=raw)
        if not data and (ended or not follow):
            _echo(held, secrets, raw=raw)
            return
        if not data:
            time.sleep(LOOK_EVERY_S)


def _ready(data: bytes, secrets: tuple[str, ...]) -> tuple[bytes, bytes]:
    """Return what can be shown now, and what waits for more output; a line that does not end is
    shown in parts.
    """
    hidden = [secret.encode() for secret in secrets if secret]
    longest = max(map(len, hidden), default=0)
    end = data.rfind(b"\n") + 1
    if len(data) - end <= max(LINE_LIMIT_BYTES, 4 * longest):
        return data[:end], data[end:]
    end = len(data) - longest - _SEQUENCE_BYTES
    for secret in hidden:
        at = data.find(secret, max(end - len(secret), 0), end + len(secret))
        end = at if 0 < at < end else end
    escape = data.rfind(b"\x1b", end - _SEQUENCE_BYTES, end)
    end = escape if escape > 0 else end
    while data[end] & 0xC0 == 0x80 and len(data) - end < 2 * _SEQUENCE_BYTES + 2 * longest + 4:
        end -= 1  # the middle of a character
    return data[:end], data[end:]


def _echo(data: bytes, secrets: tuple[str, ...], *, raw: bool) -> None:
    if raw:
        click.echo(data, nl=False)
        return
    text = text_escape.redact(data.decode("utf-8", "replace"), secrets)
    click.echo(text_escape.block(text), nl=False)


def _story(project: Project, *, follow: bool) -> int:
    reader, offset_s = Follow(project), terminal.utc_offset_s()
    try:
        while True:
            for item in reader.news():
                line = event_log.tell(reader.mission, item.happening, item.at_us, offset_s)
                if line:
                    terminal.say(line)
            if not follow or reader.view().holder is None:
                return 0
            time.sleep(LOOK_EVERY_S)
    finally:
        reader.close()
