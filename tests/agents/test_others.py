"""Gemini CLI, opencode and programs by their command line."""

import signal
from dataclasses import replace
from typing import Any

import pytest
from agent_samples import (
    ASSIGNMENT,
    EARLIER,
    exited,
    program,
    read,
    report,
    resumed,
    sample,
    samples,
    signaled,
)

from topkick.agents.command import CommandAdapter
from topkick.agents.gemini import Gemini
from topkick.agents.opencode import Opencode
from topkick.agents.vocabulary import (
    AgentResult,
    Denied,
    LimitReached,
    Said,
    Started,
    ToolUsed,
    Turn,
    Unknown,
    Used,
)
from topkick.engine.agents.program import (
    AgentExit,
    AgentProgram,
    Conclusion,
    Conversation,
    Ending,
    PromptBy,
    Usage,
)

# --- Gemini CLI ------------------------------------------------------------------------------

GEMINI_DONE = sample("gemini", status="success", type="result")
GEMINI_FAILED = sample("gemini", type="result", status="error")
BLOCKED = sample("gemini", severity="error")
LOOP = sample("gemini", severity="warning")
GEMINI_ANSWER = sample("gemini", role="assistant")


def gemini_error(kind: str, message: str) -> dict[str, Any]:
    return {**GEMINI_FAILED, "error": {"type": kind, "message": message}}


@pytest.mark.spec("DP-06", "DP-07")
def test_gemini_new_and_resumed() -> None:
    begin = ("/opt/gemini", "--output-format", "stream-json", "--model", "some-model")
    free = ("--approval-mode", "yolo", "--skip-trust")
    launch = Gemini().launch(program("gemini"), ASSIGNMENT)
    new = ("--session-id", ASSIGNMENT.new_conversation)
    assert launch.argv == (*begin, *free, *new, "--prompt=Do sprint 7.")
    assert not launch.prompt_on_stdin
    assert launch.env == {"GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_TELEMETRY_ENABLED": "false"}
    again = Gemini().launch(program("gemini"), resumed(own_config="/srv/state/gemini"))
    assert again.argv == (*begin, *free, "--resume", EARLIER, "--prompt=Do sprint 7.")
    assert again.env["GEMINI_CLI_HOME"] == "/srv/state/gemini"
    assert Gemini.counts_turns


def test_gemini_gets_a_prompt_too_long_for_a_command_line_by_stdin() -> None:
    prompt = "x" * 200_000
    launch = Gemini().launch(program("gemini"), replace(ASSIGNMENT, prompt=prompt))
    assert launch.prompt_on_stdin
    assert not [word for word in launch.argv if len(word) > 1000]


def test_gemini_turns_are_answers_not_pieces_of_them() -> None:
    tool, result = sample("gemini", type="tool_use"), sample("gemini", type="tool_result")
    user, init = sample("gemini", role="user"), sample("gemini", type="init")
    reader, heard = read(
        "gemini", init, user, GEMINI_ANSWER, GEMINI_ANSWER, tool, result, tool, GEMINI_DONE
    )
    assert heard[0] == Started(init["session_id"], "gemini-2.5-pro")
    assert heard[1:3] == [Turn(1), Said("no suitable tool")]
    assert [event for event in heard if isinstance(event, Turn)] == [Turn(1), Turn(2)]
    assert ToolUsed("write_file", "hello.txt") in heard
    used = Usage(2, 2000, 1200, 100)
    assert heard[-2:] == [Used(used), AgentResult(True, "no suitable tool")]
    before = Conversation(EARLIER, Usage(1, 10, 5, 5))
    again = report("gemini", init, GEMINI_ANSWER, GEMINI_DONE, before=before)
    assert again.usage == Usage(1, 2000, 1200, 100)
    assert again.conversation is not None
    assert again.conversation.used == Usage(2, 2010, 1205, 105)
    assert reader.usage == used


GEMINI_ROWS = {
    "success": ([GEMINI_DONE], 0, Conclusion.FINISHED),
    "turns": ([gemini_error("FatalTurnLimitedError", "x")], 53, Conclusion.TURN_LIMIT),
    "loop": ([LOOP, GEMINI_DONE], 0, Conclusion.TURN_LIMIT),
    "blocked": ([BLOCKED, GEMINI_FAILED], 1, Conclusion.REFUSED),
    "cut": ([gemini_error("unknown", "[API Error: terminated]")], 1, Conclusion.PROVIDER_TROUBLE),
    "400": ([gemini_error("unknown", "[API Error: no]")], 144, Conclusion.BAD_REQUEST),
    "too long": (
        [gemini_error("unknown", "[API Error: prompt is too long: 9 tokens > 8 maximum]")],
        144,
        Conclusion.CONTEXT_EXHAUSTED,
    ),
    "401": ([gemini_error("unknown", "[API Error: no]")], 145, Conclusion.AUTHENTICATION),
    "403": ([gemini_error("unknown", "[API Error: no]")], 147, Conclusion.AUTHENTICATION),
    "429": ([gemini_error("unknown", "[API Error: no]")], 173, Conclusion.PROVIDER_TROUBLE),
    "500": ([gemini_error("unknown", "[API Error: no]")], 244, Conclusion.PROVIDER_TROUBLE),
    "503": ([gemini_error("unknown", "[API Error: no]")], 247, Conclusion.PROVIDER_TROUBLE),
    "404": ([gemini_error("unknown", "[API Error: model not found]")], 1, Conclusion.BAD_REQUEST),
    "untrusted": ([], 55, Conclusion.PERMISSION_DENIED),
    "unknown session": ([], 42, Conclusion.CONVERSATION_LOST),
    "no login": ([b"Please set an Auth method"], 41, Conclusion.AUTHENTICATION),
    "a signal": ([GEMINI_ANSWER], 0, Conclusion.INTERRUPTED),
    "no word": ([GEMINI_ANSWER], 1, Conclusion.CRASHED),
}


@pytest.mark.spec("DP-09", "ER-05")
@pytest.mark.parametrize("row", GEMINI_ROWS)
def test_gemini_ends(row: str) -> None:
    events, code, conclusion = GEMINI_ROWS[row]
    assert report("gemini", *events, ended=exited(code)).conclusion is conclusion


def test_gemini_killed_is_told_by_the_wait_status_alone() -> None:
    assert report("gemini", GEMINI_ANSWER, ended=signaled(9)).conclusion is Conclusion.KILLED
    assert report("gemini", ended=AgentExit(Ending.DEADLINE)).conclusion is Conclusion.SILENT


# --- opencode --------------------------------------------------------------------------------

STEP = sample("opencode", type="step_start")
TOOL = sample("opencode", type="tool_use")
API_ERROR = sample("opencode", type="error")
FINISH = sample("opencode", type="step_finish")
FINISHES = {
    reason: {**FINISH, "part": {**FINISH["part"], "reason": reason}}
    for reason in ("stop", "tool-calls", "length")
}


def api_error(status: int, **headers: str) -> dict[str, Any]:
    data = {"message": "no", "statusCode": status, "responseHeaders": headers}
    return {**API_ERROR, "error": {"name": "APIError", "data": data}}


def denied_tool() -> dict[str, Any]:
    error = "The user rejected permission to use this specific tool call."
    return {**TOOL, "part": {**TOOL["part"], "state": {"status": "error", "error": error}}}


@pytest.mark.spec("DP-06", "DP-07")
def test_opencode_new_and_resumed() -> None:
    begin = ("/opt/opencode", "run", "--format", "json", "--model", "some-model")
    launch = Opencode().launch(program("opencode"), ASSIGNMENT)
    assert launch.argv == begin
    assert launch.prompt_on_stdin
    again = Opencode().launch(program("opencode"), resumed())
    assert again.argv == (*begin, "--session", EARLIER)
    assert Opencode.counts_turns


def test_opencode_steps_are_summed() -> None:
    reader, heard = read(
        "opencode", STEP, TOOL, FINISHES["tool-calls"], STEP, FINISHES["tool-calls"]
    )
    assert heard[:3] == [
        Started(STEP["sessionID"]),
        Turn(1),
        ToolUsed("write", "/srv/project/hello.txt"),
    ]
    assert reader.usage == Usage(2, 2000, 1200, 100, 4260)
    told = report("opencode", STEP, FINISHES["stop"], before=Conversation(EARLIER, Usage(1, 1)))
    assert told.usage == Usage(1, 1000, 600, 50, 2130)
    assert told.conversation is not None
    assert told.conversation.used == Usage(2, 1001, 600, 50, 2130)


OPENCODE_ROWS = {
    "success": ([STEP, FINISHES["stop"]], 0, Conclusion.FINISHED),
    "length": ([STEP, FINISHES["length"]], 0, Conclusion.TURN_LIMIT),
    "in the middle": ([STEP, FINISHES["tool-calls"]], 0, Conclusion.INTERRUPTED),
    "after a step": ([STEP, FINISHES["stop"], STEP], 0, Conclusion.INTERRUPTED),
    "400": ([api_error(400)], 1, Conclusion.BAD_REQUEST),
    "401": ([api_error(401)], 1, Conclusion.AUTHENTICATION),
    "403": ([api_error(403)], 1, Conclusion.AUTHENTICATION),
    "404": ([api_error(404)], 1, Conclusion.BAD_REQUEST),
    "429": ([api_error(429, **{"retry-after": "2"})], 1, Conclusion.PROVIDER_TROUBLE),
    "429 for hours": ([api_error(429, **{"retry-after": "7200"})], 1, Conclusion.USAGE_LIMIT),
    "500": ([api_error(500)], 1, Conclusion.PROVIDER_TROUBLE),
    "529": ([api_error(529)], 1, Conclusion.PROVIDER_TROUBLE),
    "overflow": (
        [{**API_ERROR, "error": {"name": "ContextOverflowError", "data": {}}}],
        1,
        Conclusion.CONTEXT_EXHAUSTED,
    ),
    "refused": (
        [{**API_ERROR, "error": {"name": "ContentFilterError", "data": {}}}],
        1,
        Conclusion.REFUSED,
    ),
    "denied": ([STEP, denied_tool(), FINISHES["stop"]], 0, Conclusion.PERMISSION_DENIED),
    "denied and over": ([STEP, denied_tool()], 0, Conclusion.PERMISSION_DENIED),
    "unknown session": ([b"Error: Session not found"], 1, Conclusion.CONVERSATION_LOST),
}


@pytest.mark.spec("DP-09", "ER-05")
@pytest.mark.parametrize("row", OPENCODE_ROWS)
def test_opencode_ends(row: str) -> None:
    events, code, conclusion = OPENCODE_ROWS[row]
    assert report("opencode", *events, ended=exited(code)).conclusion is conclusion


@pytest.mark.spec("DP-09")
def test_opencode_tells_when_a_limit_is_over() -> None:
    event = api_error(429, **{"retry-after": "7200"})
    reader, heard = read("opencode", event)
    resets = event["timestamp"] * 1000 + 7200 * 1_000_000
    assert LimitReached("no", resets) in heard
    assert reader.report(exited(1)).resets_at_us == resets


def test_opencode_denials_are_told() -> None:
    told = report("opencode", STEP, denied_tool(), FINISHES["stop"])
    assert told.denied == ("write",)
    assert any(isinstance(e, Denied) for e in read("opencode", denied_tool())[1])


@pytest.mark.parametrize("name", ["gemini", "opencode"])
def test_every_sample_has_a_word(name: str) -> None:
    _, heard = read(name, *samples(name), b'{"type": "mystery"}')
    assert [event for event in heard if isinstance(event, Unknown)] == [Unknown("mystery")]


# --- any command -----------------------------------------------------------------------------


@pytest.mark.spec("DP-06", "DP-07")
def test_a_command_is_filled_in_word_by_word() -> None:
    agent = AgentProgram(
        "mine",
        (
            *("mine", "--order={unit}/{sprint}", "-m", "{model}:{tier}", "{max_turns}"),
            *("{run_id}", "{prompt_file}", "{project}/x", "{prompt}", "{other}"),
        ),
        PromptBy.ARGUMENT,
    )
    order = replace(ASSIGNMENT, prompt="Say {model} and {prompt}.")
    launch = CommandAdapter().launch(agent, order)
    assert launch.argv == (
        *("mine", "--order=U2/7", "-m", "some-model:sonnet", "50", "u2-7-1"),
        *("/srv/state/runs/u2-7-1/prompt", "/srv/project/x"),
        *("Say {model} and {prompt}.", "{other}"),
    )
    assert not launch.prompt_on_stdin
    assert CommandAdapter().launch(replace(agent, prompt=PromptBy.STDIN), order).prompt_on_stdin


@pytest.mark.parametrize(
    ("ended", "conclusion"),
    [
        (exited(0), Conclusion.FINISHED),
        (exited(3), Conclusion.CRASHED),
        (signaled(signal.SIGKILL), Conclusion.KILLED),
        (signaled(signal.SIGSEGV), Conclusion.CRASHED),
        (AgentExit(Ending.STOPPED), Conclusion.INTERRUPTED),
        (AgentExit(Ending.CANNOT_START, detail="No such file: mine"), Conclusion.CRASHED),
    ],
)
def test_a_command_is_judged_by_its_exit(ended: AgentExit, conclusion: Conclusion) -> None:
    told = report("command", b'{"type": "result"}', b"\x1b[1mworking\x1b[0m", ended=ended)
    assert told.conclusion is conclusion
    assert told.conversation is None
    assert told.said == (ended.detail or "[1mworking [0m")
    assert report("command", ended=AgentExit(Ending.STOPPED)).conclusion is Conclusion.SILENT


def test_every_line_of_a_command_is_shown() -> None:
    assert read("command", b'{"type": "result"}', b"  ", b"\xff\x00.")[1] == [
        Said('{"type": "result"}'),
        Said("\ufffd ."),
    ]
