"""Orders: what should be running now.

`tree` names the unit that has clones of its own.
"""

from dataclasses import dataclass

from topkick.checks.model import Ahead, Counted, Where
from topkick.engine.agents.program import AgentExit, AgentProgram, Conversation
from topkick.engine.agents.runs import Dispatch
from topkick.engine.effects import Edit, Errand, Glance
from topkick.git.isolation import Tip
from topkick.plan_format.model import CheckpointPlan, Criterion
from topkick.sprint.gates.model import Covered, Held
from topkick.team.bus.model import Message


@dataclass(frozen=True, slots=True)
class SurveyGround:
    """Check the tree before an order; a `repair` may take as long as a gate."""

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
    """Run an agent. With `launch` off it is followed if it lives, and revoked if it never began."""

    id: str
    unit: str
    sprint: str
    directory: str
    dispatch: Dispatch
    launch: bool = True
    tree: str = ""


@dataclass(frozen=True, slots=True)
class EndAgent:
    """End an agent, or with `background` a process that a sprint left running."""

    id: str
    grace_s: float
    background: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """The state before the sprint was first dispatched, for comparison."""

    base: str | None = None
    counts: tuple[Counted, ...] = ()
    branch: str = ""
    tools: tuple[str, ...] = ()


NOTHING_BEFORE = Before()


@dataclass(frozen=True, slots=True)
class ProgressFile:
    """A progress file: its unit and its directory; `alone` if no other unit is there."""

    unit: str
    directory: str
    alone: bool = True


@dataclass(frozen=True, slots=True)
class CheckWork:
    """Check the work of an order.

    `asked` is the sprint's text, `not_ours` are the directories of other units; `commit` is what to
    check, if not the tree's HEAD. `syntax` parses the touched files (GT-05); `manifests_in` are
    directories whose manifests name the commands that build and test everything; `progress_of` are
    the files in which units list their needs. Outside a plan, `listens` only reads the agent's
    answer, and `bare` only runs the checks. `criteria` say in the plan's words what the commands
    check.
    """

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
    `commit` in its own repository; HEAD if neither names one.

    `checked` are the commits of all finished work that is not on the branch yet. A merge of one of
    them that is found on the branch is topkick's own: a supervisor died before recording it.
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
    """Build and test the base with the work of `units`, out of all that the gate covers.

    Without `commands`, the manifests decide. With a `checkpoint`, that is judged instead, by its
    id.
    """

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
    """Keep a background process: it is started once and followed, never started again."""

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
    """Edit files; repeated after a crash, it skips what is in place already."""

    id: str
    number: int
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class HearBus:
    """Wait for a message to `name` after that number; waiting costs nothing."""

    id: str
    name: str
    after: int


@dataclass(frozen=True, slots=True)
class PostMessages:
    """Post messages; repeated after a crash, it skips what is posted already."""

    id: str
    post: int
    messages: tuple[Message, ...]
    after: int


@dataclass(frozen=True, slots=True)
class RunErrand:
    """Run a remote operation; repeated after a crash, it finds what was done already."""

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
