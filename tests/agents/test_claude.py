"""Claude Code: every row of the tables of measured outcomes, launches and sums."""

import signal
from dataclasses import replace
from typing import Any

import pytest
from agent_samples import ASSIGNMENT, EARLIER, exited, program, read, report, resumed, samples
from agent_samples import sample as of

from topkick.agents.claude.adapter import Claude
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
from topkick.engine.agents.program import AgentExit, Conclusion, Conversation, Ending, Usage
from topkick.engine.errors import UsageError

ENV = {
    "CLAUDE_CODE_MAX_RETRIES": "2",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "API_TIMEOUT_MS": "600000",
}
BEGIN = (
    *("/opt/claude", "-p", "--output-format", "stream-json", "--verbose"),
    *("--model", "some-model", "--max-turns", "50"),
)
DEFAULT = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Read,Write")


def sample(**fields: Any) -> dict[str, Any]:
    return of("claude", **fields)


INIT = sample(subtype="init")
SAID = sample(type="assistant")
DONE = sample(type="result", is_error=False)
API_ERROR = sample(type="result", terminal_reason="api_error")
RETRY = sample(subtype="api_retry")
DENIED = sample(subtype="permission_denied")
LIMIT = sample(type="rate_limit_event")


def trouble(error: str) -> dict[str, Any]:
    return {**sample(type="assistant", error="billing_error"), "error": error}


def failed(status: int | None, words: str, **more: Any) -> dict[str, Any]:
    return {**API_ERROR, "api_error_status": status, "result": words, **more}


# --- launches --------------------------------------------------------------------------------


@pytest.mark.spec("DP-06", "DP-07")
def test_a_new_conversation() -> None:
    launch = Claude().launch(program("claude"), ASSIGNMENT)
    assert launch.argv == (*BEGIN, *DEFAULT, "--session-id", ASSIGNMENT.new_conversation)
    assert launch.env == ENV
    assert launch.prompt_on_stdin


@pytest.mark.spec("DP-06")
def test_a_continuation() -> None:
    launch = Claude().launch(program("claude"), resumed(own_config="/srv/state/claude"))
    assert launch.argv == (*BEGIN, *DEFAULT, "--resume", EARLIER)
    assert launch.env == {**ENV, "CLAUDE_CONFIG_DIR": "/srv/state/claude"}


def test_a_limit_of_cost_and_more_words_of_the_user() -> None:
    agent = program("claude", "/opt/claude", "--strict-mcp-config", permissions="readonly")
    launch = Claude().launch(agent, replace(ASSIGNMENT, max_cost_usd=1.25))
    assert launch.argv == (
        *BEGIN,
        *("--permission-mode", "dontAsk", "--allowedTools", "Read,Grep,Glob"),
        *("--max-budget-usd", "1.25", "--session-id", ASSIGNMENT.new_conversation),
        "--strict-mcp-config",
    )


def test_permissions_in_words_and_a_word_that_is_none() -> None:
    assert "Bash" in Claude().permissions(program("claude"))
    assert "everything" in Claude().permissions(program("claude", permissions="all"))
    for ask in (Claude().permissions, lambda p: Claude().launch(p, ASSIGNMENT)):
        with pytest.raises(UsageError, match=r'"everything".*"readonly", "plan", "all"'):
            ask(program("claude", permissions="everything"))


# --- the stream ------------------------------------------------------------------------------


def test_the_events_of_a_run() -> None:
    used = Usage(1, 1700, 600, 1)
    wanted: list[tuple[dict[str, Any], list[Event]]] = [
        (INIT, [Started(INIT["session_id"], "claude-sonnet-4-5", "2.1.325", "acceptEdits")]),
        (SAID, [Turn(1), Used(used), Said("done")]),
        (SAID, [Said("done")]),  # another block of the same answer
        (RETRY, [Retrying("unknown", 1, 2, 0.605)]),
        (DENIED, [Denied("Bash", DENIED["message"])]),
        (LIMIT, [LimitReached("usage limit")]),
        ({"type": "mystery", "subtype": "x"}, [Unknown("mystery/x")]),
        ({"type": "system", "subtype": "mystery"}, [Unknown("system/mystery")]),
        (sample(subtype="vcs_state_changed"), []),
        (sample(type="user"), []),
        (sample(type="stream_event"), []),
    ]
    _, heard = read("claude", *(event for event, _ in wanted))
    assert heard == [event for _, events in wanted for event in events]


def test_tools_and_questions() -> None:
    _, heard = read("claude", *(line for line in samples("claude") if b'"name": "Bash"' in line))
    assert heard[-1] == ToolUsed("Bash", "printf %s 'hello ' > hello.txt")
    questions = {"questions": [{"question": "Which\ncolour?"}]}
    block = {"type": "tool_use", "name": "AskUserQuestion", "input": questions}
    _, heard = read("claude", {**SAID, "message": {"id": "m1", "content": [block]}})
    assert heard[-1] == AgentQuestion("Which colour?")


def test_a_tool_that_takes_long_is_not_told_again_and_again() -> None:
    line = b'{"type":"tool_progress","tool_name":"Bash","elapsed_time_seconds":3}'
    assert Claude().reader().feed(line) == []


def test_every_sample_has_a_word() -> None:
    _, heard = read("claude", *samples("claude"))
    assert not [event for event in heard if isinstance(event, Unknown)]


# --- how it ended ----------------------------------------------------------------------------

ROWS = {
    "success": ([DONE], 0, Conclusion.FINISHED),
    "turns": ([sample(terminal_reason="max_turns")], 1, Conclusion.TURN_LIMIT),
    "budget": ([sample(terminal_reason="budget_exhausted")], 1, Conclusion.BUDGET_SPENT),
    "too long": ([sample(terminal_reason="prompt_too_long")], 1, Conclusion.CONTEXT_EXHAUSTED),
    "SIGINT in a tool": ([sample(terminal_reason="aborted_tools")], 0, Conclusion.INTERRUPTED),
    "unknown session": (
        [sample(type="result", subtype="error_during_execution")],
        1,
        Conclusion.CONVERSATION_LOST,
    ),
    "401": (
        [RETRY, trouble("authentication_failed"), failed(401, "Invalid API key")],
        1,
        Conclusion.AUTHENTICATION,
    ),
    "no key": (
        [trouble("authentication_failed"), failed(None, "Not logged in · Please run /login")],
        1,
        Conclusion.AUTHENTICATION,
    ),
    "403": ([trouble("unknown"), failed(403, "Forbidden")], 1, Conclusion.AUTHENTICATION),
    "credit": (
        [trouble("billing_error"), failed(400, "Credit balance is too low")],
        1,
        Conclusion.AUTHENTICATION,
    ),
    "400": ([trouble("invalid_request"), failed(400, "no")], 1, Conclusion.BAD_REQUEST),
    "404": ([trouble("model_not_found"), failed(404, "no")], 1, Conclusion.BAD_REQUEST),
    "429 with retries": (
        [{**RETRY, "error_status": 429}, trouble("rate_limit"), failed(429, "busy")],
        1,
        Conclusion.PROVIDER_TROUBLE,
    ),
    "429 given up at once": (
        [trouble("rate_limit"), failed(429, "busy")],
        1,
        Conclusion.USAGE_LIMIT,
    ),
    "400 for its length": (
        [trouble("invalid_request"), failed(400, "API Error: 400 prompt is too long")],
        1,
        Conclusion.CONTEXT_EXHAUSTED,
    ),
    "500": ([RETRY, trouble("server_error"), failed(500, "")], 1, Conclusion.PROVIDER_TROUBLE),
    "529": ([RETRY, trouble("server_error"), failed(529, "")], 1, Conclusion.PROVIDER_TROUBLE),
    "cut": ([RETRY, trouble("unknown"), failed(None, "lost")], 1, Conclusion.PROVIDER_TROUBLE),
    "hang": (
        [trouble("unknown"), failed(None, "Request timed out")],
        1,
        Conclusion.PROVIDER_TROUBLE,
    ),
    "recovered": ([RETRY, trouble("server_error"), SAID, DONE], 0, Conclusion.FINISHED),
    "output": ([trouble("max_output_tokens"), failed(None, "32000")], 1, Conclusion.TURN_LIMIT),
    "refusal": (
        [
            sample(subtype="model_refusal_no_fallback"),
            failed(None, "cannot help", stop_reason="refusal"),
        ],
        1,
        Conclusion.REFUSED,
    ),
    "denied": (
        [DENIED, {**DONE, "permission_denials": [{"tool_name": "Bash"}]}],
        0,
        Conclusion.PERMISSION_DENIED,
    ),
    "SIGINT while waiting": ([INIT, sample(type="user")], 0, Conclusion.INTERRUPTED),
    "SIGTERM": ([INIT, SAID], 143, Conclusion.INTERRUPTED),
    "SIGHUP": ([INIT, SAID], 129, Conclusion.INTERRUPTED),
    "session in use": (
        [b"Error: Session ID 79a83269 is already in use."],
        1,
        Conclusion.CONVERSATION_LOST,
    ),
    "root": (
        [b"--dangerously-skip-permissions cannot be used with root/sudo privileges"],
        1,
        Conclusion.BAD_REQUEST,
    ),
    "no word": ([INIT, SAID], 1, Conclusion.CRASHED),
    "two results": (
        [DONE, INIT, sample(terminal_reason="max_turns")],
        1,
        Conclusion.TURN_LIMIT,
    ),
    "more work after a result": ([DONE, INIT, SAID], 0, Conclusion.INTERRUPTED),
}


def _is_result(event: dict[str, Any] | bytes) -> bool:
    return isinstance(event, dict) and event["type"] == "result"


@pytest.mark.spec("DP-09", "ER-05")
@pytest.mark.parametrize("row", ROWS)
def test_each_outcome_is_told_from_the_others(row: str) -> None:
    events, code, conclusion = ROWS[row]
    assert report("claude", *events, ended=exited(code)).conclusion is conclusion


@pytest.mark.spec("DP-09", "ER-05")
@pytest.mark.parametrize("row", [r for r, (events, _, _) in ROWS.items() if _is_result(events[-1])])
def test_what_the_stream_says_of_its_end_beats_the_exit_code(row: str) -> None:
    events, code, _ = ROWS[row]
    before = report("claude", *events, ended=exited(code))
    assert report("claude", *events, ended=exited(1 - min(code, 1))) == before


def test_subtype_is_not_believed() -> None:
    lying = {**DONE, "subtype": "error_during_execution"}
    assert report("claude", lying).conclusion is Conclusion.FINISHED


@pytest.mark.parametrize(
    ("ended", "conclusion"),
    [
        (AgentExit(Ending.STOPPED), Conclusion.INTERRUPTED),
        (AgentExit(Ending.DEADLINE), Conclusion.INTERRUPTED),
        (AgentExit(Ending.LOST), Conclusion.KILLED),
        (AgentExit(Ending.CANNOT_START, detail="No such file"), Conclusion.CRASHED),
        (AgentExit(Ending.SIGNALED, signal=signal.SIGKILL), Conclusion.KILLED),
        (AgentExit(Ending.SIGNALED, signal=signal.SIGSEGV), Conclusion.CRASHED),
        (AgentExit(Ending.SIGNALED, signal=signal.SIGABRT), Conclusion.CRASHED),
    ],
)
def test_a_stream_without_an_end(ended: AgentExit, conclusion: Conclusion) -> None:
    assert report("claude", INIT, SAID, ended=ended).conclusion is conclusion


@pytest.mark.parametrize("how", [Ending.STOPPED, Ending.DEADLINE])
def test_who_is_ended_before_the_model_said_a_word_was_silent(how: Ending) -> None:
    assert report("claude", ended=AgentExit(how)).conclusion is Conclusion.SILENT
    assert report("claude", INIT, ended=AgentExit(how)).conclusion is Conclusion.SILENT


@pytest.mark.spec("DP-09")
def test_who_is_ended_while_it_waits_for_its_provider_waited() -> None:
    stopped = AgentExit(Ending.STOPPED)
    assert report("claude", INIT, RETRY, ended=stopped).conclusion is Conclusion.PROVIDER_TROUBLE
    long = {**RETRY, "error_status": 429, "retry_delay_ms": 90_000}
    assert report("claude", INIT, long, ended=stopped).conclusion is Conclusion.USAGE_LIMIT
    again = report("claude", INIT, RETRY, SAID, ended=stopped)
    assert again.conclusion is Conclusion.INTERRUPTED


def test_a_question_that_nobody_answers() -> None:
    block = {"type": "tool_use", "name": "AskUserQuestion", "input": {}}
    asks = {**SAID, "message": {"id": "m1", "content": [block]}}
    done = {**DONE, "permission_denials": [{"tool_name": "AskUserQuestion"}]}
    assert report("claude", asks, done).conclusion is Conclusion.ASKED
    works = {**SAID, "message": {"id": "m2", "content": [{**block, "name": "Bash"}]}}
    assert report("claude", asks, works, done).conclusion is Conclusion.FINISHED


# --- limits ----------------------------------------------------------------------------------


@pytest.mark.spec("DP-09", "SM-10")
def test_a_limit_of_the_subscription_tells_when_it_is_over() -> None:
    info = {"status": "rejected", "resetsAt": 1_794_817_319, "rateLimitType": "five_hour"}
    limit = {**LIMIT, "rate_limit_info": info}
    words = "You've hit your limit · resets 8:24pm (UTC)"
    reader, heard = read("claude", limit, trouble("rate_limit"), failed(429, words))
    assert heard[0] == LimitReached("five hour", 1_794_817_319_000_000)
    told = reader.report(exited(1))
    assert told.conclusion is Conclusion.USAGE_LIMIT
    assert told.resets_at_us == 1_794_817_319_000_000
    assert told.proven


@pytest.mark.spec("DP-09")
def test_a_limit_in_words_only_is_dated_by_the_stream() -> None:
    words = "You've hit your limit · resets 8:24pm (UTC)"
    said = {**trouble("rate_limit"), "timestamp": "2026-11-15T19:00:00.000Z"}
    told = report("claude", RETRY, said, failed(429, words), ended=exited(1))
    assert told.conclusion is Conclusion.USAGE_LIMIT
    assert told.resets_at_us == 1_794_774_240_000_000  # 2026-11-15 20:24 UTC
    assert not told.proven


def test_a_warning_of_a_limit_is_none() -> None:
    info = {"status": "allowed_warning", "resetsAt": 1_794_817_319}
    warning = {**LIMIT, "rate_limit_info": info}
    _, heard = read("claude", warning)
    assert heard == []
    told = report("claude", warning, trouble("server_error"), failed(500, ""), ended=exited(1))
    assert told.conclusion is Conclusion.PROVIDER_TROUBLE


# --- sums ------------------------------------------------------------------------------------


def test_what_a_first_run_used() -> None:
    told = report("claude", INIT, SAID, DONE)
    assert told.usage == Usage(1, 5100, 1800, 150, 12_915)
    assert told.conversation == Conversation(DONE["session_id"], told.usage)
    assert (told.model, told.version) == ("claude-sonnet-4-5", "2.1.325")
    assert told.said == "done"


def test_cost_is_told_of_the_whole_conversation_and_tokens_of_one_run() -> None:
    before = Conversation(EARLIER, Usage(3, 5100, 1800, 150, 12_915))
    told = report("claude", INIT, SAID, {**DONE, "total_cost_usd": 0.02583}, before=before)
    assert told.usage == Usage(1, 5100, 1800, 150, 12_915)
    assert told.conversation is not None
    assert told.conversation.used == Usage(4, 10_200, 3600, 300, 25_830)


def test_a_cost_below_the_one_before_was_counted_anew() -> None:
    before = Conversation(EARLIER, Usage(cost_microusd=12_915))
    told = report("claude", {**DONE, "total_cost_usd": 0.001}, before=before)
    assert told.usage.cost_microusd == 1_000


def test_a_killed_run_knows_no_cost_and_leaves_the_sum_as_it_was() -> None:
    before = Conversation(EARLIER, Usage(3, 5100, 1800, 150, 12_915))
    killed = AgentExit(Ending.SIGNALED, signal=signal.SIGKILL)
    told = report("claude", INIT, SAID, before=before, ended=killed)
    assert told.usage == Usage(1, 1700, 600, 1, None)
    assert told.conversation is not None
    assert told.conversation.used.cost_microusd == 12_915


@pytest.mark.spec("DP-07")
def test_turns_are_answers_of_the_model_itself() -> None:
    second = {**SAID, "message": {**SAID["message"], "id": "msg_2"}}
    of_subagent = {**SAID, "parent_tool_use_id": "toolu_1"}
    of_subagent["message"] = {**SAID["message"], "id": "msg_3"}
    reader, heard = read("claude", SAID, SAID, of_subagent, second, SAID)
    assert [event for event in heard if isinstance(event, Turn)] == [Turn(1), Turn(2)]
    assert reader.usage.input_tokens == 3 * 1700


def test_the_sum_of_a_result_may_lack_the_last_answer() -> None:
    budget = sample(terminal_reason="budget_exhausted")
    answers = [{**SAID, "message": {**SAID["message"], "id": f"msg_{n}"}} for n in range(5)]
    told = report("claude", *answers, budget, ended=exited(1))
    assert told.usage == Usage(5, 5 * 1700, 5 * 600, 200, 21_525)


def test_what_is_no_number_is_not_counted() -> None:
    odd = {"input_tokens": True, "output_tokens": "9", "cache_read_input_tokens": -1}
    told = report("claude", {**DONE, "usage": odd, "total_cost_usd": float("nan")})
    assert told.usage == Usage()


def test_a_lost_conversation_is_not_resumed_again() -> None:
    lost = sample(type="result", subtype="error_during_execution")
    assert report("claude", lost, ended=exited(1)).conversation is None


def test_a_name_that_would_be_an_option_is_no_conversation() -> None:
    assert report("claude", {**DONE, "session_id": "--dangerously"}).conversation is None


def test_the_result_is_ok_only_when_finished() -> None:
    for events, _, conclusion in ROWS.values():
        results = [e for e in read("claude", *events)[1] if isinstance(e, AgentResult)]
        if results:
            finished = conclusion in (Conclusion.FINISHED, Conclusion.INTERRUPTED)
            assert results[-1].ok is (finished and DONE in events)
