"""Anthropic Messages: the protocol of Claude Code."""

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

_STOPS = {
    ModelStop.END: "end_turn",
    ModelStop.TRUNCATED: "max_tokens",
    ModelStop.REFUSED: "refusal",
}
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class Messages:
    def question(self, body: Mapping[str, Any], path: str) -> ModelQuestion:  # noqa: ARG002
        return ModelQuestion(
            str(body.get("model", "")),
            bool(body.get("stream")),
            tuple(Offered(str(tool.get("name", ""))) for tool in body.get("tools") or ()),
            tuple(line for message in body.get("messages") or () for line in _lines(message)),
        )

    def whole(self, reply: Reply, question: ModelQuestion, tokens: Tokens) -> Mapping[str, Any]:
        return {
            **_message(question, tokens),
            "content": [_block(reply)],
            "stop_reason": _stop(reply),
            "usage": _usage(tokens, tokens.output),
        }

    def frames(self, reply: Reply, question: ModelQuestion, tokens: Tokens) -> Iterator[bytes]:
        block = _block(reply)
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("message_start", message=_message(question, tokens))
        yield _event("content_block_start", index=0, content_block=empty)
        yield _event("ping")
        yield _event("content_block_delta", index=0, delta=delta)
        yield _event("content_block_stop", index=0)
        yield _event(
            "message_delta",
            delta={"stop_reason": _stop(reply), "stop_sequence": None},
            usage=_usage(tokens, tokens.output),
        )
        yield _event("message_stop")

    def error(self, fault: Fail) -> Mapping[str, Any]:
        kind = fault.kind or _KINDS.get(fault.status, "api_error")
        message = fault.message or f"scripted {fault.status}"
        return {
            "type": "error",
            "error": {"type": kind, "message": message},
            "request_id": new_id("req_"),
        }

    def broken(self, fault: Broken, question: ModelQuestion) -> Iterator[bytes]:
        yield _event("message_start", message=_message(question, Tokens()))
        yield _event("error", error={"type": fault.code, "message": fault.message})


def _event(kind: str, **fields: Any) -> bytes:
    return event({"type": kind, **fields}, kind)


def _lines(message: Mapping[str, Any]) -> Iterator[Line]:
    content = message.get("content")
    if message.get("role") != "user":
        return
    blocks = content if isinstance(content, list) else []
    results = [block for block in blocks if block.get("type") == "tool_result"]
    # Text next to results is the program's own note about them.
    if results:
        yield from (tool_answered(text_of(result.get("content"))) for result in results)
    else:
        yield UserSaid(_prompt(blocks) if blocks else text_of(content))


def _prompt(blocks: list[Any]) -> str:
    """Return the text without the program's notes before it, unless there is nothing else."""
    texts = [text_of([block]) for block in blocks]
    own = [text for text in texts if not text.lstrip().startswith("<system-reminder>")]
    return "\n".join(own or texts)


def _block(reply: Reply) -> dict[str, Any]:
    match reply:
        case ModelWords(text):
            return {"type": "text", "text": text}
        case ToolCall(name, arguments):
            return {"type": "tool_use", "id": new_id("toolu_"), "name": name, "input": arguments}


def _stop(reply: Reply) -> str:
    return _STOPS[reply.stop] if isinstance(reply, ModelWords) else "tool_use"


def _message(question: ModelQuestion, tokens: Tokens) -> dict[str, Any]:
    return {
        "id": new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": question.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _usage(tokens, 1),
    }


def _usage(tokens: Tokens, output: int) -> dict[str, int]:
    return {
        "input_tokens": tokens.input,
        "cache_creation_input_tokens": tokens.cache_write,
        "cache_read_input_tokens": tokens.cache_read,
        "output_tokens": output,
    }
