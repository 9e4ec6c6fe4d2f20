"""Describe each record in one line, with the id of its rule.

A fact is what the world showed, or the command that a person gave. A move names the old state, the
new state and the cause.
"""

from typing import assert_never

from topkick.checks.model import CheckResult, Evidence, Integration
from topkick.engine import messages as h
from topkick.engine.agents.runs import Dispatch
from topkick.engine.effects import Came, Upshot
from topkick.sprint.blockers.holds import FatalCause
from topkick.sprint.blockers.model import rule_of
from topkick.sprint.check_wording import told
from topkick.sprint.gates.model import GateRun
from topkick.sprint.model import Mission, Proof
from topkick.sprint.status import PROCESS_RUNS, is_proven_by_process
from topkick.sprint.transitions import SprintCause, UnitCause
from topkick.sprint.views import blocker_lines, event_log
from topkick.team.bus.model import Message
from topkick.text import escape
from topkick.text import format as fmt
from topkick.text.format import counted

Said = tuple[str, str]
"""The id of the rule, and the line."""


def tell(fact: h.Fact) -> Said:
    match fact:
        case h.CommandGiven(command, by):
            rule, what = of_command(command)
            return rule, f"{_who(by)} said: {what}"
        case h.AgentExited(_, agent_exit):
            return "LP-03", event_log.ended(agent_exit)
        case h.WorkChecked(_, evidence):
            return _answered(evidence) or ("VF-01", _checked(evidence))
        case h.ConditionPolled(_, poll, evidence):
            return "ER-02", f"its condition was polled ({poll}): {_results(evidence.results)}"
        case h.GroundSurveyed(_, ground):
            unmet = [r for r in ground.entry if not r.passed]
            told = f": {_result(unmet[0])}" if unmet else ""
            return "DP-08", f"the tree was surveyed before the order{told}"
        case h.AgentQuiet(_, polls):
            return "ER-01", f"its agent has shown no sign of life for {polls} polls"
        case h.AgentSpent(_, usage):
            return "DP-10", f"its agent had used {usage.turns} turns and {usage.tokens} tokens"
        case h.AgentActive():
            return "LP-03", "its agent is active"
        case h.WorkIntegrated(_, found):
            return "GT-06", _merged(found)
        case h.GateRan(gate_id, number, run):
            return "GT-02", f"gate {gate_id}, run {number}: {_gate_run(run)}"
        case h.SupervisorWoke(epoch, driven):
            role = "took over" if driven else "only answers commands"
            return "SD-04", f"supervisor {epoch} {role}"
        case h.TimePassed():
            return "LP-04", "a timer fired"
        case h.FilesObserved() | h.FilesEdited() | h.ErrandDone():
            return _of_files(fact)
        case _:
            return _of_bus(fact) or ("LP-01", _by_name(fact))


def _answered(evidence: Evidence) -> Said | None:
    """Describe an agent's answer outside a plan, where only the form of the answer is checked."""
    if evidence.answer is None:
        return None
    return "KB-03", f"its answer was read (text {evidence.answer.sha256[:12]})"


def _of_files(fact: h.FilesObserved | h.FilesEdited | h.ErrandDone) -> Said:
    match fact:
        case h.FilesObserved(files):
            there = [seen for seen in files if seen.content is not None] or files
            names = ", ".join(escape.line(seen.path, 60) for seen in there[:5])
            return "KB-02", f"{names} {'was' if len(there) == 1 else 'were'} read"
        case h.FilesEdited(changed=changed, trouble=trouble):
            told = f"{changed} was changed by another program meanwhile" if changed else trouble
            return "EP-03", escape.line(told, 160) or "the files were written"
        case h.ErrandDone(_, upshot):
            return "EP-03", _of_errand(upshot)


def _of_errand(upshot: Upshot) -> str:
    told = {
        Came.DONE: "the remote operation succeeded",
        Came.OVERTAKEN: "the remote has the change, and later ones of other programs",
        Came.LOST: "another program changed the remote first",
        Came.CHANGED: "another program changed the files here meanwhile",
        Came.FAILED: "the remote operation failed",
    }[upshot.came]
    return f"{told} ({escape.line(upshot.about, 160)})" if upshot.about else told


def _of_bus(fact: h.Fact) -> Said | None:
    match fact:
        case h.BusHeard(messages=messages):
            told = ", ".join(_message(message) for message in messages[-3:])
            before = f"{len(messages) - 3} messages, then " if len(messages) > 3 else ""
            return "CK-02", f"received on the bus: {before}{told or 'nothing'}"
        case h.MessagesPosted(numbers=numbers, trouble=trouble):
            told = ", ".join(f"MSG-{number:03}" for number in numbers[:5])
            return "CK-20", escape.line(trouble, 160) or f"posted on the bus: {told or 'nothing'}"
        case _:
            return None


def _message(message: Message) -> str:
    return (
        f"{message.id} from {escape.line(message.sender, 40)}: {escape.line(message.summary, 80)}"
    )


def _who(by: str) -> str:
    """Name the person; if only a numeric user id was recorded, return that."""
    return f"user {by}" if by.isdecimal() else escape.line(by, 40) or "a person"


def _by_name(fact: h.Fact) -> str:
    words = {
        h.BackgroundSeen: "its background process was seen running",
        h.BackgroundEnded: "its background process ended",
        h.PlanEdited: "the plan was edited",
    }
    return words.get(type(fact), type(fact).__name__)


def of_command(command: h.Command) -> Said:
    match command:
        case h.Accept(why=why):
            return "ER-04", f"accept: {escape.line(why, 200)}"
        case h.Reject(why=why):
            return "ER-04", f"reject: {escape.line(why, 200)}"
        case h.Waive(finding=finding, why=why):
            return "VF-06", f"waive {escape.line(finding, 40)}: {escape.line(why, 200)}"
        case h.Retry(note=note, model=model):
            asked = f" with {escape.line(model, 40)}" if model else ""
            return "SM-06", f"retry{asked}" + (f": {escape.line(note, 200)}" if note else "")
        case h.PassGate(gate, why):
            return "GT-03", f"let gate {escape.line(gate, 20)} pass: {escape.line(why, 200)}"
        case h.RefuseGate(gate, why):
            return "GT-03", f"refuse gate {escape.line(gate, 20)}: {escape.line(why, 200)}"
        case h.AcceptBranch(_, why):
            return "GT-06", f"accept the branch where it was moved: {escape.line(why, 200)}"
        case h.Stop(force=force):
            return "SD-01", "stop now, without waiting" if force else "stop"
        case h.KillAll(why):
            return "SD-02", f"killall ({escape.line(why, 100)})"
        case h.Resume():
            return "SD-04", "resume"
        case h.Start():
            return "ST-05", "start"
        case h.BeginBackground(name=name):
            return "ER-03", f"keep {escape.line(name, 40)} running"
        case h.EndBackground():
            return "ER-03", "end what runs in the background"
        case h.OverrideCheckpoint() | h.ReviseUpstream() | h.AbortPipeline():
            return "CK-14", _of_pipeline(command)


def _of_pipeline(command: h.OverrideCheckpoint | h.ReviseUpstream | h.AbortPipeline) -> str:
    match command:
        case h.OverrideCheckpoint(task, why):
            return f"continue past {escape.line(task, 40)}: {escape.line(why, 200)}"
        case h.ReviseUpstream(task, upstream, why):
            names = f"{escape.line(upstream, 40)} again for {escape.line(task, 40)}"
            return f"do {names}: {escape.line(why, 200)}"
        case h.AbortPipeline(why):
            return f"abort: {escape.line(why, 200)}"


def _checked(seen: Evidence) -> str:
    words = [_results((*seen.results, *seen.always, *seen.syntax))]
    words += [f"at {seen.head[:10]}"] if seen.head else []
    words.append(counted(len(seen.commits), "commit"))
    words += [counted(len(seen.findings), "finding")] if seen.findings else []
    words += [f"{len(seen.uncommitted)} not committed"] if seen.uncommitted else []
    return f"the work was checked: {', '.join(words)}"


def _results(results: tuple[CheckResult, ...]) -> str:
    if not results:
        return "no command to run"
    unmet = [r for r in results if not r.passed]
    told = f"{len(results) - len(unmet)} of {counted(len(results), 'command')} passed"
    return f"{told}, {'; '.join(_result(r) for r in unmet[:3])}" if unmet else told


def _result(result: CheckResult) -> str:
    if result.criterion:
        return escape.line(told(result), 160)
    code = f" with {result.code}" if result.code is not None else ""
    return f"`{escape.line(result.command, 80)}` {result.outcome}{code}"


def _merged(found: Integration) -> str:
    if found.trouble:
        return f"it could not be merged: {escape.line(found.trouble, 160)}"
    if found.conflicts:
        files = ", ".join(escape.line(f, 60) for f in found.conflicts[:5])
        return f"it conflicts with the work of others in {files}"
    return f"it was merged at {escape.line(found.tip[:12])}"


def _gate_run(run: GateRun) -> str:
    if run.trouble:
        return escape.line(run.trouble, 160)
    return _results(run.results)


# --- events: moves and decisions -----------------------------------------------------------

RULES = {
    SprintCause.DISPATCHED: "DP-05",
    SprintCause.FIRST_ACTIVITY: "LP-03",
    SprintCause.SUCCEEDED: "VF-02",
    SprintCause.PROGRESSED: "SM-07",
    SprintCause.FAILED: "SM-03",
    SprintCause.TROUBLED: "DP-09",
    SprintCause.KILLED: "SD-02",
    SprintCause.EXHAUSTED: "SM-05",
    SprintCause.ACCEPTED: "ER-04",
    SprintCause.REJECTED: "ER-04",
    SprintCause.LATE_FINISH: "SD-02",
    SprintCause.RESUMED: "SD-04",
    SprintCause.FOUND_DONE: "ST-02",
}
UNIT_RULES = {
    UnitCause.START: ("GT-01", "everything that it waits for is done"),
    UnitCause.FINISHED: ("GT-01", "its sprints are all completed"),
    UnitCause.STOP: ("SD-01", "it stops; no new order"),
    UnitCause.SPRINT_FATAL: ("SM-05", "its sprint is FATAL"),
    UnitCause.KILLED: ("SD-02", "its agent was ended"),
    UnitCause.DRAINED: ("SD-01", "its last order has ended"),
    UnitCause.RESUME: ("SD-04", "resumed"),
}
PROOFS = {
    Proof.CHECKED: "checked: its criteria were run and met",
    Proof.HELD: "builds and tests are held for the gate",
    Proof.UNCHECKED: "unchecked: committed, and no check proves it",
    Proof.ACCEPTED: "accepted by a person",
}


def of_unit_move(event: h.UnitMoved) -> Said:
    rule, why = UNIT_RULES[event.cause]
    return rule, f"unit {event.was} → {event.now}: {why}"


def of_sprint_move(
    mission: Mission,
    event: h.SprintMoved,
    order: h.RunDispatched | None,
    judged: h.SprintJudged | None,
    trouble: h.TroubleMet | None,
) -> Said:
    """Describe a move of a sprint. `mission` is the state after the move; earlier events of the
    same step give the reason.
    """
    why = escape.line(blocker_lines.told(event.blocker) or event.why, 300)
    match event.cause:
        case SprintCause.DISPATCHED:
            told = _order(mission, order.dispatch) if order else "without an agent"
        case SprintCause.FIRST_ACTIVITY:
            told = "first sign of life" if mission.run_of(event.unit) else "it waits"
        case SprintCause.SUCCEEDED | SprintCause.LATE_FINISH | SprintCause.FOUND_DONE:
            told = _done(mission, judged)
        case SprintCause.PROGRESSED:
            told = f"progress, no attempt charged; not met yet: {why}"
        case SprintCause.FAILED:
            told = f"FAILURE{_charged(mission, event, judged)}: {why}"
        case SprintCause.TROUBLED:
            told = _troubled(mission, trouble, why)
        case SprintCause.KILLED:
            told = "its agent was ended; no attempt charged"
        case SprintCause.REJECTED:
            told = f"rejected{_charged(mission, event, judged)}: {why}"
        case SprintCause.ACCEPTED:
            told = f"accepted by a person: {why}"
        case SprintCause.EXHAUSTED:
            told = why or "nothing is left to try"
        case SprintCause.RESUMED:
            told = "a person asked for another try"
    return _rule(event), f"{event.was} → {event.now}: {told}"


def _rule(event: h.SprintMoved) -> str:
    fatal = isinstance(event.blocker, FatalCause)
    return rule_of(event.blocker) if fatal and event.blocker else RULES[event.cause]


def _order(mission: Mission, d: Dispatch) -> str:
    most = mission.settings.max_retries if mission.settings is not None else 0
    model = f" ({escape.line(d.model, 40)})" if d.model else ""
    is_commit = d.base is not None and d.base.strip("0")  # all zeros: no commit was there yet
    base = f", from commit {d.base[:10]}" if d.base and is_commit else ""
    held = ", builds and tests are held for the gate" if d.held else ""
    return f"attempt {d.attempt}/{most} to {escape.line(d.agent, 40)}{model}{base}{held}"


def _done(mission: Mission, judged: h.SprintJudged | None) -> str:
    if judged is None or judged.proof is None:
        return "SUCCESS"
    by_process = is_proven_by_process(mission.sprint(judged.unit, judged.sprint))
    return f"SUCCESS, {PROCESS_RUNS if by_process else PROOFS[judged.proof]}"


def _charged(mission: Mission, event: h.SprintMoved, judged: h.SprintJudged | None) -> str:
    if judged is None or not judged.charged:
        return ", not charged"
    most = mission.settings.max_retries if mission.settings is not None else 0
    return f", charged as failure {mission.sprint(event.unit, event.sprint).failures} of {most}"


def _troubled(mission: Mission, trouble: h.TroubleMet | None, why: str) -> str:
    if trouble is None:
        return f"infrastructure trouble, no attempt charged: {why}"
    rests = trouble.not_before_us > mission.at_us
    until = f"; waits until {fmt.iso(trouble.not_before_us)}" if rests else ""
    return f"infrastructure trouble, no attempt charged: {escape.line(trouble.why, 200)}{until}"


# --- decisions -----------------------------------------------------------------------------


def reopened(event: h.SprintReopened) -> Said:
    words = ["reopened"]
    words += ["failures count from zero again"] if event.fresh else []
    words += [f"with {escape.line(event.model, 40)}"] if event.model else []
    words += [f"note: {escape.line(event.note, 200)}"] if event.note else []
    return "SM-06", ", ".join(words)


def decided(event: h.Decided) -> Said | None:
    """Describe a decision that no other event of the chain shows; else None."""
    why = escape.line(blocker_lines.rationale(event), 300)
    match event.kind:
        case h.DecisionKind.MODEL_BY_SCORE:
            return "MS-01", f"Model: {_model(event)}; reason: {why}"
        case h.DecisionKind.MODEL_BY_RULE:
            return "MS-02", f"Model: {_model(event)}; reason: {why}"
        case h.DecisionKind.EVENT | h.DecisionKind.STEP | h.DecisionKind.AGENT_CHANGED:
            return None
        case h.DecisionKind.NOTE | h.DecisionKind.GATE_ASKS | h.DecisionKind.GATE_ANSWERED:
            return "ST-02", f"{escape.line(event.decision, 80)}: {escape.line(why, 200)}"
        case _:
            assert_never(event.kind)


def _model(event: h.Decided) -> str:
    return escape.line(event.decision.removeprefix("Model: "), 60)
