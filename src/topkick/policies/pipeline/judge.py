"""The judge as a process: kept while there is work, restarted when it ends, asked to leave."""

from collections.abc import Sequence

from topkick.core import happenings as h
from topkick.core.agents import AgentExit
from topkick.core.bus import Message
from topkick.core.checkpoint_words import SHUTDOWN_RESPONSE, SUPERVISOR, shutdown_request
from topkick.core.mission import Mission, Stance
from topkick.core.runs import Background
from topkick.policies.pipeline import notes
from topkick.policies.pipeline.notes import Doing
from topkick.policies.pipeline.scene import Scene

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
    line = h.Decided("", SUPERVISOR, "Judge ended", f"{how} before it was asked to")
    if ended.code == ALREADY_SERVED:
        return (noted, line, h.NoteTaken(notes.OTHER_JUDGE, THERE), notes.DUE)
    return (noted, line, *begin(mission))


def _tired(mission: Mission, how: str, ended: AgentExit) -> str:
    session = notes.settings_of(mission).session
    if ended.code == ALREADY_SERVED:
        return (
            "another judge serves this session already. Have it leave, then go on: "
            f"topkick checkpoint shutdown {session}"
        )
    return (
        f"the judge ended {STARTS_ALLOWED + 1} times within 10 minutes, the last time {how}. "
        f"What it prints: topkick checkpoint serve {session} --role-spec builtin"
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


def make_room(scene: Scene) -> Events:
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


# --- leaving ---------------------------------------------------------------------------------


def request_id(mission: Mission) -> str:
    return f"{mission.id}-{mission.notebook.get(notes.JUDGES) or '0'}"


def has_agreed(mission: Mission, messages: Sequence[Message]) -> bool:
    wanted = request_id(mission)
    return any(
        message.type == SHUTDOWN_RESPONSE and message.fields.get("request_id") == wanted
        for message in messages
    )
