"""A whole kanban board worked on by the real program, which also maintains the board."""

import json
from collections.abc import Mapping

from proof.agents.supervised import Project

BOARD = "tasks/0-kanban-hello.md"
DESIGN, BUILD = "tasks/1-design.md", "tasks/2-build.md"
LOG = "printf '\\n### [now] Did it | ok\\n**F:** done\\n' >> "
# The Manager's prompt is the same each time, so its tool finds out how far the board is.
MOVE = (
    f"if grep -q '^current: {DESIGN}' {BOARD}; "
    f"then sed -i 's#^current: .*#current: {BUILD}#' {BOARD}; "
    f"else sed -i 's/^current: .*/current: null/; s/^phase: .*/phase: complete/' {BOARD}; fi"
)
WHOLE = [f"Architect {DESIGN}", f"Manager {DESIGN}", f"Implementor {BUILD}", f"Manager {BUILD}"]


def a_board(project: Project) -> None:
    """Let the program play every role; one invalid answer is requested again."""
    _make(project)
    said = project.topkick("kanban", "run", BOARD)
    opened = [row["sprint"] for row in project.rows("RunOpened")]
    assert opened == WHOLE, said
    assert "board is complete" in said, said
    assert (project.root / "hello.txt").read_text() == "hello\n"
    assert "### [now] Did it | ok" in (project.root / BUILD).read_text()
    assert len(project.reports()) == len(WHOLE)
    assert project.topkick("journal", "replay", "--check", code=None)
    assert "Kanban run" in project.topkick("kanban", "show", BOARD)


def a_bad_answer(project: Project) -> None:
    """Answer in prose instead of JSON: the same bytes four times, then the run ends and shows
    them.
    """
    _make(project)
    project.plays("Architect", [{"text": "I think that I am done."}])
    said = project.topkick("kanban", "run", BOARD, code=3)
    prompts = {row["dispatch"]["prompt"] for row in project.rows("RunDispatched")}
    assert (project.orders(), len(prompts)) == (4, 1), said
    assert "Its last answer: I think that I am done." in said, said


def _make(project: Project) -> None:
    (project.root / "tasks").mkdir()
    head = f"phase: design\ncurrent: {DESIGN}\ntasks: [{DESIGN}, {BUILD}]\n"
    (project.root / BOARD).write_text(f"---\ntype: kanban\n{head}---\n\n# Kanban: Hello\n")
    for path, role in ((DESIGN, "Architect"), (BUILD, "Implementor")):
        text = f"---\nassignee: {role}\n---\n\n# Task: {role}'s\n\n## Work Log\n"
        (project.root / path).write_text(text)
    work = {"write": ["hello.txt", "hello\n"]}
    project.plays("Architect", [{"sh": LOG + DESIGN}, _says("Architect")])
    project.plays("Implementor", [work, {"sh": LOG + BUILD}, _says("Implementor")])
    project.plays("Manager", [{"sh": MOVE}, _says("Manager", next_task=BUILD, tasks=[])])
    roles = (f'[roles.{r}]\nprompt = "{r}.md"\n' for r in ("Architect", "Implementor", "Manager"))
    path = project.root / "topkick.toml"
    path.write_text("\n".join([path.read_text(), *roles]))


def _says(role: str, **more: object) -> Mapping[str, object]:
    answer = json.dumps({"status": "ok", "message": f"{role} did it", **more})
    return {"text": f"Done.\n\n```json\n{answer}\n```"}
