"""What the world showed: what checks came to, how a tree stood before an order and after it."""

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from topkick.core.agents import AgentReport
from topkick.core.codec import Text
from topkick.core.cross_needs import Noted
from topkick.core.isolation import Tip
from topkick.text.format import counted


class Where(StrEnum):
    """Where checks are run: in a tree of ours at the commit that is judged, or where agents work.

    A cold tree is made anew, without what earlier checks left there.
    """

    COMMIT = "commit"
    COLD = "cold"
    PLACE = "place"


class CheckOutcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    RAN_NOTHING = "ran nothing"
    TIMED_OUT = "timed out"
    CANNOT_RUN = "cannot run"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tests a command ran, as its output tells."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    @property
    def ran(self) -> int:
        return self.passed + self.failed


@dataclass(frozen=True, slots=True)
class Counted:
    """What a command counted before the order was given."""

    command: str
    counts: Counts


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one command did when the supervisor ran it. `excerpt` is trimmed output.

    `criterion` is what the plan calls the check, "" where the command is all there is to say;
    `expected` and `got` are set where it failed. `core.check_words` puts them into a sentence.
    `missing` is what a command that cannot run lacks, where its output tells; a change of the
    tree can be the reason if it is missing `of_tree`.
    """

    command: str
    outcome: CheckOutcome
    code: int | None = None
    duration_ms: int = 0
    excerpt: str = ""
    counts: Counts | None = None
    criterion: str = ""
    expected: str = ""
    got: str = ""
    missing: str = ""
    of_tree: bool = False

    @property
    def passed(self) -> bool:
        return self.outcome is CheckOutcome.PASSED


class FindingKind(StrEnum):
    """What speaks against a claim of success although the checks pass (VF-03)."""

    TEST_REMOVED = "test removed"
    TEST_SKIPPED = "test skipped"
    TEST_FOCUSED = "test focused"
    TEST_EMPTIED = "test emptied"
    TEST_REWRITTEN = "test rewritten"
    FEWER_TESTS = "fewer tests"
    CHECK_CHANGED = "check changed"
    TOOL_CHANGED = "tool changed"
    SETTING_LOOSENED = "setting loosened"
    COMPLAINT_SUPPRESSED = "complaint suppressed"
    STUB = "stub"
    KNOWS_IT_IS_TESTED = "knows it is tested"
    PLAN_CHANGED = "plan changed"
    HISTORY_REWRITTEN = "history rewritten"
    OTHER_BRANCH = "other branch"
    LEANS_OUTSIDE = "leans on the outside"
    BESIDE_THE_POINT = "beside the point"


@dataclass(frozen=True, slots=True)
class Finding:
    """`subject` is the test, the setting, the script; `seen` is what it looks like now.

    A person waives it by its id, which changes with what is seen: a waiver is for that and
    nothing else. `permitted` are the words of the plan that allow it.
    """

    kind: FindingKind
    what: str
    file: str = ""
    line: int = 0
    subject: str = ""
    seen: str = ""
    permitted: str = ""

    @property
    def id(self) -> str:
        parts = (self.kind, self.file, self.subject, self.seen)
        return "f" + sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:6]


@dataclass(frozen=True, slots=True)
class Outside:
    """Commits of an order that change nothing in the unit's directory, and files they change."""

    directory: str
    commits: tuple[str, ...]
    files: tuple[str, ...]

    @property
    def told(self) -> str:
        count = len(self.commits)
        shown = ", ".join(self.files[:3]) + (", …" if len(self.files) > 3 else "")
        return f"{counted(count, 'commit')} outside {self.directory}: {shown}"


@dataclass(frozen=True, slots=True)
class Claim:
    """What the agent said of its own work. Words lower a verdict and never raise it."""

    status: str
    summary: str = ""
    remaining: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ground:
    """The tree before an order: its commit, which checks pass already, and which cannot run.

    `conflicts` are met where `tip`, the work of other units, had to be merged into it first.
    """

    head: str | None = None
    entry: tuple[CheckResult, ...] = ()
    passing: tuple[str, ...] = ()
    uncommitted: tuple[str, ...] = ()
    salvaged: str = ""
    conflicts: tuple[str, ...] = ()
    tip: str = ""
    counts: tuple[Counted, ...] = ()
    branch: str = ""
    tools: tuple[str, ...] = ()
    progress: str = ""
    cannot: tuple[CheckResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Ahead:
    """What to look at for the unit's next sprint, should this one's checks all pass."""

    entry: tuple[str, ...]
    exit: tuple[str, ...]
    where: Where = Where.PLACE
    sprint: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The tree after an order, as the supervisor found it.

    `ahead` is the ground for the unit's next sprint, looked at while we were there; `elsewhere`
    are files of the user's own checkout that were changed meanwhile, by whomever. `tree` is the
    hash of what was checked, `progress` what the unit's progress file says of it, `earlier` what
    the tests said as they were before the order; of `unread` files only the lines were compared.
    `syntax` is what became of reading the touched files, where nothing was to be built (GT-05);
    `gate` are the commands that the manifests call for to build and test everything, `noted` what
    progress files say of units' needs (RP-05), `outside` the commits that touch nothing in the
    unit's directory. With clones, `heads` are the commits of all the unit's repositories that were
    checked.
    """

    results: tuple[CheckResult, ...] = ()
    always: tuple[CheckResult, ...] = ()
    head: str | None = None
    commits: tuple[str, ...] = ()
    substance: bool = False
    uncommitted: tuple[str, ...] = ()
    claim: Claim | None = None
    answer: Text | None = None
    ahead: Ground | None = None
    report: AgentReport | None = None
    salvaged: str = ""
    elsewhere: tuple[str, ...] = ()
    where: Where = Where.PLACE
    tree: str = ""
    findings: tuple[Finding, ...] = ()
    earlier: tuple[CheckResult, ...] = ()
    unread: tuple[str, ...] = ()
    progress: str = ""
    syntax: tuple[CheckResult, ...] = ()
    gate: tuple[str, ...] = ()
    noted: tuple[Noted, ...] = ()
    outside: Outside | None = None
    heads: tuple[Tip, ...] = ()

    @property
    def passing(self) -> tuple[str, ...]:
        return tuple(r.command for r in self.results if r.passed)


@dataclass(frozen=True, slots=True)
class Integration:
    """What became of merging a unit's work into the mission's branch, which stands at `tip`.

    `tips` is where that branch was left in each repository that has it; it was `restored` where
    it had been deleted.
    """

    tip: str = ""
    conflicts: tuple[str, ...] = ()
    trouble: str = ""
    tips: tuple[Tip, ...] = ()
    restored: bool = False
