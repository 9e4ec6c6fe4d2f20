"""A whole team played by the real program: planned, judged, planned again, built and reviewed."""

import json
from collections.abc import Mapping

from proof.agents.supervised import Project

SESSION = "team/hello"
PLAN = f"{SESSION}/plan/plan.json"
CP = "CHECKPOINT-003"
ROLES = {
    "implementer": ("IMPL-001", "artifacts/IMPL-001-summary.md"),
    "tester": ("TEST-001", "artifacts/TEST-001-report.md"),
    "reviewer": ("REVIEW-001", "artifacts/REVIEW-001-report.md"),
}
WHOLE = ["planner PLAN-001"] * 2 + [f"{role} {task}" for role, (task, _) in ROLES.items()]


def a_team(project: Project) -> None:
    """Block a plan with a cycle, repeat it for a person, then build in parallel."""
    _make(project)
    _plans(project, circle=True)
    words = ("checkpoint", "run", SESSION)
    said = project.topkick(*words, "--pipeline", "impl-only", "--requirement", "Hello.", code=3)
    assert f"{CP} blocks" in said, said
    _plans(project, circle=False)
    why = ("--why", "the tasks wait for each other")
    project.topkick("checkpoint", "revise", SESSION, CP, "--task", "PLAN-001", *why)
    said = project.topkick(*words)
    assert f"{CP}-R2: Verdict" in said, said
    assert "done: 5 tasks completed" in said, said
    assert sorted(row["sprint"] for row in project.rows("RunOpened")) == sorted(WHOLE), said
    assert (project.root / "hello.txt").read_text() == "hello\n"
    assert len(project.reports()) == len(WHOLE)
    wisdom = (project.root / SESSION / "wisdom" / "decisions.md").read_text()
    assert "because: the tasks wait for each other" in wisdom
    bus = (project.root / SESSION / ".msg" / "messages.jsonl").read_text().splitlines()
    assert json.loads(bus[-1])["type"] == "shutdown_response"
    assert "5 of 5 tasks completed" in project.topkick("checkpoint", "show", SESSION)


def _make(project: Project) -> None:
    for role, (task, artifact) in ROLES.items():
        work = [{"write": ["hello.txt", "hello\n"]}] if role == "implementer" else []
        write = {"write": [f"{SESSION}/{artifact}", f"# {task}\n\nIt says hello.\n"]}
        project.plays(role, [*work, write, _says(task, artifact)])
    roles = (f'[roles.{role}]\nprompt = "{role}.md"\n' for role in ("planner", *ROLES))
    path = project.root / "topkick.toml"
    path.write_text("\n".join([path.read_text(), *roles]))


def _plans(project: Project, *, circle: bool) -> None:
    waits = {"TASK-001": ["TASK-002"] if circle else [], "TASK-002": ["TASK-001"]}
    tasks = [{"id": name, "depends_on": needs} for name, needs in waits.items()]
    plan = {"complexity": "low", "recommended_execution": "agent", "modules": ["hello"],
            "tasks": tasks}  # fmt: skip
    write = {"write": [PLAN, json.dumps(plan)]}
    project.plays("planner", [write, _says("PLAN-001", "plan/plan.json")])


def _says(task: str, ref: str) -> Mapping[str, object]:
    answer = {
        "status": "task_complete",
        "task_id": task,
        "ref": ref,
        "key_findings": ["It says hello."],
        "verification": "self-validated",
    }
    return {"text": f"Done.\n\n```json\n{json.dumps(answer)}\n```"}
