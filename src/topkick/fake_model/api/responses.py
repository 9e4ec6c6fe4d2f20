"""OpenAI Responses: the protocol of Codex."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from topkick.fake_model.api.chat import openai_error
from topkick.fake_model.exchange import (
    Line,
    ModelQuestion,
    ModelStop,
    ModelWords,
    Offered,
    Reply,
    ToolAnswered,
    ToolCall,
    UserSaid,
    event,
    new_id,
    text_of,
)
from topkick.fake_model.scenarios import Broken, Fail, Tokens


class Responses:
    def question(self, body: Mapping[str, Any], path: str) -> ModelQuestion:  # noqa: ARG002
        raw = body.get("input")
        items = [{"role": "user", "content": raw}] if isinstance(raw, str) else raw or []
        return ModelQuestion(
            str(body.get("model", "")),
            bool(body.get("stream")),
            tuple(_tools(body.get("tools") or [])) + tuple(_hidden_tools(items)),
            tuple(line for item in items for line in _lines(item)),
        )

    def whole(self, reply: Reply, question: ModelQuestion, tokens: Tokens) -> Mapping[str, Any]:
        return _response(question, reply, tokens, [_item(reply)])

    def frames(self, reply: Reply, question: ModelQuestion, tokens: Tokens) -> Iterator[bytes]:
        item = _item(reply)
        yield _event("response.created", response=_started(question))
        yield _event("response.output_item.added", output_index=0, item=item)
        if isinstance(reply, ModelWords):
            part = "refusal" if reply.stop is ModelStop.REFUSED else "output_text"
            yield _event(
                f"response.{part}.delta",
                item_id=item["id"],
                output_index=0,
                content_index=0,
                delta=reply.text,
            )
        yield _event("response.output_item.done", output_index=0, item=item)
        response = _response(question, reply, tokens, [item])
        yield _event(f"response.{response['status']}", response=response)

    def error(self, fault: Fail) -> Mapping[str, Any]:
        return openai_error(fault)

    def broken(self, fault: Broken, question: ModelQuestion) -> Iterator[bytes]:
        error = {"code": fault.code, "message": fault.message}
        yield _event("response.created", response=_started(question))
        response = {**_started(question), "status": "failed", "error": error}
        yield _event("response.failed", response=response)


def _event(kind: str, **fields: Any) -> bytes:
    return event({"type": kind, **fields}, kind)


def _tools(entries: list[Any], namespace: str = "") -> Iterator[Offered]:
    for entry in entries:
        name = str(entry.get("name") or entry.get("type", ""))
        if entry.get("type") == "namespace":
            yield from _tools(entry.get("tools") or [], name)
        else:
            yield Offered(name, entry.get("type") == "custom", namespace)


def _hidden_tools(items: list[Any]) -> Iterator[Offered]:
    """Yield tools from an item of the input, where newer models get them."""
    for item in items:
        if item.get("type") == "additional_tools":
            yield from _tools(item.get("tools") or [])


def _lines(item: Mapping[str, Any]) -> Iterator[Line]:
    if str(item.get("type", "")).endswith("_output"):
        yield ToolAnswered()
    elif item.get("role") == "user":
        yield UserSaid(text_of(item.get("content")))


def _item(reply: Reply) -> dict[str, Any]:
    match reply:
        case ModelWords(text, ModelStop.REFUSED):
            part: dict[str, Any] = {"type": "refusal", "refusal": text}
        case ModelWords(text):
            part = {"type": "output_text", "text": text, "annotations": []}
        case ToolCall():
            return _call(reply)
    return {
        "type": "message",
        "id": new_id("msg_"),
        "status": "completed",
        "role": "assistant",
        "content": [part],
    }


def _call(call: ToolCall) -> dict[str, Any]:
    base = {"status": "completed", "call_id": new_id("call_"), "name": call.name}
    if call.namespace:
        base["namespace"] = call.namespace
    if isinstance(call.arguments, str):
        return {"type": "custom_tool_call", "id": new_id("ctc_"), **base, "input": call.arguments}
    arguments = json.dumps(dict(call.arguments))
    return {"type": "function_call", "id": new_id("fc_"), **base, "arguments": arguments}


def _started(question: ModelQuestion) -> dict[str, Any]:
    return {
        "id": new_id("resp_"),
        "object": "response",
        "model": question.model,
        "status": "in_progress",
        "error": None,
        "output": [],
    }


def _response(
    question: ModelQuestion, reply: Reply, tokens: Tokens, output: list[dict[str, Any]]
) -> dict[str, Any]:
    cut = isinstance(reply, ModelWords) and reply.stop is ModelStop.TRUNCATED
    return {
        **_started(question),
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "output": output,
        "usage": {
            "input_tokens": tokens.input,
            "input_tokens_details": {"cached_tokens": tokens.cache_read},
            "output_tokens": tokens.output,
            "output_tokens_details": {"reasoning_tokens": 10},
            "total_tokens": tokens.input + tokens.output,
        },
    }
