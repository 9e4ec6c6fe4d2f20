"""The state file of a board's or an epic's run: agents at work now, and the supervisor's log.

It is next to the board or the epic, never changes that file, and carries the journal's head.
"""

from collections.abc import Iterator

from topkick.engine.agents.answers import RETRIES_ALLOWED, RetryEvent, retry_events
from topkick.engine.agents.runs import Run
from topkick.engine.codec.chain import Head, anchor_line
from topkick.sprint.model import Mission
from topkick.sprint.status import overall
from topkick.text import escape
from topkick.text import format as fmt

DECISIONS = 50


def render(mission: Mission, head: Head, now_us: int) -> str:
    return "\n".join([*_header(mission, head, now_us), *_decisions(mission), *_log(mission)]) + "\n"


def _header(mission: Mission, head: Head, now_us: int) -> Iterator[str]:
    file = mission.plan.file if mission.plan is not None else ""
    yield "# Supervisor State"
    yield ""
    yield anchor_line(head)
    yield ""
    yield f"- Supervisor: {escape.prose(mission.policy)}"
    yield f"- Truth: {escape.prose(file) or 'one instruction'}"
    yield f"- Status: {overall(mission)}{_why(mission)}"
    yield f"- Written: {fmt.iso(now_us)}"
    for run in mission.runs.values():
        yield f"- Asked now: {_asked(run)}"


def _why(mission: Mission) -> str:
    return f" ({escape.prose(mission.stance_why)})" if mission.stance_why else ""


def _asked(run: Run) -> str:
    dispatch = run.dispatch
    who = f", {escape.prose(dispatch.agent)} {escape.prose(dispatch.model)}" if dispatch else ""
    return f"{escape.prose(run.sprint)} as {escape.prose(run.id)}{who}"


def _decisions(mission: Mission) -> Iterator[str]:
    if not mission.decisions:
        return
    yield from ("", "## Decisions", "", "| Time | About | Decision | Why |", "|---|---|---|---|")
    for one in mission.decisions[-DECISIONS:]:
        cells = (one.sprint, one.decision, escape.cut(one.rationale, 300))
        yield f"| {fmt.iso(one.at_us)} | {' | '.join(map(escape.cell, cells))} |"


def _log(mission: Mission) -> Iterator[str]:
    yield from ("", "## Supervisor Log")
    for event in retry_events(mission):
        yield from _retry(event)


def _retry(event: RetryEvent) -> Iterator[str]:
    """Yield a retry event in the format of the role description."""
    yield ""
    yield f"### [{fmt.iso(event.at_us)}] Retry Event"
    yield ""
    yield f"**Agent:** {escape.prose(event.agent)}  "
    yield f"**Task:** {escape.prose(event.task)}  "
    yield f"**Attempt:** {event.attempt}/{RETRIES_ALLOWED}  "
    yield f"**Issue:** Invalid output format: {escape.prose(event.issue)}  "
    yield f"**Input:** sha256 {event.input_sha256}"
    yield from ("", "**Expected:**", "", f"    {event.expected} (topkick schema {event.expected})")
    yield from ("", "**Received:**", "")
    for line in escape.block(event.received).split("\n") or [""]:
        yield f"    {line}"
    yield from ("", "**Action:** Rescheduling with exact same parameters")
