"""What `retry` looks at before it sends an order: the model asked for, and how it failed before."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches

from topkick.boards import safe
from topkick.core.agents import TIERS, AgentProgram
from topkick.core.errors import UsageError
from topkick.core.mission import Sprint
from topkick.policies.sprint.judging import SAME_FAILURE_LIMIT

_A_FULL_NAME = re.compile(r"[\d/:.@_-]")
NEAR = 0.75


def warn_of_model(model: str, agents: Sequence[AgentProgram]) -> str:
    """Empty where it is known or looks like a model's own name; a slip of the pen is refused."""
    known = [*map(str, TIERS), *(name for agent in agents for name in agent.models.values())]
    if not model or model in known or _A_FULL_NAME.search(model):
        return ""
    said = safe.line(model, 60)
    if near := get_close_matches(model.lower(), known, n=1, cutoff=NEAR):
        raise UsageError(
            f"'{said}' is no model that is known here. Did you mean: --model {near[0]}?\n"
            f"Known: {', '.join(dict.fromkeys(known))}, or a model's full name."
        )
    return f"'{said}' is neither a tier nor a model of topkick.toml; it is passed on as it is."


def warn_of_same_failure(sprint: Sprint) -> str:
    """SM-10 counts over the whole life of a sprint, which a retry does not begin anew."""
    times = max(Counter(sprint.fingerprints).values(), default=0)
    if times < SAME_FAILURE_LIMIT - 1:
        return ""
    return (
        f"It has failed {times} times in the same way; once more like that and it is FATAL at once."
        '\nChange something first: --note "...", --model, the plan or the check.'
    )
