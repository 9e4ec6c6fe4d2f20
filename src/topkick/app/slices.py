"""Load what belongs to one kind of supervisor: its policy, or the role spec of its judge."""

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


# --- role specs ----------------------------------------------------------------------------------


BUILTIN_SPEC = "builtin"


def shipped_role_spec() -> str:
    """Return the three checkpoints of the pipeline from a brief to a plan (CK-12)."""
    from importlib.resources import files

    place = files("topkick.team.judge") / "specs" / "supervisor.md"
    return place.read_text("utf-8")
