"""One wake, from the claim to the report (CK-03). Each step is durable before the next begins."""

from collections.abc import Sequence
from datetime import UTC, datetime

from topkick.core import happenings as h
from topkick.core.bus import STATE_UPDATE, Message
from topkick.core.codec import Text
from topkick.core.files import Edit, Glance, Seen
from topkick.core.mission import Mission
from topkick.core.sessions import META, SESSION_FILES, read_roles, read_session, states_by_task
from topkick.policies.checkpoint import checking, hearing, notes, troubles, words
from topkick.policies.checkpoint.checklist import Kind, RoleSpec
from topkick.policies.checkpoint.checks import judge
from topkick.policies.checkpoint.material import MESSAGES_READ, Material, gather, wanted
from topkick.policies.checkpoint.notes import At, Draft, Wake
from topkick.policies.checkpoint.report import Report, read_report, read_verdict, render, trend
from topkick.policies.checkpoint.requests import SUPERVISOR
from topkick.policies.checkpoint.role_spec import read_role_spec
from topkick.policies.checkpoint.scoring import Word, score, shown

Events = Sequence[h.Event]
RISKS = "wisdom/issues.md"


# --- look ------------------------------------------------------------------------------------


def orient(mission: Mission) -> Events:
    """Read session and bus, and whether a report was written before a crash."""
    own = words.report_path(notes.wake(mission).task_id)
    return (h.LookAsked(Glance((*SESSION_FILES, META, own), messages=MESSAGES_READ)),)


def oriented(mission: Mission, files: tuple[Seen, ...], messages: tuple[Message, ...]) -> Events:
    seen = {file.path: file for file in files}
    written = seen[words.report_path(notes.wake(mission).task_id)]
    if written.content is not None or written.trouble:
        return (notes.go(At.TELLING),)
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
    return (notes.go(At.READING), h.LookAsked(look))


def read(mission: Mission, files: tuple[Seen, ...], messages: tuple[Message, ...]) -> Events:
    """Run the built-in checks; the others stay open for commands and agents."""
    seen = {file.path: file for file in files}
    wake = notes.wake(mission)
    there = {path: file.text for path, file in seen.items() if file.content is not None}
    material = gather(_spec(mission), wake.task_id, _known(mission, seen, messages), there)
    checks = checking.checks_of(mission)
    built_in = tuple(judge(check, material) for check in checks if check.kind is Kind.BUILTIN)
    others = tuple(check for check in checks if check.kind is not Kind.BUILTIN)
    told = f"{len(material.documents)} artifacts, {len(built_in)} checks, {len(others)} to be run"
    return (
        notes.drafted(Draft(built_in, material.read(), material.missing, others)),
        h.Decided("", wake.task_id, "Material read", told),
        notes.go(At.CHECKING),
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


# --- write -----------------------------------------------------------------------------------


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
    if report.verdict.word is Word.PASS or not lines:
        return ()
    told = "".join(f"- [{report.task}] {line}\n" for line in lines)
    return (Edit(RISKS, "", Text.of(told), appends=True),)


def written(mission: Mission, changed: str, trouble: str) -> Events:
    """Handle the write; if there is a report of another judge, that one counts."""
    if trouble:
        return troubles.rest(mission, trouble)
    path = words.report_path(notes.wake(mission).task_id)
    found = (h.Decided("", path, "Report found", "it is there already"),) if changed else ()
    return (*troubles.over(mission), *found, notes.go(At.TELLING))


# --- tell ------------------------------------------------------------------------------------


def recall(mission: Mission) -> Events:
    """Read the report back: what is posted comes from the report, even after a crash."""
    path = words.report_path(notes.wake(mission).task_id)
    return (h.LookAsked(Glance((path,), messages=1)),)


def tell(mission: Mission, files: tuple[Seen, ...], messages: tuple[Message, ...]) -> Events:
    wake, text = notes.wake(mission), files[0].text
    entry, verdict = read_report(text), read_verdict(text)
    if entry is None or verdict is None:
        why = files[0].trouble or f"{files[0].path} is there, and is no report"
        return hearing.not_done(mission, wake, f"{why}; move it away and ask again")
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


def _was_told(wake: Wake, messages: tuple[Message, ...]) -> bool:
    """Return whether an earlier request for the same task was answered."""
    own = (m for m in messages if m.sender == SUPERVISOR and m.type == STATE_UPDATE)
    return any(m.fields.get("task_id") == wake.task_id and m.number < wake.number for m in own)
