"""Turn a request into its answer: choose scenario, protocol, and fault or step."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never
from urllib.parse import urlsplit

from topkick.fake_model.api.anthropic import Messages
from topkick.fake_model.api.chat import ChatCompletions
from topkick.fake_model.api.gemini import GenerateContent
from topkick.fake_model.api.responses import Responses
from topkick.fake_model.exchange import Dialect, ModelQuestion, new_id, reply_to
from topkick.fake_model.requests import Requests, SeenRequest
from topkick.fake_model.scenarios import Broken, Cut, Fail, Fault, Fine, Hang, Scenario
from topkick.fake_model.scripts import BadScenario, scripted, step_of

_COUNTED_TOKENS = 1000
_MODELS = ("claude-sonnet-4-5", "gpt-5.5", "gemini-2.5-pro", "fake-1")


@dataclass(frozen=True, slots=True)
class FakeAnswer:
    """The response; `frames` make a stream. `cut` drops the connection half way."""

    status: int = 200
    body: bytes = b""
    frames: tuple[bytes, ...] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    hangs: bool = False
    cut: bool = False


class Answering:
    def __init__(self, scenarios: Mapping[str, Scenario], requests: Requests) -> None:
        self._scenarios = dict(scenarios)
        self._requests = requests

    def add(self, scenario: Scenario) -> None:
        self._scenarios = {**self._scenarios, scenario.name: scenario}

    def to(
        self, method: str, target: str, headers: tuple[tuple[str, str], ...], raw: bytes
    ) -> FakeAnswer:
        text = raw.decode("utf-8", "replace")
        name, run, path = _route(urlsplit(target).path)
        body = _parsed(text)
        self._requests.add(SeenRequest(name, run, method, target, headers, body), text)
        if name not in self._scenarios:
            known = ", ".join(sorted(self._scenarios))
            return _problem(404, f"no scenario {name!r} in {target}; known: {known}")
        if method != "POST":
            return _json(_models(path)) if _is_list(path) else _problem(404, f"no {path} here")
        if not isinstance(body, dict):
            return _problem(400, "the body is no JSON object")
        return self._posted(self._scenarios[name], run, path, body)

    def _posted(self, scenario: Scenario, run: str, path: str, body: dict[str, Any]) -> FakeAnswer:
        if path.endswith("/count_tokens"):
            return _json({"input_tokens": _COUNTED_TOKENS})
        if path.endswith(":countTokens"):
            return _json({"totalTokens": _COUNTED_TOKENS})
        dialect = _dialect(path)
        if dialect is None:
            return _problem(404, f"no {path} here")
        try:
            question = dialect.question(body, path)
            ours, script = scripted(scenario, question)
        except (AttributeError, TypeError) as error:
            return _problem(400, f"not understood: {error}")
        except BadScenario as error:
            return _problem(400, str(error))
        fault = ours.fault(self._requests.next_number(scenario.name, run, script))
        return _answer(dialect, ours, question, fault)


def _answer(
    dialect: Dialect, scenario: Scenario, question: ModelQuestion, fault: Fault | None
) -> FakeAnswer:
    match fault:
        case Fail():
            return _failed(dialect, fault)
        case Hang(for_s):
            return FakeAnswer(delay_s=for_s, hangs=True)
        case Broken(code, message) if not question.stream:
            status = 529 if "overloaded" in code else 400
            return _failed(dialect, Fail(status, message, kind=code, code=code))
        case Broken():
            frames = tuple(dialect.broken(fault, question))
            return FakeAnswer(frames=frames, delay_s=scenario.delay_s)
        case Cut() | Fine() | None:
            return _good(dialect, scenario, question, cut=isinstance(fault, Cut))
        case _:
            assert_never(fault)


def _good(
    dialect: Dialect, scenario: Scenario, question: ModelQuestion, *, cut: bool
) -> FakeAnswer:
    step, by_shell = step_of(scenario, question)
    reply = reply_to(step, question.tools, by_shell=by_shell)
    headers = {**scenario.headers, "request-id": new_id("req_")}
    body, frames = b"", None
    if question.stream:
        frames = tuple(dialect.frames(reply, question, scenario.tokens))
    else:
        body = json.dumps(dialect.whole(reply, question, scenario.tokens)).encode()
    return FakeAnswer(body=body, frames=frames, headers=headers, delay_s=scenario.delay_s, cut=cut)


def _failed(dialect: Dialect, fault: Fail) -> FakeAnswer:
    body = dialect.error(fault) if fault.body is None else _dated(fault.body)
    headers = {"request-id": new_id("req_"), **fault.headers}
    return FakeAnswer(fault.status, json.dumps(body).encode(), headers=headers)


def _dated(value: Any) -> Any:
    """Replace `now+60` by a time in seconds, as in headers."""
    if isinstance(value, Mapping):
        return {key: _dated(inner) for key, inner in value.items()}
    if isinstance(value, str) and value.startswith("now+"):
        return int(time.time()) + int(value.removeprefix("now+"))
    return value


def _route(path: str) -> tuple[str, str, str]:
    parts = path.split("/", 4)
    if len(parts) < 4 or parts[1] != "s":
        return "", "", path
    return parts[2], parts[3], f"/{parts[4]}" if len(parts) > 4 else "/"


def _dialect(path: str) -> Dialect | None:
    if path.endswith("/messages"):
        return Messages()
    if path.endswith("/chat/completions"):
        return ChatCompletions()
    if path.endswith("/responses"):
        return Responses()
    if path.endswith((":generateContent", ":streamGenerateContent")):
        return GenerateContent()
    return None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _is_list(path: str) -> bool:
    return path == "/" or path.rstrip("/").endswith("/models")


def _models(path: str) -> Mapping[str, Any]:
    if "/v1beta/" in path:
        return {"models": [{"name": f"models/{name}"} for name in _MODELS]}
    entries = [{"id": name, "object": "model", "type": "model"} for name in _MODELS]
    return {"object": "list", "data": entries, "has_more": False}


def _json(body: Mapping[str, Any]) -> FakeAnswer:
    return FakeAnswer(body=json.dumps(body).encode())


def _problem(status: int, message: str) -> FakeAnswer:
    error = {"type": "invalid_request_error", "message": message}
    return FakeAnswer(status, json.dumps({"type": "error", "error": error}).encode())
