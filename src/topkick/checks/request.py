"""The questions that a checker process is asked and its answers: one line of text each."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from topkick.checks.model import Ahead, Evidence, Ground, Integration, Where
from topkick.engine.agents.program import AgentExit, AgentProgram, AgentReport, Conversation
from topkick.engine.codec.codec import Codec
from topkick.engine.effects import Errand, Upshot
from topkick.engine.messages import NOTHING_BEFORE, Before, ProgressFile, RunGate
from topkick.engine.settings import NO_SETUP, TreeSetup
from topkick.git.isolation import Isolation, Tip
from topkick.sprint.gates.model import GateRun


@dataclass(frozen=True, slots=True)
class Ours:
    """The owner of a tree: a unit with its own clones, or the user's checkout if `isolation` is
    None.

    `root` is the project's root as the user knows it; `name` and `email` are the author of merges.
    `heads` are the unit's commits according to the journal, oldest first.
    """

    root: str
    unit: str = ""
    isolation: Isolation | None = None
    name: str = ""
    email: str = ""
    heads: tuple[Tip, ...] = ()


@dataclass(frozen=True, slots=True)
class LookRequest:
    """A check to make. With `before` it asks for the state before an order, else for evidence after
    it.

    `inside` is the directory relative to the tree's root. `verify_in` is where trees for checks are
    kept, `compare` is the state before the order. With `listens` the answer is the agent's report;
    with `bare` the checks run and change nothing. `asked`, `plan_file` and `not_ours` are as in the
    order.

    `promised` are the words of the plan, apart from its commands.

    At most `builds` builds run on the host at once, by locks in `slots_in`; 0 means no limit.
    """

    id: str
    directory: str
    project: str
    entry: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    base: str | None = None
    ahead: Ahead | None = None
    before: bool = False
    output_of: str = ""
    timeout_s: float = 600.0
    secrets: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    program: AgentProgram | None = None
    resumed: Conversation | None = None
    ended: AgentExit | None = None
    ours: Ours | None = None
    setup: TreeSetup = NO_SETUP
    own_files: tuple[str, ...] = ()
    inside: str = ""
    catch_up: bool = False
    salvage_as: str = ""
    since_us: int = 0
    whole: bool = False
    where: Where = Where.PLACE
    verify_in: str = ""
    prepare: tuple[str, ...] | None = None
    compare: Before = NOTHING_BEFORE
    asked: str = ""
    plan_file: str = ""
    not_ours: tuple[str, ...] = ()
    commit: str = ""
    sprint: str = ""
    syntax: bool = False
    manifests_in: tuple[str, ...] = ()
    progress_of: tuple[ProgressFile, ...] = ()
    builds: int = 0
    slots_in: str = ""
    build_max_pressure: float = 20.0
    build_min_free_mb: int = 1024
    listens: bool = False
    bare: bool = False
    scratch_in: str = ""
    promised: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MergeRequest:
    """Merge commits of a unit's clones into the mission's branch; the fields are as in the
    order.
    """

    ours: Ours
    directory: str
    commit: str
    told: str
    commits: tuple[Tip, ...] = ()
    checked: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Build:
    """Build and test what a gate is about; `look` says where and with what."""

    look: LookRequest
    order: RunGate


@dataclass(frozen=True, slots=True)
class LastWords:
    """An agent's complete last message: between processes, texts travel as bodies, not as
    hashes.
    """

    words: str
    report: AgentReport | None = None


@dataclass(frozen=True, slots=True)
class Trip:
    """A remote operation with the texts of its edits; `store` is where topkick's repositories
    are.
    """

    id: str
    root: str
    store: str
    errand: Errand
    texts: tuple[str, ...] = ()
    name: str = ""
    email: str = ""
    env: Mapping[str, str] = field(default_factory=dict)


Question = LookRequest | MergeRequest | Build | Trip
Answer = Ground | Evidence | Integration | GateRun | LastWords | Upshot

_CODEC = Codec(
    LookRequest,
    MergeRequest,
    Build,
    Trip,
    Ground,
    Evidence,
    Integration,
    GateRun,
    LastWords,
    Upshot,
)


def env_of(question: Question) -> Mapping[str, str]:
    return question.look.env if isinstance(question, Build) else question.env


def to_line(value: Question | Answer) -> bytes:
    return " ".join(_CODEC.encode(value)).encode("utf-8", "surrogatepass") + b"\n"


def from_line(line: bytes) -> Question | Answer:
    kind, _, body = line.rstrip(b"\n").decode("utf-8", "surrogatepass").partition(" ")
    found = _CODEC.decode(kind, body)
    assert isinstance(found, Question | Answer)
    return found
