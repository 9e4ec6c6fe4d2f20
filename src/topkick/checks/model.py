"""Evidence: check results, and the state of a tree before and after an order."""

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from topkick.engine.agents.program import AgentReport
from topkick.engine.codec.codec import Text
from topkick.git.isolation import Tip
from topkick.sprint.needs.model import Noted
from topkick.text.format import counted


class Where(StrEnum):
    """The place where checks run: a tree at the commit that is judged, or the agents' tree.

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
    """The number of tests that a command ran, according to its output."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    @property
    def ran(self) -> int:
        return self.passed + self.failed


@dataclass(frozen=True, slots=True)
class Counted:
    """The test counts of a command before the order was given."""

    command: str
    counts: Counts


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one command that the supervisor ran. `excerpt` is shortened output.

    `criterion` is what the plan calls the check, "" if it has no words besides the command;
    `expected` and `got` are set if it failed. `sprint/check_wording.py` makes a sentence of them.
    `missing` is what a command that cannot run lacks, if its output says so; with `of_tree` a
    change of the tree can be the reason.
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
    """Kinds of evidence against a claim of success although the checks pass (VF-03)."""

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
    """Something that a person must judge. `subject` is the test, setting or script; `seen` is its
    present form.

    A person waives it by its id, which changes with `seen`: a waiver covers exactly that.
    `permitted` are the words of the plan that allow it.
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
    """Commits of an order that change nothing in the unit's directory, and the files they
    change.
    """

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
    """The agent's own statement about its work. It can lower a verdict and never raise it."""

    status: str
    summary: str = ""
    remaining: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ground:
    """The tree before an order: its commit, which checks pass already, and which cannot run.

    `conflicts` arose when `tip`, the work of other units, was merged into it first.
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
    """The checks for the unit's next sprint, made if all checks of this one pass."""

    entry: tuple[str, ...]
    exit: tuple[str, ...]
    where: Where = Where.PLACE
    sprint: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The tree after an order, as the supervisor found it.

    `ahead` is the state for the unit's next sprint, checked at the same time; `elsewhere` are files
    of the user's own checkout that changed meanwhile. `tree` is the hash of what was checked,
    `progress` the entry in the unit's progress file, `earlier` the results of the tests as they
    were before the order; of `unread` files only the lines were compared. `syntax` is the result of
    parsing the touched files if nothing was built (GT-05); `gate` are the commands that manifests
    name to build and test everything, `noted` the needs in progress files (RP-05), `outside` the
    commits that touch nothing in the unit's directory. With clones, `heads` are the checked commits
    of all the unit's repositories.
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
    """The result of merging a unit's work into the mission's branch, which is then at `tip`.

    `tips` is where that branch was left in each repository that has it; `restored` means that it
    had been deleted.
    """

    tip: str = ""
    conflicts: tuple[str, ...] = ()
    trouble: str = ""
    tips: tuple[Tip, ...] = ()
    restored: bool = False
