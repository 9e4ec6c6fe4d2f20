"""After the faults: everything works, people answer, and every run must end (Y2)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from proof.simulation.timeline import SECOND_US, Horizon
from topkick.engine import messages as h
from topkick.sprint.blockers.holds import (
    CheckCannotRun,
    DispatchesUsed,
    FatalCause,
    FindingsOpen,
    PersonHasToLook,
)
from topkick.sprint.blockers.unit import needs
from topkick.sprint.transitions import UnitState

if TYPE_CHECKING:
    from proof.simulation.story import Story

PATIENCE_H = 72.0
ROUNDS = 60
ABOUT_WORK = (FatalCause, FindingsOpen, CheckCannotRun, PersonHasToLook, DispatchesUsed)


def bring_to_an_end(story: Story) -> None:
    story.fair = True
    story.project.honest = True
    story.disk.heal()
    story.letters.clear()
    story.crash_in_never()
    since_us = story.timeline.now_us
    story.timeline.limit_us = since_us + round(PATIENCE_H * 3600 * SECOND_US)
    story.calm_since_s = story.timeline.monotonic_s()
    try:
        _answer_until_done(story)
        _end_backgrounds(story)
    except Horizon:
        wants = _needs(story)
        story.oracle.complain(
            "Y2", f"not at an end {PATIENCE_H:.0f} h after the last fault: {wants}"
        )


def _needs(story: Story) -> list[str]:
    mission = story.mission
    return [f"{n.handle}: {n.by}" for n in needs(mission)]


def _answer_until_done(story: Story) -> None:
    for _ in range(ROUNDS):
        mission = story.mission
        if mission.units and all(u.state is UnitState.COMPLETED for u in mission.units.values()):
            return
        for command in answers(story):
            story.post_letter(command)
        before = story.oracle.steps
        story.serve(driven=True)
        story.oracle.require(story.oracle.steps > before, "Y1", "nothing moved")
    story.oracle.complain("Y2", f"not at an end after {ROUNDS} rounds: {_needs(story)}")


def answers(story: Story) -> list[h.Command]:
    """Return what a patient person would answer to every need that is shown."""
    mission = story.mission
    if mission.settings is None:
        return []
    settings = replace(mission.settings, accept_unchecked=True, only=())
    said: list[h.Command] = []
    for need in needs(mission):
        if need.handle in mission.gates:
            said.append(h.PassGate(need.handle, "seen"))
        elif isinstance(need.by, ABOUT_WORK):
            sprint = need.handle.partition("/")[2]
            again = isinstance(need.by, FatalCause) and not need.spent
            said.append(
                h.Retry(need.unit, sprint) if again else h.Accept(need.unit, sprint, "seen")
            )
    spent = [
        h.Accept(u.name, u.current.id, "dispatched often enough")
        for u in mission.units.values()
        if u.current is not None
        and u.current.counted_dispatches >= settings.max_dispatches
        and u.current.state.value in ("PARTIAL", "BACKOFF", "FATAL")
        and u.current.interrupted is None  # killed work is checked first
    ]
    return [*said, *spent, h.Resume(settings=settings)]


def _end_backgrounds(story: Story) -> None:
    for _ in range(5):
        mission = story.mission
        if not mission.backgrounds:
            story.timeline.pass_s(120.0)
            return
        story.post_letter(h.EndBackground())
        story.serve(driven=False)
    story.oracle.complain("Y2", f"still running in the background: {list(mission.backgrounds)}")
