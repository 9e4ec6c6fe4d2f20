"""The common form of all protocols, and how a step becomes a tool call."""

import json
import secrets
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any, Protocol

from topkick.fake_model.scenarios import (
    Broken,
    Fail,
    Refuse,
    ScriptText,
    ScriptTool,
    Sh,
    Step,
    Tokens,
    Truncate,
    Write,
)


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool that the request offers; `freeform` takes text instead of JSON."""

    name: str
    freeform: bool = False
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class UserSaid:
    text: str


@dataclass(frozen=True, slots=True)
class ToolAnswered:
    """A tool's result; `unread`: the tool refused to overwrite a file that was not read first."""

    unread: bool = False


Line = UserSaid | ToolAnswered


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    model: str
    stream: bool
    tools: tuple[Offered, ...]
    transcript: tuple[Line, ...]


class ModelStop(StrEnum):
    END = "end"
    TRUNCATED = "truncated"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ModelWords:
    text: str
    stop: ModelStop = ModelStop.END


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call; `arguments` is text for a freeform tool."""

    name: str
    arguments: Mapping[str, Any] | str
    namespace: str = ""


Reply = ModelWords | ToolCall


class Dialect(Protocol):
    """One provider's protocol. Frames are the pieces of a stream, ready to be sent."""

    def question(self, body: Mapping[str, Any], path: str) -> ModelQuestion: ...
    def whole(self, reply: Reply, question: ModelQuestion, tokens: Tokens) -> Mapping[str, Any]: ...
    def frames(self, reply: Reply, question: ModelQuestion, tokens: Tokens) -> Iterator[bytes]: ...
    def error(self, fault: Fail) -> Mapping[str, Any]: ...
    def broken(self, fault: Broken, question: ModelQuestion) -> Iterator[bytes]: ...


_UNREAD = ("has not been read yet", "You must read")


def tool_answered(text: str) -> ToolAnswered:
    return ToolAnswered(any(words in text[:1000] for words in _UNREAD))


def reply_to(step: Step, tools: tuple[Offered, ...], *, by_shell: bool = False) -> Reply:
    match step:
        case ScriptText(text):
            return ModelWords(text)
        case Refuse(text):
            return ModelWords(text, ModelStop.REFUSED)
        case Truncate(text):
            return ModelWords(text, ModelStop.TRUNCATED)
        case ScriptTool(name, arguments, namespace):
            return ToolCall(name, arguments, namespace)
        case Sh(command):
            return _shell(command, tools)
        case Write(path, content):
            return _write(path, content, tools, by_shell=by_shell)


def _write(path: str, content: str, tools: tuple[Offered, ...], *, by_shell: bool) -> Reply:
    for tool in () if by_shell else tools:
        if tool.name in {"Write", "write_file"}:
            return ToolCall(tool.name, {"file_path": path, "content": content})
        if tool.name == "write":
            return ToolCall(tool.name, {"filePath": path, "content": content})
        # A patch cannot omit the final newline.
        if tool.name == "apply_patch" and tool.freeform and content.endswith("\n"):
            return ToolCall(tool.name, _patch(path, content), tool.namespace)
        if _runs_javascript(tool) and content.endswith("\n"):
            return _javascript(tool, "apply_patch", _patch(path, content))
    parent = shlex.quote(str(PurePosixPath(path).parent))
    text, name = shlex.quote(content), shlex.quote(path)
    return _shell(f"mkdir -p {parent} && printf %s {text} > {name}", tools)


def _runs_javascript(tool: Offered) -> bool:
    """Return whether the tool runs scripts that call other tools, as Codex gives newer models."""
    return tool.name == "exec" and tool.freeform


def _javascript(tool: Offered, inner: str, argument: object) -> ToolCall:
    script = f"text(await tools.{inner}({json.dumps(argument)}));\n"
    return ToolCall(tool.name, script, tool.namespace)


def _patch(path: str, content: str) -> str:
    lines = "".join(f"+{line}\n" for line in content.removesuffix("\n").split("\n"))
    return f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n"


def _shell(command: str, tools: tuple[Offered, ...]) -> Reply:
    for tool in tools:
        if tool.name in {"Bash", "bash"}:
            return ToolCall(tool.name, {"command": command, "description": "run a command"})
        if tool.name in {"run_shell_command", "shell_command"}:
            return ToolCall(tool.name, {"command": command})
        if tool.name == "exec_command":
            return ToolCall(tool.name, {"cmd": command}, tool.namespace)
        if _runs_javascript(tool):
            return _javascript(tool, "exec_command", {"cmd": command})
        if tool.name == "shell":
            return ToolCall(tool.name, {"command": ["bash", "-lc", command]})
    return ModelWords("no suitable tool")


# --- server-sent events --------------------------------------------------------------------------


def event(data: Mapping[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def new_id(prefix: str) -> str:
    return f"{prefix}{secrets.token_hex(10)}"


def text_of(content: object) -> str:
    """Return the text of a content that is a string or a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return "\n".join(part for part in parts if isinstance(part, str))
