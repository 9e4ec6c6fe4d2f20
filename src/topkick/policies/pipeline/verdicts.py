"""Read a judge's messages about a checkpoint: that it has started, and its verdict."""

from collections.abc import Sequence
from dataclasses import dataclass

from topkick.core.bus import COORDINATOR, STATE_UPDATE, Message
from topkick.core.checkpoint_words import CHECKPOINT_REQUEST, SUPERVISOR, answer_to, request_summary
from topkick.core.sessions import number

PASS, WARN, BLOCK = "pass", "warn", "block"
_WORDS = (PASS, WARN, BLOCK)
VERDICT = "supervision_verdict"


@dataclass(frozen=True, slots=True)
class Verdict:
    word: str
    score: float | None = None
    report: str = ""
    risks: int = 0
    decision: str = ""


def is_judge(message: Message) -> bool:
    return message.sender.strip().casefold() == SUPERVISOR


def is_claimed(messages: Sequence[Message], task: str) -> bool:
    said = (m for m in messages if is_judge(m) and m.type == "progress")
    return any(message.fields.get("task_id") == task for message in said)


def verdict_on(messages: Sequence[Message], task: str) -> Verdict | None:
    """Return the verdict from the judge's answer, or from its state update if the answer is too
    old.
    """
    states = [m.fields for m in messages if is_judge(m) and m.type == STATE_UPDATE]
    state = next((s for s in reversed(states) if s.get("task_id") == task), {})
    answers = [m.summary for m in messages if is_judge(m) and m.summary.startswith(answer_to(task))]
    told = answers[-1].removeprefix(answer_to(task)) if answers else state.get(VERDICT)
    word = told.strip().casefold() if isinstance(told, str) else ""
    if word not in _WORDS:
        return None
    decisions = state.get("decisions")
    said = decisions[0] if isinstance(decisions, list) and decisions else ""
    ref = state.get("ref")
    return Verdict(
        word=word,
        score=number(state.get("supervision_score")),
        report=ref if isinstance(ref, str) else f"artifacts/{task}-report.md",
        risks=int(number(state.get("risks_logged")) or 0),
        decision=said if isinstance(said, str) else "",
    )


def request_for(messages: Sequence[Message], task: str) -> Message | None:
    """Return the coordinator's own request, if it is on the bus already."""
    summary = request_summary(task)
    found = (m for m in messages if m.type == CHECKPOINT_REQUEST and m.summary == summary)
    return next((m for m in found if m.sender == COORDINATOR), None)


def error_about(messages: Sequence[Message], asked: Message) -> str:
    """Return why the judge refuses the request, if it says so."""
    for message in messages:
        if is_judge(message) and message.type == "error" and message.number > asked.number:
            fields = message.fields
            if fields.get("message_id") == asked.id:
                return str(fields.get("content") or message.summary)
    return ""
