"""Planner, verifier and workers of a simulated epic: what each reads, does and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proof.simulation.files import reading
from proof.simulation.files.oracle import Order
from proof.simulation.schedule import Agent

if TYPE_CHECKING:
    from proof.simulation.files.epic_story import EpicStory

SETTLED = ("ready_for_user_review", "done", "cancelled")
Answer = dict[str, object]


class EpicCast:
    def __init__(self, story: EpicStory) -> None:
        self._story = story
        self._count = 0

    def answer(self, order: Order, agent: Agent) -> Answer:
        self._count += 1
        match order.role:
            case "planner":
                return self._planned(order, agent.says)
            case "verifier":
                return _verdict(agent.says)
            case _:
                return self._worked(order.about, agent.says)

    def _planned(self, order: Order, says: str) -> Answer:
        body = self._story.body
        if not body.items:
            return _halt() if says == "unsure" else self._subtasks()
        if order.about in body.by_id:
            return self._reacted(order.about, says)
        queued = [row["ID"] for row in body.items if _is_ready(body, row)]
        if says == "unsure":
            return _halt()
        return _dispatch(
            queued[0] if queued and says == "yes" else queued[-1] if queued else "none"
        )

    def _reacted(self, item: str, says: str) -> Answer:
        if says == "yes":
            return _dispatch(item)
        if says == "unsure":
            return _halt("blocked")
        return {"action": "file_fix_task", "parent": item, "title": "Mend it", "body": "So it is."}

    def _subtasks(self) -> Answer:
        made = [
            {"title": f"Step {n}", "body": "Do it.", "criteria": ["it works"],
             "after": [n - 1] if n > 1 and n % 2 == 0 else []}
            for n in range(1, self._story.schedule.tasks + 1)
        ]  # fmt: skip
        return {"action": "decompose", "subtasks": made}

    def _worked(self, item: str, says: str) -> Answer:
        """Deliver on a branch, in a file, or not at all."""
        deliverable = ""
        if says == "yes":
            self._story.branches[f"topkick/{item}"] = f"{self._count:06x}" + "0" * 34
        elif says == "unsure":
            deliverable = f"out/{item}.md"
            self._story.put(deliverable, f"# {item}\n\nVersion {self._count}.\n")
        return {"deliverable": deliverable, "summary": "It is there.", "next": "nothing follows"}

    def restore(self) -> None:
        """Write missing task files again."""
        for name, row in self._story.body.by_id.items():
            path = f"tasks/{name}.md"
            if not self._story.text(path) and reading.names(name) == [name]:
                head = f"id: {name}\nstatus: {row['Status']}\nparent: sim"
                self._story.put(path, f"---\n{head}\n---\n# {row['Title']}\n\nDo it.\n")


def _is_ready(body: reading.Body, row: reading.Row) -> bool:
    known = body.by_id
    before = [known.get(name, {}).get("Status") for name in reading.names(row["After"])]
    return row["Status"] == "queued" and all(status in SETTLED for status in before)


def _verdict(says: str) -> Answer:
    words = {"yes": "PASS", "no": "FAIL", "unsure": "REVISE"}
    reason: Answer = {} if says == "yes" else {"reason": "it is not as it should be"}
    return {"verdict": words[says], **reason}


def _dispatch(item: str) -> Answer:
    return {"action": "dispatch", "task_id": item, "worker": "claude", "project": "",
            "command": "Do what the task says."}  # fmt: skip


def _halt(status: str = "review") -> Answer:
    return {"action": "halt", "status": status, "reason": "a person has to choose"}
