"""Any program by its whole command line: its output is shown, and its exit code decides."""

import signal
from collections.abc import Mapping, Sequence

from topkick.agents.transcript.endings import Ruling, by_wait_status
from topkick.agents.transcript.plain_text import shown_line
from topkick.agents.transcript.result import AgentOutput
from topkick.agents.vocabulary import Assignment, Event, Launch
from topkick.engine.agents.program import (
    AgentExit,
    AgentProgram,
    AgentReport,
    Conclusion,
    Conversation,
    PromptBy,
    Usage,
)


class CommandAdapter:
    name = "command"
    tested = ""
    counts_turns = False  # its output does not show turns
    stop_signal = signal.SIGTERM

    def launch(self, program: AgentProgram, assignment: Assignment) -> Launch:
        words = filled(program.command, assignment)
        return Launch(words, {}, prompt_on_stdin=program.prompt is PromptBy.STDIN)

    def reader(self, resumed: Conversation | None = None) -> "CommandReader":
        return CommandReader(resumed)

    def permissions(self, program: AgentProgram) -> str:  # noqa: ARG002
        return "whatever its command line allows"


class CommandReader:
    def __init__(self, resumed: Conversation | None = None) -> None:
        self._heard = AgentOutput(resumed)

    def feed(self, line: bytes) -> Sequence[Event]:
        self._heard.anything = self._heard.anything or bool(line.strip())
        return self._heard.says(shown_line(line))

    @property
    def usage(self) -> Usage:
        return Usage()

    def report(self, ended: AgentExit) -> AgentReport:
        conclusion = by_wait_status(ended, self._heard.anything)
        if conclusion is None:
            conclusion = Conclusion.FINISHED if ended.code == 0 else Conclusion.CRASHED
        return self._heard.report(Ruling(conclusion, ended.detail), ended, Usage(), Usage())


def filled(command: Sequence[str], assignment: Assignment) -> tuple[str, ...]:
    """Fill in the placeholders of a command; one word stays one word."""
    values = {
        "{prompt}": assignment.prompt,
        "{prompt_file}": assignment.prompt_file,
        "{model}": assignment.model,
        "{tier}": assignment.tier,
        "{max_turns}": str(assignment.max_turns),
        "{run_id}": assignment.run_id,
        "{unit}": assignment.unit,
        "{sprint}": assignment.sprint,
        "{project}": assignment.root,
    }
    return tuple(_filled_word(word, values) for word in command)


def _filled_word(word: str, values: Mapping[str, str]) -> str:
    """Fill in placeholders once: inserted text is not searched again."""
    parts, rest = [], word
    while rest:
        found = [(rest.find(key), key) for key in values if key in rest]
        if not found:
            break
        at, key = min(found)
        parts += [rest[:at], values[key]]
        rest = rest[at + len(key) :]
    return "".join([*parts, rest])
