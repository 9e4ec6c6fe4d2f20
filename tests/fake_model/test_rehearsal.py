"""The scripted model, asked as the agent programs ask it: every dialect, every fault."""

import http.client
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from topkick.fake_model import (
    BadScenario,
    Cut,
    Fail,
    Fine,
    Hang,
    ModelServer,
    Scenario,
    ScriptText,
    Sh,
    Tokens,
    Write,
    load_scenarios,
    parse_script,
)

COMMIT = 'git add -A && git commit -m "sprint 1"'


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def events(self) -> list[Any]:
        lines = (line for line in self.text.split("\n") if line.startswith("data: {"))
        return [json.loads(line.removeprefix("data: ")) for line in lines]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def ask(
    server: ModelServer,
    path: str,
    body: object = None,
    *,
    scenario: str = "happy",
    run: str = "r",
    method: str = "POST",
    headers: dict[str, str] | None = None,
) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        raw = None if body is None else json.dumps(body)
        connection.request(method, f"/s/{scenario}/{run}{path}", raw, headers or {})
        got = connection.getresponse()
        heads = {name.lower(): value for name, value in got.getheaders()}
        return Answer(got.status, heads, got.read().decode())
    finally:
        connection.close()


# --- the dialects: a conversation of `results` tool results, and the reply in it -----------------


def anthropic(results: int, *, stream: bool, prompt: str = "do it") -> tuple[str, Any]:
    messages: list[Any] = [{"role": "user", "content": prompt}]
    for number in range(results):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok"}
        note = {"type": "text", "text": "<system-reminder>be good</system-reminder>"}
        messages += [{"role": "assistant", "content": [call]}]
        messages += [{"role": "user", "content": [result, note]}]
    tools = [{"name": name} for name in ("Bash", "Read", "Write")]
    body = {"model": "m", "stream": stream, "messages": messages, "tools": tools}
    return "/v1/messages?beta=true", body


def said_by_anthropic(answer: Answer, *, stream: bool) -> tuple[str, Any]:
    if not stream:
        block, stop = answer.json["content"][0], answer.json["stop_reason"]
    else:
        events = {event["type"]: event for event in answer.events}
        block = events["content_block_start"]["content_block"]
        delta, stop = events["content_block_delta"]["delta"], events["message_delta"]["delta"]
        stop = stop["stop_reason"]
        if block["type"] == "text":
            block["text"] = delta["text"]
        else:
            block["input"] = json.loads(delta["partial_json"])
    if block["type"] == "text":
        assert stop == "end_turn"
        return "text", block["text"]
    assert stop == "tool_use"
    return block["name"], block["input"]


def responses(results: int, *, stream: bool, prompt: str = "do it") -> tuple[str, Any]:
    said = {"type": "input_text", "text": prompt}
    about = {"type": "input_text", "text": "<environment_context>here</environment_context>"}
    items: list[Any] = [
        {"type": "message", "role": "user", "content": [part]} for part in (about, said)
    ]
    for number in range(results):
        items += [{"type": "function_call", "call_id": f"c{number}", "name": "exec_command"}]
        items += [{"type": "function_call_output", "call_id": f"c{number}", "output": "ok"}]
    tools = [
        {"type": "function", "name": "exec_command"},
        {"type": "custom", "name": "apply_patch"},
        {"type": "web_search"},
    ]
    return "/v1/responses", {"model": "m", "stream": stream, "input": items, "tools": tools}


def said_by_responses(answer: Answer, *, stream: bool) -> tuple[str, Any]:
    if stream:
        kinds = [event["type"] for event in answer.events]
        assert kinds[0] == "response.created"
        assert kinds[-1] == "response.completed"
        items = [e["item"] for e in answer.events if e["type"] == "response.output_item.done"]
        assert items == answer.events[-1]["response"]["output"]
    else:
        items = answer.json["output"]
    item = items[0]
    match item["type"]:
        case "message":
            return "text", item["content"][0]["text"]
        case "custom_tool_call":
            return item["name"], item["input"]
        case _:
            return item["name"], json.loads(item["arguments"])


def chat(results: int, *, stream: bool, prompt: str = "do it") -> tuple[str, Any]:
    messages: list[Any] = [{"role": "system", "content": "s"}, {"role": "user", "content": prompt}]
    for number in range(results):
        messages += [{"role": "assistant", "content": None, "tool_calls": []}]
        messages += [{"role": "tool", "tool_call_id": f"c{number}", "content": "ok"}]
    tools = [{"type": "function", "function": {"name": name}} for name in ("bash", "write")]
    body = {"model": "m", "stream": stream, "messages": messages, "tools": tools}
    return "/v1/chat/completions", body


def said_by_chat(answer: Answer, *, stream: bool) -> tuple[str, Any]:
    if stream:
        assert answer.text.endswith("data: [DONE]\n\n")
        message, last = (answer.events[at]["choices"][0] for at in (0, 1))
        message, stop = message["delta"], last["finish_reason"]
    else:
        message, stop = (answer.json["choices"][0][key] for key in ("message", "finish_reason"))
    if message["content"] is not None:
        assert stop == "stop"
        return "text", message["content"]
    assert stop == "tool_calls"
    function = message["tool_calls"][0]["function"]
    return function["name"], json.loads(function["arguments"])


def gemini(results: int, *, stream: bool, prompt: str = "do it") -> tuple[str, Any]:
    contents: list[Any] = [{"role": "user", "parts": [{"text": prompt}]}]
    for _ in range(results):
        contents += [{"role": "model", "parts": [{"functionCall": {"name": "x"}}]}]
        contents += [{"role": "user", "parts": [{"functionResponse": {"name": "x"}}]}]
    names = ("run_shell_command", "write_file")
    tools = [{"functionDeclarations": [{"name": name} for name in names]}]
    verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return f"/v1beta/models/m:{verb}", {"contents": contents, "tools": tools}


def said_by_gemini(answer: Answer, *, stream: bool) -> tuple[str, Any]:
    whole = answer.events[0] if stream else answer.json
    last = answer.events[-1] if stream else answer.json
    assert last["candidates"][0]["finishReason"] == "STOP"
    part = whole["candidates"][0]["content"]["parts"][0]
    if "text" in part:
        return "text", part["text"]
    return part["functionCall"]["name"], part["functionCall"]["args"]


PATCH = "*** Begin Patch\n*** Add File: hello.txt\n+hello\n*** End Patch\n"
DESCRIBED = {"command": COMMIT, "description": "run a command"}
DIALECTS = {
    "anthropic": (
        (anthropic, said_by_anthropic),
        ("Write", {"file_path": "hello.txt", "content": "hello\n"}),
        ("Bash", DESCRIBED),
    ),
    "responses": (
        (responses, said_by_responses),
        ("apply_patch", PATCH),
        ("exec_command", {"cmd": COMMIT}),
    ),
    "chat": (
        (chat, said_by_chat),
        ("write", {"filePath": "hello.txt", "content": "hello\n"}),
        ("bash", DESCRIBED),
    ),
    "gemini": (
        (gemini, said_by_gemini),
        ("write_file", {"file_path": "hello.txt", "content": "hello\n"}),
        ("run_shell_command", {"command": COMMIT}),
    ),
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("name", DIALECTS)
def test_the_step_follows_from_the_transcript(server: ModelServer, name: str, stream: bool) -> None:
    (asks, hears), *calls = DIALECTS[name]
    # Backwards, and the first one twice: nothing is remembered.
    for results in (3, 2, 1, 0, 0):
        path, body = asks(results, stream=stream)
        answer = ask(server, path, body)
        assert answer.status == 200
        wanted = calls[results] if results < 2 else ("text", "done")
        assert hears(answer, stream=stream) == wanted


@pytest.mark.parametrize("name", DIALECTS)
def test_a_prompt_can_hold_its_own_script(server: ModelServer, name: str) -> None:
    (asks, hears), *_ = DIALECTS[name]
    script = [{"sh": "make"}, {"text": "made"}]
    prompt = f"Sprint 3\n\n- REHEARSE: {json.dumps(script)}\n\nNo more."
    said = []
    for results in range(3):
        path, body = asks(results, stream=True, prompt=prompt)
        said.append(hears(ask(server, path, body), stream=True))
    assert "make" in said[0][1].values()
    assert said[1:] == [("text", "made"), ("text", "done")]


def test_a_resumed_conversation_goes_on_in_its_script(server: ModelServer) -> None:
    prompt = 'REHEARSE: [{"sh": "one"}, {"sh": "two"}, {"text": "end"}]'
    path, body = anthropic(1, stream=False, prompt=prompt)
    body["messages"].append({"role": "user", "content": "Go on, please."})
    assert said_by_anthropic(ask(server, path, body), stream=False)[1]["command"] == "two"
    # A new script starts at its beginning.
    body["messages"].append({"role": "user", "content": 'REHEARSE: [{"text": "new"}]'})
    assert said_by_anthropic(ask(server, path, body), stream=False) == ("text", "new")


def test_faults_of_a_prompt_are_counted_for_that_prompt(server: ModelServer) -> None:
    def statuses(word: str) -> list[int]:
        script = [{"fail": 529, "times": 2}, {"fail": {"status": 429, "message": word}}]
        prompt = f"REHEARSE: {json.dumps([*script, {'text': word}])}"
        path, body = anthropic(0, stream=False, prompt=prompt)
        return [ask(server, path, body).status for _ in range(4)]

    assert statuses("a") == statuses("b") == [529, 529, 429, 200]


def test_a_script_that_is_no_script_is_refused(server: ModelServer) -> None:
    for script in ("[{", '[{"dance": 1}]', '[{"write": ["only a path"]}]', '["x"]'):
        path, body = anthropic(0, stream=False, prompt=f"REHEARSE: {script}")
        assert ask(server, path, body).status == 400


def test_newer_codex_models_get_their_tools_in_the_input(server: ModelServer) -> None:
    path, body = responses(0, stream=True)
    inner = [{"type": "custom", "name": "exec"}]
    tools = [{"type": "namespace", "name": "functions", "tools": inner}]
    body["input"].insert(0, {"type": "additional_tools", "tools": tools})
    del body["tools"]
    items = [e["item"] for e in ask(server, path, body).events if "item" in e]
    assert (items[-1]["name"], items[-1]["namespace"]) == ("exec", "functions")
    assert items[-1]["input"] == f"text(await tools.apply_patch({json.dumps(PATCH)}));\n"


def test_without_a_tool_to_write_the_shell_does_it(server: ModelServer) -> None:
    path, body = anthropic(0, stream=False)
    body["tools"] = [{"name": "Bash"}]
    _, arguments = said_by_anthropic(ask(server, path, body), stream=False)
    assert arguments["command"] == "mkdir -p . && printf %s 'hello\n' > hello.txt"
    body["tools"] = []
    assert said_by_anthropic(ask(server, path, body), stream=False) == ("text", "no suitable tool")


def test_a_file_that_was_not_read_is_written_by_the_shell(server: ModelServer) -> None:
    path, body = anthropic(1, stream=False)
    refusal = "File has not been read yet. Read it first before writing to it."
    body["messages"][-1]["content"][0] |= {"content": refusal, "is_error": True}
    tool, arguments = said_by_anthropic(ask(server, path, body), stream=False)
    assert (tool, arguments["command"].split(" > ")[1]) == ("Bash", "hello.txt")
    # That makes up for it: what comes next is the next step.
    body["messages"] += anthropic(1, stream=False)[1]["messages"][1:]
    assert said_by_anthropic(ask(server, path, body), stream=False) == ("Bash", DESCRIBED)


# --- faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("status", ["400", "401", "403", "404", "429", "500", "503", "529"])
def test_a_status_comes_in_the_words_of_the_dialect(
    server: ModelServer, name: str, status: str
) -> None:
    path, body = DIALECTS[name][0][0](0, stream=True)
    answer = ask(server, path, body, scenario=status)
    assert answer.status == int(status)
    assert answer.json["error"]["message"]
    assert ask(server, path, body, scenario=status).status == int(status)


def test_headers_of_a_fault_and_times_from_now(server: ModelServer) -> None:
    path, body = anthropic(0, stream=True)
    assert ask(server, path, body, scenario="429-7200").headers["retry-after"] == "7200"
    limited = ask(server, path, body, scenario="usage-limit").headers
    assert int(limited["anthropic-ratelimit-unified-reset"]) > 1_700_000_000
    path, body = responses(0, stream=True)
    error = ask(server, path, body, scenario="plan-limit").json["error"]
    assert error["type"] == "usage_limit_reached"
    assert error["resets_at"] > 1_700_000_000
    assert ask(server, path, body, scenario="quota").json["error"]["code"] == "insufficient_quota"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("name", DIALECTS)
def test_a_connection_is_cut_in_the_middle(server: ModelServer, name: str, stream: bool) -> None:
    path, body = DIALECTS[name][0][0](0, stream=stream)
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        ask(server, path, body, scenario="cut-once")
    assert ask(server, path, body, scenario="cut-once").status == 200


def test_a_hanging_request_ends_with_the_server() -> None:
    with ModelServer() as server, ThreadPoolExecutor(1) as pool:
        path, body = anthropic(0, stream=True)
        waiting = pool.submit(ask, server, path, body, scenario="hang")
        _until(lambda: bool(server.requests("r")))
        assert not waiting.done()
        server.close()
        with pytest.raises((http.client.HTTPException, ConnectionError)):
            waiting.result(60)


def test_flaky_is_counted_for_each_run(server: ModelServer) -> None:
    path, body = anthropic(0, stream=True)
    for run in ("one", "two"):
        statuses = [ask(server, path, body, scenario="flaky", run=run).status for _ in range(6)]
        assert statuses == [529, 500, 200, 429, 200, 200]


def test_stop_reasons(server: ModelServer) -> None:
    reasons = {}
    for scenario in ("refusal", "max-tokens"):
        path, body = anthropic(0, stream=False)
        first = ask(server, path, body, scenario=scenario).json["stop_reason"]
        path, body = responses(0, stream=True)
        second = ask(server, path, body, scenario=scenario).events[-1]["type"]
        path, body = chat(0, stream=False)
        third = ask(server, path, body, scenario=scenario).json["choices"][0]["finish_reason"]
        path, body = gemini(0, stream=False)
        fourth = ask(server, path, body, scenario=scenario).json["candidates"][0]["finishReason"]
        reasons[scenario] = (first, second, third, fourth)
    assert reasons == {
        "refusal": ("refusal", "response.completed", "content_filter", "SAFETY"),
        "max-tokens": ("max_tokens", "response.incomplete", "length", "MAX_TOKENS"),
    }


@pytest.mark.parametrize("name", DIALECTS)
def test_an_error_inside_a_stream(server: ModelServer, name: str) -> None:
    path, body = DIALECTS[name][0][0](0, stream=True)
    answer = ask(server, path, body, scenario="overloaded-in-stream")
    assert answer.status == 200
    assert "Overloaded" in json.dumps(answer.events[-1])
    path, body = DIALECTS[name][0][0](0, stream=False)
    assert ask(server, path, body, scenario="overloaded-in-stream").status == 529


# --- the rest of a provider ----------------------------------------------------------------------


def test_models_and_counting(server: ModelServer) -> None:
    models = ask(server, "/v1/models", method="GET").json["data"]
    assert "gpt-5.5" in [model["id"] for model in models]
    assert ask(server, "/v1beta/models", method="GET").json["models"]
    assert ask(server, "/", method="HEAD").status == 200
    assert ask(server, "/v1/messages/count_tokens", {}).json["input_tokens"] > 0
    assert ask(server, "/v1beta/models/m:countTokens", {}).json["totalTokens"] > 0


def test_what_is_not_there_says_so(server: ModelServer) -> None:
    path, body = anthropic(0, stream=False)
    assert "happy" in ask(server, path, body, scenario="nosuch").json["error"]["message"]
    assert ask(server, "/v1/nosuch", {}).status == 404
    assert ask(server, "/v1/nosuch", method="GET").status == 404
    assert ask(server, "/v1/messages", [1]).status == 400
    assert ask(server, "/v1/messages", {"messages": ["x"]}).status == 400
    with pytest.raises(ValueError, match="letters"):
        server.base_url("happy", "a/b")


def test_many_runs_at_once(server: ModelServer) -> None:
    def conversation(run: str) -> list[str]:
        said = []
        for results in range(3):
            path, body = anthropic(results, stream=True)
            said.append(said_by_anthropic(ask(server, path, body, run=run), stream=True)[0])
        return said

    runs = [f"run-{number}" for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(conversation, runs)) == [["Write", "Bash", "text"]] * 8
    assert [len(server.requests(run)) for run in runs] == [3] * 8


def test_requests_are_kept_within_bounds() -> None:
    with ModelServer(keep=5) as server:
        for number in range(7):
            path, body = anthropic(0, stream=False, prompt=f"prompt {number}")
            ask(server, path, body, headers={"X-Api-Key": "sk-dummy"})
        kept = server.requests()
    prompts = [seen.body["messages"][0]["content"] for seen in kept]
    assert prompts == [f"prompt {number}" for number in range(2, 7)]
    assert (kept[0].scenario, kept[0].run, kept[0].method) == ("happy", "r", "POST")
    assert kept[0].path.endswith("/v1/messages?beta=true")
    assert kept[0].header("x-api-key") == "sk-dummy"


def test_a_key_that_travels_is_seen() -> None:
    with ModelServer(keep=1, canaries=("canary-7d1f",)) as server:
        path, body = anthropic(0, stream=False, prompt="the key is canary-7d1f")
        ask(server, path, body, run="a")
        path, body = anthropic(0, stream=False)
        ask(server, path, body, run="b", headers={"Authorization": "Bearer canary-7d1f"})
        ask(server, path, body, run="c", headers={"X-Api-Key": "sk-ant-" + "api03-" + "x" * 80})
        ask(server, path, body, run="d", headers={"X-Api-Key": "sk-dummy"})
        leaks = [(leak.run, leak.where) for leak in server.leaks()]
    assert leaks == [("a", "body"), ("b", "header authorization"), ("c", "header x-api-key")]


# --- scenarios as values and as files ------------------------------------------------------------


def test_a_scenario_of_ones_own() -> None:
    mine = Scenario(
        "mine", (Sh("a"), Sh("b")), (Fine(), Fail(503)), again=True, tokens=Tokens(input=7)
    )
    with ModelServer({"mine": mine}) as server:
        path, body = anthropic(5, stream=False)
        first = ask(server, path, body, scenario="mine")
        assert first.json["usage"]["input_tokens"] == 7
        assert said_by_anthropic(first, stream=False)[1]["command"] == "b"
        assert ask(server, path, body, scenario="mine").status == 503
        server.add(Scenario("late", (ScriptText("later"),)))
        late = ask(server, path, body, scenario="late")
        assert said_by_anthropic(late, stream=False) == ("text", "done")


def test_scenarios_from_files(tmp_path: Path) -> None:
    toml = tmp_path / "mine.toml"
    toml.write_text(
        '[mine]\ndelay_s = 0.5\nsteps = [{fail = 529, headers = {retry-after = "1"}}, {cut = 2},'
        ' {hang = 9}, {write = ["a", "b"]}, {sh = "c"}, {text = "d"}]\n'
    )
    other = tmp_path / "mine.json"
    steps = [{"fail": {"status": 529, "headers": {"retry-after": "1"}}}, {"cut": 2}, {"hang": 9}]
    steps += [{"write": ["a", "b"]}, {"sh": "c"}, {"text": "d"}]
    other.write_text(json.dumps({"mine": {"delay_s": 0.5, "steps": steps}}))
    wanted = Scenario(
        "mine",
        (Write("a", "b"), Sh("c"), ScriptText("d")),
        (Fail(529, headers={"retry-after": "1"}), Cut(2), Hang(9)),
        delay_s=0.5,
    )
    assert load_scenarios(toml) == load_scenarios(other) == {"mine": wanted}


@pytest.mark.parametrize(
    "text", ["[1]", "{", '{"a": {"steps": 1}}', '{"a": {"nosuch": 1}}', '{"a": 1}']
)
def test_a_bad_file_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(BadScenario):
        load_scenarios(path)
    with pytest.raises(BadScenario):
        parse_script({"no": "list"})


def _until(true: Any) -> None:
    done = threading.Event()
    for _ in range(6_000):
        if true():
            return
        done.wait(0.01)
    raise AssertionError("never happened")
