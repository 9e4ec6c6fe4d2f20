"""The report of a checkpoint, for people and for the judge, which remembers by it.

All text of agents is on lines that begin with a bar or a dash, so that none of it can pass for a
heading or a verdict.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from topkick.team.bus import model as bus
from topkick.team.bus.model import COORDINATOR, Message
from topkick.team.judge.findings import (
    ArtifactRead,
    Group,
    JudgeFinding,
    JudgeResult,
    Since,
    StageEntry,
    StageVerdict,
    Trend,
    VerdictWord,
    settled,
    shown,
    trend,
)
from topkick.team.requests import (
    SHUTDOWN_RESPONSE,
    SUPERVISOR,
    TAG,
    answer_to,
    is_checkpoint,
    round_after,
)
from topkick.text.escape import escaped, one_line, unescaped
from topkick.text.task_file import TaskFile

__all__ = ["Report", "entry_of", "key_findings", "read_report", "read_verdict", "render", "trend"]

MOST_KEY_FINDINGS = 5
KEY_FINDING_CHARS = 99
EVIDENCE_SHOWN = 3
LONGEST_CHARS = 1 << 20
TITLES = {
    Group.CONSISTENCY: "Consistency",
    Group.PROCESS: "Process Compliance",
    Group.HEALTH: "Execution Health",
}
NOTHING = "Nothing."
_VERDICT = re.compile(r"Verdict: (PASS|WARN|BLOCK) \(score: ([01]\.[0-9]{2})\)")
_TITLE = re.compile(r"Report of (\S+)")
_ARTIFACT = re.compile(r"- (.*) \((new|changed|unchanged), sha256 ([0-9a-f]{64})\)")
_PATH = re.compile(r"- Report: (.*)")


@dataclass(frozen=True, slots=True)
class Report:
    """A report; `artifact` is the path under which it is announced, `at` is a time as text."""

    task: str
    title: str
    artifact: str
    scope: tuple[str, ...]
    progress: str
    at: str
    findings: tuple[JudgeFinding, ...]
    verdict: StageVerdict
    artifacts_read: tuple[ArtifactRead, ...] = ()
    missing: tuple[str, ...] = ()
    quality_trend: Trend = Trend.STABLE


def entry_of(report: Report) -> StageEntry:
    return StageEntry(
        task=report.task,
        artifact=one_line(report.artifact),
        verdict=report.verdict.word,
        score=report.verdict.score,
        key_findings=key_findings(report.findings),
        artifacts_read=tuple(
            ArtifactRead(one_line(read.path), read.sha256, read.since)
            for read in report.artifacts_read
        ),
        quality_trend=report.quality_trend,
    )


def key_findings(findings: Sequence[JudgeFinding]) -> tuple[str, ...]:
    """Return the findings, worst first; if nothing is wrong, what passed."""
    order = {JudgeResult.FAIL: 0, JudgeResult.WARN: 1, JudgeResult.PASS: 2}
    counted = sorted((settled(f) for f in findings), key=lambda f: order[f.result])
    wrong = [f for f in counted if f.result is not JudgeResult.PASS] or counted
    lines = (one_line(f"{f.check}: {f.details}", KEY_FINDING_CHARS) for f in wrong)
    return tuple(line for line in lines if line)[:MOST_KEY_FINDINGS]


# --- writing a report --------------------------------------------------------------------------


def render(report: Report) -> str:
    entry = entry_of(report)
    word, number = report.verdict.word.value.upper(), shown(report.verdict.score)
    parts = [
        f"# Report of {report.task}",
        *_section("Scope", _scope(report, entry)),
        "## Results",
        *(part for group in Group for part in _table(report, group)),
        f"## Verdict: {word} (score: {number})",
        *_section("Blocks Detected", [_item(line) for line in report.verdict.blocks]),
        *_section("Recommendations", _recommended(report)),
        *_section("Risks Logged", [_item(line) for line in report.verdict.risks]),
        *_section("Artifacts Read", [_artifact(read) for read in entry.artifacts_read]),
        *_section("Key Findings", [_item(line) for line in entry.key_findings]),
        *_section("Quality Trend", [f"- {entry.quality_trend.value}"]),
    ]
    return "\n\n".join(parts) + "\n"


def _section(title: str, lines: Sequence[str]) -> tuple[str, str]:
    return f"## {title}", "\n".join(lines) or NOTHING


def _scope(report: Report, entry: StageEntry) -> list[str]:
    told = [
        ("Checkpoint", report.title or report.task),
        ("Tasks", ", ".join(report.scope) or "none"),
        ("Pipeline", report.progress or "not given"),
        ("Judged", report.at),
    ]
    lines = [f"- {name}: {escaped(one_line(value))}" for name, value in told if value]
    lines += [_item(f"Missing: {path}") for path in report.missing]
    return [*lines, f"- Report: {escaped(entry.artifact)}"]


def _table(report: Report, group: Group) -> tuple[str, str]:
    own = [settled(finding) for finding in report.findings if finding.group is group]
    rows = ["| Check | Result | Details |", "|---|---|---|"]
    for finding in own:
        name = escaped(one_line(finding.check)) + (" (critical)" if finding.critical else "")
        rows.append(f"| {name} | {finding.result.value} | {_details(finding)} |")
    return f"### {TITLES[group]}", "\n".join(rows) if own else "No checks."


def _details(finding: JudgeFinding) -> str:
    said = one_line(finding.details)
    lines = [one_line(line) for line in finding.evidence]
    lines = [line for line in lines if line and line not in said]
    more = f"; and {len(lines) - EVIDENCE_SHOWN} more" if len(lines) > EVIDENCE_SHOWN else ""
    seen = f" Evidence: {'; '.join(lines[:EVIDENCE_SHOWN])}{more}" if lines else ""
    return escaped(said + seen)


def _recommended(report: Report) -> list[str]:
    verbs = {JudgeResult.FAIL: "Repair", JudgeResult.WARN: "Look at"}
    wrong = [f for f in map(settled, report.findings) if f.result is not JudgeResult.PASS]
    wrong.sort(key=lambda finding: finding.result is not JudgeResult.FAIL)
    return [_item(f"{verbs[f.result]} {f.check}: {f.details}") for f in wrong]


def _artifact(read: ArtifactRead) -> str:
    return f"- {escaped(read.path)} ({read.since.value}, sha256 {read.sha256})"


def _item(text: str) -> str:
    return f"- {escaped(one_line(text))}"


# --- reading a report back ---------------------------------------------------------------------


def read_report(text: str) -> StageEntry | None:
    """Parse a report; None if it is not one."""
    file = _file(text)
    titles = [heading.title for heading in file.headings() if heading.level <= 2]
    task = next((found[1] for title in titles[:1] if (found := _TITLE.fullmatch(title))), "")
    verdicts = [found for title in titles if (found := _VERDICT.fullmatch(title))]
    if not is_checkpoint(task) or len(verdicts) != 1:
        return None
    trends = _lines(file, "Quality Trend")
    word = trends[0] if trends else ""
    return StageEntry(
        task=task,
        artifact=_report_path(file),
        verdict=VerdictWord(verdicts[0][1].lower()),
        score=float(verdicts[0][2]),
        key_findings=tuple(unescaped(line) for line in _lines(file, "Key Findings")),
        artifacts_read=_artifacts(file),
        quality_trend=Trend(word) if word in set(Trend) else Trend.STABLE,
    )


def read_verdict(text: str) -> StageVerdict | None:
    """Return the verdict with its risks and blocks, as a report has it."""
    entry = read_report(text)
    if entry is None:
        return None
    file = _file(text)
    risks = tuple(unescaped(line) for line in _lines(file, "Risks Logged"))
    blocks = tuple(unescaped(line) for line in _lines(file, "Blocks Detected"))
    return StageVerdict(entry.verdict, entry.score, risks, blocks)


def _file(text: str) -> TaskFile:
    return TaskFile.read(text[:LONGEST_CHARS].replace("\r\n", "\n"))


def _lines(file: TaskFile, title: str) -> list[str]:
    body = file.section(title) or ""
    return [line[2:] for line in body.split("\n") if line.startswith("- ")]


def _report_path(file: TaskFile) -> str:
    found = [_PATH.fullmatch(f"- {line}") for line in _lines(file, "Scope")[-1:]]
    return unescaped(found[0][1]) if found and found[0] else ""


def _artifacts(file: TaskFile) -> tuple[ArtifactRead, ...]:
    found = (_ARTIFACT.fullmatch(f"- {line}") for line in _lines(file, "Artifacts Read"))
    return tuple(ArtifactRead(unescaped(m[1]), m[3], Since(m[2])) for m in found if m)


# --- messages on the bus -----------------------------------------------------------------------
# All go to the coordinator.

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


# --- start, shutdown and errors ----------------------------------------------------------------


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
    content = f"{TAG} Alert: {errors} errors so far, the last: {last}. The judge is alive and idle."
    return _message(ALERT, f"{TAG} Alert: {errors} errors", {"content": content, "errors": errors})


# --- messages of one wake ----------------------------------------------------------------------


def claimed(task_id: str) -> Message:
    data = {"task_id": task_id, "phase": "claimed", "progress_pct": 0}
    return _message(PROGRESS, f"{TAG} Claimed {task_id}", data)


def completed(task_id: str) -> Message:
    return _message(TASK_COMPLETE, f"{TAG} Completed {task_id}", {"task_id": task_id})


def state_update(entry: StageEntry, verdict: StageVerdict) -> Message:
    blocked = verdict.word is VerdictWord.BLOCK
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


def report(entry: StageEntry, risks_logged: int) -> Message:
    content = _content(entry, risks_logged)
    return _message(SUPERVISION_REPORT, _summary(entry), {"content": content})


def judged_before(entry: StageEntry, risks_logged: int) -> Message:
    """Return the answer to a request for a task that has a report already."""
    again = f"It was judged before. For another judgment, request {round_after(entry.task)}."
    content = f"{_content(entry, risks_logged)}\n{again}"
    return _message(SUPERVISION_REPORT, _summary(entry), {"content": content})


def _summary(entry: StageEntry) -> str:
    return f"{answer_to(entry.task)} {entry.verdict.value}"


def _content(entry: StageEntry, risks_logged: int) -> str:
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
