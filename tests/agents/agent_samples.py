"""Shared by the tests of adapters: sample lines of each program, ends of processes, orders."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from topkick.agents.registry import adapter_named
from topkick.agents.vocabulary import Assignment, Event, StreamReader
from topkick.engine.agents.program import AgentExit, AgentProgram, AgentReport, Conversation, Ending

SAMPLES = Path(__file__).parent / "samples"
PROGRAMS = ("claude", "codex", "gemini", "opencode")
ASSIGNMENT = Assignment(
    run_id="u2-7-1",
    prompt="Do sprint 7.",
    prompt_file="/srv/state/runs/u2-7-1/prompt",
    model="some-model",
    tier="sonnet",
    unit="U2",
    sprint="7",
    root="/srv/project",
    max_turns=50,
    new_conversation="26410162-29a0-4e81-a8b0-2dcc6f288cea",
    git_dirs=("/srv/project/.git",),
)
EARLIER = "79a83269-909d-4ca4-8c63-1c7a967f72c4"


def samples(program: str) -> list[bytes]:
    return (SAMPLES / f"{program}.jsonl").read_bytes().splitlines()


def sample(program: str, **fields: Any) -> dict[str, Any]:
    """Return the first sample line that has these fields."""
    for line in samples(program):
        event: dict[str, Any] = json.loads(line)
        if all(event.get(key) == value for key, value in fields.items()):
            return event
    raise AssertionError(f"{program} has no sample with {fields}")


def line(event: dict[str, Any]) -> bytes:
    return json.dumps(event).encode()


def program(name: str, *command: str, **more: Any) -> AgentProgram:
    return AgentProgram(name, command or (f"/opt/{name}",), adapter=name, **more)


def resumed(**more: Any) -> Assignment:
    return replace(ASSIGNMENT, resumes=Conversation(EARLIER), **more)


def exited(code: int = 0) -> AgentExit:
    return AgentExit(Ending.EXITED, code)


def signaled(number: int) -> AgentExit:
    return AgentExit(Ending.SIGNALED, None, number)


def read(
    name: str, *events: dict[str, Any] | bytes, before: Conversation | None = None
) -> tuple[StreamReader, list[Event]]:
    reader = adapter_named(name).reader(before)
    heard: list[Event] = []
    for event in events:
        heard += reader.feed(event if isinstance(event, bytes) else line(event))
    return reader, heard


def report(
    name: str,
    *events: dict[str, Any] | bytes,
    ended: AgentExit | None = None,
    before: Conversation | None = None,
) -> AgentReport:
    return read(name, *events, before=before)[0].report(ended or exited())
