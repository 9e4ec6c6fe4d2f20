"""Streams that the real programs printed, each with what it has to be taken for."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from agent_samples import read

from topkick.agents.registry import adapter_named
from topkick.engine.agents.program import AgentExit, Conclusion, Conversation, Ending, Usage

STREAMS = Path(__file__).parents[1] / "fixtures" / "streams"
RECORDED = sorted(STREAMS.glob("*/*.toml"))


def case(path: Path) -> tuple[dict[str, Any], AgentExit, list[bytes], list[bytes]]:
    about = tomllib.loads(path.read_text("utf-8"))
    ended = AgentExit(Ending(about["how"]), about.get("code"), about.get("signal"))
    out = path.with_suffix(".jsonl").read_bytes().split(b"\n")
    return about, ended, out, about.get("stderr", "").encode().split(b"\n")


@pytest.mark.spec("DP-06", "DP-09", "ER-05")
@pytest.mark.parametrize("path", RECORDED, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_a_recorded_stream_is_taken_for_what_it_was(path: Path) -> None:
    """Wherever the words from stderr come to stand between the events."""
    about, ended, out, err = case(path)
    for lines in (err + out, out + err):
        reader, _ = read(about["program"], *lines)
        told = reader.report(ended)
        assert told.conclusion is Conclusion(about["expected"]), told
        assert told.conversation is None or told.conversation.used == told.usage


def test_there_are_streams_of_the_versions_that_we_name() -> None:
    versions = dict(path.parent.name.rsplit("-", 1) for path in RECORDED)
    assert versions.keys() == {"claude", "codex", "gemini", "opencode"}
    assert versions == {name: adapter_named(name).tested for name in versions}


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "opencode"])
def test_the_second_run_of_a_conversation_is_counted_by_itself(name: str) -> None:
    place = STREAMS / f"{name}-{adapter_named(name).tested}"
    _, ended, out, _ = case(place / "happy.toml")
    first = read(name, *out)[0].report(ended)
    assert first.conversation is not None
    _, ended, out, _ = case(place / "resume.toml")
    before = Conversation("the-same", first.conversation.used)
    second = read(name, *out, before=before)[0].report(ended)
    assert second.usage == first.usage
    assert second.conversation is not None
    assert second.conversation.used == first.usage.plus(first.usage)


def test_an_unknown_future_is_tolerated() -> None:
    for path in STREAMS.glob("*/unknown-events.toml"):
        about, ended, out, _ = case(path)
        happy = case(path.with_name("happy.toml"))[2]
        told = read(about["program"], *out)[0].report(ended)
        known = read(about["program"], *happy)[0].report(ended)
        assert (told.usage, told.said) == (known.usage, known.said) != (Usage(), "")
