"""Choose the policy for a kind of supervisor; only that one is loaded."""

from topkick.core.kernel import Policy


def policy_of(kind: str) -> Policy:
    match kind:
        case "kanban":
            from topkick.policies import kanban

            return kanban.decide
        case "epic":
            return _epic()
        case "checkpoint":
            from topkick.policies import checkpoint

            return checkpoint.decide
        case "pipeline":
            from topkick.policies import pipeline

            return pipeline.decide
        case _:
            from topkick.policies import sprint

            return sprint.decide


def _epic() -> Policy:
    from topkick.inspection.prose import routes_around
    from topkick.policies import epic
    from topkick.policies.epic.prose import Hit

    def scanned(text: str) -> tuple[Hit, ...]:
        return tuple(Hit(mark.line, f"{mark.name}: {mark.text}") for mark in routes_around(text))

    return epic.policy(scanned)
