"""The error body that both OpenAI dialects share."""

from collections.abc import Mapping
from typing import Any

from topkick.outside.rehearsal.scenarios import Fail

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
