"""OpenAI Chat Completions: the protocol of opencode and most others."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from topkick.fake_model.exchange import (
    Line,
    ModelQuestion,
    ModelStop,
    ModelWords,
    Offered,
    Reply,
    ToolCall,
    UserSaid,
    event,
    new_id,
    text_of,
    tool_answered,
)
from topkick.fake_model.scenarios import Broken, Fail, Tokens

# --- The error body that both OpenAI dialects share.

_KINDS = {
    400: "invalid_request_error",
    401: "invalid_request_error",
    404: "invalid_request_error",
    429: "rate_limit_exceeded",
}


def openai_error(fault: Fail) -> Mapping[str, Any]:
    return {
        "error": {
            "message": fault.message or f"scripted {fault.status}",
            "type": fault.kind or _KINDS.get(fault.status, "server_error"),
            "param": None,
            "code": fault.code or None,
        }
    }


_STOPS = {ModelStop.END: "stop", ModelStop.TRUNCATED: "length", ModelStop.REFUSED: "content_filter"}


class ChatCompletions:
    def question(self, body: Mapping[str, Any], path: str) -> ModelQuestion:  # noqa: ARG002
        functions = (tool.get("function") or {} for tool in body.get("tools") or ())
        return ModelQuestion(
            str(body.get("model", "")),
            bool(body.get("stream")),
            tuple(Offered(str(function.get("name", ""))) for function in functions),
            tuple(line for message in body.get("messages") or () for line in _lines(message)),
        )

    def whole(self, reply: Reply, question: ModelQuestion, tokens: Tokens) -> Mapping[str, Any]:
        choice = {"index": 0, "message": _message(reply), "finish_reason": _stop(reply)}
        return {**_head("chat.completion", question), "choices": [choice], "usage": _usage(tokens)}

    def frames(self, reply: Reply, question: ModelQuestion, tokens: Tokens) -> Iterator[bytes]:
        head = _head("chat.completion.chunk", question)
        message = _message(reply)
        if "tool_calls" in message:
            message["tool_calls"][0]["index"] = 0
        for delta, stop in ((message, None), ({}, _stop(reply))):
            choice = {"index": 0, "delta": delta, "finish_reason": stop}
            yield event({**head, "choices": [choice]})
        yield event({**head, "choices": [], "usage": _usage(tokens)})
        yield b"data: [DONE]\n\n"

    def error(self, fault: Fail) -> Mapping[str, Any]:
        return openai_error(fault)

    def broken(self, fault: Broken, question: ModelQuestion) -> Iterator[bytes]:
        choice = {"index": 0, "delta": {"role": "assistant"}, "finish_reason": None}
        yield event({**_head("chat.completion.chunk", question), "choices": [choice]})
        yield event({"error": {"code": fault.code, "message": fault.message}})


def _lines(message: Mapping[str, Any]) -> Iterator[Line]:
    if message.get("role") == "tool":
        yield tool_answered(text_of(message.get("content")))
    elif message.get("role") == "user":
        yield UserSaid(text_of(message.get("content")))


def _message(reply: Reply) -> dict[str, Any]:
    match reply:
        case ModelWords(text):
            return {"role": "assistant", "content": text}
        case ToolCall(name, arguments):
            function = {"name": name, "arguments": json.dumps(arguments)}
            call = {"id": new_id("call_"), "type": "function", "function": function}
            return {"role": "assistant", "content": None, "tool_calls": [call]}


def _stop(reply: Reply) -> str:
    return _STOPS[reply.stop] if isinstance(reply, ModelWords) else "tool_calls"


def _head(kind: str, question: ModelQuestion) -> dict[str, Any]:
    return {"id": new_id("chatcmpl-"), "object": kind, "created": 0, "model": question.model}


def _usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cache_read},
    }
