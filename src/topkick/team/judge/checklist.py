"""The content of a role spec: the checks of each checkpoint, and the places of artifacts."""

from dataclasses import dataclass
from enum import StrEnum

from topkick.team.judge.findings import Group
from topkick.team.requests import checkpoint_of


class CheckKind(StrEnum):
    """A check by a program, by a command in the session directory, or by a question to an agent."""

    BUILTIN = "builtin"
    SHELL = "shell"
    AGENT = "agent"


class CheckSeverity(StrEnum):
    NORMAL = "normal"
    CRITICAL = "critical"
    STYLE = "style"


@dataclass(frozen=True, slots=True)
class JudgeCheck:
    """A check; `what` is the built-in's name, the command or the question; `reads` is set for
    built-ins.
    """

    name: str
    kind: CheckKind
    what: str
    group: Group
    severity: CheckSeverity = CheckSeverity.NORMAL
    reads: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Checkpoint:
    id: str
    title: str
    checks: tuple[JudgeCheck, ...]


@dataclass(frozen=True, slots=True)
class Artifact:
    """The places where a task's work may be, if its role does not name one."""

    task: str
    kind: str
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in a role spec: its line, and what to write instead."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"The role spec, line {self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class RoleSpec:
    """A role spec; with `problems` it must not be used."""

    role: str
    prefix: str
    checkpoints: tuple[Checkpoint, ...]
    common: tuple[JudgeCheck, ...]
    artifacts: tuple[Artifact, ...]
    problems: tuple[Problem, ...] = ()

    def checkpoint(self, task_id: str) -> Checkpoint | None:
        """Return the checkpoint with the common checks; CHECKPOINT-001-R2 uses those of
        CHECKPOINT-001.
        """
        wanted = checkpoint_of(task_id)
        own = next((each for each in self.checkpoints if each.id == wanted), None)
        if own is None:
            return None
        names = {check.name for check in own.checks}
        more = tuple(check for check in self.common if check.name not in names)
        return Checkpoint(own.id, own.title, own.checks + more)


ARTIFACTS = (
    Artifact("RESEARCH-001", "discovery", ("spec/discovery-context.json", "spec/discovery.md")),
    Artifact("DRAFT-001", "brief", ("spec/product-brief.md",)),
    Artifact("DRAFT-002", "requirements", ("spec/requirements/*.md", "spec/requirements.md")),
    Artifact("DRAFT-003", "architecture", ("spec/architecture/*.md", "spec/architecture.md")),
    Artifact("DRAFT-004", "epics", ("spec/epics/*.md", "spec/epics.md")),
    Artifact("PLAN-001", "plan", ("plan/plan.json", "plan/TASK-*.json")),
)
