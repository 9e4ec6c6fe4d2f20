"""The faults of a board or an epic, and when they happen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from proof.simulation.files.seams import Crash
from proof.simulation.schedule import Timed

if TYPE_CHECKING:
    from proof.simulation.files.story import FileStory

SPREAD = 3  # a tick passes about a hundred seams
JUMPS_S = (1.0, 60.0, 3_600.0, 12 * 3_600.0)


def striking(story: FileStory, fault: Timed) -> Callable[[], None]:
    def strike() -> None:
        if story.fair:
            return
        story.figures[f"fault {fault.what}"] += 1
        story.note(f"FAULT {fault.what} n={fault.n} for {fault.for_s:.1f} s")
        _strike(story, fault)

    return strike


def _strike(story: FileStory, fault: Timed) -> None:
    match fault.what:
        case "crash":
            story.seams.crash_in(fault.n * SPREAD)
        case "leave":
            for supervisor in story.supervisors[-1:]:
                supervisor.leave()
                story.bells[-1].rung = True
        case "reboot":
            story.host.reboot()
            if story.supervisors:
                raise Crash
        case "disk full":
            story.disk.full_until_s = story.timeline.monotonic_s() + fault.for_s
        case "fsync error" | "commit lies" | "commit lies twice":
            story.disk.commit_faults += [fault.what] * (1 + fault.n % 2)
        case "lost tail":
            story.lose_tail = True
            story.seams.crash_in(fault.n)
        case "clock forward":
            story.timeline.jump(JUMPS_S[fault.n % len(JUMPS_S)])
        case "clock back":
            story.timeline.jump(-JUMPS_S[fault.n % len(JUMPS_S)])
        case "second at once":
            story.seams.another_in(fault.n * SPREAD, lambda: _refused(story))
        case "overtaken":
            story.seams.another_in(fault.n * SPREAD, lambda: _overtaken(story, fault.for_s))
        case "echo":
            for echo in story.echoes:
                echo.repeat()
        case _:
            _to_processes(story, fault)


def _refused(story: FileStory) -> None:
    """Check that a second command at the same time does nothing: the lock is real, and held."""
    before = story.oracle.steps
    how = story.serve()
    nothing = how == "refused" and story.oracle.steps == before
    story.oracle.require(nothing, "EP-03", f"a second command at once {how}")


def _overtaken(story: FileStory, for_s: float) -> None:
    """Freeze the holder; another supervisor takes over, works and leaves; then the old one
    continues.
    """

    def leave() -> None:
        if len(story.supervisors) > 1:
            story.supervisors[-1].leave()
            story.bells[-1].rung = True

    story.timeline.after(for_s, leave)
    boot = story.host.table.boot
    story.serve(locked=False)
    if story.host.table.boot > boot:
        raise Crash  # a frozen supervisor does not survive that
    story.note("the old holder wakes up")


def _to_processes(story: FileStory, fault: Timed) -> None:
    role = {"keeper killed": "keeper", "agent killed": "agent"}[fault.what]
    found = [p for p in story.host.table.ours() if p.role == role]
    if found:
        story.host.table.end(found[fault.n % len(found)], None, 9)
