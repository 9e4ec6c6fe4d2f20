"""One wake, from the claim to the report (CK-03). Each step is durable before the next begins."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from topkick.engine import messages as h
from topkick.engine.codec.codec import Text
from topkick.engine.effects import Edit, Glance, Seen
from topkick.sprint.model import Mission
from topkick.team.bus.model import STATE_UPDATE, Message
from topkick.team.judge import check_round
from topkick.team.judge import report as words
from topkick.team.judge import state as notes
from topkick.team.judge.checklist import CheckKind, RoleSpec
from topkick.team.judge.checks import judge as checks_judge
from topkick.team.judge.findings import StageEntry, VerdictWord, score, shown
from topkick.team.judge.material import MESSAGES_READ, Material, gather, wanted
from topkick.team.judge.report import Report, read_report, read_verdict, render, trend
from topkick.team.judge.role_spec import read_role_spec
from topkick.team.judge.state import Hello, JudgeStep, Purpose, ReportDraft, WakeRequest
from topkick.team.requests import (
    SHUTDOWN_RESPONSE,
    SUPERVISOR,
    CheckpointRequest,
    ShutdownRequest,
    Unreadable,
    answer_to,
    is_request,
    read_request,
)
from topkick.team.session import (
    META,
    SESSION_FILES,
    WISDOM,
    read_roles,
    read_session,
    states_by_task,
)

# --- the greeting at each start ----------------------------------------------------------------
# Earlier judgments are read from their reports (CK-05).

Events = Sequence[h.Event]
REPORTS = "artifacts/CHECKPOINT-*-report.md"
_JUDGED = re.compile(r"^- Judged: (\S+)", re.MULTILINE)


def next_words(mission: Mission) -> Events:
    """Read the baseline, then announce the judge on the bus."""
    match notes.hello(mission):
        case Hello.DUE:
            look = Glance((*SESSION_FILES, META), patterns=(REPORTS, WISDOM), messages=1)
            return (notes.greet(Hello.LISTING), notes.on(Purpose.HELLO), h.LookAsked(look))
        case Hello.SAYING:
            said = h.PostAsked((_words(mission),), notes.hello_after(mission))
            return (notes.on(Purpose.HELLO), said)
        case Hello.LISTING | Hello.SAID:
            return ()


def listed(mission: Mission, files: tuple[Seen, ...], messages: tuple[Message, ...]) -> Events:
    """Handle the listing; ignore one that an earlier start requested."""
    if notes.hello(mission) is not Hello.LISTING:
        return ()
    newest = max((message.number for message in messages), default=0)
    return (
        notes.remember(recalled(files)),
        notes.note_hello_after(newest),
        notes.greet(Hello.SAYING),
    )


def said(mission: Mission) -> Events:
    if notes.hello(mission) is not Hello.SAYING:
        return ()
    who = notes.judge_of(mission).session_id
    return (notes.greet(Hello.SAID), h.Decided("", who, "Ready", "awaiting checkpoints"))


def recalled(files: Sequence[Seen]) -> tuple[StageEntry, ...]:
    """Return the entries in the order in which they were judged."""
    found = [(_moment(seen.text), seen.path, read_report(seen.text)) for seen in files]
    reports = [(moment, path, entry) for moment, path, entry in found if entry is not None]
    return tuple(entry for _, _, entry in sorted(reports, key=lambda row: row[:2]))


def _moment(text: str) -> str:
    found = _JUDGED.search(text)
    return found[1] if found else ""


def _words(mission: Mission) -> Message:
    judge = notes.judge_of(mission)
    if judge.recovery:
        return words.recovered(len(notes.remembered(mission)))
    return words.ready(judge.session_id)


# --- the next request --------------------------------------------------------------------------
# It is the first on the bus without an answer.


def heard(mission: Mission, messages: tuple[Message, ...]) -> Events:
    asked = first_open(messages)
    if asked is None:
        newest = max((message.number for message in messages), default=0)
        return (notes.past(max(newest, notes.cursor(mission))),)
    told = h.Decided("", asked.id, "Woken", asked.summary[:160])
    match read_request(asked):
        case ShutdownRequest(request_id):
            wake = WakeRequest(asked.number, request_id=request_id)
            return (told, notes.woken(wake), notes.go(JudgeStep.LEAVING))
        case Unreadable(why):
            return (told, *not_done(mission, WakeRequest(asked.number), why))
        case CheckpointRequest(task_id, scope, progress):
            wake = WakeRequest(asked.number, task_id, scope, progress)
            if problem := _unknown(mission, task_id):
                return (told, *not_done(mission, wake, problem))
            return (told, notes.woken(wake), notes.go(JudgeStep.CLAIMING))


def not_done(mission: Mission, wake: WakeRequest, why: str) -> Events:
    """Reply to the coordinator that the request failed, and finish it."""
    failed = WakeRequest(wake.number, wake.task_id, wake.scope, wake.progress, why=why)
    return (notes.woken(failed), *notes.one_more_error(mission, why), notes.go(JudgeStep.REPLYING))


def _unknown(mission: Mission, task_id: str) -> str:
    spec = read_role_spec(notes.judge_of(mission).role_spec)
    if spec.checkpoint(task_id) is not None:
        return ""
    known = ", ".join(checkpoint.id for checkpoint in spec.checkpoints)
    return f"the role spec has no {task_id}; it has {known}"


def first_open(messages: Sequence[Message]) -> Message | None:
    for place, message in enumerate(messages):
        if is_request(message) and answer_in(message, messages[place + 1 :]) is None:
            return message
    return None


def answer_in(asked: Message, later: Sequence[Message]) -> Message | None:
    """Return the supervisor's answer to a request among later messages."""
    own = (message for message in later if message.sender.casefold() == SUPERVISOR)
    return next((message for message in own if _answers(message, asked)), None)


def _answers(said: Message, asked: Message) -> bool:
    if said.type == words.ERROR:
        return said.fields.get("message_id") == asked.id
    match read_request(asked):
        case CheckpointRequest(task_id):
            return said.summary.startswith(answer_to(task_id))
        case ShutdownRequest(request_id):
            echoed = said.fields.get("request_id") == request_id
            return said.type == SHUTDOWN_RESPONSE and echoed
        case Unreadable():
            return False


RISKS = "wisdom/issues.md"


# --- reading session and bus -------------------------------------------------------------------


def orient(mission: Mission) -> Events:
    """Read session and bus, and whether a report was written before a crash."""
    own = words.report_path(notes.wake(mission).task_id)
    return (h.LookAsked(Glance((*SESSION_FILES, META, own), messages=MESSAGES_READ)),)


def oriented(mission: Mission, files: tuple[Seen, ...], messages: tuple[Message, ...]) -> Events:
    seen = {file.path: file for file in files}
    written = seen[words.report_path(notes.wake(mission).task_id)]
    if written.content is not None or written.trouble:
        return (notes.go(JudgeStep.TELLING),)
    known = _known(mission, seen, messages)
    wants = wanted(
        _spec(mission),
        notes.wake(mission).task_id,
        known.session,
        known.states(),
        known.scope,
        known.earlier,
    )
    look = Glance(wants.paths, patterns=wants.globs, messages=MESSAGES_READ)
    return (notes.go(JudgeStep.READING), h.LookAsked(look))


def read(mission: Mission, files: tuple[Seen, ...], messages: tuple[Message, ...]) -> Events:
    """Run the built-in checks; the others stay open for commands and agents."""
    seen = {file.path: file for file in files}
    wake = notes.wake(mission)
    there = {path: file.text for path, file in seen.items() if file.content is not None}
    material = gather(_spec(mission), wake.task_id, _known(mission, seen, messages), there)
    checks = check_round.checks_of(mission)
    built_in = tuple(
        checks_judge(check, material) for check in checks if check.kind is CheckKind.BUILTIN
    )
    others = tuple(check for check in checks if check.kind is not CheckKind.BUILTIN)
    told = f"{len(material.documents)} artifacts, {len(built_in)} checks done, {len(others)} to run"
    return (
        notes.drafted(ReportDraft(built_in, material.read(), material.missing, others)),
        h.Decided("", wake.task_id, "Material read", told),
        notes.go(JudgeStep.CHECKING),
    )


def _spec(mission: Mission) -> RoleSpec:
    return read_role_spec(notes.judge_of(mission).role_spec)


def _known(mission: Mission, seen: dict[str, Seen], messages: tuple[Message, ...]) -> Material:
    wake = notes.wake(mission)
    file = next((seen[name].text for name in SESSION_FILES if seen[name].content is not None), "")
    return Material(
        session=read_session(file),
        roles=read_roles(seen[META].text),
        states_by_task=states_by_task(messages),
        messages=messages,
        scope=wake.scope,
        earlier=notes.remembered(mission),
        progress=wake.progress,
        at_us=mission.at_us,
    )


# --- writing the report ------------------------------------------------------------------------


def write(mission: Mission) -> Events:
    """Write the risks first and the report last: the report is the commit point."""
    report = _report(mission)
    content = Text.of(render(report))
    edits = (*_risks(report), Edit(words.report_path(report.task), "", content))
    return (h.EditsAsked(edits),)


def _report(mission: Mission) -> Report:
    wake, draft = notes.wake(mission), notes.draft(mission)
    spec = _spec(mission).checkpoint(wake.task_id)
    verdict = score(draft.findings)
    judged = datetime.fromtimestamp(mission.at_us / 1e6, UTC).isoformat(timespec="milliseconds")
    return Report(
        task=wake.task_id,
        title=spec.title if spec is not None else "",
        artifact=words.report_path(wake.task_id),
        scope=wake.scope,
        progress=wake.progress,
        at=judged,
        findings=draft.findings,
        verdict=verdict,
        artifacts_read=draft.read,
        missing=draft.missing,
        quality_trend=trend(notes.remembered(mission), verdict.score),
    )


def _risks(report: Report) -> tuple[Edit, ...]:
    lines = (*report.verdict.blocks, *report.verdict.risks)
    if report.verdict.word is VerdictWord.PASS or not lines:
        return ()
    told = "".join(f"- [{report.task}] {line}\n" for line in lines)
    return (Edit(RISKS, "", Text.of(told), appends=True),)


def written(mission: Mission, changed: str, trouble: str) -> Events:
    """Handle the write; if there is a report of another judge, that one counts."""
    if trouble:
        return notes.rest(mission, trouble)
    path = words.report_path(notes.wake(mission).task_id)
    found = (h.Decided("", path, "Report found", "the report exists already"),) if changed else ()
    return (*notes.recovered(mission), *found, notes.go(JudgeStep.TELLING))


# --- posting the verdict -----------------------------------------------------------------------


def recall(mission: Mission) -> Events:
    """Read the report back: what is posted comes from the report, even after a crash."""
    path = words.report_path(notes.wake(mission).task_id)
    return (h.LookAsked(Glance((path,), messages=1)),)


def tell(mission: Mission, files: tuple[Seen, ...], messages: tuple[Message, ...]) -> Events:
    wake, text = notes.wake(mission), files[0].text
    entry, verdict = read_report(text), read_verdict(text)
    if entry is None or verdict is None:
        why = files[0].trouble or f"{files[0].path} exists, but is not a report"
        return not_done(mission, wake, f"{why}; move it away and request the checkpoint again")
    risks = len(verdict.risks)
    answer: tuple[Message, ...] = (words.judged_before(entry, risks),)
    if not _was_told(wake, messages):
        done, state = words.completed(entry.task), words.state_update(entry, verdict)
        answer = (done, state, words.report(entry, risks))
    known = notes.remembered(mission)
    is_new = all(each.task != entry.task for each in known)
    remembered = (notes.remember((*known, entry)),) if is_new else ()
    told = f"{shown(entry.score)}: {'; '.join(entry.key_findings)}"
    decided = h.Decided("", entry.task, f"Verdict {entry.verdict}", told[:300])
    return (*remembered, decided, h.PostAsked(answer, wake.number))


def _was_told(wake: WakeRequest, messages: tuple[Message, ...]) -> bool:
    """Return whether an earlier request for the same task was answered."""
    own = (m for m in messages if m.sender == SUPERVISOR and m.type == STATE_UPDATE)
    return any(m.fields.get("task_id") == wake.task_id and m.number < wake.number for m in own)
