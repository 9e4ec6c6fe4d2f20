"""Load the policy of one kind of supervisor, and no other."""

from topkick.engine.kernel import Policy


def policy_of(kind: str) -> Policy:
    match kind:
        case "kanban":
            from topkick.kanban import decide as kanban

            return kanban.decide
        case "epic":
            return _epic()
        case "checkpoint":
            from topkick.team.judge import decide as checkpoint

            return checkpoint.decide
        case "pipeline":
            from topkick.team.pipeline import decide as pipeline

            return pipeline.decide
        case _:
            from topkick.sprint.policy import decide as sprint

            return sprint.decide


def _epic() -> Policy:
    from topkick.epic import decide as epic
    from topkick.epic.tick.critique import Hit
    from topkick.inspection.weasel_words import routes_around

    def scanned(text: str) -> tuple[Hit, ...]:
        return tuple(Hit(mark.line, f"{mark.name}: {mark.text}") for mark in routes_around(text))

    return epic.policy(scanned)
