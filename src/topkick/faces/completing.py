"""What the Tab key offers for a work unit or a sprint: the handles of the run that is here."""

import click

from topkick.core.errors import TopkickError

OFFERED = 500


def units(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return _beginning_with(incomplete, sprints_too=False)


def units_and_sprints(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return _beginning_with(incomplete, sprints_too=True)


def _beginning_with(text: str, *, sprints_too: bool) -> list[str]:
    """Nothing where anything is amiss: whoever presses Tab asked for no message."""
    from topkick.wiring.looking import take_a_look
    from topkick.wiring.run_search import find_run

    try:
        view = take_a_look(find_run())
    except (TopkickError, OSError):
        return []
    if view is None:
        return []
    found: list[str] = []
    for unit in view.mission.units.values():
        found.append(unit.handle)
        if sprints_too:
            found.extend(f"{unit.handle}/{sprint.id}" for sprint in unit.sprints)
    return [one for one in found if one.lower().startswith(text.lower())][:OFFERED]
