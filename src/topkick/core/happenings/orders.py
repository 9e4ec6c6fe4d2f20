"""Orders: what should be running now.

Their `tree` is the unit that has clones of its own.
"""

from dataclasses import dataclass

from topkick.core.agents import AgentExit, AgentProgram, Conversation
from topkick.core.bus import Message
from topkick.core.checkpoints import CheckpointPlan
from topkick.core.errands import Errand
from topkick.core.evidence import Ahead, Counted, Where
from topkick.core.files import Edit, Glance
from topkick.core.gates import Covered, Held
from topkick.core.isolation import Tip
from topkick.core.plan import Criterion
from topkick.core.runs import Dispatch


@dataclass(frozen=True, slots=True)
class SurveyGround:
    """What a `repair` is to bring about takes as long as a gate may."""

    id: str
    run_id: str
    directory: str
    entry: tuple[str, ...]
    exit: tuple[str, ...]
    tree: str = ""
    catch_up: bool = False
    where: Where = Where.PLACE
    sprint: str = ""
    repair: bool = False
    criteria: tuple[Criterion, ...] = ()


@dataclass(frozen=True, slots=True)
class RunAgent:
    """With `launch` off an agent is followed if it lives, and revoked if it never began."""

    id: str
    unit: str
    sprint: str
    directory: str
    dispatch: Dispatch
    launch: bool = True
    tree: str = ""


@dataclass(frozen=True, slots=True)
class EndAgent:
    """`background` if it is a process that a sprint left running, and no agent."""

    id: str
    grace_s: float
    background: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """How it was before the sprint was given out for the first time, to be compared with."""

    base: str | None = None
    counts: tuple[Counted, ...] = ()
    branch: str = ""
    tools: tuple[str, ...] = ()


NOTHING_BEFORE = Before()


@dataclass(frozen=True, slots=True)
class ProgressFile:
    """Whose it is, and the directory that it lies in; `alone` if no other unit is there."""

    unit: str
    directory: str
    alone: bool = True


@dataclass(frozen=True, slots=True)
class CheckWork:
    """`asked` is the sprint's text, `not_ours` the directories of other units; `commit` is what to
    look at, if not at where the tree stands. `syntax` has the touched files read (GT-05); with
    `manifests_in` directories, what they call for to build and test everything is looked for; and
    in the files of `progress_of`, what units need of one another. Outside any plan, one that
    `listens` only hears what the agent answered, and one that is `bare` only runs its checks.
    `criteria` say in the plan's words what the commands check."""

    id: str
    run_id: str
    directory: str
    checks: tuple[str, ...]
    always: tuple[str, ...]
    base: str | None
    output_of: str
    ahead: Ahead | None = None
    program: AgentProgram | None = None
    resumed: Conversation | None = None
    ended: AgentExit | None = None
    tree: str = ""
    since_us: int = 0
    whole: bool = False
    where: Where = Where.PLACE
    before: Before = NOTHING_BEFORE
    asked: str = ""
    plan_file: str = ""
    not_ours: tuple[str, ...] = ()
    commit: str = ""
    sprint: str = ""
    syntax: bool = False
    manifests_in: tuple[str, ...] = ()
    repair: bool = False
    progress_of: tuple[ProgressFile, ...] = ()
    listens: bool = False
    bare: bool = False
    criteria: tuple[Criterion, ...] = ()


@dataclass(frozen=True, slots=True)
class PollCondition:
    id: str
    run_id: str
    poll: int
    directory: str
    checks: tuple[str, ...]
    tree: str = ""


@dataclass(frozen=True, slots=True)
class IntegrateWork:
    """Merge the unit's work into the mission's branch: the checked `commits` of its clones, or
    `commit` in its own repository; what HEAD is, if neither names one.

    `checked` are the commits of all finished work that is not on the branch yet. A merge of one
    of them, found on the branch, is topkick's own: it died before it could write that down.
    """

    id: str
    run_id: str
    tree: str
    directory: str
    commit: str
    told: str
    commits: tuple[Tip, ...] = ()
    checked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunGate:
    """Build and test the base with the work of `units` on it, of all that the gate covers; without
    `commands`, by what the manifests call for. A `checkpoint` is judged instead, by its id."""

    id: str
    gate_id: str
    number: int
    covers: tuple[Covered, ...]
    units: tuple[str, ...]
    commands: tuple[str, ...]
    held: tuple[Held, ...]
    bases: tuple[Tip, ...]
    directories: tuple[str, ...]
    checkpoint: CheckpointPlan | None = None
    criteria: tuple[Criterion, ...] = ()


@dataclass(frozen=True, slots=True)
class KeepBackground:
    """Started once and followed; never started again."""

    id: str
    argv: tuple[str, ...]
    cwd: str


@dataclass(frozen=True, slots=True)
class ReadFiles:
    id: str
    look: int
    glance: Glance


@dataclass(frozen=True, slots=True)
class EditFiles:
    """Done again after a crash, it finds what is in place already and goes on from there."""

    id: str
    number: int
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class HearBus:
    """Wait for a message to `name` after that one: it costs nothing until there is one."""

    id: str
    name: str
    after: int


@dataclass(frozen=True, slots=True)
class PostMessages:
    """Done again after a crash, it finds what is said already and says the rest."""

    id: str
    post: int
    messages: tuple[Message, ...]
    after: int


@dataclass(frozen=True, slots=True)
class RunErrand:
    """Done again after a crash, it finds what it had done already."""

    id: str
    number: int
    errand: Errand


Order = (
    SurveyGround
    | RunAgent
    | EndAgent
    | CheckWork
    | PollCondition
    | IntegrateWork
    | RunGate
    | KeepBackground
    | ReadFiles
    | EditFiles
    | HearBus
    | PostMessages
    | RunErrand
)
