"""Which policy decides for which kind of supervisor."""

from collections.abc import Mapping

from topkick.core.kernel import Policy
from topkick.policies import kanban, sprint

POLICIES: Mapping[str, Policy] = {"sprint": sprint.decide, "kanban": kanban.decide}
