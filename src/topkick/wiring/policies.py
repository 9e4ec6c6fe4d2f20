"""Which policy decides for which kind of supervisor."""

from collections.abc import Mapping

from topkick.core.kernel import Policy
from topkick.inspection.prose import routes_around
from topkick.policies import checkpoint, epic, kanban, sprint
from topkick.policies.epic.prose import Hit


def _scanned(text: str) -> tuple[Hit, ...]:
    return tuple(Hit(mark.line, f"{mark.name}: {mark.text}") for mark in routes_around(text))


POLICIES: Mapping[str, Policy] = {
    "sprint": sprint.decide,
    "kanban": kanban.decide,
    "epic": epic.policy(_scanned),
    "checkpoint": checkpoint.decide,
}
