"""Read agents' streams for viewers: the end while it grows, or all of it."""

import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from topkick.app.project import Project
from topkick.app.run_view import journal_happenings
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit, AgentProgram, Conversation
from topkick.engine.agents.runs import Run, Stage
from topkick.engine.settings import Settings
from topkick.runner.keeper import output
from topkick.runner.keeper.output import Chunk
from topkick.runner.run_dir import describe, read_limits
from topkick.sprint.model import Mission
from topkick.sprint.views.activity import has_adapter
from topkick.text import escape

if TYPE_CHECKING:  # adapters are loaded only when there is one to listen to
    from topkick.agents.transcript.tail import TailReader

TAIL_BYTES = 1 << 18
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


# --- running agents ----------------------------------------------------------------------------


class Ears:
    """Follows the agents at work, and never reads more than the last 256 KiB."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._listeners: dict[str, TailReader] = {}
        self._doing: dict[str, str] = {}

    def doing(self, mission: Mission) -> Mapping[str, str]:
        """Return what each agent with an adapter last did, by run id."""
        heard = {run.id: run for run in mission.runs.values() if _can_be_heard(mission, run)}
        for gone in self._listeners.keys() - heard.keys():
            del self._listeners[gone]
            self._doing.pop(gone, None)
        for run in heard.values():
            self._listen(mission, run)
        return dict(self._doing)

    def _listen(self, mission: Mission, run: Run) -> None:
        from topkick.app.agents import event_lines

        tail = _end_of(self._project.runs / run.id)
        if tail is None:
            return
        offset_s = time.localtime().tm_gmtoff
        for event in self._listener(mission, run).hear(tail, TAIL_BYTES):
            if words := event_lines.doing(event, offset_s):
                self._doing[run.id] = escape.redact(words, hidden_on_screen(mission.settings))

    def _listener(self, mission: Mission, run: Run) -> "TailReader":
        from topkick.agents.transcript.tail import TailReader

        if run.id not in self._listeners:
            assert run.dispatch is not None
            assert mission.settings is not None
            program = run.dispatch.program or mission.settings.agent
            hidden = escape.long_ones(hidden_on_screen(mission.settings))
            self._listeners[run.id] = TailReader(program, run.dispatch.resumes, hidden)
        return self._listeners[run.id]


def _can_be_heard(mission: Mission, run: Run) -> bool:
    return run.stage is Stage.WORKING and has_adapter(mission, run)


def _end_of(run_dir: Path) -> Callable[[int, int], Chunk] | None:
    """Skip what is too far back; a listener sees that as a gap."""
    limits = read_limits(run_dir)
    if limits is None:
        return None
    cap_bytes = limits.output_cap_bytes
    least = output.size_bytes(run_dir, cap_bytes) - TAIL_BYTES
    return lambda offset, most: output.read(run_dir, cap_bytes, max(offset, least), most)


# --- agents that have ended --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Speaker:
    """The program that worked on an order, and the conversation it resumed."""

    program: AgentProgram
    resumed: Conversation | None = None


def speaker_of(project: Project, run_id: str) -> Speaker | None:
    """Return the program by the settings at the time of the order, which may differ now."""
    settings: Settings | None = None
    for item in journal_happenings(project):
        match item.happening:
            case h.MissionBegan(settings=found) | h.SettingsChanged(settings=found):
                settings = found
            case h.RunDispatched(run_id=found_id, dispatch=dispatch) if found_id == run_id:
                assert settings is not None
                return Speaker(dispatch.program or settings.agent, dispatch.resumes)
            case _:
                continue
    return None


def last_run_of(project: Project, unit: str, sprint: str) -> str:
    """Return the last order of a sprint, even if it led to nothing; empty if there was none."""
    opened: set[str] = set()
    last = ""
    for item in journal_happenings(project):
        match item.happening:
            case h.RunOpened(run_id=run_id, unit=of, sprint=number) if (of, number) == (
                unit,
                sprint,
            ):
                opened.add(run_id)
            case h.RunDispatched(run_id=run_id) if run_id in opened:
                last = run_id
            case _:
                continue
    return last


def runs_about(project: Project, x: str) -> list[str]:
    """Return orders outside a plan, by id or by words of their subject, the last one last."""
    wanted = x.casefold()
    return [
        item.happening.run_id
        for item in journal_happenings(project)
        if isinstance(item.happening, h.RunOpened)
        and (item.happening.run_id == x or wanted in item.happening.sprint.casefold())
    ]


def how_it_ended(project: Project, run_id: str) -> AgentExit | None:
    from topkick.runner.agent_executor import agent_exit

    found = describe(project.runs / run_id).exit
    return agent_exit(found) if found is not None else None


# --- all that an agent printed ------------------------------------------------------------------


class OutputReader:
    """Reads one agent's output, while it prints and long after."""

    def __init__(self, run_dir: Path) -> None:
        self._path = run_dir
        limits = read_limits(run_dir)
        self._cap_bytes = limits.output_cap_bytes if limits is not None else 1

    @property
    def size_bytes(self) -> int:
        return output.size_bytes(self._path, self._cap_bytes)

    @property
    def ended(self) -> bool:
        return describe(self._path).state in {"exited", "lost", "absent"}

    def read(self, offset: int, limit_bytes: int = 1 << 16) -> tuple[bytes, int]:
        chunk = output.read(self._path, self._cap_bytes, offset, limit_bytes)
        return chunk.data, chunk.next_offset


def output_of(project: Project, run_id: str) -> OutputReader:
    return OutputReader(project.runs / run_id)


# --- secrets ---------------------------------------------------------------------------------


def hidden_on_screen(settings: Settings | None) -> tuple[str, ...]:
    """Return values passed to agents that look like secrets."""
    return secret_values(settings.all_pass_env) if settings is not None else ()


def secret_values(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(os.environ.get(name, "") for name in names if _SECRET.search(name))
