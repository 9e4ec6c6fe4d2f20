"""Describe what an agent does: one safe line for each event that deserves one."""

from typing import assert_never

from topkick.agents.vocabulary import (
    AgentQuestion,
    AgentResult,
    Denied,
    Event,
    LimitReached,
    Retrying,
    Said,
    Started,
    ToolUsed,
    Turn,
    Unknown,
    Used,
)
from topkick.engine.agents.program import AgentReport, Conclusion
from topkick.sprint.views import spending
from topkick.text import escape
from topkick.text import format as fmt

LINE_CHARS = 500
TURN_COLUMNS = 4


class Transcript:
    """Lines as they come, each with its turn, without what is `hidden`."""

    def __init__(self, utc_offset_s: int = 0, hidden: tuple[str, ...] = ()) -> None:
        self._utc_offset_s = utc_offset_s
        self._hidden = hidden
        self._turn = ""

    def line(self, event: Event) -> str:
        """Return the line; empty for an event without one."""
        if isinstance(event, Turn):
            self._turn = str(event.number)
        words = escape.redact(in_words(event, self._utc_offset_s), self._hidden)
        return f"{self._turn:>{TURN_COLUMNS}}  {words}" if words else ""


def in_words(event: Event, utc_offset_s: int = 0) -> str:
    return escape.line(_words(event, utc_offset_s), LINE_CHARS)


def _words(event: Event, utc_offset_s: int) -> str:
    match event:
        case Started(_, model, version, permissions):
            return " ".join(filter(None, ("begins:", model, version, permissions))).rstrip(":")
        case Turn() | Used():
            return ""
        case ToolUsed(tool, what):
            return f"{tool}: {what}" if what else tool
        case Said(text):
            return f"says: {text}" if text.strip() else ""
        case Retrying():
            return _retrying(event)
        case LimitReached(why, resets_at_us):
            return f"usage limit: {why}{_until(resets_at_us, utc_offset_s)}"
        case Denied(tool, why):
            return f"denied: {tool}{f' ({why})' if why else ''}"
        case AgentQuestion(question):
            return f"asks: {question}"
        case AgentResult(ok, said):
            return "done" if ok else f"ended: {said or 'without a message'}"
        case Unknown(kind):
            return f"(unknown to topkick: {kind})"
        case _:
            assert_never(event)


def _retrying(event: Retrying) -> str:
    of = f" {event.attempt} of {event.of}" if event.attempt and event.of else ""
    wait = f" in {event.wait_s:.0f} s" if event.wait_s >= 1 else ""
    return f"retrying{of}{wait}: {event.why}"


def _until(resets_at_us: int | None, utc_offset_s: int) -> str:
    if resets_at_us is None:
        return ""
    return f", until {fmt.day_and_clock(resets_at_us, utc_offset_s)}"


def doing(event: Event, utc_offset_s: int = 0) -> str | None:
    """Return what the agent is doing, in short; None for an event that does not change that."""
    match event:
        case Turn() | Used() | Unknown():
            return None
        case Started():
            return "thinking"
        case AgentResult():
            return "ending"
        case _:
            return in_words(event, utc_offset_s) or None


def summary(report: AgentReport, hidden: tuple[str, ...] = ()) -> str:
    """Return a summary: "finished: 3 turns, 6k tokens, $0.02", and on a failure the program's
    message.
    """
    used = spending.used(report.usage)
    said = escape.redact(escape.line(report.said, 300), hidden)
    why = "" if report.conclusion is Conclusion.FINISHED else said
    told = " · ".join(part for part in (used, why) if part)
    return f"{report.conclusion.value}: {told}" if told else report.conclusion.value
