"""Codex: every row of the tables of measured outcomes, launches and sums."""

import signal
import time
from dataclasses import replace
from typing import Any

import pytest
from agent_samples import ASSIGNMENT, EARLIER, exited, program, read, report, resumed, samples
from agent_samples import sample as of

from topkick.agents.codex import Codex
from topkick.agents.vocabulary import (
    AgentResult,
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

BEGIN = ("/opt/codex", "exec", "--json", "--model", "some-model")
QUIETER = (
    *("-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false"),
    *("--disable", "plugins", "--disable", "apps", "--disable", "unbounded_connection_retries"),
)
SANDBOX = ("--sandbox", "workspace-write", "--add-dir", "/srv/project/.git")


def sample(**fields: Any) -> dict[str, Any]:
    return of("codex", **fields)


STARTED = sample(type="thread.started")
BEGUN = sample(type="turn.started")
DONE = sample(type="turn.completed")
SAID = sample(type="item.completed")  # "done"
COMMAND = {"id": "item_1", "type": "command_execution", "command": "make"}


def item(when: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"item.{when}", "item": fields}


def failed(message: str) -> tuple[dict[str, Any], ...]:
    """Return the two events by which Codex reports one failure."""
    return error(message), {"type": "turn.failed", "error": {"message": message}}


def error(message: str) -> dict[str, Any]:
    return {"type": "error", "message": message}


def used(*counts: int) -> dict[str, Any]:
    names = ("input_tokens", "cached_input_tokens", "output_tokens")
    return {"type": "turn.completed", "usage": dict(zip(names, counts, strict=True))}


# --- launches --------------------------------------------------------------------------------


@pytest.mark.spec("DP-06")
def test_a_new_conversation_may_write_to_git() -> None:
    launch = Codex().launch(program("codex"), ASSIGNMENT)
    assert launch.argv == (*BEGIN, *SANDBOX, *QUIETER, "-")
    assert launch.env == {}
    assert launch.prompt_on_stdin


@pytest.mark.spec("DP-06")
def test_a_continuation_has_its_flags_before_the_word_resume() -> None:
    agent = program("codex", "/opt/codex", "-c", 'model_provider="mine"')
    launch = Codex().launch(agent, resumed(own_config="/srv/state/codex"))
    mine = ("-c", 'model_provider="mine"')
    assert launch.argv == (*BEGIN, *SANDBOX, *QUIETER, *mine, "resume", EARLIER, "-")
    assert launch.env == {"CODEX_HOME": "/srv/state/codex"}


def test_a_linked_worktree_has_two_places_of_git() -> None:
    both = ("/srv/main/.git", "/srv/main/.git/worktrees/a")
    argv = Codex().launch(program("codex"), replace(ASSIGNMENT, git_dirs=both)).argv
    assert argv[7:11] == ("--add-dir", both[0], "--add-dir", both[1])


def test_other_permissions_and_no_git() -> None:
    everything = Codex().launch(program("codex", permissions="all"), ASSIGNMENT).argv
    assert everything == (*BEGIN, "--dangerously-bypass-approvals-and-sandbox", *QUIETER, "-")
    bare = Codex().launch(program("codex"), replace(ASSIGNMENT, git_dirs=())).argv
    assert bare[5:8] == ("--sandbox", "workspace-write", "--skip-git-repo-check")
    assert "without a sandbox" in Codex().permissions(program("codex", permissions="all"))
    with pytest.raises(UsageError, match='"readonly", "all"'):
        Codex().permissions(program("codex", permissions="plan"))


@pytest.mark.spec("DP-07")
def test_it_has_no_limit_of_turns_and_ends_by_the_signal_that_takes_its_tools_along() -> None:
    assert Codex.counts_turns
    assert Codex.stop_signal is signal.SIGINT


# --- the stream ------------------------------------------------------------------------------


@pytest.mark.spec("DP-07")
def test_the_events_of_a_run() -> None:
    change = {"id": "item_0", "type": "file_change", "changes": [{"path": "a.py"}, {"path": "b"}]}
    call = {"id": "item_3", "type": "mcp_tool_call", "server": "sup", "tool": "report"}
    again = "Reconnecting... 1/5 (unexpected status 401 Unauthorized: no)"
    wanted: list[tuple[dict[str, Any], list[Event]]] = [
        (STARTED, [Started(STARTED["thread_id"])]),
        (BEGUN, []),
        (item("started", **change), [Turn(1), ToolUsed("edit", "a.py, b")]),
        (item("completed", **change), []),
        (item("completed", **COMMAND), [Turn(2), ToolUsed("shell", "make")]),  # never begun
        (item("started", **call), [Turn(3), ToolUsed("sup/report")]),
        (item("updated", **call), []),
        (error(again), [Retrying(again, 1, 5)]),
        (
            error("Reconnecting... waiting for network"),
            [Retrying("Reconnecting... waiting for network")],
        ),
        (item("completed", type="reasoning"), []),
        (
            item("completed", type="error", message="Model metadata not found"),
            [Said("Model metadata not found")],
        ),
        (item("completed", type="mystery"), [Unknown("item.completed/mystery")]),
        ({"type": "mystery"}, [Unknown("mystery")]),
        (SAID, [Said("done")]),
        (DONE, [Turn(4), Used(Usage(4, 3000, 1800, 150)), AgentResult(True, "done")]),
    ]
    _, heard = read("codex", *(event for event, _ in wanted))
    assert heard == [event for _, events in wanted for event in events]


def test_every_sample_has_a_word() -> None:
    _, heard = read("codex", *samples("codex"))
    assert not [event for event in heard if isinstance(event, Unknown)]


# --- how it ended ----------------------------------------------------------------------------

ROWS = {
    "success": ([STARTED, SAID, DONE], 0, Conclusion.FINISHED),
    "a failing command": ([STARTED, item("completed", **COMMAND), DONE], 0, Conclusion.FINISHED),
    "an empty answer": ([STARTED, BEGUN, DONE], 0, Conclusion.REFUSED),
    "400": (
        failed('{"error": {"message": "no", "type": "invalid_request_error"}}'),
        1,
        Conclusion.BAD_REQUEST,
    ),
    "401": (failed("unexpected status 401 Unauthorized: no, url: x"), 1, Conclusion.AUTHENTICATION),
    "403": (failed("unexpected status 403 Forbidden: no, url: x"), 1, Conclusion.AUTHENTICATION),
    "404": (failed("unexpected status 404 Not Found: no, url: x"), 1, Conclusion.BAD_REQUEST),
    "no model": (failed("The model `gpt-9` does not exist"), 1, Conclusion.BAD_REQUEST),
    "429": (
        failed("exceeded retry limit, last status: 429 Too Many Requests"),
        1,
        Conclusion.PROVIDER_TROUBLE,
    ),
    "tokens a minute": (
        failed("stream disconnected before completion: Rate limit reached: try again in 10.632s"),
        1,
        Conclusion.PROVIDER_TROUBLE,
    ),
    "quota": (
        failed("Quota exceeded. Check your plan and billing details."),
        1,
        Conclusion.AUTHENTICATION,
    ),
    "plan": (failed("You've hit your usage limit. Try again later."), 1, Conclusion.USAGE_LIMIT),
    "500": (
        failed("We're currently experiencing high demand, which may cause errors."),
        1,
        Conclusion.PROVIDER_TROUBLE,
    ),
    "503": (
        failed("unexpected status 503 Service Unavailable: no, url: x"),
        1,
        Conclusion.PROVIDER_TROUBLE,
    ),
    "cut": (
        failed("stream disconnected before completion: Transport error"),
        1,
        Conclusion.PROVIDER_TROUBLE,
    ),
    "refused connection": (
        failed("Connection failed: error sending request"),
        1,
        Conclusion.PROVIDER_TROUBLE,
    ),
    "output": (
        failed("Incomplete response returned, reason: max_output_tokens"),
        1,
        Conclusion.TURN_LIMIT,
    ),
    "room": (
        failed("Codex ran out of room in the model's context window. Start a new thread."),
        1,
        Conclusion.CONTEXT_EXHAUSTED,
    ),
    "too long": (
        failed('{"error": {"message": "prompt is too long", "type": "invalid_request_error"}}'),
        1,
        Conclusion.CONTEXT_EXHAUSTED,
    ),
    "no key": (
        failed("Missing environment variable: `OPENAI_API_KEY`."),
        1,
        Conclusion.AUTHENTICATION,
    ),
    "login": (
        failed("Your access token could not be refreshed. Please log out and sign in again."),
        1,
        Conclusion.AUTHENTICATION,
    ),
    "only the first of the two": (
        [STARTED, failed("unexpected status 401 no")[0]],
        1,
        Conclusion.AUTHENTICATION,
    ),
    "unknown thread": (
        [
            b"WARNING: Refusing to create helper binaries: not found",
            b"Error: thread/resume failed: no rollout found for thread id 3b9c",
            b"   0: <unknown>",
        ],
        1,
        Conclusion.CONVERSATION_LOST,
    ),
    "settings": (
        [b"Error loading config.toml: model_providers contains reserved"],
        1,
        Conclusion.BAD_REQUEST,
    ),
    "SIGINT": ([STARTED, BEGUN], 1, Conclusion.INTERRUPTED),
    "nothing said and 0": ([], 0, Conclusion.INTERRUPTED),
    "reader gone": ([STARTED, b"failed printing to stdout: Broken pipe"], 101, Conclusion.CRASHED),
    "no start": ([b"something else"], 1, Conclusion.CRASHED),
}


@pytest.mark.spec("DP-09", "ER-05")
@pytest.mark.parametrize("row", ROWS)
def test_each_outcome_is_told_from_the_others(row: str) -> None:
    events, code, conclusion = ROWS[row]
    assert report("codex", *events, ended=exited(code)).conclusion is conclusion


@pytest.mark.parametrize(
    ("ended", "conclusion"),
    [
        (AgentExit(Ending.STOPPED, 1), Conclusion.INTERRUPTED),
        (AgentExit(Ending.DEADLINE), Conclusion.INTERRUPTED),
        (AgentExit(Ending.SIGNALED, signal=signal.SIGTERM), Conclusion.KILLED),
        (AgentExit(Ending.SIGNALED, signal=signal.SIGBUS), Conclusion.CRASHED),
    ],
)
def test_a_stream_without_an_end(ended: AgentExit, conclusion: Conclusion) -> None:
    told = report("codex", STARTED, BEGUN, item("started", **COMMAND), ended=ended)
    assert told.conclusion is conclusion
    assert not told.proven


@pytest.mark.spec("DP-09")
def test_who_waits_for_hours_has_reached_a_limit_and_who_says_nothing_is_silent() -> None:
    waits = error("Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)")
    stopped = AgentExit(Ending.STOPPED, 1)
    assert report("codex", STARTED, BEGUN, ended=stopped).conclusion is Conclusion.SILENT
    assert report("codex", STARTED, waits, ended=stopped).conclusion is Conclusion.USAGE_LIMIT
    cut = error("Reconnecting... 1/5 (stream disconnected)")
    assert report("codex", STARTED, cut, ended=stopped).conclusion is Conclusion.PROVIDER_TROUBLE
    works = item("started", **COMMAND)
    told = report("codex", STARTED, waits, works, ended=stopped)
    assert told.conclusion is Conclusion.INTERRUPTED


def test_what_only_the_log_tells() -> None:
    log = b"2026-11-16T06:49:58.847265Z ERROR codex_core::tools::router: error="
    denied = log + b"patch rejected: writing is blocked by read-only sandbox"
    asked = log + b"request_user_input is unavailable in Default mode"
    done = item("completed", **COMMAND, status="completed")
    told = report("codex", STARTED, denied, SAID, DONE)
    assert told.conclusion is Conclusion.PERMISSION_DENIED
    assert told.denied == ("edit",)
    assert report("codex", STARTED, asked, SAID, DONE).conclusion is Conclusion.ASKED
    for events in ([denied, done], [asked, done]):  # it found another way
        found = report("codex", STARTED, *events, SAID, DONE)
        assert found.conclusion is Conclusion.FINISHED


@pytest.mark.spec("DP-09")
def test_a_limit_of_the_plan_tells_when_it_is_over() -> None:
    words = "You've hit your usage limit. Upgrade to Pro, or try again in 1 day 2 hours 3 minutes."
    reader, heard = read("codex", *failed(words))
    resets = reader.report(exited(1)).resets_at_us
    assert resets is not None
    assert abs(resets / 1e6 - time.time() - 93_780) < 600
    assert isinstance(heard[0], LimitReached)
    assert heard[-1] == AgentResult(False, words)


# --- sums ------------------------------------------------------------------------------------


def test_what_is_told_is_of_the_whole_thread() -> None:
    first = report("codex", STARTED, item("started", **COMMAND), used(3000, 1800, 150))
    assert first.usage == Usage(2, 3000, 1800, 150)
    assert first.conversation == Conversation(STARTED["thread_id"], Usage(2, 3000, 1800, 150))
    second = report("codex", STARTED, SAID, used(4000, 2400, 200), before=first.conversation)
    assert second.usage == Usage(1, 1000, 600, 50)
    assert second.conversation is not None
    assert second.conversation.used == Usage(3, 4000, 2400, 200)
    third = report("codex", STARTED, SAID, used(5000, 3000, 250), before=second.conversation)
    assert third.usage == Usage(1, 1000, 600, 50)


def test_a_run_that_told_nothing_leaves_the_sum_for_the_next() -> None:
    before = Conversation(EARLIER, Usage(3, 3000, 1800, 150))
    killed = report(
        "codex", STARTED, item("started", **COMMAND), before=before, ended=AgentExit(Ending.LOST)
    )
    assert killed.usage == Usage(1)
    assert killed.conversation is not None
    assert killed.conversation.used == Usage(4, 3000, 1800, 150)


def test_a_thread_that_counts_anew_is_counted_anew() -> None:
    before = Conversation(EARLIER, Usage(3, 3000, 1800, 150))
    told = report("codex", STARTED, SAID, used(1000, 600, 50), before=before)
    assert told.usage == Usage(1, 1000, 600, 50)
