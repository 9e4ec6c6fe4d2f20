"""The judge's messages on the bus, all to the coordinator."""

from collections.abc import Mapping

from topkick.core import bus
from topkick.core.bus import Message
from topkick.core.checkpoint_words import SHUTDOWN_RESPONSE, TAG, answer_to
from topkick.policies.checkpoint.accumulator import Entry
from topkick.policies.checkpoint.requests import COORDINATOR, SUPERVISOR, round_after
from topkick.policies.checkpoint.scoring import Verdict, Word, shown

PROGRESS, TASK_COMPLETE = "progress", "task_complete"
SUPERVISION_REPORT = "supervision_report"
ALERT, ERROR = "consistency_alert", "error"


def report_path(task_id: str) -> str:
    """Return the report's path below the session directory."""
    return f"artifacts/{task_id}-report.md"


def tagged(text: str) -> str:
    """Prefix each line with the tag, once, for a screen."""
    lines = text.split("\n")
    return "\n".join(line if line.startswith(TAG) else f"{TAG} {line}".rstrip() for line in lines)


# --- life ------------------------------------------------------------------------------------


def ready(session_id: str) -> Message:
    content = (
        f"{TAG} Resident supervisor ready. Baseline loaded for session {session_id}. "
        "Awaiting checkpoint assignments."
    )
    return _message(bus.MESSAGE, f"{TAG} Ready, awaiting checkpoints", {"content": content})


def recovered(reports: int) -> Message:
    content = f"{TAG} Recovered. Rebuilt context from {reports} previous checkpoint reports."
    return _message(bus.MESSAGE, f"{TAG} Recovered, awaiting checkpoints", {"content": content})


def shutdown_response(request_id: str) -> Message:
    data = {"type": SHUTDOWN_RESPONSE, "request_id": request_id, "approve": True}
    return _message(SHUTDOWN_RESPONSE, f"{TAG} Shutdown approved", data)


def error(asked: Message, why: str) -> Message:
    """Return an error that names the message it answers."""
    content = f"{TAG} {asked.id} is not done: {why}"
    data = {"content": content, "message_id": asked.id}
    return _message(ERROR, f"{TAG} Error: {asked.id} is not done", data)


def alert(errors: int, last: str) -> Message:
    content = f"{TAG} Alert: {errors} errors over its wakes, the last: {last}. Still alive, idle."
    return _message(ALERT, f"{TAG} Alert: {errors} errors", {"content": content, "errors": errors})


# --- one wake --------------------------------------------------------------------------------


def claimed(task_id: str) -> Message:
    data = {"task_id": task_id, "phase": "claimed", "progress_pct": 0}
    return _message(PROGRESS, f"{TAG} Claimed {task_id}", data)


def completed(task_id: str) -> Message:
    return _message(TASK_COMPLETE, f"{TAG} Completed {task_id}", {"task_id": task_id})


def state_update(entry: Entry, verdict: Verdict) -> Message:
    blocked = verdict.word is Word.BLOCK
    reason = "; ".join(verdict.blocks) or "the score is below 0.50"
    data = {
        "status": "task_complete",
        "task_id": entry.task,
        "ref": entry.artifact,
        "key_findings": list(entry.key_findings),
        "decisions": [f"Block: {reason}" if blocked else "Proceed"],
        "verification": "self-validated",
        "supervision_verdict": verdict.word.value,
        "supervision_score": verdict.score,
        "risks_logged": len(verdict.risks),
        "blocks_detected": len(verdict.blocks),
    }
    return _message(bus.STATE_UPDATE, f"{TAG} State of {entry.task}", data)


def report(entry: Entry, risks_logged: int) -> Message:
    content = _content(entry, risks_logged)
    return _message(SUPERVISION_REPORT, _summary(entry), {"content": content})


def judged_before(entry: Entry, risks_logged: int) -> Message:
    """Return the answer to a request for a task that has a report already."""
    again = f"Judged before; to have it judged again, ask for {round_after(entry.task)}."
    content = f"{_content(entry, risks_logged)}\n{again}"
    return _message(SUPERVISION_REPORT, _summary(entry), {"content": content})


def _summary(entry: Entry) -> str:
    return f"{answer_to(entry.task)} {entry.verdict.value}"


def _content(entry: Entry, risks_logged: int) -> str:
    return "\n".join(
        (
            f"{TAG} {entry.task} complete.",
            f"Verdict: {entry.verdict.value} (score: {shown(entry.score)})",
            f"Findings: {', '.join(entry.key_findings)}",
            f"Risks: {risks_logged} logged",
            f"Quality trend: {entry.quality_trend.value}",
            f"Artifact: {entry.artifact}",
        )
    )


def _message(type_: str, summary: str, data: Mapping[str, object]) -> Message:
    return Message(SUPERVISOR, COORDINATOR, type_, summary, bus.data_of(data))
