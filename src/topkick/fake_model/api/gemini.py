"""Gemini generateContent: the protocol of Gemini CLI."""

from collections.abc import Iterator, Mapping
from typing import Any

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
    text_of,
)
from topkick.fake_model.scenarios import Broken, Fail, Tokens

_STOPS = {ModelStop.END: "STOP", ModelStop.TRUNCATED: "MAX_TOKENS", ModelStop.REFUSED: "SAFETY"}
_KINDS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}


class GenerateContent:
    def question(self, body: Mapping[str, Any], path: str) -> ModelQuestion:
        tools = (
            Offered(str(declared.get("name", "")))
            for tool in body.get("tools") or ()
            for declared in tool.get("functionDeclarations") or ()
        )
        model, _, verb = path.rpartition("/")[2].partition(":")
        return ModelQuestion(
            model,
            verb.startswith("stream"),
            tuple(tools),
            tuple(line for content in body.get("contents") or () for line in _lines(content)),
        )

    def whole(self, reply: Reply, question: ModelQuestion, tokens: Tokens) -> Mapping[str, Any]:
        stop = _STOPS[reply.stop] if isinstance(reply, ModelWords) else "STOP"
        content = {"role": "model", "parts": _parts(reply)}
        return {
            "candidates": [{"index": 0, "content": content, "finishReason": stop}],
            "usageMetadata": {
                "promptTokenCount": tokens.input,
                "candidatesTokenCount": tokens.output,
                "cachedContentTokenCount": tokens.cache_read,
                "totalTokenCount": tokens.input + tokens.output,
            },
            "modelVersion": question.model,
        }

    def frames(self, reply: Reply, question: ModelQuestion, tokens: Tokens) -> Iterator[bytes]:
        end = dict(self.whole(reply, question, tokens))
        content = {"role": "model", "parts": _parts(reply)}
        if content["parts"]:
            yield event({"candidates": [{"index": 0, "content": content}]})
        last = {"role": "model", "parts": [{"text": ""}] if content["parts"] else []}
        end["candidates"] = [{**end["candidates"][0], "content": last}]
        yield event(end)

    def error(self, fault: Fail) -> Mapping[str, Any]:
        return {
            "error": {
                "code": fault.status,
                "message": fault.message or f"scripted {fault.status}",
                "status": fault.kind or _KINDS.get(fault.status, "INTERNAL"),
            }
        }

    def broken(self, fault: Broken, question: ModelQuestion) -> Iterator[bytes]:  # noqa: ARG002
        yield event({"candidates": [{"index": 0, "content": {"role": "model", "parts": []}}]})
        yield event({"error": {"code": 500, "message": fault.message, "status": fault.code}})


def _lines(content: Mapping[str, Any]) -> Iterator[Line]:
    if content.get("role", "user") != "user":
        return
    parts = content.get("parts") or []
    results = sum("functionResponse" in part for part in parts)
    if results:
        yield from [ToolAnswered()] * results
    else:
        yield UserSaid(text_of(parts))


def _parts(reply: Reply) -> list[dict[str, Any]]:
    match reply:
        case ModelWords(_, ModelStop.REFUSED):  # blocked text is not shown
            return []
        case ModelWords(text):
            return [{"text": text}]
        case ToolCall(name, arguments):
            return [{"functionCall": {"name": name, "args": arguments}}]
