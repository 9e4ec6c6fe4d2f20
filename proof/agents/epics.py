"""A whole epic in which the real program plans, works and verifies, one tick after the other."""

import json
import tomllib
from collections.abc import Mapping

from proof.agents.supervised import Project

EPIC = "tasks/hello.md"
BRANCH = "topkick/hello-1"
COMMIT = (
    f"git checkout -q -b {BRANCH} && git add hello.txt && git commit -q -m hello "
    "&& git checkout -q main"
)
WHOLE = ["planner hello", "planner hello", "worker hello-1", "verifier hello-1"]


def an_epic(project: Project) -> None:
    """Decompose, approve, build on a branch, verify and hand over."""
    _make(project)
    subtask = {"title": "Verify: hello", "body": "Say hello.", "criteria": ["hello.txt is there"]}
    project.plays("planner", [_says({"action": "decompose", "subtasks": [subtask]})])
    said = project.topkick("epic", "tick", EPIC, code=3)
    assert "1 subtask proposed" in said, said
    project.topkick("epic", "clear", EPIC)
    agent = tomllib.loads((project.root / "topkick.toml").read_text())["agent"]
    order = {"action": "dispatch", "task_id": "hello-1", "worker": agent, "project": "",
             "command": "Say hello."}  # fmt: skip
    project.plays("planner", [_says(order)])
    said = project.topkick("epic", "tick", EPIC)
    assert f"dispatch hello-1 to {agent}" in said, said
    ended = project.root / ".git" / "topkick"
    project.until(lambda: len(list(ended.glob("*/current/runs/*/exit.json"))) == 3, "a worker")
    said = project.topkick("epic", "tick", EPIC)
    assert f"verifier PASS on hello-1: branch {BRANCH}@" in said, said
    assert "is at its review surface: 1 item" in project.topkick("epic", "tick", EPIC)
    assert [row["sprint"] for row in project.rows("RunOpened")] == WHOLE
    assert project.git("show", f"{BRANCH}:hello.txt") == "hello\n"
    assert len(project.reports()) == len(WHOLE)


def _make(project: Project) -> None:
    (project.root / "tasks").mkdir()
    text = "---\nid: hello\ntype: epic\nstatus: queued\n---\n# Hello\n\nIt says hello.\n"
    (project.root / EPIC).write_text(text)
    back = {"deliverable": BRANCH, "summary": "It says hello.", "next": "nothing follows"}
    work = [{"write": ["hello.txt", "hello\n"]}, {"sh": COMMIT}, _says(back)]
    project.plays("worker", work)
    project.plays("verifier", [{"sh": f"git show {BRANCH}:hello.txt"}, _says({"verdict": "PASS"})])
    roles = (f'[roles.{r}]\nprompt = "{r}.md"\n' for r in ("planner", "worker", "verifier"))
    path = project.root / "topkick.toml"
    path.write_text("\n".join([path.read_text(), *roles]))


def _says(answer: Mapping[str, object]) -> Mapping[str, object]:
    return {"text": f"Done.\n\n```json\n{json.dumps(answer)}\n```"}
