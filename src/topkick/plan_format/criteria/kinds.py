"""Derive the type of a sprint from the words that describe it (PL-16)."""

import re
from collections.abc import Sequence

from topkick.plan_format.model import SprintType

# Only the first words count: "Fix the deploy script" is code, "Deploy to staging" is not.
_INDICATORS = (
    (
        SprintType.MANUAL,
        r"listen|visit|spot[- ]check|eyeball|manual(?:ly)? \w+|check (?:the |in the )?browser"
        r"|open the (?:app|browser|page)|look at|human (?:review|approval|judg\w+)|user acceptance",
    ),
    (
        SprintType.DEFERRED,
        r"wait(?:ing)? (?:for|until)|monitor(?:ing)? (?:the|for|deployment|production|staging)"
        r"|check (?:the )?deployment|await|observe (?:the|production)",
    ),
    (
        SprintType.BACKGROUND,
        r"kick off|nohup|(?:start|launch|run) .{0,60}\bin the background|start (?:the )?(?:long"
        r"|training|server|service|job|download|import|crawl)",
    ),
    (SprintType.COMMAND, r"run|execute|deploy|rerun|re-run|invoke"),
)
_NOISE = re.compile(r"^[\d.\s)—–:-]+|[*`]")
_KINDS = [(kind, re.compile(rf"^\W*(?:{words})\b", re.IGNORECASE)) for kind, words in _INDICATORS]


def kind_of(name: str, tasks: Sequence[str]) -> SprintType:
    """Return the type that every task indicates, or the name if there is no task; CODE in doubt."""
    kinds = {_indicated(said) for said in tasks or (name,)}
    only = kinds.pop() if len(kinds) == 1 else None
    return only or SprintType.CODE


def _indicated(text: str) -> SprintType | None:
    words = _NOISE.sub("", text[:200])
    return next((kind for kind, pattern in _KINDS if pattern.match(words)), None)
