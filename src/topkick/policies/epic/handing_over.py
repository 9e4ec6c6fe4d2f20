"""The text of a pull request for what an item delivered on its branch (EP-14)."""

from dataclasses import dataclass

from topkick.policies.epic.body import Epic
from topkick.policies.epic.items import Item

ON_BRANCH = "branch "


@dataclass(frozen=True, slots=True)
class Proposal:
    title: str
    body: str


def proposal(epic: Epic, item: Item) -> Proposal:
    met = [f"- {criterion}" for criterion in item.criteria] or ["- none were given"]
    told = f"Part of {epic.id} ({epic.title}). The verifier passed {item.id} on:"
    return Proposal(item.title or item.id, "\n".join((told, "", *met)))


def text(epic: Epic, item: Item) -> str:
    """Return the text for opening a pull request by hand, if the item has only a branch."""
    if not item.surface.startswith(ON_BRANCH):
        return ""
    made = proposal(epic, item)
    branch = item.surface.removeprefix(ON_BRANCH)
    return f"Title: {made.title}\nFrom: {branch}\n\n{made.body}"
