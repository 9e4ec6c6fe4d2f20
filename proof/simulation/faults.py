"""The faults, and when they happen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from zlib import crc32

from proof.simulation import people
from proof.simulation.schedule import Timed
from proof.simulation.sim_host import forget_unsynced, forget_wholly
from topkick.engine import messages as h

if TYPE_CHECKING:
    from proof.simulation.story import Story

DAY_S = 86_400.0
JUMPS_S = (1.0, 60.0, 3_600.0, 12 * 3_600.0, 30 * DAY_S)


LAUNCHING = ("before prepare", "after prepare", "before launch", "after launch")


LATER = (
    *("crash", "crash at launch", "lost tail", "second supervisor", "supervisor stopped"),
    *("disk full", "fsync error", "commit lies", "commit lies twice"),
    *("checks cannot run", "forged progress"),
)
"""Faults that strike only when a process passes there, and are counted there."""


def _then_said(n: int) -> h.Command | None:
    """Return what a person says while no supervisor is running."""
    return (None, h.Stop(), h.KillAll(), None, h.Stop())[n % 5]


def striking(story: Story, fault: Timed) -> Callable[[], None]:
    def strike() -> None:
        story.note(f"FAULT {fault.what} n={fault.n} for {fault.for_s:.1f} s")
        if fault.what not in LATER and _strikes(story, fault):
            story.struck(f"fault {fault.what}")
        _strike(story, fault)

    return strike


def _strikes(story: Story, fault: Timed) -> bool:
    """Return whether there is a process for the fault to hit."""
    roles = [p.role for p in story.table.ours()]
    match fault.what:
        case "leave" | "echo":
            return bool(story.supervisors)
        case "reboot":
            return bool(story.supervisors or roles)
        case "keeper killed" | "keeper stopped":
            return "keeper" in roles
        case "agent killed":
            return "agent" in roles or "child" in roles
        case "pid reuse":
            return any(dead.pid not in story.table.rows for dead in story.table.gone[-10:])
        case _:
            return True


def _strike(story: Story, fault: Timed) -> None:
    now_s = story.timeline.monotonic_s()
    match fault.what:
        case "crash":
            story.crash_in(fault.n)
        case "crash at launch":
            story.crash_at(LAUNCHING[fault.n % len(LAUNCHING)], _then_said(fault.n))
        case "leave":
            for supervisor in story.supervisors[-1:]:
                supervisor.leave()
                story.bells[-1].rung = True
        case "reboot":
            _reboot(story, fault)
        case "disk full":
            story.disk.full_until_s = now_s + fault.for_s
            story.calm_since_s = story.disk.full_until_s
        case "fsync error" | "commit lies" | "commit lies twice":
            story.disk.commit_faults += [fault.what] * (1 + fault.n % 2)
            story.calm_since_s = now_s + 20.0
        case "lost tail":
            story.lose_tail = True
            story.crash_in(fault.n)
        case "clock forward":
            story.timeline.jump(JUMPS_S[fault.n % len(JUMPS_S)])
        case "clock back":
            story.timeline.jump(-JUMPS_S[fault.n % len(JUMPS_S)])
        case "second supervisor":
            story.second_in(fault.n, fault.for_s)
        case "supervisor stopped":
            story.freeze_in(fault.n % 4, fault.for_s)
        case "plan edited":
            people.edited(story, fault.n)
        case "echo":
            for echo in story.echoes:
                echo.repeat()
        case "checks cannot run":
            story.project.broken_until_s = story.timeline.since_s + fault.for_s
        case "forged progress":
            story.project.forges_for_s = fault.for_s
        case _:
            _to_processes(story, fault)


def _to_processes(story: Story, fault: Timed) -> None:
    keepers = [p for p in story.table.ours() if p.role == "keeper"]
    agents = [p for p in story.table.ours() if p.role in ("agent", "child")]
    match fault.what:
        case "keeper killed" if keepers:
            story.table.end(keepers[fault.n % len(keepers)], None, 9)
        case "keeper stopped" if keepers:
            keeper = keepers[fault.n % len(keepers)]
            keeper.paused = True
            story.timeline.after(fault.for_s, lambda: _go_on(keeper))
        case "agent killed" if agents:
            story.table.end(agents[fault.n % len(agents)], None, 9)
        case "pid reuse":
            for dead in story.table.gone[-10:]:
                story.table.imitate(dead, same_start=False)
        case _:
            return


def _go_on(keeper: object) -> None:
    keeper.paused = False  # type: ignore[attr-defined]


def _reboot(story: Story, fault: Timed) -> None:
    """Cut the power; unsynced data may be lost, and data that the disk lied about."""

    def keep(name: str) -> bool:
        return crc32(f"{story.schedule.seed} {fault.n} {name}".encode()) % 3 > 0

    runs = story.oracle.books.runs
    seen_at_work = [run_id for run_id, run in runs.items() if run.active]
    story.table.reboot()
    forget_unsynced(story.files, keep)
    forget_wholly([story.files[i] for i in seen_at_work if not keep(f"{i} directory")])
    story.crash_now()
