"""The prompts of planner, verifier, critic and worker, and the form of their answers."""

from collections.abc import Mapping

from topkick.engine.agents.answers import order_text
from topkick.epic import answers
from topkick.epic.answers import SCHEMA_OF
from topkick.epic.body import Epic
from topkick.epic.items import NONE, EpicItem
from topkick.epic.settings import Surface

PLANNER, VERIFIER, CRITIC, WORKER = "planner", "verifier", "critic", "worker"
WHO: Mapping[str, str] = {
    "preflight": PLANNER,
    "react": PLANNER,
    "decompose": PLANNER,
    "verify": VERIFIER,
    "criticize": CRITIC,
}
_NO_WAY_AROUND = """\
A failing test, a broken tool or a failing audit is a bug to be fixed. Never offer to skip it, to
relax it, to mark it for some hosts, or to choose between fixing and working around it."""
TEXTS: Mapping[str, str] = {
    "preflight": f"""\
You are the planner of an epic. Say what happens next: exactly one action. You change no files.
Read the epic and the tasks of its Work Items that are queued. Choose the next link in the chain.
Before you say dispatch, make sure of four things: the task id is a queued row; every file that the
task names is in one repository; `project` names it and the task agrees; everything that the task
depends on is done. Name the worker that the task asks for, and no other. Only one item at a time
may work on a branch in the Branch column: the others wait.
- dispatch: a worker gets the task. Doubt inside one repository is no reason to halt: put your
  findings into `command`.
- file_fix_task: something is missing that a worker could make (a tool, a check, a clearer task).
- halt: only a person can continue (wrong repository, the requested worker is not available, a
  choice that a person must make). status blocked if something outside is missing, review if a
  person has to decide.
{_NO_WAY_AROUND}""",
    "react": f"""\
You are the planner of an epic. Something went wrong with one work item; say what happens next:
exactly one action. You change no files. Read the epic, the task and what the context says.
- file_fix_task: what has to be repaired first, as a task of its own; parent is the work item.
- dispatch: the same work item once more, if the next try will know more than this one did; put
  that into `command`.
- halt: only a person can continue.
{_NO_WAY_AROUND}""",
    "decompose": f"""\
You are the planner of an epic that has no work items yet. Propose them. You change no files.
Three to seven, each small enough to review in 15 minutes: at most half a day, ten files, one
reason. Each has criteria that a machine or a reader can check, and in `after` the numbers of the
subtasks that it depends on. Put the files that it changes into its body, each in backticks. Name an
assignee only if the epic asks for a worker of that name. topkick adds a check of the whole goal.
Halt only if a person must explain the goal first.
{_NO_WAY_AROUND}""",
    "verify": f"""\
You are the verifier. Compare one deliverable with the criteria of its work item. You change no
files, file no tasks and dispatch no worker. Look at what was delivered, run what can be run.
- PASS: every criterion holds, and you have seen it.
- FAIL: a criterion does not hold; the reason names it and what you saw.
- REVISE: you cannot decide; the reason says what must be found out first.
{_NO_WAY_AROUND}""",
    "criticize": """\
You are the critic. A task with a high blast radius is about to be dispatched. You change no files.
Read the task and its rollback plan, and look for steps that could not be undone.
- SAFE_TO_DISPATCH: each step can be undone remotely, as the plan says.
- NEEDS_REFINEMENT: it could be safe; the reason says what the task or its rollback plan lacks.
- DO_NOT_DISPATCH: a step cannot be undone, or only at the machine; a person has to decide.""",
}
_WORKER = """\
You carry out one task. Read the task file whole, and the files that it names. Change only what it
asks for; deliver what it asks for, not a part or a stub of it.
Put your work on the branch that is named below and commit it there. Hand it over as `hand_over_as`
says, and name the result in `deliverable`. Never merge. A failing test is a bug to be fixed in the
code.
When something follows from your work, say so in `next`; else write "nothing follows"."""

_HAND_OVER = {
    Surface.BRANCH: "a branch, pushed if there is a remote",
    Surface.GH: "a branch; its pull request is opened for you",
    Surface.PULL_REQUEST: "a pull request, opened with `gh pr create`; name its address",
}


def brief(role: str, epic: Epic, epic_path: str, context: str, own_text: str) -> str:
    """Return the planner's prompt: the epic, the role, one line of context (EP-15)."""
    told: dict[str, object] = {"epic": epic.id, "epic_file": epic_path, "role": role}
    if context:
        told["context"] = context
    return order_text(own_text or TEXTS[role], told, SCHEMA_OF[role])


def verifier_brief(item: EpicItem, own_text: str) -> str:
    told = {
        "work_item": item.id,
        "deliverable": item.surface or NONE,
        "criteria": list(item.criteria),
    }
    return order_text(own_text or TEXTS["verify"], told, SCHEMA_OF["verify"])


def critic_brief(item: EpicItem, path: str, why: str, own_text: str) -> str:
    told = {"work_item": item.id, "task_file": path, "because": why}
    return order_text(own_text or TEXTS["criticize"], told, SCHEMA_OF["criticize"])


def worker_brief(
    item: EpicItem,
    path: str,
    directory: str,
    command: str,
    branch: str,
    surface: Surface,
    own_text: str = "",
) -> str:
    told = {
        "task_file": path,
        "project": item.project,
        "directory": directory or ".",
        "branch": branch,
        "hand_over_as": _HAND_OVER[surface],
        "command": command,
        "criteria": list(item.criteria),
    }
    return order_text(own_text or _WORKER, told, answers.WORKER)
