"""Read a judge's messages about a checkpoint: that it has started, and its verdict."""

from collections.abc import Sequence
from dataclasses import dataclass

from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit
from topkick.engine.agents.runs import Background
from topkick.sprint.model import Mission, Stance
from topkick.team.bus.model import COORDINATOR, STATE_UPDATE, Message
from topkick.team.pipeline import state as notes
from topkick.team.pipeline.scene import PipelineScene
from topkick.team.pipeline.state import Doing
from topkick.team.requests import (
    CHECKPOINT_REQUEST,
    SHUTDOWN_RESPONSE,
    SUPERVISOR,
    answer_to,
    request_summary,
    shutdown_request,
)
from topkick.team.session import number

# --- the judge's process -----------------------------------------------------------------------
# It is kept while there is work, restarted when it ends, and asked to leave.

STARTS_ALLOWED = 3
WITHIN_US = 600_000_000
ALREADY_SERVED = 4
ASKED, OVER, THERE = "asked", "over", "there"
Events = Sequence[h.Event]


def ours(mission: Mission) -> Background | None:
    return next((b for b in mission.backgrounds.values() if b.name == SUPERVISOR), None)


def begin(mission: Mission) -> Events:
    """Start the judge, with --recovery unless it is the first of this session."""
    settings = notes.settings_of(mission)
    count = int(mission.notebook.get(notes.JUDGES) or "0")
    again = bool(count) or bool(mission.notebook.get(notes.RECOVERY))
    argv = (*settings.judge, *(("--recovery",) if again else ()))
    name = f"{mission.id}-{mission.runs_opened + 1}"
    told = "with --recovery" if again else "the first of this session"
    return (
        h.BackgroundOpened(name, "", "judge", SUPERVISOR, argv, settings.root),
        h.NoteTaken(notes.JUDGES, str(count + 1)),
        h.Decided("", SUPERVISOR, "Judge started", told),
    )


def gone(mission: Mission, _background_id: str, ended: AgentExit) -> Events:
    """Restart a judge that ended by itself, a limited number of times."""
    if mission.stance is not Stance.WORKING or mission.ended is not None:
        return ()
    if mission.notebook.get(notes.CLOSING):
        return (h.NoteTaken(notes.CLOSING, OVER), notes.DUE)
    recent = [at for at in notes.judge_ends(mission) if mission.at_us - at < WITHIN_US]
    how = f"it {ended.how}" + (f" with {ended.code}" if ended.code is not None else "")
    noted = notes.note_judge_ends([*recent, mission.at_us])
    if len(recent) >= STARTS_ALLOWED:
        return (noted, h.NoteTaken(notes.STUCK, _tired(mission, how, ended)), notes.DUE)
    line = h.Decided("", SUPERVISOR, "Judge ended", f"{how} without a request")
    if ended.code == ALREADY_SERVED:
        return (noted, line, h.NoteTaken(notes.OTHER_JUDGE, THERE), notes.DUE)
    return (noted, line, *begin(mission))


def _tired(mission: Mission, how: str, ended: AgentExit) -> str:
    session = notes.settings_of(mission).session
    if ended.code == ALREADY_SERVED:
        return (
            "another judge serves this session already. End it, then run the session again: "
            f"topkick checkpoint shutdown {session}"
        )
    return (
        f"the judge ended {STARTS_ALLOWED + 1} times within 10 minutes, the last time {how}. "
        f"See its output: topkick checkpoint serve {session} --role-spec builtin"
    )


def at_rest(mission: Mission) -> Events:
    """End the judge when work is over, stopped, or waits for a person."""
    resident = ours(mission)
    if resident is None or mission.settings is None or resident.end_within_s is not None:
        return ()
    if mission.stance is Stance.WORKING and mission.ended is None:
        return ()
    killed = mission.stance is Stance.KILLED
    if mission.runs and not killed:
        return ()
    grace_s = mission.settings.kill_grace_s if killed else mission.settings.stop_grace_s
    return (h.BackgroundCancelled(resident.id, grace_s),)


def make_room(scene: PipelineScene) -> Events:
    """Ask a judge of an earlier run to leave, then start a new one."""
    mission = scene.mission
    match mission.notebook.get(notes.OTHER_JUDGE):
        case "there":
            return scene.post(shutdown_request(request_id(mission)), Doing.MAKE_ROOM)
        case "asked":
            if not has_agreed(mission, scene.messages):
                return scene.listen()
            return (h.NoteTaken(notes.OTHER_JUDGE, ""), *begin(mission))
        case _:
            return ()


# --- shutdown ----------------------------------------------------------------------------------


def request_id(mission: Mission) -> str:
    return f"{mission.id}-{mission.notebook.get(notes.JUDGES) or '0'}"


def has_agreed(mission: Mission, messages: Sequence[Message]) -> bool:
    wanted = request_id(mission)
    return any(
        message.type == SHUTDOWN_RESPONSE and message.fields.get("request_id") == wanted
        for message in messages
    )


PASS, WARN, BLOCK = "pass", "warn", "block"
_WORDS = (PASS, WARN, BLOCK)
VERDICT = "supervision_verdict"


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
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


def verdict_on(messages: Sequence[Message], task: str) -> JudgeVerdict | None:
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
    return JudgeVerdict(
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
