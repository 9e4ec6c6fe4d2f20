"""The pipelines as tables: each task's role, what it waits for, and its artifact."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from topkick.team.requests import SUPERVISOR

MOST_WORKERS = 5
SINGLE, PARALLEL, DAG = "single", "parallel", "dag"
FEW_MODULES, SOME_MODULES = 2, 4
MOST_MODULES = 40
QUALITY, PLAN, IMPL = "QUALITY-001", "PLAN-001", "IMPL-001"
PASSES, REVIEWED = 80, 60
SPEC_ONLY, IMPL_ONLY, FULL = "spec-only", "impl-only", "full"


@dataclass(frozen=True, slots=True)
class PipelineStep:
    """A task; `artifact` is below the session directory; `scope` is what a checkpoint judges."""

    id: str
    role: str
    needs: tuple[str, ...] = ()
    artifact: str = ""
    scope: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Module:
    name: str
    needs: tuple[str, ...] = ()


def _checkpoint(task_id: str, *scope: str) -> PipelineStep:
    return PipelineStep(task_id, SUPERVISOR, (scope[-1],), scope=scope)


CP_1 = _checkpoint("CHECKPOINT-001", "DRAFT-001", "DRAFT-002")
CP_2 = _checkpoint("CHECKPOINT-002", "DRAFT-003", "DRAFT-004")
CP_3 = _checkpoint("CHECKPOINT-003", PLAN)

SPEC = (
    PipelineStep("RESEARCH-001", "analyst", (), "spec/discovery.md"),
    PipelineStep("DRAFT-001", "writer", ("RESEARCH-001",), "spec/product-brief.md"),
    PipelineStep("DRAFT-002", "writer", ("DRAFT-001",), "spec/requirements.md"),
    CP_1,
    PipelineStep("DRAFT-003", "architect", ("DRAFT-002", CP_1.id), "spec/architecture.md"),
    PipelineStep("DRAFT-004", "writer", ("DRAFT-003",), "spec/epics.md"),
    CP_2,
    PipelineStep(QUALITY, "quality", ("DRAFT-004", CP_2.id), "artifacts/QUALITY-001-report.md"),
)
BUILD = (
    PipelineStep(PLAN, "planner", (), "plan/plan.json"),
    CP_3,
    PipelineStep(IMPL, "implementer", (PLAN, CP_3.id), "artifacts/IMPL-001-summary.md"),
    PipelineStep("TEST-001", "tester", (IMPL,), "artifacts/TEST-001-report.md"),
    PipelineStep("REVIEW-001", "reviewer", (IMPL,), "artifacts/REVIEW-001-report.md"),
)
PIPELINES: Mapping[str, tuple[PipelineStep, ...]] = {
    SPEC_ONLY: SPEC,
    IMPL_ONLY: BUILD,
    FULL: (*SPEC, replace(BUILD[0], needs=(QUALITY,)), *BUILD[1:]),
}


def steps(mode: str, *, supervision: bool) -> tuple[PipelineStep, ...]:
    """Return the steps; without supervision there are no checkpoints."""
    found = PIPELINES[mode]
    if supervision:
        return found
    gone = {step.id for step in found if step.role == SUPERVISOR}
    kept = (step for step in found if step.id not in gone)
    return tuple(replace(s, needs=tuple(n for n in s.needs if n not in gone)) for s in kept)


def topology(modules: int) -> str:
    if modules <= FEW_MODULES:
        return SINGLE
    return PARALLEL if modules <= SOME_MODULES else DAG


def implementation(modules: Sequence[Module], first: PipelineStep) -> tuple[PipelineStep, ...]:
    """Return one task for all, or one for each module; with many, each waits for those it builds
    on.
    """
    how = topology(len(modules))
    if how == SINGLE:
        return (first,)
    ids = {module.name: f"IMPL-{number:03d}" for number, module in enumerate(modules, start=1)}
    made = []
    for module in modules:
        before = tuple(ids[name] for name in module.needs if how == DAG and name in ids)
        task_id = ids[module.name]
        artifact = f"artifacts/{task_id}-summary.md"
        made.append(PipelineStep(task_id, first.role, (*first.needs, *before), artifact))
    return tuple(made)


def quality_word(score: float) -> str:
    if score >= PASSES:
        return "pass"
    return "review" if score >= REVIEWED else "fail"
